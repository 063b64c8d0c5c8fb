"""Terminals on which frames are shown one after the other, and the bytes that each takes."""

from typing import Final

from rich.color import Color

from cartino_tui.draw.canvas import Frame
from cartino_tui.draw.theme import ThemeDepth, theme_of
from cartino_tui.game_port.screen import Look
from cartino_tui.terminal.painter import Painter
from tests.support.games import ROLES

SMALL: Final = Look(80, 24)
DEPTHS: Final[tuple[ThemeDepth, ...]] = ("256", "true")


class Window:
    """A terminal of each depth in the default theme: a player's `own` frames, or those of one of many watchers."""

    def __init__(self, *depths: ThemeDepth, own: bool = False) -> None:
        """Open terminals of `depths`, by default of all that are measured."""
        self._own = own
        self._terminals = [_Terminal(depth) for depth in depths or DEPTHS]

    def bytes_of(self, frame: Frame) -> int:
        """Return how many bytes it takes to show `frame` now, in the depth that takes most."""
        return max(terminal.bytes_of(frame, own=self._own) for terminal in self._terminals)


class _Terminal:
    """Counts what a painter sends; whether that is the right picture is tested elsewhere."""

    def __init__(self, depth: ThemeDepth) -> None:
        self._sent = 0
        self._painter = Painter(theme_of("felt", depth=depth, roles=ROLES), depth, self._send, lambda: True)

    def _send(self, text: str) -> None:
        self._sent += len(text.encode())

    def bytes_of(self, frame: Frame, *, own: bool) -> int:
        before = self._sent
        self._painter.show(frame, own=own)
        return self._sent - before


def blank_share(frame: Frame) -> float:
    """Return the share of the cells on which nothing is to be seen, in the default theme.

    Such a cell is no part of a solid block (a stone, a card), and neither it nor any of the eight around it has a
    character, a line or another ground: a surface that is filled from edge to edge is empty but for its edge.
    """
    theme = theme_of("felt", roles=ROLES)
    cells: list[list[tuple[bool, Color | None]]] = []
    blocks: list[list[bool]] = []
    for row in frame.rows:
        cells.append([])
        blocks.append([])
        for text, role in row:
            style = theme.style(role)
            ground = style.color if style.reverse else style.bgcolor
            cells[-1] += [(char != " " or bool(style.underline), ground) for char in text]
            blocks[-1] += [bool(style.reverse)] * len(text)
    blanks = 0
    for y, line in enumerate(cells):
        around = cells[max(0, y - 1) : y + 2]
        for x, cell in enumerate(line):
            if not (cell[0] or blocks[y][x]):
                blanks += all(each == cell for row in around for each in row[max(0, x - 1) : x + 2])
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
