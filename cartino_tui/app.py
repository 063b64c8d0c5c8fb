"""The app of one person: a link to the house at one end, screens at the other."""

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
from cartino_protocol.commands import Back, Command, Create, Hello, Join, Keep, Watch, tag_of
from cartino_protocol.hosts_words import Announced
from cartino_protocol.line import LastingLink, LineEnded, LineNews
from cartino_protocol.link import Link, LinkClosed
from cartino_protocol.marking import Sentence
from cartino_protocol.neighbours import Ignored, Invitations, Invited, OfOthers, Reported
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Answer, Bye, Left, RoomView, Told, View, Welcome
from cartino_protocol.wire import VERSION
from cartino_tui import arriving, farewell
from cartino_tui.calling import Calling
from cartino_tui.door import Door
from cartino_tui.draw.theme import Ground
from cartino_tui.driver.depth import Depth
from cartino_tui.driver.session_app import SessionApp
from cartino_tui.farewell import LINE_ENDED, Farewell
from cartino_tui.games.foreign import learn
from cartino_tui.games.screen import AnyScreen, roles_of
from cartino_tui.intent import Intent, ToLesson, ToLobby, command_of
from cartino_tui.keeping import Keeping
from cartino_tui.known import Known, moment
from cartino_tui.others import news_of
from cartino_tui.preferences import Preferences
from cartino_tui.returning import Returning
from cartino_tui.screens.base import HouseScreen, Quit, Wish
from cartino_tui.screens.lobby import LobbyScreen
from cartino_tui.screens.settings import Preferred
from cartino_tui.screens.table import TableScreen
from cartino_tui.screens.waiting import WaitingScreen
from cartino_tui.stage import Stage
from cartino_tui.ticking import Ticking
from cartino_tui.tongue import Language, Tongue


class HouseApp(SessionApp[str]):
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
        link: Link | LastingLink,
        intent: Intent | None = None,
        *,
        depth: Depth | None = None,
        driver_class: type[Driver] | None = None,
        ascii: bool = False,
        language: Language = "en",
        ground: Ground | None = None,
        door: Door = Door(),  # noqa: B008 - a constant
        plugs: Mapping[str, AnyScreen],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """A visit over `link`, straight to where `intent` says.

        `ascii`: the terminal shows no more than ASCII. `language`: the one that its environment names. `ground`: its
        own, None where nobody knows. `door`: the words that bring a friend here. `plugs`: the games that can be
        shown. `now`: what the clocks of a table go by.
        """
        super().__init__(
            depth=depth, driver_class=driver_class, ascii=ascii, ground=ground, roles=roles_of(plugs)
        )
        self.link = link
        self.known = Known()
        self.stage = Stage(plugs, Preferences(language, ascii=ascii, ground=ground), door, now=now)
        self._calling = Calling(self.stage, self.TITLE)
        self._intent: Intent = intent or ToLobby()
        self._lobby = LobbyScreen(self.stage, self.known)
        self._lobby.quiet = command_of(self._intent) is not None or isinstance(self._intent, ToLesson)
        self._said_word = False
        """Whether a word was said, and the Welcome that answers it is still to come."""
        self._comes_back = False
        """Whether one is on the way to the table that one was cut off from."""
        self._untold: Sentence | None = None
        """What one is told at the table where one comes first."""
        self._arrived = False
        """Whether one has been where one wanted to go first, or was told that one can't."""
        self._returning = Returning()
        self._keeping = Keeping(self.stage.preferences, self.stage.line, self.set_timer, self.say)
        self._ticking = Ticking(self.set_interval, self._redraw)
        """Draws anew while there is no line, for the seconds to the next try."""

    def get_default_screen(self) -> Screen[None]:
        """The lobby lies under everything."""
        return self._lobby

    def on_mount(self) -> None:
        """Introduce oneself and begin to listen."""
        self.say(Hello(VERSION, f"cartino-tui {__version__}"))
        self.listen()

    def on_preferred(self, _message: Preferred) -> None:
        """The person wants it otherwise: so it is at once, and from now on."""
        self.dress(self.stage.preferences)
        self._calling.entitle(self.known, self.window)
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
                if isinstance(said, LineNews):
                    self._line_stands(said)
                else:
                    self.hear(said)
        except LineEnded as ended:
            self.leave(Farewell(ended.sentence, LINE_ENDED))
        except LinkClosed:
            self.leave(farewell.closed(self.known, self.stage.door))
        except asyncio.CancelledError:
            # The app ends. The worker would keep the error, the error its frames, and they what the worker has.
            return

    def hear(self, answer: Answer) -> None:
        """Take in one answer."""
        before, first = self.known, self.known.welcome is None
        self.known = before.learn(answer)
        self.stage.typeahead.stands(moment(self.known))
        if not isinstance(answer, View) or isinstance(answer, RoomView):
            # Wherever one wanted to go, this is the answer.
            self._lobby.quiet = False
            self._arrived = True
        match answer:
            case Bye() | Refusal(reason="version"):
                self.leave(farewell.farewell(answer, self.known, self.stage.door))
                return
            case Refusal():
                self._refused(answer)
            case Welcome():
                self._welcomed(answer, first=first)
            case RoomView():
                self._sees_table(answer)
            case _ if isinstance(answer, Told):
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
        if isinstance(self.screen, HouseScreen):
            self.screen.drain()

    def leave(self, words: Farewell) -> None:
        """End the visit with `words`, unless it has ended already."""
        if self.return_code is None:
            self.exit(farewell.in_lines(self._tongue.tell(words.sentence), self.size.width), words.code)

    def exit(
        self, result: str | None = None, return_code: int = 0, message: RenderableType | None = None
    ) -> None:
        """Say what is still to be said, and end, however it comes to the end: a line that is cut comes this way too."""
        for screen in self.screen_stack:
            command = screen.unsaid() if isinstance(screen, HouseScreen) else None
            if command is not None:
                self.say(command)
        self._keeping.tell()
        super().exit(result, return_code, message)

    def on_wish(self, message: Wish) -> None:
        """A screen wants something said."""
        if self.stage.line.is_down:
            self.hear(Refusal("no-line", to=tag_of(message.command)))
        else:
            self.say(message.command)

    def on_quit(self, message: Quit) -> None:
        """A screen wants to leave."""
        words = message.farewell
        self.leave(farewell.own_wish(self.known, self.stage.door) if words == Farewell() else words)

    def action_help_quit(self) -> None:
        """Ctrl-C leaves at once, as everywhere in a terminal; a seat in a running game is kept."""
        self.leave(farewell.own_wish(self.known, self.stage.door))

    def take_key(self, event: events.Key) -> bool:
        """Have the screen in front do at once what the key means, where nothing came before it that waits."""
        front = self.screen if self.is_running and self.screen_stack else None
        if not isinstance(front, HouseScreen) or not front.is_mounted:
            return False
        return self.at_once(front, partial(front.take_key, event))

    async def action_quit(self) -> None:
        """Ctrl-Q is the same."""
        self.action_help_quit()

    def _welcomed(self, welcome: Welcome, *, first: bool) -> None:
        if welcome.version != VERSION:
            self.leave(farewell.VERSION)
            return
        learn(self.stage.plugs, welcome.games)
        self.session_roles = roles_of(self.stage.plugs)
        said_word, self._said_word = self._said_word, False
        if first or said_word:
            self.stage.preferences.learn(bytes(welcome.settings))
            self.dress(self.stage.preferences)
        if self._returning.is_under_way and self._arrived:
            self._go_back(welcome)
            return
        if self._returning.is_under_way:
            self._line_is_up()
            self.stage.typeahead.resume(None)
        command = command_of(self._intent) if first else None
        if isinstance(command, Create) and welcome.back and not (welcome.elsewhere or welcome.over):
            # Who connects again in the same way, or in a loop, wants the table that was new then, not one more.
            self._untold, command = Sentence(arriving.NOT_NEW), None
        learns = first and isinstance(self._intent, ToLesson)
        if command is None and welcome.back and (first or said_word) and not learns:
            command = Join(welcome.back)
            self._comes_back = self._lobby.quiet = True
        elif said_word:
            self.stage.typeahead.refused("")
            self._lobby.quiet = False
            self._lobby.status = self._tongue.say(arriving.NO_TABLE)
        if command is None:
            self._arrived = True
            if learns:
                self._lobby.take(self.known)
                self._lobby.teach(self._intent.game if isinstance(self._intent, ToLesson) else "")
                self._lobby.quiet = False
        else:
            self._untold = arriving.name_missed(welcome) if first and welcome.missed else self._untold
            self.stage.typeahead.asked(moment(self.known), command)
            self.say(command)

    def _refused(self, refusal: Refusal) -> None:
        self._keeping.refused(refusal)
        if refusal.to == Keep.__name__:
            return
        if self._returning.is_under_way:
            self._refused_on_the_way(refusal)
        self._untold = None if self._comes_back else self._untold
        self._said_word = self._comes_back = False
        self.stage.typeahead.refused(refusal.to)
        any(screen.refused(refusal) for screen in reversed(self._house_screens()))

    def _line_stands(self, news: LineNews) -> None:
        """The line is lost, or there is one again: then the house has to be told who and where one is."""
        self.stage.line.hear(news, self.stage.now())
        if news.stands == "lost":
            self._returning.lost(self.known)
            self.stage.typeahead.suspend()
            self._lobby.quiet = False
            if self._ticking.begin():
                for screen in self._house_screens():
                    screen.line_lost()
        elif news.stands == "back":
            if not self._arrived:
                self.known = Known()
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
            self.stage.line.in_vain = True
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
            screen.status, screen.lead = "", self._tongue.say(arriving.LINE_BACK)
            screen.line_is_back()
        if self.known.welcome is not None and not bytes(self.known.welcome.settings):
            # One is another guest to the house now.
            self.stage.preferences.unlearn()
        self._keeping.tell()
        unheard = self.stage.typeahead.resume(moment(self.known))
        if unheard:
            self._refused(Refusal("no-line", to=unheard))

    def _line_is_up(self) -> None:
        self._returning.is_back()
        self.stage.line.is_up()
        self._ticking.end()

    @property
    def _tongue(self) -> Tongue:
        return self.stage.preferences.tongue

    def _house_screens(self) -> list[HouseScreen]:
        return [screen for screen in self.screen_stack if isinstance(screen, HouseScreen)]

    def _redraw(self) -> None:
        if isinstance(self.screen, HouseScreen):
            self.screen.redraw()

    def _answered(self, answer: Told) -> None:
        """Hand it to the screen that asked; where that has gone, nobody needs it any more."""
        any(screen.answered(answer) for screen in reversed(self._house_screens()))

    def _tell_of_others(self, before: Known, answer: OfOthers) -> None:
        """Say who invites one, or what became of what one asked of others, on the screen that is seen."""
        sentence = news_of(answer, before, self.known, self._tongue)
        if sentence and isinstance(self.screen, HouseScreen):
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
        begun = self.screen.unfinished if isinstance(self.screen, HouseScreen) else None
        came_back, self._comes_back = self._comes_back and room.you is not None, False
        self._in_lobby("")
        plug = self.stage.plugs.get(room.game)
        try:
            if plug is None:
                raise msgspec.DecodeError(f"no plug for {room.game}")
            screen = wanted(self.stage, self.known, room, plug, begun)
        except msgspec.DecodeError:
            self.leave(farewell.UNREADABLE)
            return
        untold, self._untold = self._untold, None
        screen.lead = self._tongue.say(arriving.BACK) if came_back else ""
        self.push_screen(screen)
        if untold is not None:
            screen.notice(self._tongue.tell(untold))

    def _left(self, left: Left) -> None:
        self._in_lobby(self._tongue.tell(arriving.why_left(left)))
        if left.why == "moved":
            # Not by itself: two terminals would take the seat from each other for ever.
            self._lobby.mark(left.code)

    def _in_lobby(self, status: str) -> None:
        """Take everything away that lies over the lobby."""
        while self.screen is not self._lobby:
            self.pop_screen()
        self._lobby.status = status
