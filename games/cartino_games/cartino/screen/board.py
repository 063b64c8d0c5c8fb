"""The board drawn: its lines, and every half cell with its card, its value and what lies on it.

A stone that is up and the cursor change few cells, and those in few inks, for that is what every key costs: a stone
that it would touch changes its mark alone, and the cursor's marks stand in the ink of the marks of open spots.
"""

from functools import lru_cache
from typing import Final

from cartino_games.cartino.board import BOARDS
from cartino_games.cartino.marks import Marks, marks
from cartino_games.cartino.screen.grid import cell_rows
from cartino_games.cartino.screen.layout import Layout
from cartino_games.cartino.screen.scene import Scene, at_rest, is_free
from cartino_games.cartino.screen.spots import draw_spot, put_label, put_value
from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.draw.remembered import Remembered
from cartino_tui.preferences import CardLetters

_UP, _RIGHT, _DOWN, _LEFT = 8, 4, 2, 1

_LAID: Final[Remembered[Frame]] = Remembered(64)
"""35 KB each. All of a table ask for it when something is laid; later, screens mostly keep what they made of it."""


@lru_cache(maxsize=64)
def empty_board(plan: Layout, ascii: bool, letters: CardLetters = "en") -> Frame:
    """The screen with nothing on it but the printed board: the same for every table of this layout."""
    canvas = Canvas(plan.width, plan.height)
    board, characters = BOARDS[plan.edition], marks(ascii, letters)
    _draw_lines(canvas, plan, characters)
    for spot in range(len(board.spots)):
        card = board.cards[spot // 2]
        box = plan.spot_box(spot)
        put_label(canvas, box, characters.card(card), f"printed-{card[-1]}")
        if plan.values_inside:
            put_value(canvas, box, board.values[spot // 2], "value")
    if not plan.values_inside:
        _draw_values(canvas, plan)
    if plan.half > 1:
        _draw_partings(canvas, plan, characters)
    return canvas.frame()


def laid_board(scene: Scene) -> Frame:
    """The same with all that lies there: one for everybody who looks at a table, whatever they hold."""
    return _LAID.get(
        (scene.layout,), (scene.look.ascii, scene.look.letters, scene.view.board), lambda: _with_stones(scene)
    )


def _with_stones(scene: Scene) -> Frame:
    rest = at_rest(scene)
    canvas = Canvas.over(empty_board(scene.layout, scene.look.ascii, scene.look.letters))
    for spot in range(len(scene.board.spots)):
        if not is_free(scene, spot):
            draw_spot(canvas, rest, spot)
    return canvas.frame()


def draw_choice(canvas: Canvas, scene: Scene) -> None:
    """What a stone that is up changes on the laid board: its open spots, those that it would touch, and the cursor."""
    for spot in {*scene.open_spots, *scene.touched}:
        if spot != scene.cursor:
            draw_spot(canvas, scene, spot)
    if scene.cursor is not None:
        draw_spot(canvas, scene, scene.cursor)


def _draw_lines(canvas: Canvas, plan: Layout, marks: Marks) -> None:
    """The lines around the cells, as many as the grid has; those between the suits stand out."""
    board, grid = BOARDS[plan.edition], plan.grid
    cells = set(board.cells)
    middle = board.columns // 2
    for row in range(board.rows + 1):
        y = grid.top(row) - 1
        has_line = grid.lined or row == board.rows // 2
        across = "rule-strong" if row == board.rows // 2 else "rule"
        for column in range(board.columns + 1):
            x = grid.left(column) - 1
            has_own = grid.ruled or column == middle
            down = "rule-strong" if column == middle else "rule"
            arms = _arms(cells, row, column)
            if arms and has_line and has_own:
                canvas.put(x, y, marks.corners[arms], down if down != "rule" else across)
            if arms & _RIGHT and has_line:
                canvas.put(x + 1, y, marks.across * plan.cell, across)
            if arms & _DOWN and has_own:
                for line in range(grid.top(row), grid.top(row) + cell_rows(plan.half)):
                    canvas.put(x, line, marks.down, down)


def _arms(cells: set[tuple[int, int]], row: int, column: int) -> int:
    """Which lines meet at the corner above and left of (row, column): those with a cell on either side."""
    northwest, northeast = (row - 1, column - 1) in cells, (row - 1, column) in cells
    southwest, southeast = (row, column - 1) in cells, (row, column) in cells
    return (
        _UP * (northwest or northeast)
        + _RIGHT * (northeast or southeast)
        + _DOWN * (southwest or southeast)
        + _LEFT * (northwest or southwest)
    )


def _draw_values(canvas: Canvas, plan: Layout) -> None:
    """The values on the line above each cell, where the cells have no room for them."""
    board = BOARDS[plan.edition]
    for card, (row, column) in enumerate(board.cells):
        if (
            plan.grid.lined or row == board.rows // 2
        ):  # cells of one column in the middle rows are worth the same
            box = plan.cell_box(row, column)
            canvas.put(box.x + 1, box.y - 1, str(board.values[card]), "value")


def _draw_partings(canvas: Canvas, plan: Layout, marks: Marks) -> None:
    """The thin line between the halves of every cell, where they are higher than one row."""
    for row, column in BOARDS[plan.edition].cells:
        box = plan.cell_box(row, column)
        canvas.put(box.x, box.y + plan.half, marks.thin * box.width, "rule")
