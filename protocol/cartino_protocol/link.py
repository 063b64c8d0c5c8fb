"""The port between a client and the server, and the variant that reconnects.

A holder of a link does not know what carries it: a queue in the process, a worker's socket or an SSH subsystem.
"""

from typing import Final, Literal, Protocol

import msgspec

from cartino_protocol.commands import Command
from cartino_protocol.text import LazyMessageError
from cartino_protocol.views import Answer

BROKEN_OFF: Final = 75
"""Exit status of a command that the server ended before it was done; as EX_TEMPFAIL, "try again"."""


class LinkClosed(Exception):
    """Nothing more comes: the house ended the link or the line is gone."""


class Link(Protocol):
    """A person's line to the house; carried in process, later by an SSH subsystem or a socket."""

    def send(self, command: Command) -> None:
        """Say `command`; returns at once. What becomes of it shows in a view or a `Refusal`."""

    async def receive(self) -> Answer:
        """Wait for the next answer; of views only the newest of each kind. Raises LinkClosed."""

    def close(self) -> None:
        """Hang up. Further sends are dropped, a waiting `receive` raises LinkClosed. May be called twice."""


class FrameLink(Link, Protocol):
    """A link whose frames can be passed on without looking inside, by whatever carries it further."""

    def send_frame(self, frame: bytes) -> None:
        """Say the command in `frame`; one that can't be read is refused as `malformed`."""

    async def receive_frame(self) -> bytes:
        """Wait for the next answer's frame. Raises LinkClosed."""


class ConnectionStatus(msgspec.Struct, frozen=True):
    """How the line stands now.

    `lost`: there is none, and the next try is in `seconds`, because the line broke or because the house
    `restarts`; `trying`: one is being made; `back`: there is one again, and the house waits for a `Hello`. From
    `lost` to `back` every command is refused with `no-line`; what became of one said shortly before nobody knows.
    """

    stands: Literal["lost", "trying", "back"]
    seconds: float = 0.0
    restarts: bool = False


class LinkEnded(LazyMessageError, LinkClosed):
    """There is no line any more, and no use in another try; the sentence is for the person."""


class LinkWithStatus(Protocol):
    """A `Link` that makes its line anew when it is lost."""

    def send(self, command: Command) -> None:
        """See Link."""

    async def receive(self) -> Answer | ConnectionStatus:
        """See Link; between the answers there is news of the line. Raises LinkClosed, LineEnded."""

    def close(self) -> None:
        """See Link."""
