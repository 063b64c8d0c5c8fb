"""A connection that is not let in: one plain line, where that holds nothing up, and its end."""

import os
import socket
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from cartino_server.ssh.gate import Reason

LINES: Final[Mapping[Reason, bytes]] = {
    "unauthenticated": b"Too many are at the door just now. Please come back in a moment.\r\n",
    "source": b"There are too many connections from your address. Please end one, or come back later.\r\n",
    "penalty": b"Your address is kept out for some minutes, for how connections from it behaved.\r\n",
    "banned": b"The host of this house does not let your address in.\r\n",
    "proxy": b"This address has to speak the PROXY protocol.\r\n",
    "files": b"The house is full. Please come back later.\r\n",
}
"""Before SSH begins, a server may say lines (RFC 4253, 4.2). Nobody's language is known then."""
_MOST_READ: Final = 4096


def turn_away(client: socket.socket, reason: Reason) -> None:
    """Say why and close, without waiting for anything."""
    with client, suppress(OSError):
        client.setblocking(False)
        client.send(LINES[reason])
        client.shutdown(socket.SHUT_WR)
        # What was sent and not read would make the system throw away what we have said.
        client.recv(_MOST_READ)


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
