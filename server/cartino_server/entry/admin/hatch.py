"""The hatch by which hosts on this machine are answered. Whoever hangs or talks nonsense there is alone in it."""

import asyncio
import contextvars
import os
import socket
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import structlog

from cartino_protocol.framing import BadFrame, framed
from cartino_server.entry.admin.sockets import listen_in, may_ask, peer_of, remove_in
from cartino_server.entry.admin.wire import MOST_ASKED, Told, encode, read_asked
from cartino_server.rooms.accounts import account
from cartino_server.ssh.ports import Reply
from cartino_tui.preferences import language_of
from cartino_tui.tongue import Tongue, tongue_of

MOST_AT_ONCE: Final = 8
"""Connections; one more is closed at once."""
ASK_WAIT: Final = 5.0
"""Seconds in which a question has to be there, and in which an answer has to be taken."""
CLOSING_WAIT: Final = 1.0
"""Seconds that answers have to get out when the house ends."""

Answer = Callable[[str, Sequence[str], Tongue, str], Awaitable[Reply]]
"""As `Desk.answer`."""

_log = structlog.get_logger(__name__)


class Hatch:
    """A hatch that is open. Made by `open_hatch`."""

    def __init__(self, listening: socket.socket, data: Path, answer: Answer, own: int) -> None:
        """Begin to answer who asks through `listening`; `own` is the user id of the house."""
        self._data = data
        self._answer = answer
        self._own = own
        self._listening = listening
        self._asking: set[asyncio.Task[None]] = set()
        self._accepting = asyncio.get_running_loop().create_task(
            self._accept(), context=contextvars.Context()
        )

    async def close(self) -> None:
        """Answer who has asked, and nobody else."""
        self._accepting.cancel()
        await asyncio.gather(self._accepting, return_exceptions=True)
        self._listening.close()
        try:
            remove_in(self._data)
        except OSError as error:
            _log.warning("the hosts' socket can't be removed", why=str(error))
        if self._asking:
            await asyncio.wait(self._asking, timeout=CLOSING_WAIT)
        for asking in self._asking:
            asking.cancel()
        await asyncio.gather(*self._asking, return_exceptions=True)

    async def _accept(self) -> None:
        """Let hosts ask until cancelled, whatever breaks at one of them."""
        loop = asyncio.get_running_loop()
        while True:
            try:
                client, _ = await loop.sock_accept(self._listening)
            except Exception as error:
                with suppress(Exception):
                    _log.warning("no host can be answered just now", why=account(error))
                await asyncio.sleep(1)
                continue
            try:
                self._take(client)
            except Exception as error:
                client.close()
                with suppress(Exception):
                    _log.error("a host's question broke", where=account(error))

    def _take(self, client: socket.socket) -> None:
        peer = peer_of(client)
        if len(self._asking) >= MOST_AT_ONCE or not may_ask(peer, self._own):
            client.close()
            _log.warning("a host's question was not taken", uid=peer)
            return
        asking = asyncio.get_running_loop().create_task(
            self._serve(client, f"uid {peer}"), context=contextvars.Context()
        )
        self._asking.add(asking)
        asking.add_done_callback(self._asking.discard)

    async def _serve(self, client: socket.socket, who: str) -> None:
        """One question, one answer."""
        loop = asyncio.get_running_loop()
        try:
            with client:
                client.setblocking(False)
                async with asyncio.timeout(ASK_WAIT):
                    asked = read_asked(await _frame(client))
                tongue = tongue_of(language_of(asked.env))
                reply = await self._answer(who, asked.words, tongue, "cartino admin")
                told = encode(Told(reply.stdout, reply.stderr, reply.status))
                async with asyncio.timeout(ASK_WAIT):
                    await loop.sock_sendall(client, framed(told))
        except (BadFrame, OSError, TimeoutError) as error:
            _log.info("a host could not be answered", who=who, why=str(error) or "too slow")
        except Exception:
            _log.exception("a host's question broke", who=who)


def open_hatch(data: Path, answer: Answer) -> Hatch | None:
    """The hatch of the house that serves `data`; None, and a line in the log, where there can be none."""
    try:
        listening = listen_in(data)
    except OSError as error:
        _log.error("hosts can't be answered on this machine", why=str(error))
        return None
    return Hatch(listening, data, answer, os.getuid())


async def _frame(client: socket.socket) -> bytes:
    """The inside of the one frame that comes. Raises BadFrame, OSError."""
    length = int.from_bytes(await _bytes(client, 4), "big")
    if length > MOST_ASKED:
        raise BadFrame(f"a frame of {length} bytes")
    return await _bytes(client, length)


async def _bytes(client: socket.socket, count: int) -> bytes:
    loop = asyncio.get_running_loop()
    came = bytearray()
    while len(came) < count:
        part = await loop.sock_recv(client, count - len(came))
        if not part:
            raise BadFrame("it ends in the middle")
        came += part
    return bytes(came)
