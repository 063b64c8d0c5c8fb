"""The ports between an app and the channel of its terminal."""

from typing import Protocol

from cartino_protocol.base import TerminalFacts


class Terminal(Protocol):
    """The channel, as the app sees it. All calls return at once."""

    @property
    def facts(self) -> TerminalFacts:
        """What is known of the terminal."""

    def write(self, data: bytes) -> None:
        """Send bytes; dropped when the channel is gone."""

    def pause_reading(self) -> None:
        """Stop reading from the channel until `resume_reading`."""

    def resume_reading(self) -> None:
        """Read again."""


class TerminalHandler(Protocol):
    """What runs on a channel: one Textual app or plain mode. All calls but `run` return at once."""

    @property
    def crash(self) -> str | None:
        """After `run`: the traceback to log, None if it ended well."""

    async def run(self) -> int:
        """Run to the end; return the exit code. The caller runs it in a context of its own."""

    def feed(self, data: bytes) -> None:
        """Take typed bytes."""

    def resize(self, width: int, height: int) -> None:
        """Take the terminal's new size in cells."""

    def stall(self) -> None:
        """Draw nothing until `drained`: the channel's buffer is full."""

    def drained(self) -> None:
        """Draw the newest state whole: the channel accepts bytes again."""

    def hang_up(self) -> None:
        """End without drawing: the channel is gone."""
