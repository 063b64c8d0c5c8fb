"""What an app needs of the channel that its terminal hangs on. The SSH session is one; tests have another."""

from typing import Protocol

import msgspec


class TerminalFacts(msgspec.Struct, frozen=True):
    """What is known of a terminal before a byte is drawn: TERM, size in cells, the environment it sent.

    `env` holds only the accepted variables (LANG, LC_*, COLORTERM, NO_COLOR, TZ).
    """

    term: str
    width: int
    height: int
    env: dict[str, str] = {}


class Facts(Protocol):
    """`TerminalFacts`, or a struct like it that a carrier has of its own (the SSH door knows no app)."""

    @property
    def term(self) -> str:
        """TERM."""

    @property
    def width(self) -> int:
        """Cells in a line."""

    @property
    def height(self) -> int:
        """Lines."""

    @property
    def env(self) -> dict[str, str]:
        """The accepted variables."""


class Terminal(Protocol):
    """The channel, from the app's side. All calls return at once."""

    @property
    def facts(self) -> Facts:
        """What is known of the terminal."""

    def write(self, data: bytes) -> None:
        """Send bytes to the terminal; dropped when the channel is gone."""

    def pause_reading(self) -> None:
        """Take no more input from the channel until `resume_reading`."""

    def resume_reading(self) -> None:
        """Take input again."""


class Face(Protocol):
    """What runs on a channel, from the channel's side: one Textual app. All but `run` return at once."""

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
