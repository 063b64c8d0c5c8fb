"""The waiting room as a frame: who sits where, how friends come in, the promise about the shuffle, the talk."""

from typing import Final, NamedTuple

import msgspec

from cartino_protocol.views import RoomView
from cartino_tui.door import Door
from cartino_tui.draw.canvas import Canvas, Frame, Row
from cartino_tui.draw.flowing import length, put_row, put_rows
from cartino_tui.draw.text import with_lead
from cartino_tui.games.chance import SHUFFLE, ChanceWords
from cartino_tui.games.screen import Look
from cartino_tui.keys import WAITING
from cartino_tui.screens import letters
from cartino_tui.screens.parts import bar, box, foot, foot_height, heading, hint_line, marks, shown_hints
from cartino_tui.screens.talk_drawing import Said, talk_rows
from cartino_tui.screens.waiting_rows import (
    LEFT,
    friends_rows,
    return_rows,
    seat_rows,
    shuffle_rows,
    time_rows,
)

_TOP = 2
_BOX_HEIGHT = 5
_BOX_LEFT = 52
"""Where the box with the code begins, unless the seats need the room."""


class WaitingModel(msgspec.Struct, frozen=True):
    """What the waiting room shows.

    `cursor` is the marked seat, `said` the talk as (name, text), oldest first, `door` the words that come before
    `join CODE` in a terminal, `word` what brings a guest back ("" for none), `hints` the last row's. Without a
    `status` the line says what the game waits for, after `lead` where both fit. `chance` is the game's, None for none.
    """

    room: RoomView
    title: str
    cursor: int = 0
    said: Said = ()
    status: str = ""
    lead: str = ""
    door: Door = Door()
    word: str = ""
    hints: tuple[tuple[str, str], ...] = ()
    chance: ChanceWords | None = SHUFFLE


class _Words(NamedTuple):
    """How much is said, by how much room there is.

    `gaps`: 2 between all parts, 1 where one matter ends (a box ends it, too), 0 nowhere.
    """

    gaps: int
    box: bool = True
    shuffle: bool = True
    shuffle_short: bool = False
    short: bool = False
    time_short: bool = False
    talk: int = 3


_TRIES: Final = (
    _Words(2, talk=5),
    _Words(1),
    _Words(0),
    _Words(1, box=False),
    _Words(0, box=False),
    _Words(1, box=False, shuffle_short=True),
    _Words(0, box=False, shuffle_short=True, talk=2),
    _Words(0, box=False, shuffle_short=True, short=True, talk=2),
    _Words(0, box=False, shuffle_short=True, short=True, time_short=True, talk=2),
    _Words(0, box=False, shuffle=False, short=True, time_short=True, talk=0),
)
"""From the most words to the fewest. What isn't said is in the help."""


class _Plan(NamedTuple):
    """Where the parts begin: the row of seat 0, the cell of the code's box (None for none), the rows below."""

    seats: int
    box: int | None
    below: int
    rows: list[Row]
    talk: int
    end: int


def seat_at(model: WaitingModel, look: Look, x: int, y: int) -> int | None:
    """The seat whose row holds the cell (x, y), or None."""
    plan = _plan(model, look)
    seat = y - plan.seats
    right = look.width if plan.box is None else plan.box
    return seat if 0 <= seat < len(model.room.seats) and x < right else None


def waiting_hints(room: RoomView, *, sure: bool = False) -> tuple[tuple[str, str], ...]:
    """The keys that do something for this person here, in English; `sure`: nothing is left to chance."""
    actions: list[str] = []
    if room.you is None and any(seat.kind == "empty" for seat in room.seats):
        actions.append("sit")
    if room.you is not None and room.you == room.owner and _taken(room) >= 2:
        actions.append("start")
    actions.append("chat")
    if room.you is not None:
        actions += ["invite", *(() if sure else ("cut",)), "stand"]
    return WAITING.hints(*actions, "copy", "said", "actions", "help", "leave")


def draw_waiting(model: WaitingModel, look: Look) -> Frame:
    """The whole waiting room, `look.width` by `look.height` cells."""
    room = model.room
    canvas = Canvas(look.width, look.height)
    bar(canvas, look, model.title, *_facts(room, look))
    plan = _plan(model, look)
    _draw_seats(canvas, model, look, plan)
    if plan.box is not None:
        _draw_code(canvas, look, room.code, plan.box, plan.seats)
    put_rows(canvas, LEFT, plan.below, plan.rows)
    _draw_talk(canvas, model, look, plan)
    foot(canvas, look, _status(model, look), model.hints)
    return canvas.frame()


def _facts(room: RoomView, look: Look) -> tuple[str, ...]:
    tongue = look.tongue
    listed = tongue.say("in the lobby's list") if room.open else tongue.say("private")
    if not room.spectators:
        return (listed,)
    watching = tongue.count("{n} watching", "{n} watching", room.spectators)
    return f"{listed} {marks(look).dot} {watching}", watching


def _plan(model: WaitingModel, look: Look) -> _Plan:
    """The fullest of the tries that there is room for."""
    end = look.height - foot_height(look, _status(model, look))
    for words in _TRIES:
        plan = _plan_in(words, model, look, end)
        if plan is not None and plan.talk + words.talk <= end:
            return plan
    # A house with an endless name, at a small terminal: the help has what is lost.
    words = _TRIES[-1]
    seats = _TOP + 1
    below = seats + len(model.room.seats)
    return _Plan(seats, None, below, _below(words, model, look)[: end - below], end, end)


def _plan_in(words: _Words, model: WaitingModel, look: Look, end: int) -> _Plan | None:
    """Where everything stands if so much is said; None where the box has no room."""
    seats = _TOP + 1 + (words.gaps == 2)
    box = _box_x(model, look) if words.box else None
    if words.box and box is None:
        return None
    below = seats + max(len(model.room.seats), _BOX_HEIGHT if words.box else 0)
    below += words.gaps == 2 or (words.gaps == 1 and not words.box)
    rows = _below(words, model, look)
    return _Plan(seats, box, below, rows, below + len(rows) + (words.gaps > 0), end)


def _box_x(model: WaitingModel, look: Look) -> int | None:
    """Where the box with the code stands, None where the seats leave it no room."""
    x = max(_BOX_LEFT, LEFT + max(map(length, seat_rows(model.room, look))) + 3)
    x = min(x, look.width - _box_width(model.room.code) - 1)
    return x if x >= LEFT + max(map(length, seat_rows(model.room, look))) + 3 else None


def _box_width(code: str) -> int:
    """The code in big letters with a blank between, and 3 cells on each side."""
    return len(code) * (letters.WIDTH + 1) - 1 + 6


def _below(words: _Words, model: WaitingModel, look: Look) -> list[Row]:
    """The parts between the seats and the talk."""
    room, door = model.room, model.door
    matters = [
        [
            time_rows(room, look, short=words.time_short),
            friends_rows(room, door, look, short=words.short),
            return_rows(model.word, door, look, short=words.short) if model.word else [],
        ],
        [
            shuffle_rows(model.chance, room, look, short=words.shuffle_short)
            if words.shuffle and model.chance
            else []
        ],
    ]
    rows: list[Row] = []
    for matter in matters:
        for number, part in enumerate(matter):
            if part and rows and (words.gaps == 2 or (words.gaps == 1 and number == 0)):
                rows.append(())
            rows += part
    return rows


def _taken(room: RoomView) -> int:
    return sum(seat.kind != "empty" for seat in room.seats)


def _status(model: WaitingModel, look: Look) -> str:
    return model.status or with_lead(model.lead, _waits_for(model.room, look), look.width - 2)


def _waits_for(room: RoomView, look: Look) -> str:
    """One sentence: what has to happen before the game begins."""
    count, free = look.tongue.count, len(room.seats) - _taken(room)
    if room.you is None:
        return count(
            "The game begins by itself when one more sits down; you are watching.",
            "The game begins by itself when {n} more sit down; you are watching.",
            free,
        )
    if room.you == room.owner and _taken(room) >= 2:
        return count(
            "The game begins by itself when one more sits down, or when you press {key}.",
            "The game begins by itself when {n} more sit down, or when you press {key}.",
            free,
            key=look.keymap.shown("s"),
        )
    return count(
        "The game begins by itself when one more sits down.",
        "The game begins by itself when {n} more sit down.",
        free,
    )


def _draw_seats(canvas: Canvas, model: WaitingModel, look: Look, plan: _Plan) -> None:
    heading(canvas, LEFT, plan.seats - 1, look.tongue.say("seats"))
    right = look.width if plan.box is None else plan.box
    for number, row in enumerate(seat_rows(model.room, look)):
        put_row(canvas, LEFT, plan.seats + number, row)
        if number == model.cursor:
            canvas.put(2, plan.seats + number, marks(look).pick, "key")
            canvas.paint(1, plan.seats + number, right - 3, "selected")


def _draw_code(canvas: Canvas, look: Look, code: str, x: int, y: int) -> None:
    caption = look.tongue.say("the table's code")
    if x + len(caption) < look.width:
        heading(canvas, x, y - 1, caption)
    width = _box_width(code)
    box(canvas, look, x, y, width, _BOX_HEIGHT)
    if look.ascii:
        canvas.put(x + width // 2 - len(code) + 1, y + 2, " ".join(code), "title")
        return
    for line, text in enumerate(letters.big(code)):
        canvas.put(x + 3, y + 1 + line, text, "title")


def _draw_talk(canvas: Canvas, model: WaitingModel, look: Look, plan: _Plan) -> None:
    """The newest of the talk, below a heading; more than that has a screen of its own, a key or a click away."""
    room = plan.end - plan.talk - 1
    if room < 1:
        return
    say = look.tongue.say
    rows = talk_rows(model.said, look, look.width - LEFT - 1)
    x = heading(canvas, LEFT, plan.talk, say("Talk")) + 2
    if not model.said:
        put_rows(canvas, x, plan.talk, _beside(x, say("t says something to the table."), look))
    elif len(rows) > room:
        hint_line(canvas, look, plan.talk, shown_hints(WAITING.hints("said"), look), x)
    put_rows(canvas, LEFT, plan.talk + 1, rows[-room:])


def _beside(x: int, text: str, look: Look) -> list[Row]:
    """`text` from `x` on, if all of it fits there."""
    return [((text, "dim"),)] if x + len(text) < look.width else []
