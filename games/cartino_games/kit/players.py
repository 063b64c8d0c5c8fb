"""The players of a table: who is on turn or has won, who is away or played for by a bot, and their clocks."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from cartino_games.kit.arrangement import Box
from cartino_games.kit.scene import NAME_CELLS, TableScene
from cartino_games.kit.text import Piece, put_pieces, width
from cartino_protocol.base import Seat
from cartino_tui.draw.canvas import Canvas
from cartino_tui.draw.theme import SEATS

_PITCH: Final = 4
"""The most rows from one player to the next."""
_SOON: Final = "!"
"""Stands before a clock that is nearly out."""


def tag(scene: TableScene, seat: Seat) -> str:
    """Return who sits there, in a word: `you`, `bot`, `away`, or "" where there is nothing to say."""
    pgettext = scene.look.translator.pgettext
    if seat == scene.you:
        return pgettext("seat", "you")
    line = scene.seat(seat)
    if line is None:
        return ""
    if line.kind == "bot":
        return pgettext("seat", "bot")
    return "" if line.here else pgettext("seat", "away")


def full_tag(scene: TableScene, seat: Seat) -> str:
    """Return the same with whether a bot plays for them: `away, substitute`, `you, substitute`, `substitute`."""
    who = [tag(scene, seat), substitute(scene) if stands_in(scene, seat) else ""]
    return ", ".join(word for word in who if word)


def tag_width(scene: TableScene) -> int:
    """Return the cells of the longest word that `tag` gives."""
    return max(len(scene.look.translator.pgettext("seat", word)) for word in ("you", "bot", "away"))


def stands_in(scene: TableScene, seat: Seat) -> bool:
    """Return whether a bot plays for the person who sits there."""
    line = scene.seat(seat)
    return not scene.is_over and line is not None and line.substitute != ""


def substitute(scene: TableScene) -> str:
    """Return the word for a bot that plays for somebody."""
    return scene.look.translator.pgettext("seat", "substitute")


def has_won(scene: TableScene, seat: Seat) -> bool:
    """Return whether the game is over and `seat` is among the winners."""
    return scene.is_over and scene.table.result is not None and seat in scene.table.result.winners


def seat_sign(scene: TableScene, seat: Seat) -> Piece:
    """Return the sign and the colour of a seat, for courses and whatever else belongs to a player."""
    return scene.marks.seats[seat % len(scene.marks.seats)], SEATS[seat % len(SEATS)]


def draw_name(
    canvas: Canvas, scene: TableScene, seat: Seat, x: int, y: int, cells: int = NAME_CELLS + 1
) -> int:
    """Draw a name in at most `cells` cells behind the player's sign; return the x after it.

    Players on turn and winners have a mark in its place; of who is on turn, the sign stands behind the name, if it
    fits.
    """
    name = scene.fit(scene.name(seat), max(1, cells - 1))
    colour = SEATS[seat % len(SEATS)]
    if seat in scene.turn:
        canvas.put(x, y, scene.marks.turn, colour)
        end = canvas.put(x + 1, y, name, "turn")
        if end + 1 < x + cells:
            end = canvas.put(end + 1, y, seat_sign(scene, seat)[0], colour)
        return end
    if has_won(scene, seat):
        canvas.put(x, y, scene.marks.won, colour)
        return canvas.put(x + 1, y, name, "winner")
    canvas.put(x, y, seat_sign(scene, seat)[0], colour)
    return canvas.put(x + 1, y, name, "you" if seat == scene.you else "name")


def clock(scene: TableScene, seat: Seat, *, short: bool = False) -> list[Piece]:
    """Return the clock that runs for a seat, `!` before one that is nearly out; nothing while a bot plays for them."""
    ticking = scene.clock(seat)
    if ticking is None or scene.is_over or stands_in(scene, seat):
        return []
    text = ticking.least if short else ticking.text
    return [(f"{_SOON}{text}", "late")] if ticking.soon else [(text, "clock")]


def presence(scene: TableScene, seat: Seat, cells: int) -> list[Piece]:
    """Return who sits there and their clock, as much as `cells` hold: the clock first, then who plays."""
    tags = [full_tag(scene, seat), substitute(scene) if stands_in(scene, seat) else ""]
    clocks = [clock(scene, seat), clock(scene, seat, short=True)]
    for tagged in (*tags, ""):
        for ticking in clocks:
            pieces: list[Piece] = [*([(tagged, "hint")] if tagged else []), *ticking]
            if width(pieces, 1) <= cells:
                return pieces
    return []


class PlayerLine(NamedTuple):
    """What a game says of a player: the total at the right of the name, and facts in the row below, in pieces."""

    total: str
    facts: Sequence[Piece] = ()


def draw_players(canvas: Canvas, scene: TableScene, box: Box, lines: Sequence[PlayerLine]) -> None:
    """Draw the players in `box`, a line of `lines` a seat: name and total, below them facts, tag and clock.

    Of tag and clock as much is shown as there is room behind the facts. `box` is at least 2 rows a player high and 22
    cells wide.
    """
    pitch = min(box.height // max(len(lines), 1), _PITCH)
    for seat, line in enumerate(lines):
        y = box.y + seat * pitch
        draw_name(canvas, scene, seat, box.x, y)
        canvas.put(box.x + box.width - 1 - len(line.total), y, line.total, "points")
        room = box.width - 2 - width(line.facts, 1) - bool(line.facts)
        put_pieces(canvas, box.x + 1, y + 1, [*line.facts, *presence(scene, seat, room)], 1)
