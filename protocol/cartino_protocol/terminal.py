"""A person's terminal: what is known about it, the sizes that are drawn, and the ports of its channel."""

from typing import Final, Protocol

import msgspec

MAX_WIDTH: Final = 300
MAX_HEIGHT: Final = 120
DEFAULT_SIZE: Final = (80, 24)
"""Cells, for a terminal that reports no size."""


class TerminalFacts(msgspec.Struct, frozen=True):
    """TERM, size in cells and environment of a terminal.

    `env`: only accepted variables (LANG, LC_*, COLORTERM, NO_COLOR, TZ), all for a local terminal. `is_terminal`: False
    for pipes, where whole lines come and nothing is echoed.
    """

    term: str
    width: int
    height: int
    env: dict[str, str] = {}
    is_terminal: bool = True


def clamp_size(
    width: int, height: int, most_wide: int = MAX_WIDTH, most_high: int = MAX_HEIGHT
) -> tuple[int, int]:
    """Return a size that is safe to draw: the default where none is reported, and bounded."""
    if width <= 0 or height <= 0:
        width, height = DEFAULT_SIZE
    return min(width, most_wide), min(height, most_high)


class Terminal(Protocol):
    """The channel of a terminal, as the program that runs on it sees it. All calls return at once."""

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
    """The program that runs on a channel: one Textual app or plain mode. All calls but `run` return at once."""

    @property
    def crash(self) -> str | None:
        """After `run`: the traceback to log, None if it ended well."""

    async def run(self) -> int:
        """Run to the end and return the exit code. When cancelled, leave the terminal in order."""

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
