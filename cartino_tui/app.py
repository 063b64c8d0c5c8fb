"""The Textual app of one visit: it performs the effects of a `Visit` and keeps the right screen in front."""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import ClassVar, Final

import msgspec
from rich.console import RenderableType
from textual import events
from textual.app import App
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.screen import Screen
from textual.timer import Timer as TextualTimer
from textual.worker import Worker

from cartino_protocol.link import ConnectionStatus, Link, LinkClosed, LinkEnded, LinkWithStatus
from cartino_protocol.text import LazyMessage, legible
from cartino_protocol.views import Answer, TableView
from cartino_tui.context import AppContext, TurnAlerts
from cartino_tui.draw.theme import Ground
from cartino_tui.game_port.description import add_server_games, bot_levels
from cartino_tui.game_port.screen import AnyScreen, all_roles
from cartino_tui.i18n import Language, Translator
from cartino_tui.preferences import Preferences
from cartino_tui.screens.lobby import LobbyScreen
from cartino_tui.screens.table import TableScreen
from cartino_tui.screens.waiting import WaitingScreen
from cartino_tui.terminal.colour_depth import ColourDepth
from cartino_tui.terminal.session_app import SessionApp
from cartino_tui.visit import events as visit_events
from cartino_tui.visit import farewell, messages
from cartino_tui.visit.events import Closed, Effect, Event, Fact, QuitRequest, TimeUp, Wanted
from cartino_tui.visit.farewell import Farewell
from cartino_tui.visit.routes import ShellCommands, StartRoute
from cartino_tui.visit.state import ClientState
from cartino_tui.visit.visit import Visit
from cartino_tui.widgets.app_screen import AppScreen, Quit, SendCommand, SettingsChanged

_TABLE_NOT_NEW: Final = LazyMessage(messages.TABLE_NOT_NEW)


class ScreenStack:
    """The screens of a visit: the lobby, and what lies over it."""

    def __init__(self, app: App[str], context: AppContext, known: ClientState) -> None:
        """The screens of `app`, which show what is `known` of the server."""
        self._app = app
        self._context = context
        self.lobby = LobbyScreen(context, known)

    @property
    def connected(self) -> list[AppScreen]:
        """The screens that show what the server says, the lowest first."""
        return [screen for screen in self._app.screen_stack if isinstance(screen, AppScreen)]

    @property
    def front(self) -> AppScreen | None:
        """The screen in front, if it shows what the server says."""
        return self._app.screen if isinstance(self._app.screen, AppScreen) else None

    def redraw(self) -> None:
        """Draw the screen in front."""
        if self.front is not None:
            self.front.redraw()

    def notice(self, sentence: str) -> None:
        """Show `sentence` in front, unless it is empty."""
        if sentence and self.front is not None:
            self.front.notice(sentence)

    def show_lobby(self, status: str) -> None:
        """Take everything away that lies over the lobby."""
        self._close_above(self.lobby)
        self.lobby.status = status

    def _close_above(self, screen: AppScreen) -> None:
        while self._app.screen is not screen:
            self._app.pop_screen()

    def replace_table(self, table: TableView, known: ClientState) -> AppScreen | None:
        """Go to the lobby, and return the screen of the table `table` to push; None if that is open already.

        A screen that showed another table shows this one then, with nothing over it.
        Raises DecodeError for a game that this program can't show.
        """
        wanted = WaitingScreen if table.state == "open" else TableScreen
        stack = self._app.screen_stack
        for screen in stack:
            if isinstance(screen, wanted) and screen.table.game == table.game:
                if screen.table.code != table.code:
                    self._close_above(screen)
                return None
        begun = self.front.unfinished if self.front is not None else None
        self.show_lobby("")
        game_screen = self._context.game_screens.get(table.game)
        if game_screen is None:
            raise msgspec.DecodeError(f"no screen for {table.game}")
        return wanted(self._context, known, table, game_screen, begun)


class VisitTimers:
    """The timers that a visit asks for, at most one of each kind."""

    def __init__(self, app: App[str], time_up: Callable[[visit_events.Timer], None]) -> None:
        """Call `time_up` when one is due."""
        self._app = app
        self._time_up = time_up
        self._running: dict[visit_events.Timer, TextualTimer] = {}

    def set(self, effect: visit_events.StartTimer | visit_events.StopTimer) -> None:
        """Stop the timer that `effect` names, and start it again if it says so."""
        timer = effect.timer
        running = self._running.pop(timer, None)
        if running is not None:
            running.stop()
        if isinstance(effect, visit_events.StartTimer):
            start = self._app.set_interval if timer == "countdown" else self._app.set_timer
            self._running[timer] = start(effect.seconds, partial(self._time_up, timer))


class CartinoApp(SessionApp[str]):
    """One visit to the server. Returns a sentence for the person (maybe ""), and an exit code.

    The codes: 0 if the person left, 1 for another protocol version or a crash, 3 if the server or the connection ended
    the visit.
    """

    TITLE = "Cartino"
    ALLOW_SELECT: ClassVar[bool] = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+z", "suspend_process", show=False)]

    def __init__(
        self,
        link: Link | LinkWithStatus,
        intent: StartRoute | None = None,
        *,
        depth: ColourDepth | None = None,
        driver_class: type[Driver] | None = None,
        ascii: bool = False,
        language: Language = "en",
        ground: Ground | None = None,
        shell_commands: ShellCommands = ShellCommands(),  # noqa: B008 - a constant
        game_screens: Mapping[str, AnyScreen],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """A visit over `link`, straight to where `intent` says.

        `ascii`: the terminal shows no more than ASCII. `language`: the one that its environment names. `ground`: its
        own, None where nobody knows. `shell_commands`: what leads a friend here. `game_screens`: the games that can be
        shown. `now`: what the clocks of a table go by.
        """
        super().__init__(
            depth=depth, driver_class=driver_class, ascii=ascii, ground=ground, roles=all_roles(game_screens)
        )
        self.link = link
        preferences = Preferences(language, ascii=ascii, ground=ground)
        self.visit = Visit(intent, preferences, shell_commands, "cartino-tui")
        self.context = AppContext(
            game_screens,
            preferences,
            shell_commands,
            self.visit.typeahead,
            now,
            line=self.visit.connection,
            host=self.visit.notices,
        )
        self._alerts = TurnAlerts(self.context, self.TITLE)
        self._screens = ScreenStack(self, self.context, self.client_state)
        self._lobby = self._screens.lobby
        self._lobby.quiet = self.visit.is_arriving
        self._pending_notice: LazyMessage | None = None
        """What to show at the table to which the person is on the way."""
        self._visit_timers = VisitTimers(self, self._time_up)

    @property
    def client_state(self) -> ClientState:
        """What is known of the server."""
        return self.visit.state

    def get_default_screen(self) -> Screen[None]:
        """Return the lobby, the lowest screen."""
        return self._lobby

    def on_mount(self) -> None:
        """Greet the server and begin to listen."""
        self._perform(self.visit.begin())
        self.listen()

    def on_settings_changed(self, _message: SettingsChanged) -> None:
        """Apply the new settings, and save them."""
        self.dress(self.context.preferences)
        self._alerts.set_title(self.client_state, self.window)
        self._screens.redraw()
        self._handle(visit_events.SaveSettings())

    def on_app_focus(self) -> None:
        """Note that the terminal has the focus."""
        self.context.presence.note_focus(True)

    def on_app_blur(self) -> None:
        """Note that the terminal has lost the focus."""
        self.context.presence.note_focus(False)

    def on_unmount(self) -> None:
        """Hang up, whatever the visit ended with."""
        self.link.close()

    def listen(self) -> Worker[None]:
        """Take in what the server says, until it says no more."""
        return self.run_worker(self._listen(), name="listen", exclusive=True)

    async def _listen(self) -> None:
        try:
            while True:
                said = await self.link.receive()
                if isinstance(said, ConnectionStatus):
                    self._handle(said)
                    self._screens.redraw()
                else:
                    self.handle(said)
        except LinkEnded as ended:
            self._handle(Closed(ended.sentence))
        except LinkClosed:
            self._handle(Closed())
        except asyncio.CancelledError:
            # The app ends. The worker would keep the error, the error its frames, and they what the worker has.
            return

    def handle(self, answer: Answer | Wanted) -> None:
        """Take in one answer, and show what is known then."""
        self._handle(answer)
        if self.visit.ended is not None:
            return
        for screen in self._screens.connected:
            screen.show_state(self.client_state)
        self._alerts.set_title(self.client_state, self.window)
        front = self._screens.front
        if front is not None:
            front.drain()

    def leave(self, words: Farewell) -> None:
        """End the visit with `words`, unless it has ended already."""
        if self.return_code is None:
            self.exit(
                farewell.wrap_farewell(self._translator.render(words.sentence), self.size.width), words.code
            )

    def exit(
        self, result: str | None = None, return_code: int = 0, message: RenderableType | None = None
    ) -> None:
        """Send what is still to be sent, and end."""
        for screen in self._screens.connected:
            command = screen.unsaid()
            if command is not None:
                self.link.send(command)
        self._handle(visit_events.SaveSettings(now=True))
        super().exit(result, return_code, message)

    def on_send_command(self, message: SendCommand) -> None:
        """Send a screen's command."""
        wanted = Wanted(message.command)
        if self.visit.connection.is_down:
            self.handle(wanted)
        else:
            self._handle(wanted)

    def on_quit(self, message: Quit) -> None:
        """Leave, as a screen asks."""
        self._handle(QuitRequest(message.farewell))

    def action_help_quit(self) -> None:
        """Ctrl-C leaves at once, as everywhere in a terminal; a seat in a running game is kept."""
        self._handle(QuitRequest())

    def take_key(self, event: events.Key) -> bool:
        """Have the screen in front do at once what the key means, where nothing came before it that waits."""
        front = self._screens.front if self.is_running and self.screen_stack else None
        if front is None or not front.is_mounted:
            return False
        return self.at_once(front, partial(front.take_key, event))

    async def action_quit(self) -> None:
        """Ctrl-Q is the same."""
        self.action_help_quit()

    def _handle(self, event: Event) -> None:
        self._perform(self.visit.handle(event, self.context.now()))

    def _perform(self, effects: Iterable[Effect]) -> None:
        self._lobby.quiet = self.visit.is_arriving
        for effect in effects:
            match effect:
                case visit_events.Send(command):
                    self.link.send(command)
                case visit_events.StartTimer() | visit_events.StopTimer():
                    self._visit_timers.set(effect)
                case visit_events.ShowTable(table, returned):
                    self._show_table(table, returned=returned)
                case visit_events.ShowLobby(left):
                    self._screens.show_lobby(
                        "" if left is None else self._translator.render(messages.left_message(left))
                    )
                case visit_events.ShowLessons() | visit_events.OfferLessons() | visit_events.ShowReplay():
                    self._begin_in_lobby(effect)
                case visit_events.Answered(answer):
                    # Where the screen that asked has gone, nobody needs it any more.
                    any(screen.handle_answer(answer) for screen in reversed(self._screens.connected))
                case visit_events.Refused(refusal):
                    if self._pending_notice == _TABLE_NOT_NEW:
                        self._pending_notice = None
                    any(screen.handle_refusal(refusal) for screen in reversed(self._screens.connected))
                case visit_events.End(words):
                    self.leave(words)
                case _:
                    self._tell(effect)

    def _begin_in_lobby(
        self, effect: visit_events.ShowLessons | visit_events.OfferLessons | visit_events.ShowReplay
    ) -> None:
        """Open what the visit begins with over the lobby."""
        self._lobby.show_state(self.client_state)
        match effect:
            case visit_events.ShowLessons(game):
                self._lobby.lessons.teach(game)
            case visit_events.OfferLessons(table):
                self._lobby.lessons.offer(table)
            case visit_events.ShowReplay(asked):
                self._lobby.send(asked)

    def _tell(self, fact: Fact) -> None:
        translator = self._translator
        match fact:
            case visit_events.Greeted():
                welcome = self.client_state.welcome
                add_server_games(self.context.game_screens, () if welcome is None else welcome.games)
                self.session_roles = all_roles(self.context.game_screens)
                self.dress(self.context.preferences)
            case visit_events.NameChanged(welcome):
                # The lobby shows it by itself.
                self._pending_notice = None if self.visit.arrived else messages.name_change_message(welcome)
            case visit_events.TableNotNew():
                self._pending_notice = _TABLE_NOT_NEW
            case visit_events.TableGone():
                self._lobby.status = translator.gettext(messages.TABLE_GONE)
            case visit_events.Renamed() | visit_events.BotBeaten():
                self._screens.notice(_sentence(fact, self.context))
            case visit_events.SeatElsewhere(code):
                self._lobby.mark(code)
            case visit_events.PeopleChanged(answer, before):
                self._screens.notice(
                    messages.people_update_message(answer, before, self.client_state, translator)
                )
            case visit_events.WhileAway(news):
                self._lobby.tell_missed(news)
            case visit_events.TurnStarted(codes):
                self._alerts.alert(codes[0], self.window)
            case visit_events.ConnectionLost() | visit_events.Reconnected():
                self._connection_changed(is_back=isinstance(fact, visit_events.Reconnected))
            # Every screen shows what the host says, and the waiting screen has the resume code.

    def _connection_changed(self, *, is_back: bool) -> None:
        for screen in self._screens.connected:
            if is_back:
                screen.status, screen.lead = "", self._translator.gettext(messages.RECONNECTED)
                screen.connection_restored()
            else:
                screen.connection_lost()

    def _time_up(self, timer: visit_events.Timer) -> None:
        self._handle(TimeUp(timer))
        self._screens.redraw()

    def _show_table(self, table: TableView, *, returned: bool) -> None:
        try:
            screen = self._screens.replace_table(table, self.client_state)
        except msgspec.DecodeError:
            self._handle(QuitRequest(farewell.UNREADABLE))
            return
        if screen is None:
            return
        untold, self._pending_notice = self._pending_notice, None
        screen.lead = self._translator.gettext(messages.WELCOME_BACK) if returned else ""
        self.push_screen(screen)
        if untold is not None:
            screen.notice(self._translator.render(untold))

    @property
    def _translator(self) -> Translator:
        return self.context.preferences.translator


def _sentence(fact: visit_events.Renamed | visit_events.BotBeaten, context: AppContext) -> str:
    preferences = context.preferences
    if isinstance(fact, visit_events.BotBeaten):
        rival = preferences.rival(fact.game, bot_levels(context.game_screens).get(fact.game, ()))
        return preferences.translator.render(messages.bot_beaten_message(fact.bot, rival))
    return preferences.translator.gettext(messages.RENAMED, name=legible(fact.name))
