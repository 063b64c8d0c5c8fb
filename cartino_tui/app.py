"""The Textual app of one visit: it applies the server's answers and keeps the right screen in front."""

import asyncio
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import ClassVar

import msgspec
from rich.console import RenderableType
from textual import events
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.screen import Screen
from textual.worker import Worker

from cartino_protocol import __version__
from cartino_protocol.accounts import Ignored, Invitations, Invited, PeopleUpdate, Reported
from cartino_protocol.commands import Back, Command, Create, Hello, Join, Keep, Watch, tag_of
from cartino_protocol.link import ConnectionStatus, Link, LinkClosed, LinkEnded, LinkWithStatus
from cartino_protocol.notices import Announced
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import LazyMessage
from cartino_protocol.views import Answer, Bye, Left, QueryAnswer, RoomView, View, Welcome
from cartino_protocol.wire import VERSION
from cartino_tui.context import AppContext, TurnAlerts
from cartino_tui.draw.theme import Ground
from cartino_tui.game_port.description import add_server_games
from cartino_tui.game_port.screen import AnyScreen, all_roles
from cartino_tui.i18n import Language, Translator
from cartino_tui.preferences import Preferences
from cartino_tui.screens.lobby import LobbyScreen
from cartino_tui.screens.settings import SettingsChanged
from cartino_tui.screens.table import TableScreen
from cartino_tui.screens.waiting import WaitingScreen
from cartino_tui.terminal.colour_depth import ColourDepth
from cartino_tui.terminal.session_app import SessionApp
from cartino_tui.visit import farewell, messages
from cartino_tui.visit.connection import RepeatingTimer, SettingsSaver
from cartino_tui.visit.farewell import CONNECTION_ENDED, Farewell
from cartino_tui.visit.messages import people_update_message
from cartino_tui.visit.routes import Reconnection, ShellCommands, StartRoute, ToLesson, ToLobby, start_command
from cartino_tui.visit.state import ClientState, state_key
from cartino_tui.widgets.app_screen import AppScreen, Quit, SendCommand


class CartinoApp(SessionApp[str]):
    """A visit to the house. Ends with a sentence for the person (maybe "") as its return value, and an exit code.

    The codes: 0 by one's own wish, 1 for another version of the protocol or a crash, 3 when the house or the
    line ended the visit.
    """

    TITLE = "Cartino"
    ALLOW_SELECT: ClassVar[bool] = False
    PAINTS: ClassVar[bool] = True
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
        door: ShellCommands = ShellCommands(),  # noqa: B008 - a constant
        game_screens: Mapping[str, AnyScreen],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """A visit over `link`, straight to where `intent` says.

        `ascii`: the terminal shows no more than ASCII. `language`: the one that its environment names. `ground`: its
        own, None where nobody knows. `door`: the words that bring a friend here. `game_screens`: the games that can be
        shown. `now`: what the clocks of a table go by.
        """
        super().__init__(
            depth=depth, driver_class=driver_class, ascii=ascii, ground=ground, roles=all_roles(game_screens)
        )
        self.link = link
        self.known = ClientState()
        self.stage = AppContext(
            game_screens, Preferences(language, ascii=ascii, ground=ground), door, now=now
        )
        self._calling = TurnAlerts(self.stage, self.TITLE)
        self._intent: StartRoute = intent or ToLobby()
        self._lobby = LobbyScreen(self.stage, self.known)
        self._lobby.quiet = start_command(self._intent) is not None or isinstance(self._intent, ToLesson)
        self._said_word = False
        """Whether a word was said, and the Welcome that answers it is still to come."""
        self._is_rejoining = False
        """Whether one is on the way to the table that one was cut off from."""
        self._pending_notice: LazyMessage | None = None
        """What one is told at the table where one comes first."""
        self._arrived = False
        """Whether one has been where one wanted to go first, or was told that one can't."""
        self._returning = Reconnection()
        self._keeping = SettingsSaver(self.stage.preferences, self.stage.line, self.set_timer, self.say)
        self._ticking = RepeatingTimer(self.set_interval, self._redraw)
        """Draws anew while there is no line, for the seconds to the next try."""

    def get_default_screen(self) -> Screen[None]:
        """The lobby lies under everything."""
        return self._lobby

    def on_mount(self) -> None:
        """Introduce oneself and begin to listen."""
        self.say(Hello(VERSION, f"cartino-tui {__version__}"))
        self.listen()

    def on_settings_changed(self, _message: SettingsChanged) -> None:
        """The person wants it otherwise: so it is at once, and from now on."""
        self.dress(self.stage.preferences)
        self._calling.set_title(self.known, self.window)
        self._redraw()
        self._keeping.changed()

    def on_app_focus(self) -> None:
        """The person looks here."""
        self.stage.presence.in_front = True

    def on_app_blur(self) -> None:
        """The person looks elsewhere."""
        self.stage.presence.in_front = False

    def on_unmount(self) -> None:
        """Hang up, whatever the visit ended with."""
        self.link.close()

    def say(self, command: Command) -> None:
        """Say `command` to the house."""
        if isinstance(command, Back):
            # What was chosen is of who one is until then.
            self._keeping.tell()
            self._said_word = True
        self.link.send(command)

    def listen(self) -> Worker[None]:
        """Take in what the house says, until it says no more."""
        return self.run_worker(self._listen(), name="listen", exclusive=True)

    async def _listen(self) -> None:
        try:
            while True:
                said = await self.link.receive()
                if isinstance(said, ConnectionStatus):
                    self._line_stands(said)
                else:
                    self.hear(said)
        except LinkEnded as ended:
            self.leave(Farewell(ended.sentence, CONNECTION_ENDED))
        except LinkClosed:
            self.leave(farewell.connection_lost(self.known, self.stage.door))
        except asyncio.CancelledError:
            # The app ends. The worker would keep the error, the error its frames, and they what the worker has.
            return

    def hear(self, answer: Answer) -> None:
        """Take in one answer."""
        before, first = self.known, self.known.welcome is None
        self.known = before.learn(answer)
        self.stage.typeahead.stands(state_key(self.known))
        if not isinstance(answer, View) or isinstance(answer, RoomView):
            # Wherever one wanted to go, this is the answer.
            self._lobby.quiet = False
            self._arrived = True
        match answer:
            case Bye() | Refusal(reason="version"):
                self.leave(farewell.server_farewell(answer, self.known, self.stage.door))
                return
            case Refusal():
                self._refused(answer)
            case Welcome():
                self._welcomed(answer, first=first)
            case RoomView():
                self._sees_table(answer)
            case _ if isinstance(answer, QueryAnswer):
                self._answered(answer)
            case Invitations() | Invited() | Ignored() | Reported():
                self._tell_of_others(before, answer)
            case Left():
                self._left(answer)
            case Announced():
                self.stage.host.hear(answer, self.known, self.set_timer, self._redraw)
        for screen in self._house_screens():
            screen.take(self.known)
        self._calling.heard(self.known, self.window)
        if isinstance(self.screen, AppScreen):
            self.screen.drain()

    def leave(self, words: Farewell) -> None:
        """End the visit with `words`, unless it has ended already."""
        if self.return_code is None:
            self.exit(
                farewell.wrap_farewell(self._tongue.render(words.sentence), self.size.width), words.code
            )

    def exit(
        self, result: str | None = None, return_code: int = 0, message: RenderableType | None = None
    ) -> None:
        """Say what is still to be said, and end, however it comes to the end: a line that is cut comes this way too."""
        for screen in self.screen_stack:
            command = screen.unsaid() if isinstance(screen, AppScreen) else None
            if command is not None:
                self.say(command)
        self._keeping.tell()
        super().exit(result, return_code, message)

    def on_send_command(self, message: SendCommand) -> None:
        """A screen wants something said."""
        if self.stage.line.is_down:
            self.hear(Refusal("no-line", to=tag_of(message.command)))
        else:
            self.say(message.command)

    def on_quit(self, message: Quit) -> None:
        """A screen wants to leave."""
        words = message.farewell
        self.leave(farewell.player_left(self.known, self.stage.door) if words == Farewell() else words)

    def action_help_quit(self) -> None:
        """Ctrl-C leaves at once, as everywhere in a terminal; a seat in a running game is kept."""
        self.leave(farewell.player_left(self.known, self.stage.door))

    def take_key(self, event: events.Key) -> bool:
        """Have the screen in front do at once what the key means, where nothing came before it that waits."""
        front = self.screen if self.is_running and self.screen_stack else None
        if not isinstance(front, AppScreen) or not front.is_mounted:
            return False
        return self.at_once(front, partial(front.take_key, event))

    async def action_quit(self) -> None:
        """Ctrl-Q is the same."""
        self.action_help_quit()

    def _welcomed(self, welcome: Welcome, *, first: bool) -> None:
        if welcome.version != VERSION:
            self.leave(farewell.VERSION_MISMATCH)
            return
        add_server_games(self.stage.game_screens, welcome.games)
        self.session_roles = all_roles(self.stage.game_screens)
        sent_resume_code, self._said_word = self._said_word, False
        if first or sent_resume_code:
            self.stage.preferences.learn(bytes(welcome.settings))
            self.dress(self.stage.preferences)
        if self._returning.is_under_way and self._arrived:
            self._go_back(welcome)
            return
        if self._returning.is_under_way:
            self._line_is_up()
            self.stage.typeahead.resume(None)
        command = start_command(self._intent) if first else None
        if isinstance(command, Create) and welcome.back and not (welcome.elsewhere or welcome.over):
            # Who connects again in the same way, or in a loop, wants the table that was new then, not one more.
            self._pending_notice, command = LazyMessage(messages.TABLE_NOT_NEW), None
        learns = first and isinstance(self._intent, ToLesson)
        if command is None and welcome.back and (first or sent_resume_code) and not learns:
            command = Join(welcome.back)
            self._is_rejoining = self._lobby.quiet = True
        elif sent_resume_code:
            self.stage.typeahead.refused("")
            self._lobby.quiet = False
            self._lobby.status = self._tongue.gettext(messages.TABLE_GONE)
        if command is None:
            self._arrived = True
            if learns:
                self._lobby.take(self.known)
                self._lobby.teach(self._intent.game if isinstance(self._intent, ToLesson) else "")
                self._lobby.quiet = False
        else:
            self._pending_notice = (
                messages.name_change_message(welcome) if first and welcome.missed else self._pending_notice
            )
            self.stage.typeahead.asked(state_key(self.known), command)
            self.say(command)

    def _refused(self, refusal: Refusal) -> None:
        self._keeping.refused(refusal)
        if refusal.to == Keep.__name__:
            return
        if self._returning.is_under_way:
            self._refused_on_the_way(refusal)
        self._pending_notice = None if self._is_rejoining else self._pending_notice
        self._said_word = self._is_rejoining = False
        self.stage.typeahead.refused(refusal.to)
        any(screen.refused(refusal) for screen in reversed(self._house_screens()))

    def _line_stands(self, news: ConnectionStatus) -> None:
        """The line is lost, or there is one again: then the house has to be told who and where one is."""
        self.stage.line.hear(news, self.stage.now())
        if news.stands == "lost":
            self._returning.lost(self.known)
            self.stage.typeahead.suspend()
            self._lobby.quiet = False
            if self._ticking.begin():
                for screen in self._house_screens():
                    screen.connection_lost()
        elif news.stands == "back":
            if not self._arrived:
                self.known = ClientState()
            self.say(Hello(VERSION, f"cartino-tui {__version__}"))
        self._redraw()

    def _go_back(self, welcome: Welcome) -> None:
        """Go where one was when the line was lost."""
        command = self._returning.next(welcome)
        if command is not None:
            self.say(command)
        elif not self._returning.is_awaited:
            self._is_back()

    def _refused_on_the_way(self, refusal: Refusal) -> None:
        """Nothing is said without a line; and if it is the way back that is refused, it ends in the lobby."""
        if refusal.reason == "no-line":
            self.stage.line.send_failed = True
        elif refusal.to in {Back.__name__, Join.__name__, Watch.__name__}:
            self.known = self.known.nowhere()
            self._in_lobby("")
            if refusal.reason == "elsewhere":
                self._lobby.mark(self._returning.code)
            self._is_back()

    def _is_back(self) -> None:
        """One is where one was. What was on its way when the line was lost was heard, or is said not to have been."""
        self._line_is_up()
        for screen in self._house_screens():
            screen.status, screen.lead = "", self._tongue.gettext(messages.RECONNECTED)
            screen.connection_restored()
        if self.known.welcome is not None and not bytes(self.known.welcome.settings):
            # One is another guest to the house now.
            self.stage.preferences.mark_all_unsent()
        self._keeping.tell()
        unheard = self.stage.typeahead.resume(state_key(self.known))
        if unheard:
            self._refused(Refusal("no-line", to=unheard))

    def _line_is_up(self) -> None:
        self._returning.is_back()
        self.stage.line.is_up()
        self._ticking.end()

    @property
    def _tongue(self) -> Translator:
        return self.stage.preferences.translator

    def _house_screens(self) -> list[AppScreen]:
        return [screen for screen in self.screen_stack if isinstance(screen, AppScreen)]

    def _redraw(self) -> None:
        if isinstance(self.screen, AppScreen):
            self.screen.redraw()

    def _answered(self, answer: QueryAnswer) -> None:
        """Hand it to the screen that asked; where that has gone, nobody needs it any more."""
        any(screen.answered(answer) for screen in reversed(self._house_screens()))

    def _tell_of_others(self, before: ClientState, answer: PeopleUpdate) -> None:
        """Say who invites one, or what became of what one asked of others, on the screen that is seen."""
        sentence = people_update_message(answer, before, self.known, self._tongue)
        if sentence and isinstance(self.screen, AppScreen):
            self.screen.notice(sentence)

    def _sees_table(self, room: RoomView) -> None:
        """A table is shown; if it is the one that one wanted back to, one is there."""
        self._at_table(room)
        if self.stage.preferences.played(room):
            self._keeping.tell()
        if self._returning.is_awaited:
            self._is_back()

    def _at_table(self, room: RoomView) -> None:
        """Have the screen in place that `room` needs."""
        wanted = WaitingScreen if room.state == "open" else TableScreen
        if any(isinstance(screen, wanted) and screen.room.game == room.game for screen in self.screen_stack):
            return
        begun = self.screen.unfinished if isinstance(self.screen, AppScreen) else None
        came_back, self._is_rejoining = self._is_rejoining and room.you is not None, False
        self._in_lobby("")
        game_screen = self.stage.game_screens.get(room.game)
        try:
            if game_screen is None:
                raise msgspec.DecodeError(f"no plug for {room.game}")
            screen = wanted(self.stage, self.known, room, game_screen, begun)
        except msgspec.DecodeError:
            self.leave(farewell.UNREADABLE)
            return
        untold, self._pending_notice = self._pending_notice, None
        screen.lead = self._tongue.gettext(messages.WELCOME_BACK) if came_back else ""
        self.push_screen(screen)
        if untold is not None:
            screen.notice(self._tongue.render(untold))

    def _left(self, left: Left) -> None:
        self._in_lobby(self._tongue.render(messages.left_message(left)))
        if left.why == "moved":
            # Not by itself: two terminals would take the seat from each other for ever.
            self._lobby.mark(left.code)

    def _in_lobby(self, status: str) -> None:
        """Take everything away that lies over the lobby."""
        while self.screen is not self._lobby:
            self.pop_screen()
        self._lobby.status = status
