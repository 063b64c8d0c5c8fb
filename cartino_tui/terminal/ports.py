"""The ports between an app and the channel that its terminal hangs on."""

from typing import Protocol

from cartino_protocol.terminal import TerminalFacts


class Terminal(Protocol):
    """The channel, from the app's side. All calls return at once."""

    @property
    def facts(self) -> TerminalFacts:
        """What is known of the terminal."""

    def write(self, data: bytes) -> None:
        """Send bytes to the terminal; dropped when the channel is gone."""

    def pause_reading(self) -> None:
        """Take no more input from the channel until `resume_reading`."""

    def resume_reading(self) -> None:
        """Take input again."""


class TerminalHandler(Protocol):
    """What runs on a channel, from the channel's side: one Textual app. All but `run` return at once."""

    @property
    def crash(self) -> str | None:
        """After `run`: None, or what to log of why it ended badly."""

    async def run(self) -> int:
        """Run the app to its end; its exit code. The caller runs it in a context of its own."""

    def feed(self, data: bytes) -> None:
        """Bytes the person typed."""

    def resize(self, width: int, height: int) -> None:
        """The terminal has another size now, in cells."""

    def stall(self) -> None:
        """The channel's buffer is full: draw nothing more until `drained`."""

    def drained(self) -> None:
        """The channel takes bytes again; draw the newest state whole."""

    def hang_up(self) -> None:
        """The channel is gone: end without drawing."""
