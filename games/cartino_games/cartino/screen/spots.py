"""A half cell of the board: its card, what lies on it, and what a stone that is up would do there."""

from cartino_games.cartino.board import JOKER
from cartino_games.cartino.screen.grid import Box
from cartino_games.cartino.screen.large import FULL_WIDTH, RANK_WIDTH, ROWS, draw_large
from cartino_games.cartino.screen.scene import Scene, is_free, is_joker
from cartino_tui.draw.canvas import Canvas

_ROOMY = 8
"""From this width on a high half has a margin."""
_TWO_PICTURES = FULL_WIDTH + 3
"""From this width on rank and suit stand beside each other, with a column of signs."""
_LABEL = 3
"""The cells of a card's name, the longest of which is a ten's."""


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
