"""People who look at one table on terminals of their own, each through a session, a face and an app, as over ssh.

Only the network and the server are made up: the first is an emulator, the second tells what it is told to tell.
"""

import asyncio
from typing import Any, Final, cast

from cartino_protocol.base import Seat
from cartino_protocol.commands import Act, Command, Hello, Leave, Say
from cartino_protocol.views import ChatView, Left, TableView
from cartino_server.limits import SessionLimits
from cartino_server.ssh.ports import CommandMode, TerminalChannel
from cartino_server.ssh.session import Session
from cartino_server.visitors import LoginResult, Visitor
from cartino_tui.app import CartinoApp
from cartino_tui.draw.theme import theme_of
from cartino_tui.terminal.colour_depth import colour_depth_of
from cartino_tui.terminal.painter import inks
from cartino_tui.terminal.textual_handler import TextualHandler
from cartino_tui.widgets.app_screen import AppScreen
from tests.support.emulated import Emulated, rows_of
from tests.support.games import ROLES, SCREENS
from tests.support.visit import ScriptedLink, lobby, welcome

WHERE_IS_THE_CURSOR: Final = b"\x1b[6n"
AT_THE_THIRD_CELL: Final = b"\x1b[1;3R"


class Channel:
    """The server's end of a channel to an emulator, which takes all at once, until the channel is closed."""

    def __init__(self, person: "Person") -> None:
        self._person = person

    def write(self, data: bytes) -> None:
        self._person.sees(data)

    def is_closing(self) -> bool:
        return self._person.has_left

    def get_write_buffer_size(self) -> int:
        return 0

    def exit(self, status: int) -> None:
        pass

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass


class Connection:
    """A connection on which nothing waits."""

    _transport = None


class Person:
    """Somebody with a terminal. `you` is their seat, None for one who looks on."""

    def __init__(self, term: str, you: Seat | None) -> None:
        """Come in, and sit at the table as soon as one is told of."""
        self.you = you
        self.size = (80, 24)
        self.takes = True
        self.has_left = False
        self.wants: list[Command] = []
        """What the server has not answered."""
        self.link = ScriptedLink(self._said)
        self._terminal = Emulated(*self.size)
        depth = colour_depth_of(term, {})
        # What is drawn for somebody who has chosen no look.
        self._inks = inks(theme_of("felt", depth="256", roles=ROLES), depth)
        self._apps: list[CartinoApp] = []
        visitor = Visitor("id", "person", "ann", False)
        verdict: asyncio.Future[LoginResult] = asyncio.get_running_loop().create_future()
        verdict.set_result(LoginResult("person"))
        self.session = Session(visitor, cast(Any, self), cast(Any, Connection()), verdict, SessionLimits())
        self.session.connection_made(cast(Any, Channel(self)))
        self.session.pty_requested(term, (*self.size, 0, 0), None)
        self.session.session_started()

    # -- as the reception

    def mode(self, words: object) -> CommandMode:
        return "screen"

    def handler(self, visitor: Visitor, terminal: TerminalChannel, words: object) -> TextualHandler:
        return TextualHandler(terminal, self._make_app)

    def _make_app(self, **kwargs: Any) -> CartinoApp:
        self._apps.append(CartinoApp(self.link, game_screens=SCREENS, **kwargs))
        return self._apps[0]

    # -- as the terminal

    def sees(self, data: bytes) -> None:
        """Show what the session sends; say where the cursor is, when asked."""
        self._terminal.send(data.decode())
        if WHERE_IS_THE_CURSOR in data:
            asyncio.get_running_loop().call_soon(self.session.data_received, AT_THE_THIRD_CELL, None)

    def resize(self, *sizes: tuple[int, int]) -> None:
        """Have one size after the other, at once; until the last is drawn, frames of the old size still come."""
        self._terminal.is_lenient(True)
        for self.size in sizes:
            self._terminal.resize(*self.size)
            self.session.terminal_size_changed(*self.size, 0, 0)

    def type(self, data: bytes) -> None:
        """Press keys."""
        self.session.data_received(data, None)

    def stop_or_go_on(self) -> None:
        """Take nothing more, or again."""
        self.takes = not self.takes
        if self.takes:
            self.session.resume_writing()
        else:
            self.session.pause_writing()

    # -- as the server

    def _said(self, command: Command) -> None:
        if isinstance(command, Hello):
            self.link.tell(welcome(), lobby())
        else:
            self.wants.append(command)

    def answer(self, table: TableView, chat: ChatView) -> None:
        """Answer what was said: a move with `table`, talk with `chat`, leaving with the lobby, else with `table`."""
        asked, self.wants = self.wants, []
        for command in asked:
            if isinstance(command, Leave):
                self.link.tell(Left("left"), lobby())
            elif isinstance(command, Say):
                self.link.tell(chat)
            elif isinstance(command, Act) or self.at_table:
                self.link.tell(table)
            else:
                self.link.tell(table, chat)

    # -- as the test

    @property
    def screen(self) -> AppScreen | None:
        """The screen in front."""
        app = self._apps[0] if self._apps else None
        # An app that has ended is taken apart before its session ends, and has not even this any more.
        runs = getattr(app, "_running", False)
        front = app.screen if app is not None and runs and app.screen_stack else None
        return front if isinstance(front, AppScreen) else None

    @property
    def is_gone(self) -> bool:
        """Whether they have left the server, by their own keys."""
        task = self.session.task
        return task is not None and task.done()

    @property
    def at_table(self) -> bool:
        """Whether that is not the lobby."""
        return bool(self._apps) and len(self._apps[0].screen_stack) > 1

    @property
    def is_still(self) -> bool:
        """Whether all that was typed, told and resized is done, but for what waits for an answer."""
        screen = self.screen
        if screen is None or not screen.is_mounted:
            return False
        if self.takes and screen.shown[:2] != self.size:
            # Nothing is drawn for a terminal that takes nothing.
            return False
        app = self._apps[0]
        driver = cast(Any, app._driver)
        waits = (
            driver._inflow._bytes or driver._inflow._events or driver._unsent or self.session.feed._resizing
        )
        waits = waits or (driver._layouts is not None and driver._layouts._newest is not None)
        waits = waits or app._resize_timer or app._next_callbacks or screen._next_callbacks
        waits = waits or app.message_queue_size or screen.message_queue_size
        return not waits and self.link.all_heard

    def holds(self) -> bool:
        """Whether every cell is as the screen's frame has it."""
        assert self.screen is not None
        same = self._terminal.rows() == rows_of(self.screen.shown, self._inks)
        if same:
            self._terminal.is_lenient(False)
        return same

    async def leave(self) -> None:
        """Hang up, if that is still to be done."""
        self.has_left = True
        self.session.connection_lost(None)
        assert self.session.task is not None
        async with asyncio.timeout(30):
            await self.session.task
