"""A grid of cells: as large as there is room for, scrolled where it is larger, with headings and a cursor."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from cartino_games.kit.arrangement import Box
from cartino_games.kit.scene import TableScene
from cartino_tui.draw.canvas import Canvas

Place = tuple[int, int]
"""A row and a column, each counted from 0."""

DIRECTIONS: Final[Mapping[str, Place]] = {
    "up": (-1, 0),
    "k": (-1, 0),
    "down": (1, 0),
    "j": (1, 0),
    "left": (0, -1),
    "h": (0, -1),
    "right": (0, 1),
    "l": (0, 1),
}
"""The keys that move a cursor: (rows, columns)."""

UP, RIGHT, DOWN, LEFT = 8, 4, 2, 1
"""The arms of a corner (see `Marks.corners`)."""
_SIZES: Final = ((13, 6), (11, 5), (9, 4), (7, 3), (5, 2), (5, 1), (3, 1))
"""Cells of a grid, the largest first: columns and rows of characters, about as high as wide."""


class Cell(NamedTuple):
    """What stands in a cell.

    `text` in `role`, `short` where the cell has no room for that beside the cursor (its width less 2); `fill` is the
    role of the rest of the cell. `mark` is a sign (a corner of the cell) in `mark_role`, where the cell has 2 rows.
    """

    text: str = ""
    role: str = "text"
    fill: str = "ground"
    short: str = ""
    mark: str = ""
    mark_role: str = "legal-mark"


class CellGrid(msgspec.Struct, frozen=True):
    """How a grid stands on the screen; made by `grid_in`.

    A cell is `width` by `height` characters. `top` and `left` are the row and the column shown first, `rows` and
    `columns` how many are shown of `all_rows` and `all_columns`; `x` and `y` are where the first of them stands.
    `lined`: lines stand around the cells. `headed`: letters stand above, and numbers at the left.
    """

    x: int
    y: int
    width: int
    height: int
    rows: int
    columns: int
    all_rows: int
    all_columns: int
    top: int = 0
    left: int = 0
    lined: bool = True
    headed: bool = False

    def cell_box(self, row: int, column: int) -> Box | None:
        """Return where a cell stands, without the lines around it; None where it is scrolled out of sight."""
        down, right = row - self.top, column - self.left
        if not (0 <= down < self.rows and 0 <= right < self.columns):
            return None
        x, y = self.x + right * (self.width + self.lined), self.y + down * (self.height + self.lined)
        return Box(x, y, self.width, self.height)

    def cell_at(self, x: int, y: int) -> Place | None:
        """Return the row and column of the cell at (x, y), None for none and for a line between cells."""
        down, right = (y - self.y) // (self.height + self.lined), (x - self.x) // (self.width + self.lined)
        box = self.cell_box(self.top + down, self.left + right)
        return (self.top + down, self.left + right) if box and box.holds(x, y) else None


def grid_in(
    box: Box,
    rows: int,
    columns: int,
    *,
    least: int = 3,
    headed: bool = False,
    cursor: Place | None = None,
) -> CellGrid:
    """Return the largest grid of so many cells that `box` has room for, in its middle.

    `least` is the least width of a cell in characters. Lines stand around the cells wherever there is room for them. A
    grid that is too large for the smallest cells shows those around `cursor`, or its middle.
    """
    top, left = (1, len(str(rows)) + 1) if headed else (0, 0)
    inner = Box(box.x + left, box.y + top, box.width - left, box.height - top)
    sizes = [size for size in _SIZES if size[0] >= least] or [(least, 1)]
    width, height, lined = next(
        (
            (width, height, lined)
            for lined in (True, False)
            for width, height in sizes
            if _cells(inner.width, width, lined) >= columns and _cells(inner.height, height, lined) >= rows
        ),
        (*sizes[-1], False),
    )
    shown_rows = max(1, min(rows, _cells(inner.height, height, lined)))
    shown_columns = max(1, min(columns, _cells(inner.width, width, lined)))
    row, column = cursor or (rows // 2, columns // 2)
    size = shown_rows * (height + lined) + lined, shown_columns * (width + lined) + lined
    return CellGrid(
        x=inner.x + (inner.width - size[1]) // 2 + lined,
        y=inner.y + (inner.height - size[0]) // 2 + lined,
        width=width,
        height=height,
        rows=shown_rows,
        columns=shown_columns,
        all_rows=rows,
        all_columns=columns,
        top=max(0, min(row - shown_rows // 2, rows - shown_rows)),
        left=max(0, min(column - shown_columns // 2, columns - shown_columns)),
        lined=lined,
        headed=headed,
    )


def _cells(room: int, size: int, lined: bool) -> int:
    """How many cells of that size there is room for."""
    return (room - lined) // (size + lined)


def draw_grid(
    canvas: Canvas,
    scene: TableScene,
    grid: CellGrid,
    cells: Mapping[Place, Cell],
    *,
    cursor: Place | None = None,
    columns: Sequence[str] = (),
    rows: Sequence[str] = (),
) -> None:
    """Draw the cells; where `cells` has none at a place, the ground stays free and no lines are drawn around it.

    `columns` and `rows` are the headings, one for each of all columns and rows.
    """
    if grid.headed:
        _draw_headings(canvas, scene, grid, columns, rows)
    if grid.lined:
        _draw_lines(canvas, scene, grid, cells)
    for (row, column), cell in cells.items():
        box = grid.cell_box(row, column)
        if box is not None:
            draw_cell(canvas, scene, box, cell, cursor=(row, column) == cursor)


def draw_cell(canvas: Canvas, scene: TableScene, box: Box, cell: Cell, *, cursor: bool = False) -> None:
    """Draw one cell, with the cursor's marks at both sides of its text."""
    y = box.y + (box.height - 1) // 2
    if cell.fill != "ground":
        canvas.fill(box.x, box.y, box.width, box.height, cell.fill)
    text = cell.text if len(cell.text) <= box.width - 2 else cell.short
    canvas.put(box.x + (box.width - len(text)) // 2, y, text, cell.role)
    if cell.mark and box.height > 1:
        canvas.put(box.x + box.width - 1, box.y + box.height - 1, cell.mark, cell.mark_role)
    if cursor:
        canvas.put(box.x, y, scene.marks.left, "cursor")
        canvas.put(box.x + box.width - 1, y, scene.marks.right, "cursor")


def _draw_headings(
    canvas: Canvas, scene: TableScene, grid: CellGrid, columns: Sequence[str], rows: Sequence[str]
) -> None:
    """The headings of the cells in sight; a mark beside the first and the last where more are out of sight."""
    first, last = grid.left, grid.left + grid.columns - 1
    y = grid.y - grid.lined - 1
    for column in range(first, last + 1):
        text = columns[column] if column < len(columns) else ""
        x = grid.x + (column - first) * (grid.width + grid.lined) + (grid.width - len(text)) // 2
        end = canvas.put(x, y, text, "dim")
        if column == first > 0:
            canvas.put(x - 1, y, scene.marks.more, "dim")
        if column == last < grid.all_columns - 1:
            canvas.put(end, y, scene.marks.more, "dim")
    for row in range(grid.top, grid.top + grid.rows):
        text = rows[row] if row < len(rows) else ""
        line = grid.y + (row - grid.top) * (grid.height + grid.lined) + (grid.height - 1) // 2
        more = scene.marks.above if row == grid.top > 0 else ""
        more = scene.marks.below if row == grid.top + grid.rows - 1 < grid.all_rows - 1 else more
        canvas.put(grid.x - grid.lined - 1 - len(text), line, text + more, "dim")


def _draw_lines(canvas: Canvas, scene: TableScene, grid: CellGrid, cells: Collection[Place]) -> None:
    """The lines around the cells in sight."""
    seen = {place for place in cells if grid.cell_box(*place) is not None}
    for row in range(grid.top, grid.top + grid.rows + 1):
        y = grid.y + (row - grid.top) * (grid.height + 1) - 1
        for column in range(grid.left, grid.left + grid.columns + 1):
            x = grid.x + (column - grid.left) * (grid.width + 1) - 1
            arms = arms_of(seen, row, column)
            if arms:
                canvas.put(x, y, scene.marks.corners[arms], "rule")
            if arms & RIGHT:
                canvas.put(x + 1, y, scene.marks.across * grid.width, "rule")
            if arms & DOWN:
                for line in range(y + 1, y + 1 + grid.height):
                    canvas.put(x, line, scene.marks.down, "rule")


def arms_of(cells: Collection[Place], row: int, column: int) -> int:
    """Return which lines meet at the corner above and left of (row, column): those with a cell at either side."""
    northwest, northeast = (row - 1, column - 1) in cells, (row - 1, column) in cells
    southwest, southeast = (row, column - 1) in cells, (row, column) in cells
    return (
        UP * (northwest or northeast)
        + RIGHT * (northeast or southeast)
        + DOWN * (southwest or southeast)
        + LEFT * (northwest or southwest)
    )


def step(place: Place, direction: Place, rows: int, columns: int) -> Place:
    """Return the place next to `place` in `direction`, one of DIRECTIONS; `place` itself at an edge."""
    row, column = place[0] + direction[0], place[1] + direction[1]
    return max(0, min(row, rows - 1)), max(0, min(column, columns - 1))


def nearest(place: Place, direction: Place, places: Iterable[Place]) -> Place | None:
    """Return the nearest of `places` in `direction`, the first of equally near ones; None where there is none.

    Steps aside count double, so a cursor keeps to its row or column as long as it can.
    """
    down, right = direction
    found: tuple[tuple[int, int], Place] | None = None
    for each in places:
        rows, columns = each[0] - place[0], each[1] - place[1]
        ahead = rows * down + columns * right
        aside = abs(rows * right) + abs(columns * down)
        rank = (ahead + 2 * aside, aside)
        if ahead > 0 and (found is None or rank < found[0]):
            found = rank, each
    return found[1] if found else None
