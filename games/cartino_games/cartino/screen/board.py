"""The board drawn: half cells filled in two tones, and on them what lies there.

A stone that is up and the cursor change few cells, and those in few inks, for that is what every key costs.
"""

from functools import lru_cache
from typing import Final

from cartino_games.cartino.board import BOARDS, JOKER
from cartino_games.cartino.marks import marks
from cartino_games.cartino.screen.layout import Layout
from cartino_games.cartino.screen.scene import Scene, at_rest, is_free, is_joker, newest_stones
from cartino_games.kit.arrangement import Box
from cartino_games.kit.cards import draw_edge
from cartino_tui.draw.canvas import Canvas, Frame, IdentityCache
from cartino_tui.preferences import CardLetters

_LAID: Final[IdentityCache[Frame]] = IdentityCache(64)
"""35 KB each. All of a table ask for it when something is laid; later, screens mostly keep what they made of it."""

_ROOMY: Final = 8
"""From this width on there is a margin behind the value."""
_SIGNED: Final = 5
"""From this width on there is room for a sign before a card's name."""
_ASIDE: Final = 2
"""The cells of a tile at each side of the cursor."""
_LABEL: Final = 3
"""The cells of a card's name, the longest of which is a ten's."""
_HALVES: Final = ("upper", "lower")


@lru_cache(maxsize=64)
def empty_board(plan: Layout, ascii: bool, letters: CardLetters = "en") -> Frame:
    """Return the screen with only the printed board: the same for every table of this layout."""
    canvas = Canvas(plan.width, plan.height)
    board, characters = BOARDS[plan.edition], marks(ascii, letters)
    if plan.values_inside:
        canvas.fill(*plan.tray, "board")
    for spot in range(len(board.spots)):
        card, value = board.cards[spot // 2], str(board.values[spot // 2])
        role = f"{_HALVES[spot % 2]}-{card[-1]}"
        line = _line(plan, characters.card(card), value)
        _put_half(canvas, plan, spot, line, role, value)
    if not plan.values_inside:
        _draw_values(canvas, plan)
    return canvas.frame()


def laid_board(scene: Scene) -> Frame:
    """Return the same with all that lies there: one for everybody who looks at a table, whatever they hold."""
    newest = tuple(newest_stones(scene.view).items())
    return _LAID.get(
        (scene.layout,),
        (scene.look.ascii, scene.look.letters, scene.view.board, newest),
        lambda: _with_stones(scene),
    )


def _with_stones(scene: Scene) -> Frame:
    rest = at_rest(scene)
    canvas = Canvas.from_frame(empty_board(scene.layout, scene.look.ascii, scene.look.letters))
    for spot in range(len(scene.board.spots)):
        if not is_free(scene, spot):
            draw_spot(canvas, rest, spot)
    return canvas.frame()


def draw_choice(canvas: Canvas, scene: Scene) -> None:
    """Draw what a picked stone changes on the laid board: its open spots, the stones it can touch, the cursor."""
    for spot in {*scene.open_spots, *scene.touched}:
        draw_spot(canvas, scene, spot)


def _draw_values(canvas: Canvas, plan: Layout) -> None:
    """Draw the values in the row above each cell, where the cells have no room for them."""
    board = BOARDS[plan.edition]
    for card, (row, column) in enumerate(board.cells):
        if plan.grid.lined or row == board.rows // 2:
            # Cells of one column in the middle rows are worth the same.
            box = plan.cell_box(row, column)
            canvas.put(box.x + 1, box.y - 1, str(board.values[card]), "value")


def state_of(scene: Scene, spot: int) -> str:
    """Return a spot's card state: the cursor counts most, then being open, then what lies there."""
    if spot == scene.cursor:
        return "cursor"
    free = is_free(scene, spot)
    if spot in scene.open_spots:
        return "legal" if free else "swap"
    if free:
        return _HALVES[spot % 2]
    return "new" if spot in newest_stones(scene.view) else "stone"


def marks_of(scene: Scene, spot: int) -> str:
    """Return the marks of a spot, in the order in which they matter where there is room for only one."""
    found = scene.marks.touched if spot in scene.touched else ""
    return found + scene.marks.joker if is_joker(scene, spot) else found


def draw_spot(canvas: Canvas, scene: Scene, spot: int) -> None:
    """Draw a half with all that is to be said of it now."""
    plan, state, board = scene.layout, state_of(scene, spot), scene.board
    card, points = board.cards[spot // 2], scene.open_spots.get(spot)
    role, label = f"{state}-{card[-1]}", scene.marks.card(card)
    counted = spot in scene.touched and state in ("stone", "new")
    value = ""
    if not plan.values_inside:
        marks = "" if state == "cursor" else marks_of(scene, spot)
        line = _line(plan, label, "", marks)
        if points is not None and not marks:
            line = _with_points(
                scene, label, _shown(scene, points).removeprefix("+"), cursor=state == "cursor"
            )
        inked = Box(plan.lead + _LABEL, 0, 1, 1)
    else:
        value = str(board.values[spot // 2]) if points is None else _shown(scene, points)
        marks = scene.marks.joker if is_joker(scene, spot) else ""
        more = scene.marks.touched + value
        value = more if counted and len(marks + more) <= _room(plan) else value
        line = _line(plan, label, value, marks)
        end = plan.cell - 1 if plan.centred else len(line.rstrip())
        inked = Box(end - len(value), 0, len(value), 1)
    if state == "cursor":
        _put_cursor(canvas, scene, spot, line, value)
        return
    _put_half(canvas, plan, spot, line, role, value)
    box = plan.spot_box(spot)
    y, apart = _text_row(box), _signs_above(plan)
    if state == "new":
        owner = newest_stones(scene.view)[spot]
        at = 0 if box.width >= _SIGNED else box.width - 1
        if apart or line[at] == " ":
            canvas.put(box.x + at, y - apart, scene.marks.seats[owner], f"owner-{owner + 1}")
    if counted:
        row = box.y if plan.centred else y
        canvas.paint(box.x + inked.x, row, inked.width, f"touched-{role}")
    if state in ("stone", "new") and box.height > 1:
        draw_edge(canvas, scene.marks, box, f"{state}-edge-{card[-1]}")


def _put_cursor(canvas: Canvas, scene: Scene, spot: int, line: str, value: str) -> None:
    """Draw the half where the cursor stands.

    Where it is high, the cursor fills a row alone, or each step would fill two whole halves.
    """
    plan, suit = scene.layout, scene.board.cards[spot // 2][-1]
    x, y, width, height = plan.spot_box(spot)
    y = _text_row(plan.spot_box(spot))
    if height > 1:
        rest = "legal" if is_free(scene, spot) else "swap" if is_joker(scene, spot) else "new"
        _put_half(canvas, plan, spot, line, f"{rest}-{suit}", value)
    aside = _ASIDE * plan.centred
    x, width, line = x + aside, width - 2 * aside, line[aside : len(line) - aside]
    canvas.put(x, y, line, f"cursor-{suit}")
    if width >= _SIGNED:
        above = _signs_above(plan) and line[0] != " "
        canvas.put(x, y - above, scene.marks.left, f"lit-{suit}")
    else:
        canvas.put(x + width - 1, y, scene.marks.right, f"lit-{suit}")


def _signs_above(plan: Layout) -> bool:
    """Return whether a half has no room for signs beside its name, but above it."""
    return plan.values_inside and not plan.lead


def _shown(scene: Scene, points: int) -> str:
    """Points where a stone may go. A joker goes nearly everywhere: only where it scores is worth a number."""
    joker = scene.lay is not None and scene.lay.stone == JOKER
    return "" if joker and not points else f"+{points}"


def _put_half(canvas: Canvas, plan: Layout, spot: int, line: str, role: str, value: str = "") -> None:
    """Fill a half, with `line` in its middle, a tile's `value` in its corner, and the rim of an empty one."""
    box = plan.spot_box(spot)
    text = _text_row(box)
    for y in range(box.y, box.y + box.height):
        canvas.put(box.x, y, line if y == text else " " * box.width, role)
    if plan.centred:
        canvas.put(box.x + box.width - 1 - len(value), box.y, value, role)
    if box.height > 1 and role.startswith(_HALVES):
        canvas.fill(box.x, box.y + box.height - 1, box.width, 1, f"rim-{role}")


def _text_row(box: Box) -> int:
    return box.y + (box.height - 1) // 2


def _with_points(scene: Scene, label: str, points: str, *, cursor: bool) -> str:
    """Return a narrow half's row of text: the points stand behind the name, away from the marks of the cursor."""
    width, lead = scene.layout.cell, scene.layout.lead
    room = width - lead - _LABEL if not cursor or lead else 0
    text = " " * lead + f"{label:>{_LABEL}}"
    if len(points) <= room:
        return (text + points).ljust(width)
    if not cursor and len(label) + len(points) <= width:
        return label.rjust(width - len(points)) + points
    return (text + scene.marks.more[:room]).ljust(width)


def _line(plan: Layout, label: str, value: str, marks: str = "") -> str:
    """Return a half's row of text: name, marks, value."""
    if plan.centred:
        # As on a printed tile: the name in the middle, the value in the corner.
        margin = (plan.cell - _LABEL) // 2
        return f"{' ' * margin}{label:^{_LABEL}}{marks}".ljust(plan.cell)
    left = " " * plan.lead + f"{label:>{_LABEL}}"
    if not plan.values_inside:
        return (left + marks)[: plan.cell].ljust(plan.cell)
    room = _room(plan)
    if len(value) > room:
        value = value.removeprefix("+")
    return f"{left}{marks[: room - len(value)].ljust(room - len(value))}{value}".ljust(plan.cell)


def _room(plan: Layout) -> int:
    """Return the cells behind a card's name for marks and value."""
    return plan.cell - (plan.cell >= _ROOMY) - plan.lead - _LABEL
