"""The board drawn: its lines, and every half cell with its card, its value and what lies on it.

A stone that is up and the cursor change few cells, and those in few inks, for that is what every key costs: a stone
that it would touch changes its mark alone, and the cursor's marks stand in the ink of the marks of open spots.
"""

from functools import lru_cache
from typing import Final

from cartino_games.cartino.board import BOARDS, JOKER
from cartino_games.cartino.marks import Marks, marks
from cartino_games.cartino.screen.layout import Layout, cell_rows
from cartino_games.cartino.screen.scene import Scene, at_rest, is_free, is_joker
from cartino_games.kit.arrangement import Box
from cartino_games.kit.cards import FULL_WIDTH, RANK_WIDTH, ROWS, draw_large
from cartino_games.kit.grid import DOWN, RIGHT, arms_of
from cartino_tui.draw.canvas import Canvas, Frame, IdentityCache
from cartino_tui.preferences import CardLetters

_LAID: Final[IdentityCache[Frame]] = IdentityCache(64)
"""35 KB each. All of a table ask for it when something is laid; later, screens mostly keep what they made of it."""

_ROOMY = 8
"""From this width on a high half has a margin."""
_TWO_PICTURES = FULL_WIDTH + 3
"""From this width on rank and suit stand beside each other, with a column of signs."""
_LABEL = 3
"""The cells of a card's name, the longest of which is a ten's."""


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
            arms = arms_of(cells, row, column)
            if arms and has_line and has_own:
                canvas.put(x, y, marks.corners[arms], down if down != "rule" else across)
            if arms & RIGHT and has_line:
                canvas.put(x + 1, y, marks.across * plan.cell, across)
            if arms & DOWN and has_own:
                for line in range(grid.top(row), grid.top(row) + cell_rows(plan.half)):
                    canvas.put(x, line, marks.down, down)


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


def state_of(scene: Scene, spot: int) -> str:
    """Which of the theme's card states a spot is in: the cursor counts most, then being open, then what lies there."""
    if spot == scene.cursor:
        return "cursor"
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
    return found


def draw_spot(canvas: Canvas, scene: Scene, spot: int) -> None:
    """A half on the printed board, with all that is to be said of it just now."""
    box, state = scene.layout.spot_box(spot), state_of(scene, spot)
    if box.height > 1:
        _draw_high(canvas, scene, spot, box, state)
    elif state == "cursor":
        _draw_flat_cursor(canvas, scene, spot, box)
    else:
        _draw_flat(canvas, scene, spot, box, state)


def put_label(canvas: Canvas, box: Box, label: str, role: str) -> None:
    """A card's name in its half."""
    canvas.put(box.x + _LABEL + _is_roomy(box) - len(label), box.y, label, role)


def put_value(canvas: Canvas, box: Box, value: int, role: str) -> None:
    """A card's value in its half."""
    canvas.put(box.x + box.width - 1 - _is_roomy(box), box.y, str(value), role)


def _draw_flat(canvas: Canvas, scene: Scene, spot: int, box: Box, state: str) -> None:
    """A half of one row: all of it in one ink, but for the marks."""
    role, label, marks = _role(scene, spot, state), _label(scene, spot), _flat_marks(scene, spot, box)
    if state == "legal":
        # Where the cursor's marks would stand: blanks in their ink.
        canvas.put(box.x, box.y, " " * _LABEL, "legal-mark")
        canvas.put(box.x + _LABEL + 1, box.y, " " * (box.width > _LABEL + 2), "legal-mark")
        put_label(canvas, box, label, role)
    else:
        canvas.put(box.x, box.y, f"{label:>{_LABEL}}".ljust(box.width), role)
        _put_own_value(canvas, scene, spot, box, role)
    _put_marks(canvas, scene, box.x + _LABEL, box.y, marks, state, role)


def _draw_flat_cursor(canvas: Canvas, scene: Scene, spot: int, box: Box) -> None:
    """The cursor on a half of one row: around the card and its marks, on the line of the board where those end there.

    What else stands in the half stays as it is.
    """
    label, marks = _label(scene, spot), _flat_marks(scene, spot, box)
    left = box.x + _LABEL - len(label)
    if scene.layout.grid.ruled:
        _draw_flat(canvas, scene, spot, box, "legal" if is_free(scene, spot) else "swap")
    else:
        # No line parts it from its neighbours, so it takes no cell of theirs.
        canvas.put(left, box.y, label, _role(scene, spot, "cursor"))
        canvas.put(box.x, box.y, scene.marks.left * (left - box.x), "cursor")
        canvas.put(box.x + _LABEL, box.y, scene.marks.right, "cursor")
        return
    end = canvas.put(left, box.y, label + marks, _role(scene, spot, "cursor"))
    right = end if end < box.x + box.width - 1 else box.x + box.width
    canvas.put(left - 1, box.y, scene.marks.left, "cursor")
    canvas.put(right, box.y, scene.marks.right, "cursor")


def _draw_high(canvas: Canvas, scene: Scene, spot: int, box: Box, state: str) -> None:
    """A half of several rows: filled with what lies there, the marks below the card and, where it is open, points."""
    role = _role(scene, spot, state)
    fill = {"cursor": role, "stone": "fill-stone", "swap": "fill-stone"}.get(state, "ground")
    canvas.fill(box.x, box.y, box.width, box.height, fill)
    if is_large(scene, spot, box):
        _draw_large(canvas, scene, spot, box, role)
        return
    put_label(canvas, box, _label(scene, spot), role)
    if scene.layout.values_inside:
        _put_own_value(canvas, scene, spot, box, "value" if fill == "ground" else role)
    x, y = box.x + 1 + _is_roomy(box), box.y + (box.height + 1) // 2
    x = _put_marks(canvas, scene, x, y, marks_of(scene, spot), state, role)
    points = scene.open_spots.get(spot)
    if points is not None:
        canvas.put(x, y, f" +{points}", "legal-mark" if state == "legal" else role)
    if state == "cursor":
        for line in range(box.y, box.y + box.height):
            canvas.put(box.x - 1, line, scene.marks.left, "cursor")
            canvas.put(box.x + box.width, line, scene.marks.right, "cursor")


def is_large(scene: Scene, spot: int, box: Box) -> bool:
    """Whether what lies there fills its half as a picture, where there is room and more than ASCII.

    A joker does where the card has room beside it that it stands for, and no stone may take its place just now.
    """
    if is_free(scene, spot) or box.height < ROWS or scene.look.ascii:
        return False
    if is_joker(scene, spot):
        return spot not in scene.open_spots and box.width >= _TWO_PICTURES
    return box.width >= RANK_WIDTH


def _draw_large(canvas: Canvas, scene: Scene, spot: int, box: Box, role: str) -> None:
    """What lies there as a picture, with its value in the last column; below that a mark if it would be touched.

    The card's name stands with it: the suits' pictures are few dots, and the colours may be two.
    """
    marks, card = scene.marks, scene.board.cards[spot // 2]
    y, value = box.y + (box.height - ROWS) // 2, str(scene.board.values[spot // 2])
    edge = box.x + box.width - (1 if box.width <= RANK_WIDTH else 2)
    stone = JOKER if is_joker(scene, spot) else card
    draw_large(canvas, marks, stone, box.x, y, box.width - 2, role)
    if stone == JOKER:
        put_label(canvas, box, marks.card(card), role)
    if box.width >= _TWO_PICTURES:
        canvas.put(edge, box.y, value, role)
        if stone != JOKER:
            canvas.put(edge - 1, box.y + box.height - 1, marks.card(card), role)
    else:
        canvas.put(edge, box.y, marks.suits[card[-1]], role)
        canvas.put(edge, box.y + 1, value, role)
    if spot in scene.touched:
        below = box.y + 1 if box.width >= _TWO_PICTURES else box.y + box.height - 1
        canvas.put(edge, below, marks.touched, "touched")


def _put_marks(canvas: Canvas, scene: Scene, x: int, y: int, marks: str, state: str, role: str) -> int:
    """Each mark in its own ink; returns the x after them."""
    own = {
        scene.marks.touched: "touched",
        scene.marks.laid: "fill-stone",
        scene.marks.legal: "legal-mark" if state == "legal" else role,
    }
    for mark in marks:
        x = canvas.put(x, y, mark, own.get(mark, role))
    return x


def _put_own_value(canvas: Canvas, scene: Scene, spot: int, box: Box, role: str) -> None:
    if scene.layout.values_inside:
        put_value(canvas, box, scene.board.values[spot // 2], role)


def _role(scene: Scene, spot: int, state: str) -> str:
    return f"{state}-{scene.board.cards[spot // 2][-1]}"


def _label(scene: Scene, spot: int) -> str:
    return scene.marks.card(scene.board.cards[spot // 2])


def _flat_marks(scene: Scene, spot: int, box: Box) -> str:
    return marks_of(scene, spot)[: 1 if box.width < _LABEL + 2 else 2]


def _is_roomy(box: Box) -> bool:
    return box.height > 1 and box.width >= _ROOMY
