"""A connection that is not let in: it is told why, in SSH's own words, where that holds nothing up, and ended."""

import asyncio
import math
import os
import socket
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from asyncssh.constants import (
    DISC_HOST_NOT_ALLOWED_TO_CONNECT,
    DISC_TOO_MANY_CONNECTIONS,
    MSG_DISCONNECT,
)
from asyncssh.packet import Byte, String, UInt32

from cartino_server.ssh.gate import Reason, Refused

WORDS: Final[Mapping[Reason, str]] = {
    "unauthenticated": "Too many are at the door just now. Please come back in a moment.",
    "source": "There are too many connections from your address. Please end one, or come back later.",
    "logging-in": "Others are logging in from your address just now. Please try again in a moment.",
    "pace": "Connections come from your address faster than they are let in. Please come back in a few seconds.",
    "penalty": "Connections from your address came too often or misbehaved, so it is kept out for now. "
    "Please come back later.",
    "banned": "The host of this house does not let your address in.",
    "proxy": "This address has to speak the PROXY protocol.",
    "files": "The house is full. Please come back later.",
}
"""In English: nobody's language is known then."""
_FOR_ABOUT: Final = (
    "Connections from your address came too often or misbehaved, so it is kept out for about {}. "
    "Please come back then."
)
_TOO_MANY: Final[frozenset[Reason]] = frozenset({"unauthenticated", "source", "logging-in", "pace", "files"})
_GREETING: Final = b"SSH-2.0-cartino\r\n"
_BLOCK: Final = 8
"""Bytes that each packet is a multiple of before there is a key."""
_MOST_SHOWN: Final = 400
"""Characters of a sentence: one packet, which is taken at once."""

LINGER: Final = 2.0
"""Seconds that whoever is turned away has to read why."""
MOST_LINGERING: Final = 32
"""How many have that at once; another one takes it from the oldest."""
FEW_LINGERING: Final = 4
"""How many where descriptors are short."""
MOST_READ: Final = 16_384
"""Bytes that somebody may still send meanwhile."""
_PORTION: Final = 4096


def words_of(refused: Refused) -> str:
    """What somebody is told who is refused so."""
    if refused.reason == "penalty" and refused.seconds:
        return _FOR_ABOUT.format(_about(refused.seconds))
    return refused.words or WORDS[refused.reason]


def _about(seconds: float) -> str:
    if seconds <= 60:
        return f"{10 * math.ceil(seconds / 10)} seconds"
    return f"{math.ceil(seconds / 60)} minutes"


def farewell(refused: Refused) -> bytes:
    """Our name, and a packet whose sentence clients show: what is said before SSH begins most of them don't."""
    code = DISC_TOO_MANY_CONNECTIONS if refused.reason in _TOO_MANY else DISC_HOST_NOT_ALLOWED_TO_CONNECT
    said = words_of(refused)[:_MOST_SHOWN]
    payload = Byte(MSG_DISCONNECT) + UInt32(code) + String(said) + String("en")
    padding = _BLOCK - (5 + len(payload)) % _BLOCK
    padding += _BLOCK if padding < 4 else 0
    return _GREETING + UInt32(1 + len(payload) + padding) + Byte(padding) + payload + bytes(padding)


class TurningAway:
    """Turns connections away, and waits for none of them.

    Each stays for a moment behind what it was told: whoever is sent something at an end that is closed already is told
    so by the system, and throws away what they have not read yet.
    """

    def __init__(self) -> None:
        """Nobody lingers."""
        self._lingering: dict[socket.socket, asyncio.TimerHandle] = {}
        self._unread: dict[socket.socket, int] = {}

    @property
    def lingering(self) -> int:
        """How many are still there."""
        return len(self._lingering)

    def turn_away(self, client: socket.socket, refused: Refused, *, linger: bool = True) -> None:
        """Say why, and end it; without `linger` at once, whether or not that can be read. `client` is ours then."""
        client = socket.socket(fileno=client.detach())
        client.setblocking(False)
        try:
            client.send(farewell(refused))
            client.shutdown(socket.SHUT_WR)
            if not linger:
                # What was sent and not read would make the system throw away what we have said.
                client.recv(_PORTION)
                client.close()
                return
        except OSError:
            client.close()
            return
        most = FEW_LINGERING if refused.reason == "files" else MOST_LINGERING
        while len(self._lingering) >= most:
            self._end(next(iter(self._lingering)))
        loop = asyncio.get_running_loop()
        self._unread[client] = MOST_READ
        self._lingering[client] = loop.call_later(LINGER, self._end, client)
        loop.add_reader(client.fileno(), self._read, client)

    def close(self) -> None:
        """Let nobody linger any more."""
        for client in tuple(self._lingering):
            self._end(client)

    def _read(self, client: socket.socket) -> None:
        try:
            data = client.recv(_PORTION)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        self._unread[client] -= len(data)
        if not data or self._unread[client] <= 0:
            self._end(client)

    def _end(self, client: socket.socket) -> None:
        self._lingering.pop(client).cancel()
        del self._unread[client]
        asyncio.get_running_loop().remove_reader(client.fileno())
        client.close()


class Reserve:
    """A descriptor that is kept for when there are no others."""

    def __init__(self) -> None:
        """Keep one, if there is one."""
        self._kept: int | None = None
        self.fill()

    def accept(self, listening: socket.socket) -> socket.socket | None:
        """Give it for a connection that waits; None where nobody can be had all the same. `fill` it afterwards."""
        self.close()
        try:
            client, _ = listening.accept()
        except OSError:
            self.fill()
            return None
        return client

    def fill(self) -> None:
        """Keep one again."""
        if self._kept is None:
            with suppress(OSError):
                self._kept = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)

    def close(self) -> None:
        """Keep none."""
        if self._kept is not None:
            os.close(self._kept)
            self._kept = None
