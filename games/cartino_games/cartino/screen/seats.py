"""The players drawn: name, track, chips, total, stones, and who is on turn; at the end what the settlement was."""

from cartino_games.cartino.board import TRACK_FIELDS
from cartino_games.cartino.screen.layout import PANEL_LEAST
from cartino_games.cartino.screen.scene import Scene, suit_of
from cartino_games.kit.arrangement import Box
from cartino_games.kit.marks import number
from cartino_games.kit.players import (
    clock,
    draw_name,
    longest_tag,
    presence,
    stand_in,
    stands_in,
    tag,
    tag_width,
)
from cartino_games.kit.scene import NAME_CELLS
from cartino_games.kit.text import Piece, put_pieces, width
from cartino_protocol.base import Seat
from cartino_tui.draw.canvas import Canvas

FIFTH = 5
_NAME = NAME_CELLS + 1
"""A name with the mark before it."""
_MOST = 30
"""No player's total stands further at the right than this."""


def draw_players(canvas: Canvas, scene: Scene) -> None:
    """Every player, in a panel beside the board or a line each below it."""
    box = scene.layout.players
    seats = range(len(scene.view.scores))
    if scene.layout.stacked:
        draw = _draw_line if _line_of_words(scene) <= box.width else _draw_short_line
        for seat in seats:
            draw(canvas, scene, seat, box.y + seat)
        return
    if scene.layout.tracked:
        _draw_scale(canvas, box)
    wordy = _wordy(scene) < box.width
    pitch = min((box.height - 1) // 4, 6)
    for seat in seats:
        _draw_block(canvas, scene, seat, Box(box.x, box.y + 1 + seat * pitch, box.width, pitch), wordy)


def _draw_block(canvas: Canvas, scene: Scene, seat: Seat, box: Box, wordy: bool) -> None:
    """Three rows: name and total; track; chips, stones and tag. Without room for a track all of it in numbers."""
    draw_name(canvas, scene, seat, box.x, box.y)
    score, marks = scene.view.scores[seat], scene.marks
    if not scene.layout.tracked:
        total: Piece = (f"{number(scene.view.scores[seat].total, scene.marks):>3}", "points")
        put_pieces(canvas, box.x + 1, box.y + 1, [total, *_numbers(scene, seat)], 1)
        put_pieces(canvas, box.x + 1, box.y + 2, presence(scene, seat, box.width - 1), 1)
        return
    total_text = number(scene.view.scores[seat].total, scene.marks)
    end = min(box.width - (box.width > PANEL_LEAST), _MOST)
    margin = " " * (box.width - end)  # in the same ink, which saves one
    canvas.put(box.x + end - len(total_text), box.y, total_text + margin, "points")
    _draw_track(canvas, scene, seat, box.x, box.y + 1)
    room = box.width - 1
    counts: list[Piece]
    if wordy:
        counts = [(f"{marks.chip}{score.chips}", "chips"), (_stones(scene, score.stones), "text")]
    else:
        counts = [(f"{marks.chip}{score.chips}", "chips"), (f"{marks.laid}{score.stones}", "text")]
    facts = [*counts, *presence(scene, seat, room - width(counts, 1) - 1)]
    put_pieces(canvas, box.x + 1, box.y + 2, facts, 2 if width(facts, 2) <= room else 1)


def _wordy(scene: Scene) -> int:
    """The cells that a player's third row takes in words, with all that may have to be said of them."""
    most = [_stones(scene, 5), longest_tag(scene)]
    return len(f"{scene.marks.chip}12") + sum(1 + len(text) for text in most)


def _numbers(scene: Scene, seat: Seat) -> list[Piece]:
    """Chips, field and stones without a word: `●6  7/20 ■5`."""
    score, marks = scene.view.scores[seat], scene.marks
    chips = f"{marks.chip}{score.chips}"
    field = f"{_field(scene, seat):>2}/{TRACK_FIELDS}"
    return [(f"{chips:<3}", "chips"), (field, "marker"), (f"{marks.laid}{score.stones}", "text")]


def _line_of_words(scene: Scene) -> int:
    """The cells that a player's line takes with its track and in words, at most."""
    now = max(len(stand_in(scene)), len(scene.look.translator.gettext("on turn")) + len(" !0:09"))
    return _now_column(scene) + now


def _stones_width(scene: Scene) -> int:
    return max(len(_stones(scene, count)) for count in range(6))


def _track_column(scene: Scene) -> int:
    return _NAME + 1 + tag_width(scene) + 1


def _now_column(scene: Scene) -> int:
    return _track_column(scene) + 33 + _stones_width(scene) + 2


def _draw_line(canvas: Canvas, scene: Scene, seat: Seat, y: int) -> None:
    """One row with the track; at the end the settlement and the open hand take the place of the stones."""
    draw_name(canvas, scene, seat, 0, y)
    canvas.put(_NAME + 1, y, tag(scene, seat), "hint")
    x = _track_column(scene)
    _draw_track(canvas, scene, seat, x, y)
    canvas.put(x + 22, y, f"{scene.marks.chip}{scene.view.scores[seat].chips}", "chips")
    total = number(scene.view.scores[seat].total, scene.marks)
    canvas.put(x + 31 - len(total), y, total, "points")
    if scene.over:
        draw_settlement(canvas, scene, seat, x + 33, y)
        return
    canvas.put(x + 33, y, _stones(scene, scene.view.scores[seat].stones), "text")
    x = _now_column(scene)
    put_pieces(canvas, x, y, _now(scene, seat, scene.layout.width - x), 1)


def _now(scene: Scene, seat: Seat, room: int) -> list[Piece]:
    """What goes on at a seat: a stand-in, or the turn and its clock; a long clock loses its end."""
    if stands_in(scene, seat):
        return [(stand_in(scene), "hint")]
    turn: list[Piece] = [(scene.look.translator.gettext("on turn"), "heading")] if seat in scene.turn else []
    whole = [*turn, *clock(scene, seat)]
    return whole if width(whole, 1) < room else [*turn, *clock(scene, seat, short=True)]


def _draw_short_line(canvas: Canvas, scene: Scene, seat: Seat, y: int) -> None:
    """One row in numbers; at the end the settlement takes the place of who plays."""
    draw_name(canvas, scene, seat, 0, y)
    total: Piece = (f"{number(scene.view.scores[seat].total, scene.marks):>4}", "points")
    x = put_pieces(canvas, _NAME + 1, y, [total, *_numbers(scene, seat)], 1)
    if scene.over:
        draw_settlement(canvas, scene, seat, x, y)
    else:
        put_pieces(canvas, x, y, presence(scene, seat, scene.layout.width - x), 1)


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
    canvas.fill(x + _field(scene, seat), y, 1, 1, "marker", marks.here)


def _field(scene: Scene, seat: Seat) -> int:
    return max(0, min(scene.view.scores[seat].field, TRACK_FIELDS))


def _stones(scene: Scene, count: int) -> str:
    return scene.look.translator.ngettext("{n} stone", "{n} stones", count)


def draw_settlement(canvas: Canvas, scene: Scene, seat: Seat, x: int, y: int) -> int:
    """The bonus, the penalty and the stones that were still in hand; returns the x after them."""
    view, marks, gettext = scene.view, scene.marks, scene.look.translator.gettext
    bonus = view.bonus[seat] if seat < len(view.bonus) else 0
    penalty = view.penalty[seat] if seat < len(view.penalty) else 0
    hand = view.hands[seat] if seat < len(view.hands) else ()
    if bonus:
        x = canvas.put(x, y, gettext("+{points} went out", points=bonus), "points")
    if hand:
        x = canvas.put(x, y, f"{marks.minus}{penalty}", "error")
    elif not bonus:
        x = canvas.put(x, y, gettext("no stones left"), "dim")
    for stone in hand:
        x = canvas.put(x + 1, y, marks.card(stone), f"printed-{suit_of(stone)}")
    return x
