"""A grid of cells in two tones: as large as there is room for, scrolled where it is larger, with a cursor."""

from collections.abc import Iterable, Mapping, Sequence
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

_SIZES: Final = ((13, 6), (11, 5), (9, 4), (7, 3), (5, 2), (5, 1), (3, 1))
"""Cells of a grid, the largest first: columns and rows of characters, about as high as wide."""

_TONES: Final = ("slot", "mat")
"""The roles of empty cells, in turns."""


class GridCell(NamedTuple):
    """What stands in a cell.

    `text` in `role`, `short` where the cell has no room for that beside the cursor (its width less 2); `fill` is the
    role of the rest of the cell. `mark` is a sign (a corner of the cell) in `mark_role`, where the cell has 2 rows.
    "" for a role is that of the place: one of two tones, in turns (see `MAT_ROLES`).
    """

    text: str = ""
    role: str = ""
    fill: str = ""
    short: str = ""
    mark: str = ""
    mark_role: str = ""


class CellGrid(msgspec.Struct, frozen=True):
    """How a grid stands on the screen; made by `grid_in`.

    A cell is `width` by `height` characters. `top` and `left` are the row and the column shown first, `rows` and
    `columns` how many are shown of `all_rows` and `all_columns`; `x` and `y` are where the first of them stands.
    `headed`: letters stand above, and numbers at the left.
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
    headed: bool = False

    def cell_box(self, row: int, column: int) -> Box | None:
        """Return where a cell stands; None where it is scrolled out of sight."""
        down, right = row - self.top, column - self.left
        if not (0 <= down < self.rows and 0 <= right < self.columns):
            return None
        return Box(self.x + right * self.width, self.y + down * self.height, self.width, self.height)

    def cell_at(self, x: int, y: int) -> Place | None:
        """Return the row and column of the cell at (x, y), None for none."""
        place = self.top + (y - self.y) // self.height, self.left + (x - self.x) // self.width
        return place if self.cell_box(*place) else None

    def tone(self, row: int, column: int) -> int:
        """Return 0 or 1, in turns from cell to cell; a grid that is scrolled keeps its pattern on the screen."""
        return (row - self.top + column - self.left) % 2


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

    `least` is the least width of a cell in characters. A grid that is too large for the smallest cells shows those
    around `cursor`, or its middle.
    """
    top, left = (1, len(str(rows)) + 1) if headed else (0, 0)
    inner = Box(box.x + left, box.y + top, box.width - left, box.height - top)
    sizes = [size for size in _SIZES if size[0] >= least] or [(least, 1)]
    width, height = next(
        (
            (width, height)
            for width, height in sizes
            if inner.width >= columns * width and inner.height >= rows * height
        ),
        sizes[-1],
    )
    shown_rows = max(1, min(rows, inner.height // height))
    shown_columns = max(1, min(columns, inner.width // width))
    row, column = cursor or (rows // 2, columns // 2)
    return CellGrid(
        x=inner.x + (inner.width - shown_columns * width) // 2,
        y=inner.y + (inner.height - shown_rows * height) // 2,
        width=width,
        height=height,
        rows=shown_rows,
        columns=shown_columns,
        all_rows=rows,
        all_columns=columns,
        top=max(0, min(row - shown_rows // 2, rows - shown_rows)),
        left=max(0, min(column - shown_columns // 2, columns - shown_columns)),
        headed=headed,
    )


def draw_grid(
    canvas: Canvas,
    scene: TableScene,
    grid: CellGrid,
    cells: Mapping[Place, GridCell],
    *,
    cursor: Place | None = None,
    columns: Sequence[str] = (),
    rows: Sequence[str] = (),
) -> None:
    """Draw the cells; where `cells` has none at a place, the ground stays free.

    `columns` and `rows` are the headings, one for each of all columns and rows.
    """
    if grid.headed:
        _draw_headings(canvas, scene, grid, columns, rows)
    for (row, column), cell in cells.items():
        box = grid.cell_box(row, column)
        if box is not None:
            tone = _TONES[grid.tone(row, column)]
            draw_cell(canvas, scene, box, cell, tone, cursor=(row, column) == cursor)


def draw_cell(
    canvas: Canvas, scene: TableScene, box: Box, cell: GridCell, tone: str = "mat", *, cursor: bool = False
) -> None:
    """Draw one cell, empty in the role `tone`, with the cursor's marks at both sides of its text."""
    y = box.y + (box.height - 1) // 2
    canvas.fill(*box, cell.fill or tone)
    text = cell.text if len(cell.text) <= box.width - 2 else cell.short
    canvas.put(box.x + (box.width - len(text)) // 2, y, text, cell.role or tone)
    if cell.mark and box.height > 1:
        canvas.put(box.x + box.width - 1, box.y + box.height - 1, cell.mark, cell.mark_role or tone)
    if cursor:
        canvas.put(box.x, y, scene.marks.left, cell.role or tone)
        canvas.put(box.x + box.width - 1, y, scene.marks.right, cell.role or tone)


def _draw_headings(
    canvas: Canvas, scene: TableScene, grid: CellGrid, columns: Sequence[str], rows: Sequence[str]
) -> None:
    """The headings of the cells in sight; a mark beside the first and the last where more are out of sight."""
    first, last = grid.left, grid.left + grid.columns - 1
    y = grid.y - 1
    for column in range(first, last + 1):
        text = columns[column] if column < len(columns) else ""
        x = grid.x + (column - first) * grid.width + (grid.width - len(text)) // 2
        end = canvas.put(x, y, text, "dim")
        if column == first > 0:
            canvas.put(x - 1, y, scene.marks.more, "dim")
        if column == last < grid.all_columns - 1:
            canvas.put(end, y, scene.marks.more, "dim")
    for row in range(grid.top, grid.top + grid.rows):
        text = rows[row] if row < len(rows) else ""
        line = grid.y + (row - grid.top) * grid.height + (grid.height - 1) // 2
        more = scene.marks.above if row == grid.top > 0 else ""
        more = scene.marks.below if row == grid.top + grid.rows - 1 < grid.all_rows - 1 else more
        canvas.put(grid.x - 1 - len(text), line, text + more, "dim")


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
