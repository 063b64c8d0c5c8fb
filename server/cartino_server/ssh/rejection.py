"""Refuse connections with a reason that SSH clients show, without waiting for any of them."""

import asyncio
import math
import socket
from collections.abc import Mapping
from typing import Final

from asyncssh.constants import (
    DISC_HOST_NOT_ALLOWED_TO_CONNECT,
    DISC_TOO_MANY_CONNECTIONS,
    MSG_DISCONNECT,
)
from asyncssh.packet import Byte, String, UInt32

from cartino_server.ssh.admission import AdmissionRefused, Reason

MESSAGES: Final[Mapping[Reason, str]] = {
    "unauthenticated": "Too many people are connecting. Please come back in a moment.",
    "source": "There are too many connections from your address. Please end one, or come back later.",
    "logging-in": "Others are logging in from your address. Please try again in a moment.",
    "pace": "Connections come from your address faster than they are let in. Please come back in a few seconds.",
    "penalty": "Connections from your address came too often or misbehaved, so it is kept out for now. "
    "Please come back later.",
    "banned": "The host of this server doesn't let your address in.",
    "proxy": "This address has to speak the PROXY protocol.",
    "files": "The server is full. Please try again later.",
}
"""The messages, in English: the client's language isn't known yet."""
_PENALTY_FOR: Final = (
    "Connections from your address came too often or misbehaved, so it is kept out for about {}. "
    "Please come back then."
)
_OVERLOAD: Final[frozenset[Reason]] = frozenset({"unauthenticated", "source", "logging-in", "pace", "files"})
_GREETING: Final = b"SSH-2.0-cartino\r\n"
_BLOCK: Final = 8
"""Packet sizes are multiples of this before encryption begins."""
_MAX_MESSAGE: Final = 400
"""Characters of a message, so that one packet is sent at once."""

LINGER: Final = 2.0
"""Seconds that a refused client has to read the reason."""
MAX_LINGERING: Final = 32
"""Refused connections kept open at once; another one closes the oldest."""
MAX_LINGERING_SHORT: Final = 4
"""The same while file descriptors are short."""
MAX_DISCARDED: Final = 16_384
"""Bytes that a refused client may still send."""
_CHUNK: Final = 4096


def message_for(refused: AdmissionRefused) -> str:
    """Return the message for a refusal."""
    if refused.reason == "penalty" and refused.seconds:
        return _PENALTY_FOR.format(_rounded_duration(refused.seconds))
    return refused.words or MESSAGES[refused.reason]


def _rounded_duration(seconds: float) -> str:
    if seconds <= 60:
        return f"{10 * math.ceil(seconds / 10)} seconds"
    return f"{math.ceil(seconds / 60)} minutes"


def disconnect_packet(refused: AdmissionRefused) -> bytes:
    """Return our version line and an SSH disconnect packet with the reason.

    Most clients don't show text sent before the SSH protocol begins.
    """
    code = DISC_TOO_MANY_CONNECTIONS if refused.reason in _OVERLOAD else DISC_HOST_NOT_ALLOWED_TO_CONNECT
    text = message_for(refused)[:_MAX_MESSAGE]
    payload = Byte(MSG_DISCONNECT) + UInt32(code) + String(text) + String("en")
    padding = _BLOCK - (5 + len(payload)) % _BLOCK
    padding += _BLOCK if padding < 4 else 0
    return _GREETING + UInt32(1 + len(payload) + padding) + Byte(padding) + payload + bytes(padding)


class Rejector:
    """Send refusals and close the connections a moment later.

    Closing at once would make the system reset a connection on which data still arrives, and the client would lose
    the message.
    """

    def __init__(self) -> None:
        self._lingering: dict[socket.socket, asyncio.TimerHandle] = {}
        self._unread: dict[socket.socket, int] = {}

    @property
    def lingering(self) -> int:
        """Number of refused connections that are still open."""
        return len(self._lingering)

    def reject(self, client: socket.socket, refused: AdmissionRefused) -> None:
        """Send the reason and close `client`, whose descriptor is taken over, a moment later."""
        client = socket.socket(fileno=client.detach())
        client.setblocking(False)
        try:
            client.send(disconnect_packet(refused))
            client.shutdown(socket.SHUT_WR)
        except OSError:
            client.close()
            return
        most = MAX_LINGERING_SHORT if refused.reason == "files" else MAX_LINGERING
        while len(self._lingering) >= most:
            self._end(next(iter(self._lingering)))
        loop = asyncio.get_running_loop()
        self._unread[client] = MAX_DISCARDED
        self._lingering[client] = loop.call_later(LINGER, self._end, client)
        loop.add_reader(client.fileno(), self._read, client)

    def close(self) -> None:
        """Close all remaining connections."""
        for client in tuple(self._lingering):
            self._end(client)

    def _read(self, client: socket.socket) -> None:
        try:
            data = client.recv(_CHUNK)
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
