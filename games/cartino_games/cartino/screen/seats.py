"""The players drawn: name, track, chips, total, stones, and who is on turn; at the end what the settlement was."""

from typing import Final

from cartino_games.cartino.board import TRACK_FIELDS
from cartino_games.cartino.screen.layout import PANEL_LEAST
from cartino_games.cartino.screen.scene import Scene, suit_of
from cartino_games.cartino.screen.story import lays_in_short, turns_of
from cartino_games.kit.arrangement import Box
from cartino_games.kit.marks import number
from cartino_games.kit.players import (
    clock,
    draw_name,
    presence,
    stands_in,
    substitute,
    tag,
    tag_width,
)
from cartino_games.kit.scene import NAME_CELLS
from cartino_games.kit.text import Piece, draw_panel, put_pieces, width
from cartino_protocol.base import Seat
from cartino_tui.draw.canvas import Canvas
from cartino_tui.draw.theme import SEATS

FIFTH = 5
_NAME = NAME_CELLS + 1
"""A name with the mark before it."""
_MOST = 34
"""No player's total stands further at the right than this."""
_GROUPED = TRACK_FIELDS + 3
"""The cells of a track whose fields stand in groups of five."""
_GAPS: Final = 6
"""The cells between the facts of a player's third row and around them."""
_LEAST, _HIGHEST = 3, 6
"""The rows that a player needs for everything but the last turn, and the most from one player to the next."""


def draw_players(canvas: Canvas, scene: Scene) -> None:
    """Draw every player, in a panel beside the board or a line each below it."""
    box = scene.layout.players
    seats = range(len(scene.view.scores))
    if scene.layout.stacked:
        draw = _draw_line if _line_of_words(scene) <= box.width else _draw_short_line
        for seat in seats:
            draw(canvas, scene, seat, box.y + seat)
        return
    if scene.layout.framed:
        inside = Box(box.x - 1, box.y, box.width + 2, box.height)
        draw_panel(canvas, scene, inside, scene.look.translator.gettext("Score"))
    for seat in seats:
        _draw_block(canvas, scene, seat, place_of(scene, seat))


def place_of(scene: Scene, seat: Seat) -> Box:
    """Return the rows of a player."""
    box = scene.layout.players
    if scene.layout.stacked:
        return Box(box.x, box.y + seat, box.width, 1)
    seats, above = len(scene.view.scores), 0 if scene.layout.framed else scene.layout.grid.above
    if (box.height - above) // seats < _LEAST:
        above = 0
    framed = scene.layout.framed
    pitch = min((box.height - above + framed) // seats, _HIGHEST)
    return Box(box.x, box.y + above + seat * pitch, box.width, min(pitch - (pitch > _LEAST + framed), 4))


def _draw_block(canvas: Canvas, scene: Scene, seat: Seat, box: Box) -> None:
    """Draw a player's name, total, track, chips, stones and tag; in numbers where a track has no room."""
    score, marks = scene.view.scores[seat], scene.marks
    total = number(score.total, marks)
    chips = (f"{marks.chip}{score.chips}", "chips")
    low = box.height < _LEAST
    if not scene.layout.tracked:
        draw_name(canvas, scene, seat, box.x, box.y)
        put_pieces(canvas, box.x + 1, box.y + 1, [(f"{total:>3}", "points"), *_numbers(scene, seat)], 1)
        if box.height > 2:
            put_pieces(canvas, box.x + 1, box.y + 2, presence(scene, seat, box.width - 1), 1)
        return
    edge = box.width - (not scene.layout.framed and box.width > PANEL_LEAST)
    end = box.x + (edge if scene.layout.framed else min(edge, _MOST))
    beside = [chips, (f"{marks.laid}{score.stones}", "text")] if low else []
    # A name is worth more than chips and stones: the total tells the chips as well.
    while beside and len(scene.name(seat)) + width(beside, 1) + len(total) + 3 > end - box.x:
        del beside[0]
    room = end - box.x - len(total) - width(beside, 1) - bool(beside) - 1
    name_end = draw_name(canvas, scene, seat, box.x, box.y, room)
    if low:
        beside = [*presence(scene, seat, end - name_end - len(total) - 3 - width(beside, 1)), *beside]
        put_pieces(canvas, end - len(total) - 1 - width(beside, 1), box.y, beside, 1)
    canvas.put(end - len(total), box.y, total, "points")
    _draw_track(canvas, scene, seat, box.x, box.y + 1, grouped=box.width > _GROUPED)
    if low:
        return
    stones, now = _stones(scene, score.stones), width(presence(scene, seat, box.width), 1)
    facts: list[Piece] = [
        _stack(scene, score.chips, box.width - len(stones) - now - _GAPS),
        (stones, "text"),
    ]
    # Of a substitute's tag, the word "away" is left out before that for the stones.
    if width([*facts, ("", "")], 2) + max(tag_width(scene), len(substitute(scene))) > box.width - 1:
        few = f"{marks.laid}{score.stones}"
        facts = [_stack(scene, score.chips, box.width - len(few) - now - _GAPS), (few, "text")]
    facts += presence(scene, seat, box.width - 1 - width(facts, 1) - 1)
    put_pieces(canvas, box.x + 1, box.y + 2, facts, 2 if width(facts, 2) <= box.width - 1 else 1)
    if box.height > 3:
        _draw_last_turn(canvas, scene, seat, Box(box.x + 1, box.y + 3, box.width - 2, 1))


def _stack(scene: Scene, chips: int, room: int) -> Piece:
    """Chips side by side, with their worth behind them if there is room, or their number alone."""
    few = f"{scene.marks.chip}{chips}"
    if not chips:
        return few, "chips"
    stack = scene.marks.chip * chips
    worth = f"{chips}×{TRACK_FIELDS}" if not scene.look.ascii else f"{chips}x{TRACK_FIELDS}"
    fitting = [each for each in (f"{stack} {worth}", stack) if len(each) <= room]
    return fitting[0] if fitting else few, "chips"


def _draw_last_turn(canvas: Canvas, scene: Scene, seat: Seat, box: Box) -> None:
    """Draw what a player did in the last turn."""
    found = next((turn for turn in turns_of(scene) if turn[0].seat == seat), None)
    if found is None or scene.is_over:
        return
    pieces = lays_in_short(scene, found)
    if width(pieces, 1) <= box.width:
        put_pieces(canvas, box.x, box.y, pieces, 1)


def _numbers(scene: Scene, seat: Seat) -> list[Piece]:
    """Chips, field and stones without a word: `●6  7/20 ■5`."""
    score, marks = scene.view.scores[seat], scene.marks
    chips = f"{marks.chip}{score.chips}"
    field = f"{_field(scene, seat):>2}/{TRACK_FIELDS}"
    return [(f"{chips:<3}", "chips"), (field, "marker"), (f"{marks.laid}{score.stones}", "text")]


def _line_of_words(scene: Scene) -> int:
    """Return the cells that a player's line takes with its track and in words, at most."""
    now = max(len(substitute(scene)), len(scene.look.translator.gettext("to play")) + len(" !0:09"))
    return _now_column(scene) + now


def _stones_width(scene: Scene) -> int:
    return max(len(_stones(scene, count)) for count in range(6))


def _track_column(scene: Scene) -> int:
    return _NAME + 1 + tag_width(scene) + 1


def _now_column(scene: Scene) -> int:
    return _track_column(scene) + 33 + _stones_width(scene) + 2


def _draw_line(canvas: Canvas, scene: Scene, seat: Seat, y: int) -> None:
    """Draw a player in one row with the track; at the end settlement and open hand replace the stones."""
    draw_name(canvas, scene, seat, 0, y)
    canvas.put(_NAME + 1, y, tag(scene, seat), "hint")
    x = _track_column(scene)
    _draw_track(canvas, scene, seat, x, y)
    canvas.put(x + 22, y, f"{scene.marks.chip}{scene.view.scores[seat].chips}", "chips")
    total = number(scene.view.scores[seat].total, scene.marks)
    canvas.put(x + 31 - len(total), y, total, "points")
    if scene.is_over:
        draw_settlement(canvas, scene, seat, x + 33, y)
        return
    canvas.put(x + 33, y, _stones(scene, scene.view.scores[seat].stones), "text")
    x = _now_column(scene)
    put_pieces(canvas, x, y, _now(scene, seat, scene.layout.width - x), 1)


def _now(scene: Scene, seat: Seat, room: int) -> list[Piece]:
    """Return what goes on at a seat: a substitute, or the turn and its clock; a long clock loses its end."""
    if stands_in(scene, seat):
        return [(substitute(scene), "hint")]
    turn: list[Piece] = [(scene.look.translator.gettext("to play"), "heading")] if seat in scene.turn else []
    whole = [*turn, *clock(scene, seat)]
    return whole if width(whole, 1) < room else [*turn, *clock(scene, seat, short=True)]


def _draw_short_line(canvas: Canvas, scene: Scene, seat: Seat, y: int) -> None:
    """Draw a player in one row of numbers; at the end the settlement replaces who plays."""
    draw_name(canvas, scene, seat, 0, y)
    total: Piece = (f"{number(scene.view.scores[seat].total, scene.marks):>4}", "points")
    x = put_pieces(canvas, _NAME + 1, y, [total, *_numbers(scene, seat)], 1)
    if scene.is_over:
        draw_settlement(canvas, scene, seat, x, y)
    else:
        put_pieces(canvas, x, y, presence(scene, seat, scene.layout.width - x), 1)


def _draw_track(canvas: Canvas, scene: Scene, seat: Seat, x: int, y: int, *, grouped: bool = False) -> None:
    """Draw the 20 fields, filled up to the player's, with a mark on every fifth."""
    marks, field = scene.marks, _field(scene, seat)
    for first in range(1, TRACK_FIELDS + 1, FIFTH):
        fields = range(first, first + FIFTH)
        full = sum(each <= field for each in fields)
        at = x + first + (first // FIFTH if grouped else 0)
        canvas.put(at, y, (marks.here * (FIFTH - 1) + marks.full_fifth)[:full], SEATS[seat])
        canvas.put(at + full, y, (marks.field * (FIFTH - 1) + marks.fifth)[full:], "track")


def _field(scene: Scene, seat: Seat) -> int:
    return max(0, min(scene.view.scores[seat].field, TRACK_FIELDS))


def _stones(scene: Scene, count: int) -> str:
    return scene.look.translator.ngettext("{n} stone", "{n} stones", count)


def draw_settlement(canvas: Canvas, scene: Scene, seat: Seat, x: int, y: int) -> int:
    """Draw the bonus, the penalty and the stones still in hand; return the x after them."""
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
