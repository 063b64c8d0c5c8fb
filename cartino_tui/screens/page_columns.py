"""Place the columns of a page's list, and fit the cells of a row into them."""

from collections.abc import Sequence
from typing import Final, Generic, NamedTuple

from cartino_tui.draw.canvas import Run
from cartino_tui.draw.text import fit, longest, safe
from cartino_tui.game_port.screen import Look
from cartino_tui.pages.page import PageCell, PageColumn, R, Reader
from cartino_tui.widgets.layout import glyphs

LIST_X: Final = 4
"""The first cell of a list."""
_WIDE: Final = 80
"""The width of a terminal, in cells, from which all columns are shown."""
_MIN_FOR_ELLIPSIS: Final = 4


class PlacedColumn(NamedTuple, Generic[R]):
    """A column that is shown, its first cell and its width; `most` is what a row may fill of it."""

    column: PageColumn[R]
    x: int
    width: int
    most: int


class ColumnLayout(Generic[R]):
    """The columns of a list as wide as all of `rows` need."""

    def __init__(
        self, columns: Sequence[PageColumn[R]], rows: Sequence[R], width: int, look: Look, reader: Reader
    ) -> None:
        """Place `columns` in a list of `width` cells."""
        self._columns, self._rows, self._width = columns, rows, width
        self._look, self._reader = look, reader

    def layout(self) -> list[PlacedColumn[R]]:
        """Return the columns that are shown."""
        shown = [
            column
            for column in self._columns
            if self.most_of(column) and not (column.hides and not self.content_width(column))
        ]
        widths = {id(column): self.width_of(column) for column in shown}

        def left() -> int:
            """Return the cells for the flexible column."""
            taken = sum(widths[id(column)] + column.gap for column in shown if not column.flexible)
            return self._width - 2 - LIST_X - taken

        keeps = max((column.keeps for column in shown), default=0)
        while left() < keeps and any(column.optional for column in shown):
            shown.remove(next(column for column in reversed(shown) if column.optional))
        x, placed = LIST_X, list[PlacedColumn[R]]()
        for column in shown:
            width = widths[id(column)]
            if column.flexible:
                width = max(min(width, left()), self.heading_width(column))
            placed.append(PlacedColumn(column, x, width, self.most_of(column)))
            x += width + column.gap
        return placed

    def most_of(self, column: PageColumn[R]) -> int:
        """Return the most cells of `column`, 0 to leave it out."""
        if self._look.width < _WIDE and column.narrow is not None:
            return column.narrow
        return max(column.most, min(column.wide, column.most + self._look.width - _WIDE))

    def width_of(self, column: PageColumn[R]) -> int:
        """Return the width of `column`, of a flexible one what it takes where there is room."""
        most, width = self.most_of(column), max(column.least, self.heading_width(column))
        if column.samples is not None:
            return max(width, *map(len, column.samples(self._look.translator)))
        if most <= width or column.keeps or (column.flexible and column is self._columns[-1]):
            return max(width, most)
        return max(width, min(most, self.content_width(column)))

    def heading_width(self, column: PageColumn[R]) -> int:
        """Return the cells of the column's heading."""
        return len(self._look.translator.gettext(column.heading))

    def content_width(self, column: PageColumn[R]) -> int:
        """Return the width of the widest row; rows that read the same are measured once."""
        gap, ascii = len(f" {glyphs(self._look).dot} "), self._look.ascii
        widest = 0
        for cells in {tuple(column.cells(row, self._reader)) for row in self._rows}:
            width = gap * (len(cells) - 1)
            for text, _, before, after, _ in cells:
                width += len(safe(text, ascii=ascii)) + len(before) + len(after)
            widest = max(widest, width)
        return widest


def fit_cells(look: Look, cells: Sequence[PageCell], width: int, letters: int) -> list[Run]:
    """Fit `cells` into `width`: the longest are cut first; where that says too little, some are counted."""
    if len(cells) == 1 and len(name := safe(cells[0].text, ascii=look.ascii)) <= width:
        cell = cells[0]
        if not (cell.before or cell.after):
            return [(name, cell.role)]
    between = (f" {glyphs(look).dot} ", "rule")
    names = [safe(cell.text, ascii=look.ascii) for cell in cells]
    taken = sum(map(len, names)) + sum(len(cell.before) + len(cell.after) for cell in cells)
    if taken + len(between[0]) * (len(cells) - 1) > width:
        names = [safe(cell.short or cell.text, ascii=look.ascii) for cell in cells]
    for shown in range(len(cells), 0, -1):
        more = f" +{len(cells) - shown}" if shown < len(cells) else ""
        fixed = sum(len(cell.before) + len(cell.after) for cell in cells[:shown])
        room = width - len(more) - len(between[0]) * (shown - 1) - fixed
        most = longest(names[:shown], room)
        told = sum(min(len(name), most) for name in names[:shown]) <= room and most >= min(
            letters, max(map(len, names[:shown]))
        )
        if shown > 1 and not told:
            continue
        runs: list[Run] = []
        for cell, name in zip(cells[:shown], names, strict=False):
            cut = name[:most] if most < _MIN_FOR_ELLIPSIS else fit(name, most, ascii=look.ascii)
            runs += [between, (f"{safe(cell.before, ascii=look.ascii)}{cut}{cell.after}", cell.role)]
        return [*runs[1:], (more, "dim")] if more else runs[1:]
    return []
