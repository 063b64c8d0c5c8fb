"""The people whom one ignores, as a frame: a row each."""

import msgspec

from cartino_protocol.neighbours import IgnoredPerson
from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.draw.text import clean, fit
from cartino_tui.games.screen import Look
from cartino_tui.keys import IGNORED
from cartino_tui.screens.parts import Hints, bar, centre, first_in_sight, foot, foot_height, marks

TOP = 3
"""The row where the list begins."""


class IgnoredModel(msgspec.Struct, frozen=True):
    """What the screen shows: the people, the marked one, the first in sight, and a line about what happened."""

    people: tuple[IgnoredPerson, ...] = ()
    cursor: int = 0
    top: int = 0
    status: str = ""

    @property
    def marked(self) -> IgnoredPerson | None:
        """The marked one."""
        return self.people[self.cursor] if self.people else None


def ignored_hints(model: IgnoredModel) -> tuple[tuple[str, str], ...]:
    """The keys that do something here, in English."""
    answers = ("hear",) if model.people else ()
    return IGNORED.hints(*answers, "ignore", "actions", "back")


def list_height(look: Look, status: str) -> int:
    """How many people are in sight at once."""
    return max(1, look.height - TOP - foot_height(look, status))


def scrolled(model: IgnoredModel, look: Look) -> IgnoredModel:
    """The same with the marked one in sight."""
    height = list_height(look, model.status)
    top = first_in_sight(model.top, model.cursor, len(model.people), height)
    return msgspec.structs.replace(model, top=top)


def person_at(model: IgnoredModel, look: Look, y: int) -> int | None:
    """The number of the person who stands in row `y`, or None."""
    number = model.top + y - TOP
    in_sight = TOP <= y < TOP + list_height(look, model.status)
    return number if in_sight and number < len(model.people) else None


def draw_ignored(model: IgnoredModel, look: Look, hints: Hints) -> Frame:
    """The whole screen, `look.width` by `look.height` cells; `hints` for the last row."""
    canvas = Canvas(look.width, look.height)
    say = look.tongue.say
    count = len(model.people)
    bar(canvas, look, say("People whom you ignore"), str(count) if count else "")
    for y, number in enumerate(
        range(model.top, min(count, model.top + list_height(look, model.status))), TOP
    ):
        name = clean(model.people[number].name)
        canvas.put(4, y, fit(name, look.width - 6, ascii=look.ascii), "text")
        if number == model.cursor:
            canvas.put(2, y, marks(look).pick, "selected")
            canvas.paint(1, y, look.width - 2, "selected")
    if not count:
        nothing = say("You ignore nobody. At a table, T has the talk, and x there ignores.")
        centre(canvas, look.height // 2 - 1, nothing, "text", ascii=look.ascii)
    foot(canvas, look, model.status, hints)
    return canvas.frame()
