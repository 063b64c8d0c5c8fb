"""All that lies between a house and its worker, but for the border between two processes."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from cartino_server.entry.far_host import FarHost
from cartino_server.entry.home import HouseHome
from cartino_server.entry.hosting import HouseHost
from cartino_server.ssh.authentication import allow_everyone
from cartino_server.workers.attendant import Attendant
from cartino_server.workers.far import FarHouse
from cartino_server.workers.line import Line
from cartino_server.workers.messages import FromHouse, FromWorker, read_house, read_worker


class Across:
    """A house's end and a worker's, of one line; nothing that travels is kept."""

    def __init__(self, host: HouseHost) -> None:
        self.here: Line[FromWorker] = Line(read_worker, self._hear_worker, self._lost, self._flows)
        self.there: Line[FromHouse] = Line(read_house, self._hear_house, lambda: None)
        self.host = FarHost(house := FarHouse(self.there))
        self.over = asyncio.Event()
        self._attendant = Attendant(HouseHome(host, allow_everyone()), self.here.say_all)
        self._house = house

    def _hear_worker(self, message: FromWorker) -> None:
        self._attendant.hear(message)  # type: ignore[arg-type]

    def _hear_house(self, message: FromHouse) -> None:
        self._house.hear(message)  # type: ignore[arg-type]

    def _flows(self, flowing: bool) -> None:
        self._attendant.flows(flowing)

    def _lost(self) -> None:
        self._attendant.close()
        self.over.set()


@asynccontextmanager
async def across(host: HouseHost) -> AsyncIterator[FarHost]:
    """`host` as a worker has it."""
    made = Across(host)
    loop = asyncio.get_running_loop()
    for line, end in zip((made.here, made.there), socket.socketpair(), strict=True):
        await loop.create_unix_connection(lambda line=line: line, sock=end)  # type: ignore[misc]
    try:
        yield made.host
    finally:
        made.there.close()
        await made.over.wait()
