"""The port between a client and the server, and the variant that reconnects.

A link may be carried by a queue in the process, a worker's socket or an SSH subsystem.
"""

from typing import Final, Literal, Protocol

import msgspec

from cartino_protocol.commands import Command
from cartino_protocol.text import LazyMessageError
from cartino_protocol.views import Answer

BROKEN_OFF: Final = 75
"""Exit status of a command that the server ended early; as EX_TEMPFAIL, "try again"."""


class LinkClosed(Exception):
    """Nothing more comes: the server ended the link or the connection is lost."""


class Link(Protocol):
    """A person's connection to the server."""

    def send(self, command: Command) -> None:
        """Send `command`; returns at once. The result is a view or a `Refusal`."""

    async def receive(self) -> Answer:
        """Wait for the next answer; of views only the newest of each kind. Raises LinkClosed."""

    def close(self) -> None:
        """Hang up: sends are dropped, `receive` raises LinkClosed. May be called twice."""


class FrameLink(Link, Protocol):
    """A link whose frames can be passed on undecoded."""

    def send_frame(self, frame: bytes) -> None:
        """Send the command in `frame`; an unreadable one is refused as `malformed`."""

    async def receive_frame(self) -> bytes:
        """Wait for the next answer's frame. Raises LinkClosed."""


class ConnectionStatus(msgspec.Struct, frozen=True):
    """The state of the connection.

    `lost`: the next try is in `seconds`; `restarts`: because the server restarts; `trying`; `back`: the server waits
    for a `Hello`. From `lost` to `back` commands are refused as `no-line`; commands sent shortly before may be lost.
    """

    stands: Literal["lost", "trying", "back"]
    seconds: float = 0.0
    restarts: bool = False


class LinkEnded(LazyMessageError, LinkClosed):
    """The connection is lost for good; the sentence says why."""


class LinkWithStatus(Protocol):
    """A `Link` that reconnects."""

    def send(self, command: Command) -> None:
        """Send `command`; refused as `no-line` while there is no connection."""

    async def receive(self) -> Answer | ConnectionStatus:
        """Wait for the next answer or change of the connection. Raises LinkClosed, LinkEnded."""

    def close(self) -> None:
        """Hang up, for good."""
