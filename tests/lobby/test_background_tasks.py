"""What takes a while is answered, whatever becomes of it, and ends with the server."""

import asyncio
import gc
import inspect
import weakref
from collections.abc import Callable
from contextvars import ContextVar, copy_context

import msgspec
from structlog.testing import capture_logs

from cartino_protocol.commands import Command, Create, Hello, History, Leave
from cartino_protocol.views import Left, TableView, Welcome
from cartino_protocol.wire import VERSION
from cartino_server.limits import ServerConfig
from cartino_server.lobby.background_tasks import BackgroundTasks, Timekeeper
from cartino_server.lobby.people.presence import SeatIndex
from cartino_server.lobby.table_list import Lobby
from cartino_server.server import Server
from cartino_server.store.port import JournalClosed, NotSaved
from cartino_server.table.bot_executor import ThreadExecutor
from cartino_server.table.jobs import BotQuestions
from cartino_server.table.link import Person
from tests.support.game_server import TIME_LIMIT, Guest, Noting, World, new_server
from tests.support.journal import MemoryJournal
from tests.support.race import Add, Steady
from tests.support.scene import turns

ASKED = History("all")


class Asking(Noting):
    """Notes when its command is done."""

    def __init__(self) -> None:
        super().__init__("ann")
        self.done = 0

    def serve_next(self) -> None:
        self.done += 1


async def failing(error: Exception) -> None:
    raise error


async def test_whoever_asked_waits_until_it_is_done() -> None:
    link, tasks, go = Asking(), BackgroundTasks(), asyncio.Event()

    async def work() -> None:
        await go.wait()

    assert tasks.run_for(link, ASKED, work()) is False
    await turns()
    assert link.done == 0
    go.set()
    await turns()
    assert link.done == 1


async def test_what_fails_is_refused_and_a_defect_is_logged() -> None:
    for error, refusal, logged in (
        (NotSaved("the disk is full"), "not-saved", []),
        (JournalClosed("closed"), "not-saved", []),
        (RuntimeError("a bug"), "busy", ["task_failed"]),
    ):
        link = Asking()
        with capture_logs() as logs:
            BackgroundTasks().run_for(link, ASKED, failing(error))
            assert msgspec.structs.astuple(await link.receive()) == (refusal, "", "History")
            await turns()
        assert [line["event"] for line in logs] == logged
        assert link.done == 1


async def test_what_nobody_waits_for_is_logged_too() -> None:
    tasks = BackgroundTasks()
    with capture_logs() as logs:
        tasks.run(failing(NotSaved("the disk is full")))
        tasks.run(failing(RuntimeError("a bug")))
        await turns()
    assert [line["event"] for line in logs] == ["task_not_saved", "task_failed"]


async def test_what_is_under_way_ends_with_the_server() -> None:
    link, tasks = Asking(), BackgroundTasks()
    tasks.run_for(link, ASKED, asyncio.Event().wait())  # type: ignore[arg-type]
    await turns()
    await tasks.stop()
    assert link.done == 1
    await tasks.stop()


async def test_work_that_never_began_is_closed_when_the_server_stops() -> None:
    tasks, works = BackgroundTasks(), [failing(RuntimeError("never raised")) for _ in range(2)]
    tasks.run_for(Asking(), ASKED, works[0])
    tasks.run(works[1])
    await tasks.stop()
    assert [inspect.getcoroutinestate(work) for work in works] == [inspect.CORO_CLOSED] * 2


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


async def test_the_time_is_noted_while_a_clock_runs_and_no_longer(journal: MemoryJournal) -> None:
    time, runs = [100.0], [True]
    background = BackgroundTasks()
    keeper = Timekeeper(journal, lambda: time[0], lambda: runs[0], background, every=0)
    keeper.wake()
    keeper.wake()
    await journal.until(lambda journal: journal.time == 100.0)
    time[0] = 200.0
    await journal.until(lambda journal: journal.time == 200.0)
    runs[0] = False
    await turns()
    time[0] = 300.0
    await turns()
    assert journal.time == 200.0
    runs[0] = True
    keeper.wake()
    await journal.until(lambda journal: journal.time == 300.0)
    await background.stop()


async def test_a_full_disk_or_a_dead_journal_ends_nothing_else(journal: MemoryJournal) -> None:
    background = BackgroundTasks()
    keeper = Timekeeper(journal, lambda: 1.0, lambda: True, background, every=0)
    journal.fail = NotSaved("the disk is full")
    keeper.wake()
    tried = journal.tried
    await journal.until(lambda journal: journal.tried > tried + 1)
    journal.dead = JournalClosed("it was closed")
    await turns()
    await background.stop()
