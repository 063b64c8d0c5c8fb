"""The waiting room as a frame: who sits where, how friends come in, the promise about the shuffle, the talk."""

import msgspec

from cartino_protocol.views import RoomView, SeatView
from cartino_tui.door import Door
from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.draw.text import fit, with_lead, wrap_command
from cartino_tui.games.plug import Look
from cartino_tui.keys import WAITING
from cartino_tui.screens import letters
from cartino_tui.screens.parts import bar, box, heading, hint_line, marks
from cartino_tui.terms import terms

SEATS_TOP = 4
"""The row of seat 0; one row a seat."""
_CODE = 52
_AIRY = 30
"""The height, in rows, from which every part stands by itself."""


class WaitingModel(msgspec.Struct, frozen=True):
    """What the waiting room shows.

    `cursor` is the marked seat, `said` the talk as (name, text), oldest first, `door` the words that come before
    `join CODE` in a terminal, `word` what brings a guest back ("" for none), `hints` the last row's. Without a
    `status` the line says what the game waits for, after `lead` where both fit.
    """

    room: RoomView
    title: str
    cursor: int = 0
    said: tuple[tuple[str, str], ...] = ()
    status: str = ""
    lead: str = ""
    door: Door = Door()
    word: str = ""
    hints: tuple[tuple[str, str], ...] = ()


def seat_at(model: WaitingModel, x: int, y: int) -> int | None:
    """The seat whose row holds the cell (x, y), or None."""
    seat = y - SEATS_TOP
    return seat if 0 <= seat < len(model.room.seats) and x < _CODE else None


def waiting_hints(room: RoomView) -> tuple[tuple[str, str], ...]:
    """The keys that do something for this person here."""
    actions: list[str] = []
    if room.you is None and any(seat.kind == "empty" for seat in room.seats):
        actions.append("sit")
    if room.you is not None and room.you == room.owner and _taken(room) >= 2:
        actions.append("start")
    if room.you is not None:
        actions += ["cut", "stand"]
    return WAITING.hints(*actions, "chat", "help", "leave")


def draw_waiting(model: WaitingModel, look: Look) -> Frame:
    """The whole waiting room, `look.width` by `look.height` cells."""
    room, mark = model.room, marks(look)
    canvas = Canvas(look.width, look.height)
    listed = "in the lobby's list" if room.open else "private"
    watching = f" {mark.dot} {room.spectators} watching" if room.spectators else ""
    bar(canvas, look, model.title, listed + watching)
    _draw_seats(canvas, model, look)
    _draw_code(canvas, look, room.code)
    airy = int(look.height >= _AIRY)
    below = SEATS_TOP + max(len(room.seats), 5) + airy
    _draw_terms(canvas, room, look, below)
    below = _draw_invitation(canvas, model, look, below + 1 + airy) + 1
    if model.word:
        below = _draw_return(canvas, model, look, below - 1 + airy) + 1
    _draw_promise(canvas, room, look, below)
    _draw_talk(canvas, model, look, below + 4)
    status = model.status or with_lead(model.lead, _waits_for(room), look.width - 2)
    canvas.put(1, look.height - 2, fit(status, look.width - 2, ascii=look.ascii), "status")
    hint_line(canvas, look, look.height - 1, model.hints)
    return canvas.frame()


def _taken(room: RoomView) -> int:
    return sum(seat.kind != "empty" for seat in room.seats)


def _waits_for(room: RoomView) -> str:
    """One sentence: what has to happen before the game begins."""
    free = len(room.seats) - _taken(room)
    seats = "one more sits" if free == 1 else f"{free} more sit"
    begins = f"The game begins by itself when {seats} down"
    if room.you is None:
        return f"{begins}; you are watching."
    if room.you == room.owner and _taken(room) >= 2:
        return f"{begins}, or when you press s."
    return f"{begins}."


def _draw_seats(canvas: Canvas, model: WaitingModel, look: Look) -> None:
    heading(canvas, 4, SEATS_TOP - 1, "seats")
    for number, seat in enumerate(model.room.seats):
        y = SEATS_TOP + number
        picked = number == model.cursor
        canvas.put(2, y, marks(look).pick if picked else " ", "key")
        canvas.put(4, y, str(number + 1), "key" if seat.kind == "empty" else "dim")
        _draw_seat(canvas, look, model.room, number, seat, y)
        if picked:
            canvas.paint(1, y, _CODE - 4, "selected")


def _draw_seat(canvas: Canvas, look: Look, room: RoomView, number: int, seat: SeatView, y: int) -> None:
    mark = marks(look)
    if seat.kind == "empty":
        canvas.put(6, y, mark.free, "dim")
        canvas.put(8, y, "free", "dim")
        return
    you = number == room.you
    canvas.put(6, y, mark.here if seat.here else mark.free, "points" if seat.here else "dim")
    name = seat.name
    if seat.kind == "bot" and not name.startswith("bot"):
        name = f"bot {name}"
    end = canvas.put(8, y, fit(name, 20, ascii=look.ascii), "you" if you else "text")
    notes = [
        *(["you"] if you else []),
        *(["owner"] if number == room.owner else []),
        *(["has cut"] if seat.cut else []),
        *([] if seat.here else ["away"]),
    ]
    canvas.put(end + 1, y, fit(", ".join(notes), _CODE - 4 - end, ascii=look.ascii), "dim")


def _draw_code(canvas: Canvas, look: Look, code: str) -> None:
    heading(canvas, _CODE, SEATS_TOP - 1, "the table's code")
    box(canvas, look, _CODE, SEATS_TOP, 21, 5)
    if look.ascii:
        canvas.put(_CODE + 7, SEATS_TOP + 2, " ".join(code), "title")
        return
    for line, text in enumerate(letters.big(code)):
        canvas.put(_CODE + 3, SEATS_TOP + 1 + line, text, "title")


def _draw_terms(canvas: Canvas, room: RoomView, look: Look, y: int) -> None:
    """How long a turn may take, and what happens with who is away."""
    heading(canvas, 4, y, "time")
    canvas.put(13, y, fit(terms(room.clock, room.absence), look.width - 14, ascii=look.ascii), "text")


def _draw_invitation(canvas: Canvas, model: WaitingModel, look: Look, y: int) -> int:
    """How friends come in: from a terminal, and from the lobby; the row below it."""
    code = model.room.code
    heading(canvas, 4, y, "friends")
    y = _draw_command(canvas, look, y, model.door.join(code))
    canvas.put(13, y, f"{model.door.watch(code)} to look on; from the lobby: c, then the code", "dim")
    return y + 1


def _draw_return(canvas: Canvas, model: WaitingModel, look: Look, y: int) -> int:
    """How a guest comes back; the row below it."""
    heading(canvas, 4, y, "return")
    y = _draw_command(canvas, look, y, look.tongue.tell(model.door.back(model.word)))
    canvas.put(13, y, "brings you back from anywhere; then you get a new word", "dim")
    return y + 1


def _draw_command(canvas: Canvas, look: Look, y: int, command: str) -> int:
    """What is typed in a terminal, on lines of its own so that none of it is cut; the row below it."""
    for line in wrap_command(command, look.width - 14, ascii=look.ascii):
        canvas.put(13, y, line, "key")
        y += 1
    return y


def _draw_promise(canvas: Canvas, room: RoomView, look: Look, y: int) -> None:
    heading(canvas, 4, y, "the shuffle")
    canvas.put(17, y, "is fixed by a seed with this hash; the end shows the seed.", "dim")
    canvas.put(4, y + 1, room.commitment[:8], "key")
    canvas.put(12, y + 1, fit(room.commitment[8:], look.width - 13, ascii=look.ascii), "dim")
    if room.you is None:
        return
    if room.seats[room.you].cut:
        canvas.put(4, y + 2, "You have cut it; x cuts it anew.", "text")
    else:
        canvas.put(4, y + 2, "x cuts it: any text of yours goes into the shuffle. You need not.", "text")


def _draw_talk(canvas: Canvas, model: WaitingModel, look: Look, y: int) -> None:
    rows = look.height - 3 - y
    heading(canvas, 4, y, "talk")
    if not model.said:
        canvas.put(10, y, "t says something to the table.", "dim")
        return
    for line, (name, text) in enumerate(model.said[-rows:] if rows > 0 else ()):
        x = 4
        if name:
            x = canvas.put(x, y + 1 + line, fit(name, 20, ascii=look.ascii), "chat-name") + 2
        canvas.put(
            x, y + 1 + line, fit(text, look.width - x - 1, ascii=look.ascii), "chat" if name else "notice"
        )
