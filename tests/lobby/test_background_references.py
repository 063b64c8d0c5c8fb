"""What the server starts for itself keeps nothing alive that belongs to whoever made it necessary.

Textual holds the running app in a context variable, and a task or a timer copies the context that it is made in. So
people speak here from a context that holds something of theirs, and the test listens for them from its own.
"""

import asyncio
import gc
import weakref
from collections.abc import Callable
from contextvars import ContextVar, copy_context

from cartino_protocol.commands import Command, Create, Hello, Leave
from cartino_protocol.views import Left, TableView, Welcome
from cartino_protocol.wire import VERSION
from cartino_server.limits import ServerConfig
from cartino_server.lobby.people.presence import SeatIndex
from cartino_server.lobby.table_list import Lobby
from cartino_server.server import Server
from cartino_server.table.bot_executor import ThreadExecutor
from cartino_server.table.jobs import BotQuestions
from cartino_server.table.link import Person
from tests.support.game_server import TIME_LIMIT, Guest, World, new_server
from tests.support.race import Add, Steady

HOURS = 3600.0
LASTING = ServerConfig(bot_pause=HOURS, empty_after=HOURS, lobby_every=HOURS, unused_after=HOURS)
WITH_BOT = Create("race", {"goal": "9"}, bots=("steady",))

Servers = Callable[[Server], Server]


class App:
    """Stands for what a session's context holds."""


APP: ContextVar[App] = ContextVar("app")


class Session:
    """A context that holds an app, until it is over."""

    def __init__(self) -> None:
        app = App()
        self._app = weakref.ref(app)
        self.context = copy_context()
        self.context.run(APP.set, app)

    def over(self) -> bool:
        """Let go of the context; whether nothing is left of the app."""
        del self.context
        gc.collect()
        return self._app() is None


class Visitor(Guest):
    """Somebody who comes in and speaks from the context of a session."""

    def __init__(self, server: Server, session: Session) -> None:
        super().__init__(session.context.run(server.open_link, Person("id-ann", "ann")))
        self._session = session

    def say(self, *commands: Command) -> None:
        self._session.context.run(super().say, *commands)

    def hang_up(self) -> None:
        self._session.context.run(self.link.close)


def test_a_session_that_is_held_shows() -> None:
    session = Session()
    holder = session.context.copy()
    assert not session.over()
    del holder


async def test_a_table_its_bots_and_its_timer_forget_who_opened_it(world: World, servers: Servers) -> None:
    server, session = servers(new_server(world, LASTING)), Session()
    ann = Visitor(server, session)
    await ann.ask(Hello(VERSION), Welcome)
    await ann.ask(WITH_BOT, TableView)
    await ann.act(Add(1))
    await ann.wait(TableView, lambda view: view.turn == (1,))
    await ann.ask(Leave(), Left)
    ann.hang_up()
    assert session.over()
    assert [line.turn for line in server.services.remote_tables.tables_for("id-ann")] == [(1,)]


async def test_the_timer_of_the_list_forgets_who_set_it() -> None:
    session = Session()
    lists: list[int] = []

    def people() -> int:
        lists.append(1)
        return 1

    lobby = Lobby(HOURS, people, SeatIndex())
    lobby.touch()
    async with asyncio.timeout(TIME_LIMIT):
        while not lists:
            await asyncio.sleep(0)
    session.context.run(lobby.touch)
    assert session.over()
    lobby.close()


async def test_a_bot_forgets_who_set_it_to_work() -> None:
    session = Session()
    executor = ThreadExecutor({("race", "steady"): Steady()})
    thinker = BotQuestions(executor, "race", lambda *_: b"", HOURS, lambda _: None)
    session.context.run(thinker.begin, "steady", 0, 1, b"view", HOURS)
    assert session.over()
    assert thinker.busy(0)
    thinker.stop()
