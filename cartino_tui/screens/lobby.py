"""The lobby: list tables, join one, open one, and reach every other screen.

The cursor stays at the top until a key moves it, because one's own tables appear there; then it follows its table.
"""

from collections.abc import Sequence

import msgspec

from cartino_protocol.accounts import Account, Keys
from cartino_protocol.base import parse_code
from cartino_protocol.commands import Back, Command, History, Join, Leaders, Rename, Watch
from cartino_tui.context import YOUR_TURN, AppContext
from cartino_tui.draw.canvas import Frame
from cartino_tui.game_port.description import game_title
from cartino_tui.game_port.screen import AnyScreen, Look
from cartino_tui.keys import FORM, LOBBY
from cartino_tui.pages.account import ACCOUNT_PAGE, KEYS_PAGE
from cartino_tui.pages.contacts import INVITATIONS_PAGE, MUTED_PAGE
from cartino_tui.pages.history import HISTORY_PAGE
from cartino_tui.pages.people import LEADERS_PAGE
from cartino_tui.screens.lesson import LessonScreen
from cartino_tui.screens.lobby_drawing import LobbyModel, draw_lobby, list_height, lobby_hints, table_at
from cartino_tui.screens.page import open_page
from cartino_tui.screens.settings import SettingsChanged, SettingsScreen
from cartino_tui.visit.messages import kept_tables_message, name_change_message
from cartino_tui.visit.pending import Press, Tap
from cartino_tui.visit.state import ClientState, lobby_entries
from cartino_tui.widgets import table_form
from cartino_tui.widgets.app_screen import AppScreen, HintRow
from cartino_tui.widgets.help import HelpModel, HelpScreen, form_help, lobby_help
from cartino_tui.widgets.layout import cursor_step, scroll_top
from cartino_tui.widgets.menu import MenuItem
from cartino_tui.widgets.prompt import Confirmation, Prompt
from cartino_tui.widgets.table_form import TableForm, choice_at, draw_form, is_on_button, new_form


class NewTableScreen(AppScreen):
    """Choose a game, options, seats and bots, and open a table; stays open after a refusal."""

    KEYS = FORM

    def __init__(self, stage: AppContext, known: ClientState, form: TableForm) -> None:
        """Create the screen with `form`."""
        super().__init__(stage, known)
        self.form = form
        self._status = ""
        """The status drawn last: clicks depend on its height."""

    def draw(self, look: Look) -> Frame:
        """Draw the form."""
        self._status = self.news
        return draw_form(self.form, look, self._status)

    def hints(self) -> HintRow:
        """Return the form's hints."""
        return table_form.FORM_HINTS

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
                self.wish(self.form.command())
            case "help":
                model = form_help(self.form, self.stage.game_screens, self.look.translator)
                self.app.push_screen(HelpScreen(self.stage, self.known, model))
            case "back":
                self.app.pop_screen()

    def tap(self, tap: Tap) -> None:
        """Take the clicked choice, or open the table with the button."""
        if is_on_button(self.form, self.look, tap.x, tap.y, self._status):
            self.wish(self.form.command())
            return
        choice = choice_at(self.form, self.look, tap.x, tap.y, self._status)
        if choice is not None:
            self.form = self.form.choose(*choice)


MAX_NAME = 16
MAX_CODE = 16
MAX_RESUME_CODE = 64


class LobbyScreen(AppScreen):
    """The list of tables; the cursor follows its table once it has been moved."""

    KEYS = LOBBY

    def __init__(self, stage: AppContext, known: ClientState) -> None:
        """Create the lobby."""
        super().__init__(stage, known)
        self.model = LobbyModel()
        self._moved = False
        self._wanted = ""
        self._new = True
        """Whether the first Welcome is still to come."""
        self.state_changed()

    def mark(self, code: str) -> None:
        """Select the table `code`, as soon as it is listed."""
        self._wanted = code
        self.state_changed()

    def state_changed(self) -> None:
        """Update the list, the name and the number of people."""
        # An unmoved cursor stays on top, where one's own tables appear.
        chosen = self._moved and self.model.entries
        marked = self.model.entries[self.model.cursor].line.code if chosen else ""
        tables = lobby_entries(self.known)
        codes = [entry.line.code for entry in tables]
        if self._wanted in codes:
            marked, self._wanted, self._moved = self._wanted, "", True
        cursor = codes.index(marked) if marked in codes else self.model.cursor
        welcome, lobby = self.known.welcome, self.known.lobby
        if welcome is not None and self._new and welcome.missed:
            self.status = self.look.translator.render(name_change_message(welcome))
        self._new = self._new and welcome is None
        self.model = LobbyModel(
            entries=tables,
            cursor=max(0, min(cursor, len(tables) - 1)),
            top=self.model.top,
            name=welcome.name if welcome else "",
            guest=welcome.guest if welcome else False,
            people=lobby.people if lobby else 0,
            arrived=lobby is not None,
            invited=len(self.known.invitations),
        )

    def draw(self, look: Look) -> Frame:
        """Draw the list with the cursor visible."""
        model = self.model
        height = list_height(look, self._said)
        top = scroll_top(model.top, model.cursor, len(model.entries), height)
        self.model = msgspec.structs.replace(model, top=top, status=self._said, link_time=self.link_time)
        return draw_lobby(self.model, look, self.stage.game_screens, self.shown_hints())

    def hints(self) -> HintRow:
        """Return the hints for the list as it is."""
        return lobby_hints(self.model)

    def press(self, press: Press) -> None:
        """Handle a key."""
        action = LOBBY.action(press.key)
        by = cursor_step(action, list_height(self.look, self._said), len(self.model.entries))
        if by is not None:
            self._move(by)
            return
        match action:
            case "join":
                self._go(watch=False)
            case "watch":
                self._go(watch=True)
            case "quick":
                self.wish(self.stage.preferences.quick_play(self.known.welcome))
            case "quit":
                self._quit()
            case "back":
                self.question = Confirmation(self.look.translator.gettext("Leave the house?"), self._quit)
            case _:
                self._open(action)

    def tap(self, tap: Tap) -> None:
        """Select a table; go to the selected one or one that is double-clicked."""
        number = table_at(self.model, self.look, tap.y)
        if number is None:
            return
        again = number == self.model.cursor or tap.chain > 1
        self._move(number - self.model.cursor)
        if again:
            self._go(watch=False)

    def _open(self, action: str | None) -> None:
        """Open a screen or prompt over the lobby."""
        match action:
            case "new":
                self._new_table()
            case "code":
                self.ask(self._ask_for_code())
            case "word":
                word = self.look.translator.gettext("Your word to come back")
                self.ask(Prompt(word, MAX_RESUME_CODE, self._come_back, to=(Back.__name__,)))
            case "rename":
                name = self.look.translator.gettext("Your name")
                self.ask(Prompt(name, MAX_NAME, self._rename, self.model.name, to=(Rename.__name__,)))
            case "learn":
                self.teach()
            case "history":
                open_page(self, HISTORY_PAGE, History("all"))
            case "leaders":
                open_page(self, LEADERS_PAGE, Leaders())
            case "invited":
                open_page(self, INVITATIONS_PAGE)
            case "ignored":
                open_page(self, MUTED_PAGE)
            case "keys" | "account":
                self._own(keys=action == "keys")
            case "settings":
                self.app.push_screen(SettingsScreen(self.stage, self.known))
            case "help":
                self.app.push_screen(HelpScreen(self.stage, self.known, self._help_model()))

    @property
    def _said(self) -> str:
        """The status; without one, whose turn it is, or how a newcomer learns."""
        waiting = [entry.line.code for entry in self.model.entries if entry.waits]
        if waiting and not self.news:
            return self._your_turn(waiting)
        kept = kept_tables_message(self.known.mine, self.look.translator)
        if kept and not self.news:
            return kept
        new = not (self.stage.preferences.settings.taught or self.known.mine.rooms)
        if self.news or not (new and self.model.entries and self._taught_games()):
            # An empty list has its own text.
            return self.news
        return self.look.translator.gettext("New here? Press h to learn a game in three minutes.")

    def _your_turn(self, waiting: list[str]) -> str:
        translator = self.look.translator
        if len(waiting) == 1:
            return translator.gettext(YOUR_TURN, code=waiting[0])
        return translator.ngettext(
            "It is your turn at {n} table; it stands first.",
            "It is your turn at {n} tables; they stand first.",
            len(waiting),
        )

    def _taught_games(self) -> Sequence[AnyScreen]:
        """The server's games that have lessons."""
        names = [game.name for game in self.known.welcome.games] if self.known.welcome else []
        game_screens = (self.stage.game_screens.get(name) for name in names)
        return [
            game_screen for game_screen in game_screens if game_screen is not None and game_screen.lessons
        ]

    def teach(self, game: str = "") -> None:
        """Open the lessons of `game`, or a menu of games with lessons."""
        taught = {game_screen.name: game_screen for game_screen in self._taught_games()}
        if not taught:
            self.status = self.look.translator.gettext("There are no lessons here; ? has the rules.")
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
        if not self.stage.preferences.settings.taught:
            self.stage.preferences.choose(taught=True)
            self.post_message(SettingsChanged())
        self.app.push_screen(LessonScreen(self.stage, self.known, game_screen, self._taught))

    def _taught(self) -> None:
        self.status = self.look.translator.gettext("Now you know how to play: p plays at once.")
        self.redraw()

    def _move(self, by: int) -> None:
        self._moved, self._wanted = True, ""
        cursor = max(0, min(self.model.cursor + by, len(self.model.entries) - 1))
        self.model = msgspec.structs.replace(self.model, cursor=cursor)

    def _go(self, *, watch: bool) -> None:
        if not self.model.entries:
            self.status = self.look.translator.gettext("There is no table yet: p plays now, n opens one.")
            return
        entry = self.model.entries[self.model.cursor]
        sits = entry.mine or (entry.free and not watch)
        self.wish(Join(entry.line.code) if sits else Watch(entry.line.code))

    def _ask_for_code(self) -> Prompt:
        return Prompt(
            self.look.translator.gettext("The code, or: watch CODE"),
            MAX_CODE,
            self._enter_code,
            check=self._no_code,
            to=(Join.__name__, Watch.__name__),
        )

    def _no_code(self, text: str) -> str:
        """Return why `text` is no table code, "" if it may be one."""
        if _read_code_command(text) is not None:
            return ""
        return self.look.translator.gettext("That is no code: a code is 4 or 8 letters and digits.")

    def _enter_code(self, text: str) -> None:
        command = _read_code_command(text)
        if command is not None:
            self.wish(command)

    def _come_back(self, word: str) -> None:
        self.wish(Back(word))

    def _rename(self, name: str) -> None:
        if name != self.model.name:
            self.wish(Rename(name), awaited=False)

    def _own(self, *, keys: bool) -> None:
        """Open the list of keys or the account page."""
        gettext = self.look.translator.gettext
        if not self.stage.door.words:
            self.status = (
                gettext("In a house of your own machine there are no keys.")
                if keys
                else gettext("Nothing is kept of you at a table on your own machine.")
            )
            return
        guest = self.known.welcome is None or self.known.welcome.guest
        if keys:
            open_page(self, KEYS_PAGE, None if guest else Keys())
        else:
            open_page(self, ACCOUNT_PAGE, Account())

    def _new_table(self) -> None:
        form = new_form(self.known.welcome) if self.known.welcome else None
        if form is None:
            self.status = self.look.translator.gettext(
                "The house has not said yet which games it has; try again in a moment."
            )
            return
        self.app.push_screen(NewTableScreen(self.stage, self.known, form))

    def _help_model(self) -> HelpModel:
        game_screens = self.stage.game_screens.values()
        return lobby_help(self.look.translator, self.known.welcome, self.hints(), game_screens)


def _read_code_command(text: str) -> Command | None:
    """Return the command for a code, or `watch` and a code; None for other text."""
    first, _, rest = text.partition(" ")
    watch = first.lower() == "watch" and bool(rest.strip())
    code = parse_code(rest if watch else text)
    if code is None:
        return None
    return Watch(code) if watch else Join(code)
