"""The screen with the form for a new table."""

from cartino_tui.draw.canvas import Frame
from cartino_tui.games.screen import Look
from cartino_tui.keys import FORM, KeyTable
from cartino_tui.known import Known
from cartino_tui.screens import form_drawing
from cartino_tui.screens.base import HintRow, HouseScreen
from cartino_tui.screens.form import Form
from cartino_tui.screens.form_drawing import choice_at, draw_form, on_button
from cartino_tui.screens.help import HelpScreen, form_help
from cartino_tui.stage import Stage
from cartino_tui.typeahead import Press, Tap


class NewTableScreen(HouseScreen):
    """Choose a game, its options, seats and bots, and open the table. It stays when the house refuses."""

    def __init__(self, stage: Stage, known: Known, form: Form) -> None:
        """The screen with `form` as it begins."""
        super().__init__(stage, known)
        self.form = form
        self._status = ""
        """What stood in the status line when the form was drawn last: the rows above go by it."""

    def draw(self, look: Look) -> Frame:
        """The form."""
        self._status = self.news
        return draw_form(self.form, look, self._status)

    def keys(self) -> KeyTable:
        """The form's keys."""
        return FORM

    def hints(self) -> HintRow:
        """The form's hints."""
        return form_drawing.HINTS

    def press(self, press: Press) -> None:
        """Move, choose, open the table or go back."""
        match FORM.action(press.key):
            case "up":
                self.form = self.form.step(-1)
            case "down":
                self.form = self.form.step(1)
            case "less":
                self.form = self.form.turn(-1)
            case "more":
                self.form = self.form.turn(1)
            case "open":
                self.wish(self.form.command())
            case "help":
                model = form_help(self.form, self.stage.plugs, self.look.tongue)
                self.app.push_screen(HelpScreen(self.stage, self.known, model))
            case "back":
                self.app.pop_screen()

    def tap(self, tap: Tap) -> None:
        """A click on a choice takes it, one on the button opens the table."""
        if on_button(self.form, self.look, tap.x, tap.y, self._status):
            self.wish(self.form.command())
            return
        choice = choice_at(self.form, self.look, tap.x, tap.y, self._status)
        if choice is not None:
            self.form = self.form.choose(*choice)
