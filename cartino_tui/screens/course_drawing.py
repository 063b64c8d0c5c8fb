"""How the totals of a game went, as a frame: a line a player, and what the chosen turn brought."""

from typing import Final

import msgspec

from cartino_protocol.views import CourseTurn, RoomView
from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.draw.chart import Course, draw_chart
from cartino_tui.draw.flowing import in_rows, put_rows
from cartino_tui.draw.text import clean, fit, plain
from cartino_tui.draw.theme import SEATS
from cartino_tui.games.screen import Look
from cartino_tui.keys import COURSE
from cartino_tui.screens.parts import Hints, bar, foot, foot_height

_TOP: Final = 2
_MARKS, _ASCII_MARKS = "●○■★", "ox+*"
_MOST_LINES: Final = 4
_NAME_CELLS: Final = 16


class CourseModel(msgspec.Struct, frozen=True):
    """What the screen shows: the table (for its names), the title, the turns, the chosen one (from 0)."""

    room: RoomView
    title: str
    turns: tuple[CourseTurn, ...]
    at: int = 0
    status: str = ""

    @property
    def last(self) -> int:
        """The last turn's number from 0."""
        return len(self.turns) - 1


def turn_of(turns: tuple[CourseTurn, ...], step: int) -> int:
    """The turn, from 0, in which `step` is: the first one that ends there or after it."""
    return next((number for number, turn in enumerate(turns) if turn.step >= step), len(turns) - 1)


def course_hints() -> tuple[tuple[str, str], ...]:
    """The keys that are drawn, in English."""
    return COURSE.hints("back", "on", "show", "turn", "actions", "quit")


def draw_course(model: CourseModel, look: Look, hints: Hints) -> Frame:
    """The whole screen, `look.width` by `look.height` cells."""
    canvas = Canvas(look.width, look.height)
    tongue = look.tongue
    facts = tongue.say("turn {n} of {count}", n=model.at + 1, count=len(model.turns))
    bar(canvas, look, model.title, facts)
    box = _box(model, look)
    plot = draw_chart(canvas, 1, _TOP, look.width - 2, box, _courses(model, look), ascii=look.ascii)
    x = plot.column(model.at + 1, len(model.turns))
    for y in range(_TOP, _TOP + box - 1):
        canvas.paint(x, y, 1, "selected")
    canvas.put(x, _TOP + box, "^" if look.ascii else "▲", "cursor")
    rows = in_rows(_told(model, look), "text", look.width - 2, ascii=look.ascii)
    put_rows(canvas, 1, _TOP + box + 1, rows)
    foot(canvas, look, model.status, hints)
    return canvas.frame()


def turn_at(model: CourseModel, look: Look, x: int, y: int) -> int | None:
    """The turn, from 0, in whose column of the chart the cell (x, y) is, or None."""
    box = _box(model, look)
    if not _TOP <= y <= _TOP + box:
        return None
    canvas = Canvas(look.width, look.height)
    plot = draw_chart(canvas, 1, _TOP, look.width - 2, box, _courses(model, look), ascii=look.ascii)
    if not plot.left <= x < plot.left + plot.cells:
        return None
    columns = [plot.column(number + 1, len(model.turns)) for number in range(len(model.turns))]
    return min(range(len(columns)), key=lambda number: abs(columns[number] - x))


def _box(model: CourseModel, look: Look) -> int:
    """The height of the chart: all that the words below it leave."""
    told = len(in_rows(_told(model, look), "text", look.width - 2, ascii=look.ascii))
    return look.height - _TOP - 1 - told - foot_height(look, model.status)


def _courses(model: CourseModel, look: Look) -> list[Course]:
    marks = _ASCII_MARKS if look.ascii else _MARKS
    return [
        Course(
            _name(model, seat, look),
            (0, *(turn.totals[seat] for turn in model.turns)),
            marks[seat % _MOST_LINES],
            SEATS[seat % _MOST_LINES],
        )
        for seat in range(len(model.room.seats))
    ]


def _told(model: CourseModel, look: Look) -> str:
    """Whose turn it was, what it brought, and how all stood then."""
    tongue, turn = look.tongue, model.turns[model.at]
    before = model.turns[model.at - 1].totals if model.at else (0,) * len(turn.totals)
    gains = [now - then for now, then in zip(turn.totals, before, strict=True)]
    name = _name(model, turn.seat, look)
    told = tongue.count(
        "Turn {turn}, {name}: {n} point.",
        "Turn {turn}, {name}: {n} points.",
        gains[turn.seat],
        turn=model.at + 1,
        name=name,
    )
    # What others got or lost in it: a game may settle at the end.
    others = ", ".join(
        f"{_name(model, seat, look)} {gain:+d}"
        for seat, gain in enumerate(gains)
        if gain and seat != turn.seat
    )
    best = max(turn.totals)
    ahead = ", ".join(_name(model, seat, look) for seat, total in enumerate(turn.totals) if total == best)
    lead = tongue.count(
        "In front: {names} with {n} point.", "In front: {names} with {n} points.", best, names=ahead
    )
    return " ".join(
        filter(None, (told, tongue.say("Also: {changes}.", changes=others) if others else "", lead))
    )


def _name(model: CourseModel, seat: int, look: Look) -> str:
    player = model.room.seats[seat]
    safe = plain(player.name) if look.ascii else clean(player.name)
    if player.kind == "bot" and not safe.startswith("bot"):
        safe = look.tongue.say("bot {name}", name=safe)
    return fit(safe, _NAME_CELLS + len("bot "), ascii=look.ascii)
