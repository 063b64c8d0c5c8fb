"""The players drawn: name, track, chips, total, stones, and who is on turn; at the end what the settlement was."""

from collections.abc import Sequence

from cartino_protocol.games.cartino.board import TRACK_FIELDS
from cartino_protocol.ids import Seat
from cartino_tui.draw.canvas import Canvas
from cartino_tui.games.cartino.layout import Box
from cartino_tui.games.cartino.scene import NAME_CELLS, Scene, suit_of

Piece = tuple[str, str]
"""A bit of text and its role."""

FIFTH = 5
STAND_IN = "stand-in"
_WORDY = 29
"""The cells from which a panel has room for words: `●x12 5 stones away, stand-in`."""
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
    """The same, and whether a stand-in plays for them: `away, stand-in`, `you, stand-in`, `stand-in`."""
    who = [tag(scene, seat), STAND_IN if stands_in(scene, seat) else ""]
    return ", ".join(word for word in who if word)


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
    facts, gap = _facts(scene, seat, box.width - 1)
    _put(canvas, box.x + 1, box.y + 2, facts, gap)


def _draw_line(canvas: Canvas, scene: Scene, seat: Seat, y: int) -> None:
    """One row of at least 80 cells; at the end the settlement and the open hand take the place of the stones."""
    _draw_name(canvas, scene, seat, 0, y)
    canvas.put(18, y, tag(scene, seat), "hint")
    _draw_track(canvas, scene, seat, 23, y)
    canvas.put(45, y, _chips(scene, seat), "chips")
    total = _total(scene, seat)
    canvas.put(54 - len(total), y, total, "points")
    if scene.over:
        draw_settlement(canvas, scene, seat, 56, y)
    else:
        canvas.put(56, y, _stones(scene.view.scores[seat].stones), "text")
        _draw_now(canvas, scene, seat, y)


def _facts(scene: Scene, seat: Seat, room: int) -> tuple[list[Piece], int]:
    """Chips, stones, tag and clock for `room` cells, and the gap between them, which is never less than a cell.

    A narrow panel has no room for words; where a wide one has none, the gap goes first, then the end of a long clock.
    """
    count, marks = scene.view.scores[seat].stones, scene.marks
    if room < _WORDY:
        counts = [(f"{marks.chip}{scene.view.scores[seat].chips}", "chips"), (f"{marks.laid}{count}", "text")]
    else:
        counts = [(_chips(scene, seat), "chips"), (_stones(count), "text")]
    tagged: list[Piece] = [(full_tag(scene, seat), "hint")] if full_tag(scene, seat) else []
    full = [*counts, *tagged, *_clock(scene, seat)]
    for gap in (2, 1):
        if _width(full, gap) <= room:
            return full, gap
    return [*counts, *tagged, *_clock(scene, seat, short=True)], 1


def _draw_now(canvas: Canvas, scene: Scene, seat: Seat, y: int) -> None:
    """What goes on at a seat in its line: a stand-in, or the turn and its clock; a long clock loses its end."""
    turn: list[Piece] = [("on turn", "heading")] if _on_turn(scene, seat) else []
    now = [(STAND_IN, "hint")] if stands_in(scene, seat) else [*turn, *_clock(scene, seat)]
    if _width(now, 1) > scene.layout.width - _NOW:
        now = [*turn, *_clock(scene, seat, short=True)]
    _put(canvas, _NOW, y, now, 1)


def _clock(scene: Scene, seat: Seat, *, short: bool = False) -> list[Piece]:
    """The clock that runs for a seat, with a mark on one that is nearly out; a stand-in takes no time."""
    clock = scene.clock(seat)
    if clock is None or scene.over or stands_in(scene, seat):
        return []
    text = clock.least if short else clock.text
    return [(f"{_SOON}{text}", "late")] if clock.soon else [(text, "clock")]


def _width(pieces: Sequence[Piece], gap: int) -> int:
    """How many cells `pieces` take with `gap` cells between them."""
    return sum(len(text) + gap for text, _ in pieces) - gap


def _put(canvas: Canvas, x: int, y: int, pieces: Sequence[Piece], gap: int) -> None:
    for text, role in pieces:
        x = canvas.put(x, y, text, role) + gap


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


def _chips(scene: Scene, seat: Seat) -> str:
    return f"{scene.marks.chip}x{scene.view.scores[seat].chips}"


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
