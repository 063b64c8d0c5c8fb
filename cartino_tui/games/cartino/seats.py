"""The players drawn: name, track, chips, total, stones, and who is on turn; at the end what the settlement was."""

from cartino_protocol.games.cartino.board import TRACK_FIELDS
from cartino_protocol.ids import Seat
from cartino_tui.draw.canvas import Canvas
from cartino_tui.games.cartino.layout import Box
from cartino_tui.games.cartino.scene import NAME_CELLS, Scene, suit_of

FIFTH = 5


def draw_players(canvas: Canvas, scene: Scene) -> None:
    """Every player, in a panel beside the board or a line each below it."""
    box = scene.layout.players
    seats = range(len(scene.view.scores))
    if scene.layout.stacked:
        for seat in seats:
            _draw_line(canvas, scene, seat, box.y + seat)
        return
    _draw_scale(canvas, box)
    pitch = min((box.height - 1) // 4, 6)
    for seat in seats:
        _draw_block(canvas, scene, seat, Box(box.x, box.y + 1 + seat * pitch, box.width, pitch))


def tag(scene: Scene, seat: Seat) -> str:
    """What sits there, in a word: `you`, `bot`, `away`, or nothing to say."""
    if seat == scene.you:
        return "you"
    if seat >= len(scene.room.seats):
        return ""
    line = scene.room.seats[seat]
    if line.kind == "bot":
        return "bot"
    return "" if line.here else "away"


def _on_turn(scene: Scene, seat: Seat) -> bool:
    return scene.view.on_turn == seat


def _won(scene: Scene, seat: Seat) -> bool:
    return scene.over and scene.room.result is not None and seat in scene.room.result.winners


def _draw_block(canvas: Canvas, scene: Scene, seat: Seat, box: Box) -> None:
    """Three rows: name and total; track; chips, stones and tag. At the end the settlement takes the third."""
    _draw_name(canvas, scene, seat, box.x, box.y)
    total = _total(scene, seat)
    canvas.put(box.x + min(box.width, 30) - len(total), box.y, total, "points")
    _draw_track(canvas, scene, seat, box.x, box.y + 1)
    x = _draw_chips(canvas, scene, seat, box.x + 1, box.y + 2)
    stones = scene.view.scores[seat].stones
    x = canvas.put(x + 2, box.y + 2, _stones(stones), "text")
    canvas.put(x + 2, box.y + 2, tag(scene, seat), "hint")


def _draw_line(canvas: Canvas, scene: Scene, seat: Seat, y: int) -> None:
    """One row of at least 80 cells; at the end the settlement and the open hand take the place of the stones."""
    _draw_name(canvas, scene, seat, 0, y)
    canvas.put(18, y, tag(scene, seat), "hint")
    _draw_track(canvas, scene, seat, 22, y)
    _draw_chips(canvas, scene, seat, 44, y)
    total = _total(scene, seat)
    canvas.put(54 - len(total), y, total, "points")
    if scene.over:
        draw_settlement(canvas, scene, seat, 56, y)
    else:
        canvas.put(56, y, _stones(scene.view.scores[seat].stones), "text")
        if _on_turn(scene, seat):
            canvas.put(66, y, "on turn", "heading")


def _draw_name(canvas: Canvas, scene: Scene, seat: Seat, x: int, y: int) -> None:
    name = scene.name(seat)[:NAME_CELLS]
    if _on_turn(scene, seat):
        canvas.put(x, y, scene.marks.turn, "cursor")
        canvas.put(x + 1, y, name, "turn")
    elif _won(scene, seat):
        canvas.put(x, y, scene.marks.chip, "winner")
        canvas.put(x + 1, y, name, "winner")
    else:
        canvas.put(x + 1, y, name, "you" if seat == scene.you else "name")


def _draw_scale(canvas: Canvas, box: Box) -> None:
    """The numbers of every fifth field above the first track."""
    for field in range(FIFTH, TRACK_FIELDS + 1, FIFTH):
        label = str(field)
        canvas.put(box.x + field + 1 - len(label), box.y, label, "dim")


def _draw_track(canvas: Canvas, scene: Scene, seat: Seat, x: int, y: int) -> None:
    """The place before the track and its 20 fields, with the marker on one of them."""
    marks = scene.marks
    fields = "".join(
        marks.fifth if field % FIFTH == 0 else marks.field for field in range(1, TRACK_FIELDS + 1)
    )
    canvas.put(x + 1, y, fields, "track")
    here = max(0, min(scene.view.scores[seat].field, TRACK_FIELDS))
    canvas.put(x + here, y, marks.here, "marker")


def _draw_chips(canvas: Canvas, scene: Scene, seat: Seat, x: int, y: int) -> int:
    return canvas.put(x, y, f"{scene.marks.chip}x{scene.view.scores[seat].chips}", "chips")


def draw_settlement(canvas: Canvas, scene: Scene, seat: Seat, x: int, y: int) -> int:
    """The bonus, the penalty and the stones that were still in hand; returns the x after them."""
    view, marks = scene.view, scene.marks
    bonus = view.bonus[seat] if seat < len(view.bonus) else 0
    penalty = view.penalty[seat] if seat < len(view.penalty) else 0
    hand = view.hands[seat] if seat < len(view.hands) else ()
    if bonus:
        x = canvas.put(x, y, f"+{bonus} went out", "points")
    if hand:
        x = canvas.put(x, y, f"{marks.minus}{penalty}", "error")
    elif not bonus:
        x = canvas.put(x, y, "no stones left", "dim")
    for stone in hand:
        x = canvas.put(x + 1, y, marks.card(stone), f"printed-{suit_of(stone)}")
    return x


def _total(scene: Scene, seat: Seat) -> str:
    total = scene.view.scores[seat].total
    return str(total) if total >= 0 else f"{scene.marks.minus}{-total}"


def _stones(count: int) -> str:
    return "1 stone" if count == 1 else f"{count} stones"
