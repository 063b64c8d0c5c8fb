"""A terminal on which frames are shown one after the other, and the bytes that each takes."""

from typing import Final

from cartino_tui.draw.canvas import Frame
from cartino_tui.draw.theme import ThemeDepth, theme_of
from cartino_tui.terminal.painter import Painter
from tests.support.emulated import Emulated
from tests.support.games import ROLES

DEPTHS: Final[tuple[ThemeDepth, ...]] = ("256", "true")


class Window:
    """A terminal of 80 by 24 cells in the default theme: a player's `own` frames, or those of one of many watchers."""

    def __init__(self, depth: ThemeDepth = "256", *, own: bool = False) -> None:
        """Open a terminal of that depth."""
        self._own = own
        self._terminal = Emulated(80, 24)
        theme = theme_of("felt", depth=depth, roles=ROLES)
        self._painter = Painter(theme, depth, self._terminal.send, lambda: True)

    def bytes_of(self, frame: Frame) -> int:
        """Return how many bytes it takes to show `frame` now."""
        before = sum(self._terminal.sizes)
        self._painter.show(frame, own=self._own)
        return sum(self._terminal.sizes) - before


def blank_share(frame: Frame) -> float:
    """Return the share of the cells that are as empty as the ground, in the default theme."""
    theme = theme_of("felt", roles=ROLES)
    ground = theme.style("ground").bgcolor
    empty = {role for role, style in theme.styles.items() if style.bgcolor == ground and not style.reverse}
    blanks = sum(text.count(" ") for row in frame.rows for text, role in row if role in empty)
    return blanks / (frame.width * frame.height)


def bare_share(frame: Frame) -> float:
    """Return the share of the cells that touch no character, whatever their ground: nothing stands in or beside them.

    A filled slab without anything on it counts as bare.
    """
    rows = ["".join(text for text, _ in row) for row in frame.rows]
    inked = {(x, y) for y, row in enumerate(rows) for x, char in enumerate(row) if char != " "}
    touched = {(x + dx, y + dy) for x, y in inked for dx in (-1, 0, 1) for dy in (-1, 0, 1)}
    cells = frame.width * frame.height
    return 1 - sum(0 <= x < frame.width and 0 <= y < frame.height for x, y in touched) / cells
