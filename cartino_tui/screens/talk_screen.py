"""All that was said at a table and is kept, to be scrolled through."""

from cartino_protocol.commands import Say
from cartino_protocol.refusals import Refusal
from cartino_tui.draw.canvas import Frame, Row
from cartino_tui.games.plug import Look
from cartino_tui.keys import TALK, KeyTable
from cartino_tui.known import Known
from cartino_tui.screens.base import HintRow, HouseScreen
from cartino_tui.screens.talk import Heard, ask_to_say
from cartino_tui.screens.talk_drawing import draw_talk, talk_height, talk_rows
from cartino_tui.stage import Stage
from cartino_tui.typeahead import Press, Tap


class TalkScreen(HouseScreen):
    """The talk over the table. It follows what is said as long as its end is in sight."""

    SHOWS_TALK = True

    def __init__(self, stage: Stage, known: Known) -> None:
        """The newest of what `known` has heard."""
        super().__init__(stage, known)
        self._heard = Heard(newest=0)
        self._above_end = 0
        """How many rows the last one in sight stands above the end."""
        self._count = 0
        """How many rows there were when they were drawn last."""

    def learned(self) -> None:
        """There is more talk; what is read stays where it is."""
        if self._above_end:
            self._above_end += max(0, len(self._rows(self.look)) - self._count)

    def draw(self, look: Look) -> Frame:
        """The rows in sight."""
        rows = self._rows(look)
        self._count = len(rows)
        height = talk_height(look, self.news)
        self._above_end = max(0, min(self._above_end, len(rows) - height))
        top = max(0, len(rows) - self._above_end - height)
        return draw_talk(rows, top, look, self.news, self.shown_hints())

    def keys(self) -> KeyTable:
        """The talk's keys."""
        return TALK

    def hints(self) -> HintRow:
        """The talk's hints."""
        return TALK.hints("chat", "up", "down", "page-up", "page-down", "first", "last", "actions", "back")

    def refused(self, refusal: Refusal) -> bool:
        """What could not be said, where that is why."""
        return super().refused(refusal) if refusal.to in {"", Say.__name__} else False

    def press(self, press: Press) -> None:
        """Scroll, say something, or go back."""
        page = talk_height(self.look, self.news) - 1
        match TALK.action(press.key):
            case "up":
                self._above_end += 1
            case "down":
                self._above_end -= 1
            case "page-up":
                self._above_end += page
            case "page-down":
                self._above_end -= page
            case "first":
                self._above_end = self._count
            case "last":
                self._above_end = 0
            case "chat":
                self.ask(ask_to_say(self, self.known.chat))
            case "back":
                self.app.pop_screen()
        self._above_end = max(0, self._above_end)

    def tap(self, tap: Tap) -> None:
        """A click on the talk means nothing."""

    def _rows(self, look: Look) -> list[Row]:
        return talk_rows(self._heard.said(self.known.chat, look.tongue), look, look.width - 2)
