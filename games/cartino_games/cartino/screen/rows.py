"""Rows of text pieces, laid out before it is known where they stand."""

from collections.abc import Sequence
from typing import Final

from cartino_games.cartino.screen.scene import Scene
from cartino_tui.draw.canvas import Canvas
from cartino_tui.draw.text import clean, plain, wrap

Piece = tuple[int, str, str]
"""A bit of text of a row: the cell in which it begins, the text, its role."""

Row = Sequence[Piece]

_MANY: Final = 99
"""More rows than any text here takes."""


def flowing(scene: Scene, text: str, width: int, role: str) -> list[Row]:
    """`text` in rows of at most `width` cells; none for ""."""
    return [((0, line, role),) for line in wrap(text, width, _MANY, ascii=scene.look.ascii)]


def safe(scene: Scene, text: str) -> str:
    """A few words in this terminal's characters."""
    return plain(text) if scene.look.ascii else clean(text)


def rows_width(rows: Sequence[Row]) -> int:
    """How many cells the widest of `rows` takes."""
    return max((x + len(text) for row in rows for x, text, _ in row), default=0)


def draw_rows(canvas: Canvas, x: int, y: int, rows: Sequence[Row]) -> int:
    """`rows` one below the other; returns the y after them."""
    for line, row in enumerate(rows, y):
        for at, text, role in row:
            canvas.put(x + at, line, text, role)
    return y + len(rows)
