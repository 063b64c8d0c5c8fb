"""The people whom one ignores: to look who it is, and to hear them again."""

from typing import Final

import msgspec

from cartino_protocol.commands import Ignore
from cartino_tui.draw.canvas import Frame
from cartino_tui.games.screen import Look
from cartino_tui.keys import IGNORED, KeyTable
from cartino_tui.known import Known
from cartino_tui.screens.base import HintRow, HouseScreen
from cartino_tui.screens.ignored_drawing import (
    IgnoredModel,
    draw_ignored,
    ignored_hints,
    list_height,
    person_at,
    scrolled,
)
from cartino_tui.screens.prompt import Ask
from cartino_tui.screens.stepping import step
from cartino_tui.stage import Stage
from cartino_tui.typeahead import Press, Tap

MOST_NAME: Final = 40


class IgnoredScreen(HouseScreen):
    """The list over another screen, as it changes."""

    def __init__(self, stage: Stage, known: Known) -> None:
        """What `known` has of it."""
        super().__init__(stage, known)
        self.model = IgnoredModel(known.ignored or ())

    def learned(self) -> None:
        """There may be others now."""
        people = self.known.ignored or ()
        cursor = max(0, min(self.model.cursor, len(people) - 1))
        self.model = msgspec.structs.replace(self.model, people=people, cursor=cursor)

    def draw(self, look: Look) -> Frame:
        """The part of the list with the marked one."""
        self.model = scrolled(msgspec.structs.replace(self.model, status=self.news), look)
        return draw_ignored(self.model, look, self.shown_hints())

    def keys(self) -> KeyTable:
        """The list's keys."""
        return IGNORED

    def hints(self) -> HintRow:
        """What can be done with the marked one."""
        return ignored_hints(self.model)

    def press(self, press: Press) -> None:
        """Move the cursor, hear somebody again, or ask whom to ignore."""
        marked, action = self.model.marked, IGNORED.action(press.key)
        by = step(action, list_height(self.look, self.news), len(self.model.people))
        if by is not None:
            self._move(by)
            return
        match action:
            case "back":
                self.app.pop_screen()
            case "ignore":
                name = self.look.tongue.say("Whom do you want to hear no more of")
                self.ask(Ask(name, MOST_NAME, self._ignore, to=(Ignore.__name__,)))
            case "hear" if marked is not None:
                self.wish(Ignore(marked.who, marked.name, on=False), awaited=False)

    def tap(self, tap: Tap) -> None:
        """A click marks somebody."""
        number = person_at(self.model, self.look, tap.y)
        if number is not None:
            self._move(number - self.model.cursor)

    def _ignore(self, name: str) -> None:
        self.wish(Ignore(name=name), awaited=False)

    def _move(self, by: int) -> None:
        cursor = max(0, min(self.model.cursor + by, len(self.model.people) - 1))
        self.model = msgspec.structs.replace(self.model, cursor=cursor)
