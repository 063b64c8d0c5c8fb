"""How the totals of a game went: over a replay, to choose a turn from."""

from collections.abc import Callable
from typing import Final

import msgspec

from cartino_tui.draw.canvas import Frame
from cartino_tui.games.screen import Look
from cartino_tui.keys import COURSE, KeyTable
from cartino_tui.known import Known
from cartino_tui.screens.base import HintRow, HouseScreen
from cartino_tui.screens.course_drawing import CourseModel, course_hints, draw_course, turn_at
from cartino_tui.screens.prompt import Ask
from cartino_tui.stage import Stage
from cartino_tui.tongue import Tongue
from cartino_tui.typeahead import Press, Tap

FAR: Final = 10
"""How many turns PageUp and PageDown go."""
_MOST_DIGITS: Final = 4


def ask_for_turn(tongue: Tongue, count: int, key: str, then: Callable[[int], None]) -> Ask:
    """Ask for the number of one of `count` turns, of which `key` may be the first digit; `then` gets it from 0."""
    wrong = tongue.say("The turns are numbered from 1 to {count}.", count=count)

    def check(text: str) -> str:
        return "" if text.isascii() and text.isdigit() and 1 <= int(text) <= count else wrong

    return Ask(
        tongue.say("Turn, 1 to {count}", count=count),
        _MOST_DIGITS,
        lambda text: then(int(text) - 1),
        key if key.isdigit() else "",
        check=check,
    )


class CourseScreen(HouseScreen):
    """The chart, with a cursor on a turn. Whoever opened it is told which turn to show."""

    def __init__(self, stage: Stage, known: Known, model: CourseModel, show: Callable[[int], None]) -> None:
        """The chart of `model`; `show(step)` is called as this screen goes, where a turn was chosen."""
        super().__init__(stage, known)
        self.model = model
        self._then = show

    def draw(self, look: Look) -> Frame:
        """The chart as large as it can be."""
        self.model = msgspec.structs.replace(self.model, status=self.news)
        return draw_course(self.model, look, self.shown_hints())

    def keys(self) -> KeyTable:
        """The chart's keys."""
        return COURSE

    def hints(self) -> HintRow:
        """The keys that are drawn."""
        return course_hints()

    def press(self, press: Press) -> None:
        """Choose a turn, show it, or go back."""
        at = self.model.at
        match COURSE.action(press.key):
            case "back":
                self._choose(at - 1)
            case "on":
                self._choose(at + 1)
            case "far-back":
                self._choose(at - FAR)
            case "far-on":
                self._choose(at + FAR)
            case "first":
                self._choose(0)
            case "last":
                self._choose(self.model.last)
            case "turn":
                turns = len(self.model.turns)
                self.ask(ask_for_turn(self.look.tongue, turns, press.key, self._choose))
            case "show":
                self._show()
            case "quit":
                self.app.pop_screen()

    def tap(self, tap: Tap) -> None:
        """A click chooses a turn; a click on the chosen one, or a double click, shows it."""
        turn = turn_at(self.model, self.look, tap.x, tap.y)
        if turn is None:
            return
        again = turn == self.model.at or tap.chain > 1
        self._choose(turn)
        if again:
            self._show()

    def _choose(self, turn: int) -> None:
        self.model = msgspec.structs.replace(self.model, at=max(0, min(turn, self.model.last)))

    def _show(self) -> None:
        self._then(self.model.turns[self.model.at].step)
        self.app.pop_screen()
