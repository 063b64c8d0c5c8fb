"""The one port between a client and the house. Who holds a link knows nothing of what carries it."""

from typing import Final, Protocol

from cartino_protocol.commands import Command
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
