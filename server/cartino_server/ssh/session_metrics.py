"""Metrics of one session: bytes, kind, and the time from a key press to its frame."""

import asyncio
from typing import Final

from cartino_server.metrics.definitions import (
    KEY_TO_FRAME,
    RECEIVED_BYTES,
    REGISTRY,
    SENT_BYTES,
    SESSIONS,
    SESSIONS_STARTED,
)
from cartino_server.ssh.ports import SessionKind

MAX_TURNS: Final = 12
"""Loop turns in which a key press may cause a frame of its own.

It takes one to handle the key, one to send the frame, and some inside Textual. Later frames had another cause or
needed an answer from the server.
"""


class SessionMetrics:
    """Measures one session; does almost nothing while metrics are off."""

    __slots__ = ("_kind", "_since", "_turns")

    def __init__(self) -> None:
        self._kind: SessionKind | None = None
        self._since = 0.0
        self._turns = 0

    def begin(self, kind: SessionKind) -> None:
        """Count the start of a session of this kind."""
        self._kind = kind
        SESSIONS.change(1, kind)
        SESSIONS_STARTED.add(kind)

    def end(self) -> None:
        """Count the end of the session."""
        self._since = 0.0
        if self._kind is not None:
            SESSIONS.change(-1, self._kind)
            self._kind = None

    def typed(self, count: int) -> None:
        """Count received bytes. Call it before they are handled."""
        if not REGISTRY.on:
            return
        RECEIVED_BYTES.add(by=count)
        if self._kind == "screen" and not self._since:
            self._since, self._turns = KEY_TO_FRAME.begin(), MAX_TURNS
            asyncio.get_running_loop().call_soon(self._turn)

    def sent(self, count: int) -> None:
        """Count sent bytes, and end the measurement of a key press."""
        if not REGISTRY.on:
            return
        SENT_BYTES.add(by=count)
        if self._since:
            KEY_TO_FRAME.end(self._since)
            self._since = 0.0

    def _turn(self) -> None:
        """Wait another turn, or stop measuring: the key caused no frame."""
        self._turns -= 1
        if self._since and self._turns:
            asyncio.get_running_loop().call_soon(self._turn)
        else:
            self._since = 0.0
