"""Caro's board on the screen: where it stands, its places, its caros."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from cartino_games.caro.roles import TONES
from cartino_games.caro.views import EMPTY, CaroLayLine, CaroView, RoundLine, place_at, spot
from cartino_games.kit.arrangement import FOOT_ROWS, TITLE_ROWS, Box, arrange, in_column
from cartino_games.kit.cards import draw_edge
from cartino_games.kit.grid import CellGrid, Place
from cartino_games.kit.scene import TableScene
from cartino_protocol.base import Seat
from cartino_tui.draw.canvas import Canvas
from cartino_tui.game_port.screen import Look

_SIZES: Final = ((12, 6), (10, 5), (8, 4), (6, 3), (4, 2), (4, 1), (3, 1))
"""Places of a board, the largest first: columns and rows of characters, about as high as wide."""
_SIDES: Final = {False: "▌", True: "|"}
"""The left edge of a flat caro, by whether the terminal shows ASCII only."""
_SIGNED: Final = 2
"""In higher places a caro has room for a sign."""
_ROWS: Final = 3
"""The columns left of the board: the number of a row and a blank."""


class BoardPlan(NamedTuple):
    """The places of the parts. `grid` has room for all that may be taken, and for the places around it.

    `framed`: frames stand around players, moves and talk, else rules between them.
    """

    grid: CellGrid
    players: Box
    moves: Box
    talk: Box
    framed: bool


def plan_board(look: Look, view: CaroView, seats: int) -> BoardPlan:
    """Place the board at the left, as large as can be; players, moves and talk at its right."""
    plan = arrange(look, seats)
    panel = plan.players
    rows, left = look.height - TITLE_ROWS - FOOT_ROWS, panel.x - 1
    most, widest = view.span + 1, 2 * view.span - 1
    sizes = [size for size in _SIZES if most * size[0] + _ROWS <= left and most * size[1] < rows]
    # A board that stays where it is as it grows, unless much room would be left over.
    still = [
        (width, height)
        for width, height in sizes
        if (widest - 1) * width + _ROWS <= left
        and (widest - 1) * height < rows
        and 3 * widest**2 * width * height >= 2 * left * rows
    ]
    width, height = next(iter(still or sizes), _SIZES[-1])
    across, down = min(widest, (left - _ROWS) // width), min(widest, (rows - 1) // height)
    grid = CellGrid(
        x=_ROWS + (left - _ROWS - across * width) // 2,
        y=TITLE_ROWS + 1 + (rows - 1 - down * height) // 2,
        width=width,
        height=height,
        rows=down,
        columns=across,
        top=_first(view.span, down, view.top, len(view.board) // view.width),
        left=_first(view.span - 1, across, view.left, view.width),
    )
    players, moves, talk = in_column(look, panel, seats, framed=plan.headed)
    return BoardPlan(grid, players, moves, talk, plan.headed)


def _first(middle: int, most: int, first: int, count: int) -> int:
    """Return the first of `most` rows or columns in sight, with `middle` in the middle if all of the board fits."""
    return min(max(middle - most // 2, first + count - most), first)


def newest_lays(view: CaroView) -> Mapping[str, Seat]:
    """Return the places of each player's last lay in this round that the view tells of, with who laid there."""
    begun = max((at for at, line in enumerate(view.recent) if isinstance(line, RoundLine)), default=0)
    lays = [line for line in view.recent[begun:] if isinstance(line, CaroLayLine)]
    last = {line.seat: place_at(line.x, line.y, view.span) for line in lays}
    return {place: seat for seat, place in last.items()}


def draw_board(
    canvas: Canvas,
    scene: TableScene,
    grid: CellGrid,
    view: CaroView,
    letters: Mapping[str, str],
    signs: Mapping[str, str],
) -> None:
    """Draw places and caros: the colours by their `letters` for the reader, and signs on the places that have one."""
    _draw_headings(canvas, grid)
    for row in range(grid.top, grid.top + grid.rows):
        for column in range(grid.left, grid.left + grid.columns):
            draw_place(canvas, grid, (row, column), scene.marks.dot, TONES[grid.tone(row, column)])
    for at, colour in enumerate(view.board):
        place = view.place(at)
        box = grid.cell_box(*spot(place))
        if box and colour != EMPTY:
            draw_place(canvas, grid, spot(place), "", TONES[grid.tone(*spot(place))])
            text = letters[colour] if place != view.laid else f"({letters[colour]})"
            _draw_caro(canvas, scene, box, text, f"piece-{colour}", signs.get(place, ""))


def _draw_headings(canvas: Canvas, grid: CellGrid) -> None:
    """Draw the letters of the columns above the board, and the numbers of the rows at its left."""
    for column in range(grid.left, grid.left + grid.columns):
        box = grid.cell_box(grid.top, column)
        if box:
            canvas.put(box.x + (box.width - 1) // 2, box.y - 1, chr(ord("a") + column), "dim")
    for row in range(grid.top, grid.top + grid.rows):
        box = grid.cell_box(row, grid.left)
        if box:
            canvas.put(box.x - _ROWS, box.y + (box.height - 1) // 2, f"{row:>2}", "dim")


def draw_place(canvas: Canvas, grid: CellGrid, place: Place, text: str, role: str) -> None:
    """Fill a place that is in sight, with `text` in its middle."""
    box = grid.cell_box(*place)
    if box:
        canvas.fill(box.x, box.y, box.width, box.height, role)
        canvas.put(box.x + (box.width - len(text)) // 2, box.y + (box.height - 1) // 2, text, role)


def _draw_caro(canvas: Canvas, scene: TableScene, box: Box, text: str, role: str, sign: str) -> None:
    """Draw a block with an edge below, one cell narrower than its place; in a flat place with an edge at its left.

    `sign` stands in its corner, where there is room.
    """
    x, y, width, height = box
    width -= height > 1
    canvas.fill(x, y, width, height, f"{role}-fill")
    if height > 1:
        draw_edge(canvas, scene.marks, Box(x, y, width, height), f"{role}-edge")
    else:
        canvas.put(x, y, _SIDES[scene.look.ascii], f"{role}-edge")
    if height > _SIGNED:
        canvas.put(x + width - 1, y, sign, role)
    canvas.put(x + (box.width - len(text)) // 2, y + (height - 1) // 2, text, role)
