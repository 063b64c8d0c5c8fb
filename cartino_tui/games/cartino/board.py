"""The board drawn: its lines, and every half cell with its card, its value and what lies on it."""

from cartino_tui.draw.canvas import Canvas
from cartino_tui.games.cartino.layout import BOARD_TOP, Box, cell_rows
from cartino_tui.games.cartino.scene import Scene, is_free, is_joker

_ROOMY = 8
"""From this width on a cell has a margin."""
_FILLS = {
    "printed": "ground",
    "legal": "ground",
    "stone": "fill-stone",
    "swap": "fill-stone",
    "touched": "fill-touched",
    "cursor": "fill-cursor",
}
_UP, _RIGHT, _DOWN, _LEFT = 8, 4, 2, 1


def draw_board(canvas: Canvas, scene: Scene) -> None:
    """The whole board."""
    _draw_lines(canvas, scene)
    for spot in range(len(scene.board.spots)):
        _draw_spot(canvas, scene, spot)
    if not scene.layout.values_inside:
        _draw_values(canvas, scene)
    if scene.layout.half > 1:
        _draw_partings(canvas, scene)
    if scene.cursor is not None:
        _draw_cursor(canvas, scene, scene.layout.spot_box(scene.cursor))


def _draw_lines(canvas: Canvas, scene: Scene) -> None:
    """The lines around the cells; those between the suits stand out."""
    board, plan, marks = scene.board, scene.layout, scene.marks
    cells = set(board.cells)
    middle = board.columns // 2
    for row in range(board.rows + 1):
        y = BOARD_TOP + row * (cell_rows(plan.half) + 1)
        for column in range(board.columns + 1):
            x = column * (plan.cell + 1)
            strong = row == board.rows // 2 or column == middle
            role = "rule-strong" if strong else "rule"
            arms = _arms(cells, row, column)
            if arms:
                canvas.put(x, y, marks.corners[arms], role)
            if arms & _RIGHT:
                role = "rule-strong" if row == board.rows // 2 else "rule"
                canvas.put(x + 1, y, marks.across * plan.cell, role)
            if arms & _DOWN:
                role = "rule-strong" if column == middle else "rule"
                for line in range(y + 1, y + 1 + cell_rows(plan.half)):
                    canvas.put(x, line, marks.down, role)


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


def _draw_spot(canvas: Canvas, scene: Scene, spot: int) -> None:
    """A half cell: card, marks and value, on the fill that says what lies on it."""
    box, card = scene.layout.spot_box(spot), scene.board.cards[spot // 2]
    state = state_of(scene, spot)
    fill = _FILLS[state]
    role = f"{state}-{card[-1]}"
    canvas.fill(box.x, box.y, box.width, box.height, fill)
    label, marks = scene.marks.card(card), marks_of(scene, spot)
    mark_role = "legal-mark" if state == "legal" else role
    roomy = box.height > 1 and box.width >= _ROOMY
    canvas.put(box.x + (4 if roomy else 3) - len(label), box.y, label, role)
    if box.height == 1:
        canvas.put(box.x + 3, box.y, marks[: 1 if box.width < 5 else 2], mark_role)
    else:
        spelled = _spelled(scene, spot, marks)
        canvas.put(box.x + (2 if roomy else 1), box.y + (box.height + 1) // 2, spelled, mark_role)
    if scene.layout.values_inside:
        value = str(scene.board.values[spot // 2])
        canvas.put(
            box.x + box.width - (2 if roomy else 1), box.y, value, "value" if fill == "ground" else role
        )


def state_of(scene: Scene, spot: int) -> str:
    """Which of the theme's card states a spot is in: the cursor counts most, then being touched, then the rest."""
    if spot == scene.cursor:
        return "cursor"
    if spot in scene.touched:
        return "touched"
    if spot in scene.open_spots:
        return "legal" if is_free(scene, spot) else "swap"
    return "printed" if is_free(scene, spot) else "stone"


def marks_of(scene: Scene, spot: int) -> str:
    """The marks of a spot, in the order in which they matter where there is room for only one."""
    marks = scene.marks
    found = ""
    if spot in scene.touched:
        found += marks.touched
    if is_joker(scene, spot):
        found += marks.joker
    if spot in scene.open_spots:
        found += marks.legal
    if not found and not is_free(scene, spot):
        found = marks.laid
    return found or " "


def _spelled(scene: Scene, spot: int, marks: str) -> str:
    """The marks where there is room for more: a legal spot says what it brings."""
    points = scene.open_spots.get(spot)
    return marks if points is None else f"{marks} +{points}"


def _draw_values(canvas: Canvas, scene: Scene) -> None:
    """The values on the line above each cell, where the cells have no room for them."""
    for card, (row, column) in enumerate(scene.board.cells):
        box = scene.layout.cell_box(row, column)
        canvas.put(box.x + 1, box.y - 1, str(scene.board.values[card]), "value")


def _draw_partings(canvas: Canvas, scene: Scene) -> None:
    """The thin line between the halves of every cell, where they are higher than one row."""
    for row, column in scene.board.cells:
        box = scene.layout.cell_box(row, column)
        canvas.put(box.x, box.y + scene.layout.half, scene.marks.thin * box.width, "rule")


def _draw_cursor(canvas: Canvas, scene: Scene, box: Box) -> None:
    for line in range(box.y, box.y + box.height):
        canvas.put(box.x - 1, line, scene.marks.left, "cursor")
        canvas.put(box.x + box.width, line, scene.marks.right, "cursor")
