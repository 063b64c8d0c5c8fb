"""The parts of the waiting room as rows of text, each in more words or in fewer."""

from collections.abc import Sequence

from cartino_protocol.marking import N_
from cartino_protocol.views import RoomView, SeatView
from cartino_tui.door import Door
from cartino_tui.draw.canvas import Row, Run
from cartino_tui.draw.flowing import in_rows, length
from cartino_tui.draw.text import fit, wrap_command
from cartino_tui.games.chance import ChanceWords
from cartino_tui.games.screen import Look
from cartino_tui.screens.parts import marks
from cartino_tui.terms import CLOCK_WORDS, terms
from cartino_tui.tongue import Tongue

LEFT = 4
"""The cell where everything begins."""
_LEAST_HEADING = 7
_MOST_NAME = 20


def seat_rows(room: RoomView, look: Look) -> list[Row]:
    """A row a seat: its number, who sits there, and what there is to know about them."""
    return [_seat(room, number, seat, look) for number, seat in enumerate(room.seats)]


def time_rows(room: RoomView, look: Look, *, short: bool) -> list[Row]:
    """How long a turn may take, and what happens with who is away."""
    tongue = look.tongue
    text = tongue.say(CLOCK_WORDS[room.clock]) if short else terms(room.clock, room.absence, tongue)
    return _headed(tongue.say("time"), in_rows(text, "text", _cells(look), ascii=look.ascii), look)


def friends_rows(room: RoomView, door: Door, look: Look, *, short: bool) -> list[Row]:
    """How friends come in: from a terminal, and from the lobby."""
    tongue = look.tongue
    more = tongue.say("{watch} to look on; from the lobby: c, then the code", watch=door.watch(room.code))
    return _headed(tongue.say("friends"), _command(door.join(room.code), "" if short else more, look), look)


def return_rows(word: str, door: Door, look: Look, *, short: bool) -> list[Row]:
    """How a guest comes back."""
    tongue = look.tongue
    more = tongue.say("brings you back from anywhere; then you get a new word")
    return _headed(
        tongue.say("return"), _command(tongue.tell(door.back(word)), "" if short else more, look), look
    )


def shuffle_rows(words: ChanceWords, room: RoomView, look: Look, *, short: bool) -> list[Row]:
    """What is promised about the shuffle, and one's own cut."""
    tongue = look.tongue
    heading = tongue.say(words.heading).upper()
    cells = look.width - LEFT - 1
    lead: Run = (f"{heading}  ", "heading")
    if short:
        text = tongue.say("? has its hash.") if room.you is None else tongue.say("x cuts it; ? has its hash.")
        return _led(lead, text, cells, look)
    fixed = tongue.say("A seed with this hash fixes it; the end shows the seed.")
    rows = [*_led(lead, fixed, cells, look), *_hash(room.commitment, cells)]
    if room.you is None:
        return rows
    cut = N_("You have cut it; x cuts it anew.") if room.seats[room.you].cut else words.cut
    return [*rows, *in_rows(tongue.say(cut), "text", cells, ascii=look.ascii)]


def _seat(room: RoomView, number: int, seat: SeatView, look: Look) -> Row:
    mark, tongue = marks(look), look.tongue
    if seat.kind == "empty":
        return (f"{number + 1} ", "key"), (f"{mark.free} ", "dim"), (tongue.say("free"), "dim")
    you = number == room.you
    sign: Run = (f"{mark.here} ", "points") if seat.here else (f"{mark.free} ", "dim")
    name = seat.name
    if seat.kind == "bot" and not name.startswith("bot"):
        name = tongue.say("bot {name}", name=name)
    notes = ", ".join(_notes(room, number, seat, tongue))
    row: Row = (
        (f"{number + 1} ", "dim"),
        sign,
        (fit(name, _MOST_NAME, ascii=look.ascii), "you" if you else "text"),
    )
    return (*row, (" ", "dim"), (notes, "dim")) if notes else row


def _notes(room: RoomView, number: int, seat: SeatView, tongue: Tongue) -> list[str]:
    return [
        *([tongue.say("you")] if number == room.you else []),
        *([tongue.say("owner")] if number == room.owner else []),
        *([tongue.say("has cut")] if seat.cut else []),
        *([] if seat.here else [tongue.say("away")]),
    ]


def _column(look: Look) -> int:
    """How wide the headings are that have their text beside them."""
    words = [look.tongue.say("time"), look.tongue.say("friends"), look.tongue.say("return")]
    return max(_LEAST_HEADING, *(len(word.upper()) for word in words)) + 2


def _cells(look: Look) -> int:
    return look.width - LEFT - _column(look) - 1


def _headed(heading: str, rows: Sequence[Row], look: Look) -> list[Row]:
    """`rows` with `heading` beside the first."""
    column = _column(look)
    return [
        ((("" if number else heading.upper()).ljust(column), "heading"), *row)
        for number, row in enumerate(rows)
    ]


def _command(command: str, more: str, look: Look) -> list[Row]:
    """What is typed in a terminal, on lines of its own so that none of it is cut, and what else there is to say."""
    lines = wrap_command(command, _cells(look), ascii=look.ascii)
    return [*(((line, "key"),) for line in lines), *in_rows(more, "dim", _cells(look), ascii=look.ascii)]


def _led(lead: Run, text: str, cells: int, look: Look) -> list[Row]:
    """`text` behind `lead`, or below it where it doesn't fit beside it."""
    beside = in_rows(text, "dim", cells - length((lead,)), ascii=look.ascii)
    if len(beside) == 1:
        return [(lead, *beside[0])]
    return [(lead,), *in_rows(text, "dim", cells, ascii=look.ascii)]


def _hash(commitment: str, cells: int) -> list[Row]:
    """A hash, its first eight characters easy to compare, on as many rows as it takes."""
    lines = [commitment[at : at + cells] for at in range(0, len(commitment), cells)]
    first: Row = ((lines[0][:8], "key"), (lines[0][8:], "dim"))
    return [first, *(((line, "dim"),) for line in lines[1:])]
