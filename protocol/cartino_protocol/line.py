"""A line to the house that outlives its connection: what it tells of itself between the answers."""

from typing import Literal, Protocol

import msgspec

from cartino_protocol.commands import Command
from cartino_protocol.link import LinkClosed
from cartino_protocol.marking import SentenceError
from cartino_protocol.views import Answer


class LineNews(msgspec.Struct, frozen=True):
    """How the line stands now.

    `lost`: there is none, and the next try is in `seconds`, because the line broke or because the house
    `restarts`; `trying`: one is being made; `back`: there is one again, and the house waits for a `Hello`. From
    `lost` to `back` every command is refused with `no-line`; what became of one said shortly before nobody knows.
    """

    stands: Literal["lost", "trying", "back"]
    seconds: float = 0.0
    restarts: bool = False


class LineEnded(SentenceError, LinkClosed):
    """There is no line any more, and no use in another try; the sentence is for the person."""


class LastingLink(Protocol):
    """A `Link` that makes its line anew when it is lost."""

    def send(self, command: Command) -> None:
        """See Link."""

    async def receive(self) -> Answer | LineNews:
        """See Link; between the answers there is news of the line. Raises LinkClosed, LineEnded."""

    def close(self) -> None:
        """See Link."""
