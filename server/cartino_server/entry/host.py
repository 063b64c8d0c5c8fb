"""The house as the door's reception needs it, in this process or in another."""

from collections.abc import Sequence
from typing import Protocol

from cartino_protocol.link import FrameLink
from cartino_server.ssh.ports import Reply, Visitor


class Host(Protocol):
    """A house, wherever it runs."""

    @property
    def door(self) -> str:
        """The words that bring a friend here, before `join CODE`; "" until they are known."""

    def open_link(self, visitor: Visitor) -> FrameLink:
        """A link of `visitor`, whose first command has to be Hello."""

    async def answer(self, visitor: Visitor, words: Sequence[str]) -> Reply:
        """What `words` get without a terminal."""
