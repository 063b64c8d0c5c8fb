"""What is measured of one session: its bytes, its kind, and how long its keys take to a frame."""

import asyncio
from typing import Final

from cartino_server.metering.figures import KEY_TO_FRAME, METER, RECEIVED, SENT, SESSIONS, SESSIONS_BEGUN
from cartino_server.ssh.ports import SessionKind

MAX_TURNS: Final = 12
"""Turns of the loop in which a key draws what it draws by itself: its own, one to send it, and those that Textual needs
where it brings the key. What comes later was drawn for something else, or had to be asked for in the house."""


class SessionMetrics:
    """Does nothing while nobody watches."""

    __slots__ = ("_kind", "_since", "_turns")

    def __init__(self) -> None:
        """Of a session that has not begun."""
        self._kind: SessionKind | None = None
        self._since = 0.0
        self._turns = 0

    def begin(self, kind: SessionKind) -> None:
        """The session has begun, and is of that kind."""
        self._kind = kind
        SESSIONS.change(1, kind)
        SESSIONS_BEGUN.add(kind)

    def end(self) -> None:
        """It is over."""
        self._since = 0.0
        if self._kind is not None:
            SESSIONS.change(-1, self._kind)
            self._kind = None

    def typed(self, count: int) -> None:
        """So many bytes came in. To be called before anybody hears of them."""
        if not METER.on:
            return
        RECEIVED.add(by=count)
        if self._kind == "screen" and not self._since:
            self._since, self._turns = KEY_TO_FRAME.begin(), MAX_TURNS
            asyncio.get_running_loop().call_soon(self._turn)

    def sent(self, count: int) -> None:
        """So many bytes were given to the channel."""
        if not METER.on:
            return
        SENT.add(by=count)
        if self._since:
            KEY_TO_FRAME.end(self._since)
            self._since = 0.0

    def _turn(self) -> None:
        """Wait a turn more, or give the key up: it had no frame of its own."""
        self._turns -= 1
        if self._since and self._turns:
            asyncio.get_running_loop().call_soon(self._turn)
        else:
            self._since = 0.0
