"""What is known about a person's terminal, and the sizes the app draws in.

Shared by the server, the workers and the client.
"""

from typing import Final

import msgspec

MAX_WIDTH: Final = 300
MAX_HEIGHT: Final = 120
DEFAULT_SIZE: Final = (80, 24)
"""The size in cells that is drawn where a terminal gives none."""


class TerminalFacts(msgspec.Struct, frozen=True):
    """What is known of a terminal before a byte is drawn: TERM, size in cells, the environment it sent.

    `env` holds only the accepted variables (LANG, LC_*, COLORTERM, NO_COLOR, TZ), of one's own terminal all.
    `is_terminal`: there is one at all; where there is none, whole lines come and go, and nobody waits for an echo.
    """

    term: str
    width: int
    height: int
    env: dict[str, str] = {}
    is_terminal: bool = True


def clamp_size(
    width: int, height: int, most_wide: int = MAX_WIDTH, most_high: int = MAX_HEIGHT
) -> tuple[int, int]:
    """A size in cells that is safe to draw: the usual one where the terminal gave none, and never above the most."""
    if width <= 0 or height <= 0:
        width, height = DEFAULT_SIZE
    return min(width, most_wide), min(height, most_high)
