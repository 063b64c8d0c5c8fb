"""The app of one person: a link to the house at one end, screens at the other."""

import time
from collections.abc import Callable, Mapping
from typing import ClassVar

import msgspec
from rich.console import RenderableType
from textual.driver import Driver
from textual.screen import Screen
from textual.worker import Worker

from cartino_protocol import __version__
from cartino_protocol.commands import Back, Command, Create, Hello, Join, Keep
from cartino_protocol.link import Link, LinkClosed
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Answer, Bye, HistoryView, Left, ReplayView, RoomView, View, Welcome
from cartino_protocol.wire import VERSION
from cartino_tui import farewell
from cartino_tui.driver.depth import Depth
from cartino_tui.driver.session_app import SessionApp
from cartino_tui.farewell import Farewell
from cartino_tui.games.plug import AnyPlug
from cartino_tui.games.registry import PLUGS
from cartino_tui.intent import Intent, ToLobby, command_of
from cartino_tui.known import Known, moment
from cartino_tui.screens.base import HouseScreen, Quit, Wish
from cartino_tui.screens.lobby import LobbyScreen
from cartino_tui.screens.table import TableScreen
from cartino_tui.screens.waiting import WaitingScreen
from cartino_tui.stage import Stage

_LEFT = {
    "left": "",
    "closed": "The table was closed.",
    "broken": "Sorry: something broke at that table, so it was closed. The others go on.",
    "moved": "Your seat is at your other terminal now; Enter brings it back here.",
}
_BACK = "Welcome back."
_NOT_NEW = "You are back at your table; n in the lobby opens another."
_NO_TABLE = "You are who you were, but no table waits for you any more."


class HouseApp(SessionApp[str]):
    """A visit to the house. Ends with a sentence for the person (maybe "") as its return value, and an exit code.

    The codes: 0 by one's own wish, 1 for another version of the protocol or a crash, 3 when the house or the
    line ended the visit.
    """

    TITLE = "Cartino"
    ALLOW_SELECT: ClassVar[bool] = False
    PAINTS: ClassVar[bool] = True

    def __init__(
        self,
        link: Link,
        intent: Intent | None = None,
        *,
        depth: Depth | None = None,
        driver_class: type[Driver] | None = None,
        ascii: bool = False,
        door: str = "",
        plugs: Mapping[str, AnyPlug] = PLUGS,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """A visit over `link`, straight to where `intent` says.

        `ascii`: the terminal shows no more than ASCII. `door`: the words that bring a friend here, `join CODE`
        left out ("ssh -t example.org"). `plugs`: the games that can be shown. `now`: what
        the clocks of a table go by.
        """
        super().__init__(depth=depth, driver_class=driver_class, ascii=ascii)
        self.link = link
        self.known = Known()
        self.stage = Stage(plugs, ascii, door, now=now)
        self._intent: Intent = intent or ToLobby()
        self._lobby = LobbyScreen(self.stage, self.known)
        self._lobby.quiet = command_of(self._intent) is not None
        self._said_word = False
        """Whether a word was said, and the Welcome that answers it is still to come."""
        self._comes_back = False
        """Whether one is on the way to the table that one was cut off from."""
        self._wanted_new = False
        """Whether that is where one comes instead of to a new table."""

    def get_default_screen(self) -> Screen[None]:
        """The lobby lies under everything."""
        return self._lobby

    def on_mount(self) -> None:
        """Introduce oneself and begin to listen."""
        self.say(Hello(VERSION, f"cartino-tui {__version__}"))
        self.listen()

    def on_unmount(self) -> None:
        """Hang up, whatever the visit ended with."""
        self.link.close()

    def say(self, command: Command) -> None:
        """Say `command` to the house."""
        self._said_word = self._said_word or isinstance(command, Back)
        self.link.send(command)

    def listen(self) -> Worker[None]:
        """Take in what the house says, until it says no more."""
        return self.run_worker(self._listen(), name="listen", exclusive=True)

    async def _listen(self) -> None:
        try:
            while True:
                self.hear(await self.link.receive())
        except LinkClosed:
            self.leave(farewell.closed(self.known, self.stage.door))

    def hear(self, answer: Answer) -> None:
        """Take in one answer."""
        first = self.known.welcome is None
        self.known = self.known.learn(answer)
        self.stage.typeahead.stands(moment(self.known))
        if not isinstance(answer, View) or isinstance(answer, RoomView):
            # Wherever one wanted to go, this is the answer.
            self._lobby.quiet = False
        match answer:
            case Bye():
                self.leave(farewell.farewell(answer, self.known, self.stage.door))
                return
            case Refusal(reason="version"):
                self.leave(farewell.VERSION)
                return
            case Refusal():
                self._refused(answer)
            case Welcome():
                self._welcomed(answer, first=first)
            case RoomView():
                self._at_table(answer)
            case HistoryView() | ReplayView():
                self._answered(answer)
            case Left():
                self._left(answer)
        for screen in self.screen_stack:
            if isinstance(screen, HouseScreen):
                screen.take(self.known)
        if isinstance(self.screen, HouseScreen):
            self.screen.drain()

    def leave(self, words: Farewell) -> None:
        """End the visit with `words`, unless it has ended already."""
        if self.return_code is None:
            self.exit(words.sentence, return_code=words.code)

    def exit(
        self, result: str | None = None, return_code: int = 0, message: RenderableType | None = None
    ) -> None:
        """Say what is still to be said, and end, however it comes to the end: a line that is cut comes this way too."""
        for screen in self.screen_stack:
            command = screen.unsaid() if isinstance(screen, HouseScreen) else None
            if command is not None:
                self.say(command)
        super().exit(result, return_code, message)

    def on_wish(self, message: Wish) -> None:
        """A screen wants something said."""
        self.say(message.command)

    def on_quit(self, message: Quit) -> None:
        """A screen wants to leave."""
        own_wish = message.farewell == Farewell()
        self.leave(farewell.own_wish(self.known, self.stage.door) if own_wish else message.farewell)

    def action_help_quit(self) -> None:
        """Ctrl-C leaves at once, as everywhere in a terminal; a seat in a running game is kept."""
        self.leave(farewell.own_wish(self.known, self.stage.door))

    async def action_quit(self) -> None:
        """Ctrl-Q is the same."""
        self.action_help_quit()

    def _welcomed(self, welcome: Welcome, *, first: bool) -> None:
        if welcome.version != VERSION:
            self.leave(farewell.VERSION)
            return
        said_word, self._said_word = self._said_word, False
        command = command_of(self._intent) if first else None
        if isinstance(command, Create) and welcome.back and not welcome.elsewhere:
            # Whoever connects again in the same way, or in a loop, wants the table that was new then, not one more.
            self._wanted_new, command = True, None
        if command is None and welcome.back and (first or said_word):
            command = Join(welcome.back)
            self._comes_back = self._lobby.quiet = True
        elif said_word:
            self.stage.typeahead.refused("")
            self._lobby.quiet = False
            self._lobby.status = _NO_TABLE
        if command is not None:
            self.stage.typeahead.asked(moment(self.known), command)
            self.say(command)

    def _refused(self, refusal: Refusal) -> None:
        if refusal.to == Keep.__name__:
            return
        self._said_word = self._comes_back = self._wanted_new = False
        self.stage.typeahead.refused(refusal.to)
        for screen in reversed(self.screen_stack):
            if isinstance(screen, HouseScreen) and screen.refused(refusal):
                return

    def _answered(self, answer: HistoryView | ReplayView) -> None:
        """Hand it to the screen that asked; where that has gone, nobody needs it any more."""
        for screen in reversed(self.screen_stack):
            if isinstance(screen, HouseScreen) and screen.answered(answer):
                return

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
        not_new, self._wanted_new = came_back and self._wanted_new, False
        screen.lead = _BACK if came_back else ""
        self.push_screen(screen)
        if not_new:
            screen.notice(_NOT_NEW)

    def _left(self, left: Left) -> None:
        self._in_lobby(_LEFT[left.why])
        if left.why == "moved":
            # Not by itself: two terminals would take the seat from each other for ever.
            self._lobby.mark(left.code)

    def _in_lobby(self, status: str) -> None:
        """Take everything away that lies over the lobby."""
        while self.screen is not self._lobby:
            self.pop_screen()
        self._lobby.status = status
