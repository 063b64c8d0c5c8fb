"""The lobby: join a table of the list, open one, and reach every other screen.

The cursor stays at the top until a key moves it, because one's own tables appear there; then it follows its table.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import msgspec
from textual.timer import Timer

from cartino_protocol.commands import Command, Create, Join, Preview, Replay, Watch
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Missed, PreviewView, QueryAnswer, ReplayView
from cartino_tui.context import YOUR_TURN, AppContext
from cartino_tui.draw.canvas import Frame
from cartino_tui.game_port.description import bot_levels, game_title
from cartino_tui.game_port.screen import AnyScreen, Look
from cartino_tui.keys import FORM, LOBBY
from cartino_tui.pages.deals import today_with_key
from cartino_tui.pages.history import missed_sentences
from cartino_tui.pages.new_table import TableForm, new_form
from cartino_tui.pages.page import EmptyCard
from cartino_tui.pages.tables import (
    TABLES_PAGE,
    TablesView,
    hints_at,
    pad_hints,
)
from cartino_tui.screens.lesson import LessonScreen
from cartino_tui.screens.lobby_drawing import LobbyDrawing, Surroundings, is_large
from cartino_tui.screens.page import PageScreen
from cartino_tui.screens.page_drawing import PageModel, page_hints
from cartino_tui.screens.replay.screen import open_replay
from cartino_tui.screens.settings import SettingsScreen
from cartino_tui.visit.messages import WHILE_AWAY, kept_tables_message, name_change_message
from cartino_tui.visit.pending import Press, Tap
from cartino_tui.visit.state import ClientState, LobbyEntry
from cartino_tui.widgets.app_screen import AppScreen, HintRow
from cartino_tui.widgets.help import HelpModel, HelpScreen, form_help, lobby_help
from cartino_tui.widgets.menu import MenuItem
from cartino_tui.widgets.prompt import Confirmation
from cartino_tui.widgets.table_form import FORM_HINTS, FormDrawing

_MOST_MISSED: Final = 3
"""Results that the status line tells."""
PREVIEW_AFTER: Final = 0.25
"""Seconds for which a table is selected until its preview is asked for."""


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
        self._drawing = FormDrawing(self.form, look, self.status_text)
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


class LobbyLessons:
    """The lessons in the lobby: offered to a newcomer, or asked for with a key."""

    def __init__(self, lobby: AppScreen) -> None:
        """Open lessons over `lobby`, whose status says how to go on after them."""
        self._lobby = lobby
        self._pending_table: Create | None = None
        """The table that the person is on the way to, while lessons are offered."""

    @property
    def offered(self) -> AnyScreen | None:
        """The game whose lessons are offered: to a newcomer without a table, until they answer."""
        known, mine = self._lobby.known, self._lobby.known.mine
        wanted = self._pending_table.game if self._pending_table is not None else ""
        is_new = self._lobby.context.preferences.is_offered_lessons and not (mine.tables or mine.kept)
        if not is_new or not (known.lobby or wanted):
            return None
        games = self._games()
        return games.get(wanted) if wanted else next(iter(games.values()), None)

    @property
    def are_others(self) -> bool:
        """Whether a newcomer may choose between the lessons of several games."""
        return self._pending_table is None and len(self._games()) > 1

    def offer(self, table: Create) -> None:
        """Offer lessons before the person goes on to `table`."""
        self._pending_table = table
        if self.offered is None:
            self._pending_table = None
            self._lobby.send(table)
        self._lobby.redraw()

    def handle_offer_answer(self, action: str | None) -> bool:
        """Return whether `action` was an answer to an offer; anything else is done as ever, and ends the offer."""
        offered, table = self.offered, self._pending_table
        if offered is None or action in {None, "quit", "help"}:
            return False
        self._lobby.prefer(taught=True)
        if action == "join":
            self._learn(offered)
        elif table is not None and action in {"quick", "back"}:
            self._pending_table = None
            self._lobby.send(table)
        elif action == "back":
            self._lobby.status = self._lobby.look.translator.gettext("Lessons: press h, whenever you like.")
        else:
            self._pending_table = None
            return False
        return True

    def teach(self, game: str = "") -> None:
        """Open the lessons of `game`, or a menu of games with lessons."""
        lobby, taught = self._lobby, self._games()
        translator = lobby.look.translator
        if not taught:
            lobby.status = translator.gettext("There are no lessons here. Press ? for the rules.")
        elif game in taught:
            self._learn(taught[game])
        elif len(taught) == 1:
            self._learn(*taught.values())
        else:
            titles = [MenuItem(game_title(taught, name, {}, translator), "", name) for name in taught]
            heading = translator.gettext("Lessons: which game?")
            lobby.choose(titles, lambda name: self._learn(taught[name]), heading)

    @property
    def are_here(self) -> bool:
        """Whether a game of the server has lessons."""
        return bool(self._games())

    def _games(self) -> dict[str, AnyScreen]:
        """Return the server's games that have lessons, by name."""
        known, screens = self._lobby.known, self._lobby.context.game_screens
        games = (screens.get(game.name) for game in (known.welcome.games if known.welcome else ()))
        return {screen.name: screen for screen in games if screen is not None and screen.lessons}

    def _learn(self, game_screen: AnyScreen) -> None:
        lobby = self._lobby
        if not lobby.context.preferences.settings.taught:
            lobby.prefer(taught=True)
        lobby.app.push_screen(LessonScreen(lobby.context, lobby.known, game_screen, self._taught))

    def _taught(self, *, done: bool) -> None:
        """Go on after the lessons, which the person has `done`, or left."""
        table, self._pending_table = self._pending_table, None
        if done and table is not None:
            self._lobby.send(table)
            return
        gettext = self._lobby.look.translator.gettext
        self._lobby.status = (
            gettext("You're ready. Press p to play.")
            if done
            else gettext("Press h to go on with the lessons, p to play.")
        )
        self._lobby.redraw()


class SelectedPreview:
    """Asks the server for the preview of the selected table, a moment after it was selected."""

    def __init__(self, lobby: AppScreen, wanted: Callable[[], str]) -> None:
        """`wanted` returns the code of the table to preview, "" for none."""
        self._lobby = lobby
        self._wanted = wanted
        self.asked = ""
        """The table that the server was asked to show here."""
        self._timer: Timer | None = None

    def forget(self) -> None:
        """Note that the server shows no preview now."""
        self.asked = ""

    def request_preview(self) -> None:
        """Ask for another preview if another table is wanted."""
        if self._timer is not None or not self._lobby.is_mounted or self._wanted() == self.asked:
            return
        # The first one at once: nobody moves the cursor yet.
        if self.asked:
            self._timer = self._lobby.set_timer(PREVIEW_AFTER, self._ask)
        else:
            self._ask()

    def _ask(self) -> None:
        self._timer = None
        wanted = self._wanted()
        if wanted != self.asked:
            self.asked = wanted
            self._lobby.send(Preview(wanted), awaited=False)
            if not wanted:
                self._lobby.redraw()


class LobbyScreen(PageScreen[TablesView, LobbyEntry]):
    """The list of tables; the cursor follows its table once it has been moved."""

    def __init__(self, context: AppContext, known: ClientState) -> None:
        """Create the lobby."""
        super().__init__(context, known, TABLES_PAGE)
        self._replay_due = False
        """Whether an address was typed whose replay has not come yet."""
        self._joining = ""
        """The table that the person wanted to join last."""
        self._moved = False
        self._wanted = self._missed = ""
        self._new = True
        """Whether the first Welcome is still to come."""
        self.lessons = LobbyLessons(self)
        self._preview = SelectedPreview(self, self._wanted_preview)

    @property
    def _entries(self) -> Sequence[LobbyEntry]:
        return self.model.view.entries if self.model.view is not None else ()

    def _drawing(self) -> LobbyDrawing:
        known = self.known
        preview = known.preview if self._preview.asked else self._without_preview()
        around = Surroundings(known.summary, known.online, preview, self.context.game_screens)
        return LobbyDrawing(self.drawn_model(), self.look, self.reader, around)

    def redraw(self) -> None:
        """Draw the lobby, and ask for the preview of another table a moment after it was selected."""
        super().redraw()
        self._preview.request_preview()

    def _wanted_preview(self) -> str:
        """Return the public table that is selected, "" where none is or nobody sees a preview."""
        known, entries = self.known, self._entries
        if known.summary is None or known.table is not None or self.context.line.is_down:
            return ""
        if not (entries and is_large(self.look) and self.in_front) or self.quiet:
            return ""
        code = self._selected_code()
        return code if self._is_public(code) else ""

    def _without_preview(self) -> PreviewView | None:
        """Return the preview of nothing for a private table that is selected."""
        code = self._selected_code()
        return PreviewView(code) if code and self.known.lobby and not self._is_public(code) else None

    def _selected_code(self) -> str:
        entries = self._entries
        return entries[min(self.model.cursor, len(entries) - 1)].line.code if entries else ""

    def _is_public(self, code: str) -> bool:
        lobby = self.known.lobby
        return lobby is not None and any(code == each.code for each in lobby.tables)

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
        selected = self._entries[self.model.cursor].line.code if self._entries else ""
        super().state_changed()
        if self.known.table is not None:
            if self._moved and not self._wanted:
                # The public tables are known again when the person is back.
                self._wanted = selected
            # The server shows no preview to somebody at a table.
            self._preview.forget()
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

    def connection_lost(self) -> None:
        """Ask for the preview again once the connection is back."""
        super().connection_lost()
        self._preview.forget()

    def send(self, command: Command, *, awaited: bool = True) -> None:
        """Send `command`, and remember the table to join or the replay whose address was typed."""
        if isinstance(command, Join):
            self._joining = command.code
        if isinstance(command, Join | Watch | Replay):
            self._replay_due = isinstance(command, Replay)
        super().send(command, awaited=awaited)

    def handle_refusal(self, refusal: Refusal) -> bool:
        """Show why, except for a preview, which nobody asked for by a key; offer to watch a full table."""
        if refusal.to == Preview.__name__:
            return True
        if refusal.reason == "full" and refusal.to == Join.__name__ and self._joining:
            asked = self.look.translator.gettext(
                "Every seat at {code} is taken. Watch instead?", code=self._joining
            )
            self.question = Confirmation(asked, partial(self.send, Watch(self._joining)))
            self.redraw()
            return True
        return super().handle_refusal(refusal)

    def hints(self) -> HintRow:
        """Return the hints for the list as it is; Enter says what it does with the selected table."""
        if self.lessons.offered is not None:
            return page_hints(self.page, self._shown_view(), self.reader)
        hints = super().hints()
        return hints_at(self._entries[self.model.cursor], hints) if self._entries else hints

    def can(self, action: str) -> bool:
        """Return whether `action` does something in this lobby."""
        if action in {"join", "watch"}:
            return bool(self._entries)
        if action in {"keys", "account", "word"}:
            guest = self.known.welcome is not None and self.known.welcome.guest
            return bool(self.context.shell_commands.words) and (guest or action != "word")
        if action == "invited":
            return bool(self.known.invitations)
        return self.lessons.are_here if action == "learn" else super().can(action)

    def shown_hints(self) -> HintRow:
        """Return the hints to draw; Enter's takes the same cells at every table."""
        return pad_hints(super().shown_hints(), self.look)

    def help(self) -> HelpModel:
        """Return the help of the lobby."""
        game_screens = self.context.game_screens.values()
        return lobby_help(self.look.translator, self.known.welcome, self.hints(), game_screens)

    def press(self, press: Press) -> None:
        """Handle a key."""
        gettext = self.look.translator.gettext
        action, self._missed = LOBBY.action(press.key), ""
        if self.lessons.handle_offer_answer(action):
            return
        match action:
            case "quick":
                bots = bot_levels(self.context.game_screens)
                self.send(self.context.preferences.quick_play(self.known.welcome, bots))
            case "new":
                self._new_table()
            case "learn":
                self.lessons.teach()
            case "settings":
                self.app.push_screen(SettingsScreen(self.context, self.known))
            case "quit":
                self._quit()
            case "back":
                self.question = Confirmation(gettext("Quit?"), self._quit)
            case _:
                super().press(press)

    def handle_answer(self, answer: QueryAnswer) -> bool:
        """Open the replay whose address was typed."""
        if isinstance(answer, ReplayView) and self._replay_due:
            self._replay_due = False
            open_replay(self, answer)
            return True
        return super().handle_answer(answer)

    def tell_missed(self, news: Missed) -> None:
        """Show the first results that the person missed, until the next key in the lobby."""
        translator = self.look.translator
        told = missed_sentences(news, self.reader, _MOST_MISSED)
        if news.more or len(news.games) > _MOST_MISSED:
            told.append(translator.gettext("Press {key} for all.", key=self.look.key_shown("f")))
        self._missed = translator.gettext(WHILE_AWAY, news=" ".join(told))
        self.redraw()

    @property
    def message(self) -> str:
        """The status; without one, what was missed, whose turn it is, or how a newcomer learns."""
        if self.status_text or self._missed:
            return self.status_text or self._missed
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
        return kept_tables_message(mine, translator) or today_with_key(self.known.today, self.reader)

    def _shown_view(self) -> TablesView | None:
        """Return what to draw: the tables, with an offer below them while there is one."""
        view, offered = self.model.view, self.lessons.offered
        if view is None or offered is None:
            return view
        offer = self.look.translator.gettext(offered.title)
        return msgspec.structs.replace(view, offer=offer, other_lessons=self.lessons.are_others)

    def drawn_model(self) -> PageModel[TablesView]:
        """Return the model with what is drawn: the tables, or the offer of lessons."""
        return msgspec.structs.replace(super().drawn_model(), view=self._shown_view())

    def draw(self, look: Look) -> Frame:
        """Draw the tables, or the offer of lessons."""
        drawing = self._drawing()
        self.model = msgspec.structs.replace(self.model, top=drawing.model.top)
        return drawing.frame(self.shown_hints())

    def tap(self, tap: Tap) -> None:
        """Select or join a table; a click on a line of the offer answers it."""
        if self.lessons.offered is None:
            super().tap(tap)
            return
        row = self.shown.text().splitlines()[tap.y]
        card = self.page.empty(self._shown_view(), False, self.reader)
        if isinstance(card, EmptyCard):
            for action, text in card.actions.items():
                if text in row:
                    self.press(Press(next(key.keys[0] for key in LOBBY.rows if key.action == action)))

    def _new_table(self) -> None:
        levels = bot_levels(self.context.game_screens)
        form = new_form(self.known.welcome, levels) if self.known.welcome else None
        if form is None:
            self.status = self.look.translator.gettext(
                "The list of games hasn't loaded yet. Try again in a moment."
            )
            return
        self.app.push_screen(NewTableScreen(self.context, self.known, form))
