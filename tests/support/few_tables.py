"""Servers of few tables, which people open and leave, and where those come from."""

from cartino_protocol.commands import Create, Hello, Leave
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Answer, Left, TableView, Welcome
from cartino_protocol.wire import VERSION
from cartino_server.limits import ServerConfig
from cartino_server.server import Server
from cartino_server.table.link import Person
from tests.support.game_server import Guest, connect

SOLO = Create("race", bots=("steady",))
LONG_SOLO = Create("race", options={"goal": "9"}, bots=("steady",))


def few(most: int, *, tables: int = 500) -> ServerConfig:
    """So many tables for each, and so many for all."""
    return ServerConfig(
        bot_pause=0, lobby_every=0, burst=10_000, seats_burst=10_000, tables_each=most, tables=tables
    )


async def settled(guest: Guest) -> list[Answer]:
    """What somebody has heard once their order was served."""
    while not any(isinstance(answer, TableView | Refusal) for answer in guest.heard):
        await guest.next()
    return guest.heard


async def left_behind(guest: Guest, order: Create = SOLO) -> str:
    """The code of a table that the guest opened and left."""
    code = (await guest.ask(order, TableView)).code
    await guest.ask(Leave(), Left)
    return code


class Origins:
    """Where people come from: by the numbers of their connections."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._connections = 0

    async def comes(self, name: str, address: str, person: str = "") -> Guest:
        """Somebody with a new key, or that `person`, from an IPv4 address."""
        self._connections += 1
        connect(self.server, address, self._connections)
        guest = Guest(self.server.open_link(Person(person or f"id-{name}", name), self._connections))
        await guest.ask(Hello(VERSION), Welcome)
        return guest
