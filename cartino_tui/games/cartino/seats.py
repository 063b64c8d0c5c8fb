"""The players drawn: name, track, chips, total, stones, and who is on turn; at the end what the settlement was."""

from cartino_protocol.games.cartino.board import TRACK_FIELDS
from cartino_protocol.ids import Seat
from cartino_tui.draw.canvas import Canvas
from cartino_tui.games.cartino.layout import Box
from cartino_tui.games.cartino.scene import NAME_CELLS, Scene, suit_of

Piece = tuple[str, str]
"""A bit of text and its role."""

FIFTH = 5
_NOW = 66
"""Where a player's line has what goes on just now."""
_SOON = "!"
"""Stands before a clock that is nearly out."""


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
    """Who sits there, in a word: `you`, `bot`, `away`, or nothing to say."""
    if seat == scene.you:
        return "you"
    if seat >= len(scene.room.seats):
        return ""
    line = scene.room.seats[seat]
    if line.kind == "bot":
        return "bot"
    return "" if line.here else "away"


def full_tag(scene: Scene, seat: Seat) -> str:
    """The same, and whether a stand-in plays for them: `away, bot`, `you, bot`, `bot plays`."""
    who = tag(scene, seat)
    if not stands_in(scene, seat):
        return who
    return f"{who}, bot" if who else "bot plays"


def stands_in(scene: Scene, seat: Seat) -> bool:
    """Whether a stand-in plays for who sits there."""
    return not scene.over and seat < len(scene.room.seats) and scene.room.seats[seat].stand_in != ""


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
    facts, gap = _facts(scene, seat, box.x + box.width - x)
    for text, role in facts:
        x = canvas.put(x + gap - _lead(role), box.y + 2, text, role)


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
        _draw_now(canvas, scene, seat, y)


def _facts(scene: Scene, seat: Seat, room: int) -> tuple[list[Piece], int]:
    """Stones, tag and clock for `room` cells behind the chips, and the gap before each.

    Where it is narrow the gaps go first, then the word for stones, then the tag.
    """
    count = scene.view.scores[seat].stones
    tagged: list[Piece] = [(full_tag(scene, seat), "hint")] if full_tag(scene, seat) else []
    clock = _clock(scene, seat)
    full = [(_stones(count), "text"), *tagged, *clock]
    short = [(f"{count} st", "text"), *tagged, *clock]
    for facts, gap in ((full, 2), (full, 1), (short, 1)):
        if sum(len(text) + gap - _lead(role) for text, role in facts) <= room:
            return facts, gap
    return [short[0], *clock], 1


def _draw_now(canvas: Canvas, scene: Scene, seat: Seat, y: int) -> None:
    """What goes on at a seat in its line: a stand-in, or the turn and its clock; a long clock says both."""
    turn: list[Piece] = [("on turn", "heading")] if _on_turn(scene, seat) else []
    clock = _clock(scene, seat)
    now = [("bot plays", "hint")] if stands_in(scene, seat) else [*turn, *clock]
    if sum(len(text) for text, _ in now) > scene.layout.width - _NOW:
        now = clock
    x = _NOW
    for text, role in now:
        x = canvas.put(x, y, text, role)


def _clock(scene: Scene, seat: Seat) -> list[Piece]:
    """The clock that runs for a seat, with a cell before it that holds the mark of one that is nearly out."""
    clock = scene.clock(seat)
    if clock is None or scene.over or stands_in(scene, seat):
        return []
    return [(f"{_SOON}{clock.text}", "late")] if clock.soon else [(f" {clock.text}", "clock")]


def _lead(role: str) -> int:
    """How many cells a piece brings along as its gap."""
    return int(role in {"clock", "late"})


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
