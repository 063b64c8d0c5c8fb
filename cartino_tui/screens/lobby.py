"""The lobby: join a table of the list, open one, and reach every other screen.

The cursor stays at the top until a key moves it, because one's own tables appear there; then it follows its table.
"""

from collections.abc import Sequence
from typing import Final

from cartino_protocol.base import parse_code
from cartino_protocol.commands import Command, Join, Rename, Watch
from cartino_tui.context import YOUR_TURN, AppContext
from cartino_tui.draw.canvas import Frame
from cartino_tui.game_port.description import game_title
from cartino_tui.game_port.screen import AnyScreen, Look
from cartino_tui.keys import FORM, LOBBY
from cartino_tui.pages.tables import TABLES_PAGE, TablesView, hints_at
from cartino_tui.screens.lesson import LessonScreen
from cartino_tui.screens.page import PageScreen
from cartino_tui.screens.settings import SettingsScreen
from cartino_tui.visit.messages import kept_tables_message, name_change_message
from cartino_tui.visit.pending import Press, Tap
from cartino_tui.visit.state import ClientState, LobbyEntry
from cartino_tui.widgets.app_screen import AppScreen, HintRow
from cartino_tui.widgets.help import HelpModel, HelpScreen, form_help, lobby_help
from cartino_tui.widgets.menu import MenuItem
from cartino_tui.widgets.prompt import Confirmation, Prompt
from cartino_tui.widgets.table_form import FORM_HINTS, FormDrawing, TableForm, new_form

_MAX_NAME: Final = 16
_MAX_CODE: Final = 16


class NewTableScreen(AppScreen):
    """Choose a game, options, seats and bots, and open a table; stays open after a refusal."""

    KEYS = FORM

    def __init__(self, context: AppContext, known: ClientState, form: TableForm) -> None:
        """Create the screen with `form`."""
        super().__init__(context, known)
        self.form = form
        self._drawing: FormDrawing | None = None
        """What is shown: clicks refer to it."""

    def draw(self, look: Look) -> Frame:
        """Draw the form."""
        self._drawing = FormDrawing(self.form, look, self.news)
        return self._drawing.frame()

    def hints(self) -> HintRow:
        """Return the form's hints."""
        return FORM_HINTS

    def press(self, press: Press) -> None:
        """Handle a key."""
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
                self.send(self.form.command())
            case "help":
                model = form_help(self.form, self.context.game_screens, self.look.translator)
                self.app.push_screen(HelpScreen(self.context, self.known, model))
            case "back":
                self.app.pop_screen()

    def tap(self, tap: Tap) -> None:
        """Take the clicked choice, or open the table with the button."""
        if self._drawing is None:
            return
        choice = self._drawing.choice_at(tap.x, tap.y)
        if choice is not None:
            self.form = self.form.choose(*choice)
        elif self._drawing.is_on_button(tap.x, tap.y):
            self.send(self.form.command())


class LobbyScreen(PageScreen[TablesView, LobbyEntry]):
    """The list of tables; the cursor follows its table once it has been moved."""

    def __init__(self, context: AppContext, known: ClientState) -> None:
        """Create the lobby."""
        super().__init__(context, known, TABLES_PAGE)
        self._moved = False
        self._wanted = ""
        self._new = True
        """Whether the first Welcome is still to come."""

    @property
    def _entries(self) -> Sequence[LobbyEntry]:
        return self.model.view.entries if self.model.view is not None else ()

    def mark(self, code: str) -> None:
        """Select the table `code`, as soon as it is listed."""
        self._wanted = code
        self.state_changed()

    def select(self, number: int) -> None:
        """Select a table; the cursor follows it from now on."""
        super().select(number)
        self._moved, self._wanted = True, ""

    def state_changed(self) -> None:
        """Update the list, the name and the number of people."""
        super().state_changed()
        codes = [entry.line.code for entry in self._entries]
        if self._wanted in codes:
            self.select(codes.index(self._wanted))
        elif not self._moved:
            super().select(0)
        welcome = self.known.welcome
        if welcome is not None and self._new:
            self._new = False
            if welcome.missed:
                self.status = self.look.translator.render(name_change_message(welcome))

    def hints(self) -> HintRow:
        """Return the hints for the list as it is; Enter says what it does with the selected table."""
        hints = super().hints()
        return hints_at(self._entries[self.model.cursor], hints) if self._entries else hints

    def help(self) -> HelpModel:
        """Return the help of the lobby."""
        game_screens = self.context.game_screens.values()
        return lobby_help(self.look.translator, self.known.welcome, self.hints(), game_screens)

    def press(self, press: Press) -> None:
        """Handle a key."""
        gettext = self.look.translator.gettext
        match LOBBY.action(press.key):
            case "quick":
                self.send(self.context.preferences.quick_play(self.known.welcome))
            case "new":
                self._new_table()
            case "code":
                label, to = gettext("Table code (or: watch CODE)"), (Join.__name__, Watch.__name__)
                self.ask(Prompt(label, _MAX_CODE, self._enter_code, check=self._no_code, to=to))
            case "rename":
                name = self.known.welcome.name if self.known.welcome else ""
                self.ask(Prompt(gettext("Your name"), _MAX_NAME, self._rename, name, to=(Rename.__name__,)))
            case "learn":
                self.teach()
            case "settings":
                self.app.push_screen(SettingsScreen(self.context, self.known))
            case "quit":
                self._quit()
            case "back":
                self.question = Confirmation(gettext("Quit?"), self._quit)
            case _:
                super().press(press)

    @property
    def message(self) -> str:
        """The status; without one, whose turn it is, or how a newcomer learns."""
        if self.news:
            return self.news
        translator, mine = self.look.translator, self.known.mine
        waiting = [entry.line.code for entry in self._entries if entry.waits]
        if len(waiting) == 1:
            return translator.gettext(YOUR_TURN, code=waiting[0])
        if waiting:
            return translator.ngettext(
                "It's your turn at {n} table; it's listed first.",
                "It's your turn at {n} tables; they're listed first.",
                len(waiting),
            )
        new = not (self.context.preferences.settings.taught or mine.rooms)
        kept = kept_tables_message(mine, translator)
        # An empty list has its own text.
        if kept or not (new and self._entries and self._taught_games()):
            return kept
        return translator.gettext("New here? Press h to learn a game in three minutes.")

    def _taught_games(self) -> Sequence[AnyScreen]:
        """Return the server's games that have lessons."""
        names = [game.name for game in self.known.welcome.games] if self.known.welcome else []
        game_screens = (self.context.game_screens.get(name) for name in names)
        return [screen for screen in game_screens if screen is not None and screen.lessons]

    def teach(self, game: str = "") -> None:
        """Open the lessons of `game`, or a menu of games with lessons."""
        taught = {game_screen.name: game_screen for game_screen in self._taught_games()}
        if not taught:
            self.status = self.look.translator.gettext("There are no lessons here. Press ? for the rules.")
        elif game in taught:
            self._learn(taught[game])
        elif len(taught) == 1:
            self._learn(*taught.values())
        else:
            titles = [
                MenuItem(game_title(taught, name, {}, self.look.translator), "", name) for name in taught
            ]
            heading = self.look.translator.gettext("Lessons: which game?")
            self.choose(titles, lambda name: self._learn(taught[name]), heading)

    def _learn(self, game_screen: AnyScreen) -> None:
        if not self.context.preferences.settings.taught:
            self.prefer(taught=True)
        self.app.push_screen(LessonScreen(self.context, self.known, game_screen, self._taught))

    def _taught(self) -> None:
        self.status = self.look.translator.gettext("You're ready. Press p to play.")
        self.redraw()

    def _no_code(self, text: str) -> str:
        """Return why `text` is no table code, "" if it may be one."""
        if _read_code_command(text) is not None:
            return ""
        return self.look.translator.gettext("Not a valid code. Codes have 4 or 8 letters and digits.")

    def _enter_code(self, text: str) -> None:
        command = _read_code_command(text)
        if command is not None:
            self.send(command)

    def _rename(self, name: str) -> None:
        if self.known.welcome is None or name != self.known.welcome.name:
            self.send(Rename(name), awaited=False)

    def _new_table(self) -> None:
        form = new_form(self.known.welcome) if self.known.welcome else None
        if form is None:
            self.status = self.look.translator.gettext(
                "The list of games hasn't loaded yet. Try again in a moment."
            )
            return
        self.app.push_screen(NewTableScreen(self.context, self.known, form))


def _read_code_command(text: str) -> Command | None:
    """Return the command for a code, or `watch` and a code; None for other text."""
    first, _, rest = text.partition(" ")
    watch = first.lower() == "watch" and bool(rest.strip())
    code = parse_code(rest if watch else text)
    if code is None:
        return None
    return Watch(code) if watch else Join(code)
