"""What is known about a person's terminal, and the sizes that are drawn."""

from typing import Final

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
