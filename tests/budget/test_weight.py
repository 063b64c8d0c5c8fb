"""What a session and a start weigh: tasks, timers, objects, statements. Nothing here is measured by a clock.

A bound leaves about a quarter of slack to what was counted when it was set. One that breaks is a regression, or
something that is worth its weight: then say so in the commit that raises it.
"""

import asyncio
import contextlib
import gc
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import msgspec
import pytest
from asyncssh import SSHServerChannel, SSHServerConnection
from textual.screen import Screen

from bench.keys import DOWN, UP
from bench.parked import park
from bench.server import MeasuredServer
from bench.tables import PICK, Table, all_quiet, on_turn, open_table
from bench.terminal import Terminal
from bench.visitors import Guest, Visitors, connect, visiting
from cartino_protocol import wire
from cartino_protocol.commands import Hello
from cartino_protocol.wire import frame_bytes
from cartino_server.ssh.session import Session
from cartino_server.ssh.subsystem import Subsystem
from cartino_server.store.port import StoredGame
from cartino_server.table.link import ServerLink
from cartino_server.table.restoring import restore
from cartino_server.table.state import TableState
from cartino_server.workers.proxy import Channel
from cartino_server.workers.remote_server import RemoteLink
from tests.support.deals import NOON, DealServer
from tests.support.open_listener import open_listener

pytestmark = pytest.mark.e2e


TASKS = (
    "Worker._run",  # takes in what the server says
    *("PaintedScreen._process_messages",) * 2,  # of the lobby and of the table
    "Session._serve",  # in which the app runs
    "ConnectionManager._serve",
)
"""The tasks of a session at a table."""
KEYS = 400
KEPT_A_KEY = 1
"""Memory blocks that may stay of a cursor key when the same ones have been pressed before: none, but for some two
hundred that come and go with the loop's cancelled timers."""


OF_A_SESSION = (
    *(SSHServerConnection, SSHServerChannel, Session, ServerLink),
    *(Screen, RemoteLink, Channel, Subsystem),
)


class Inside(msgspec.Struct, frozen=True):
    """A server in this process, and whoever visits it."""

    server: MeasuredServer
    visitors: Visitors

    async def table(self, *names: str) -> Table:
        """A table where so many play; nothing moves there any more."""
        table = await open_table(self.visitors, names)
        await all_quiet(table.players.values())
        return table


@pytest.fixture(params=["server", "worker"])
async def server(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Inside]:
    """A server whose own door it is, and one with the way to a worker between."""
    async with (
        open_listener(tmp_path, worker=request.param == "worker") as server,
        visiting(server) as visitors,
    ):
        yield Inside(server, visitors)


def tasks() -> Counter[str]:
    """The tasks that run now, by what they do."""
    return Counter(task.get_coro().__qualname__ for task in asyncio.all_tasks())  # type: ignore[union-attr]


async def test_a_session_is_five_tasks(server: Inside) -> None:
    await server.table("ann", "bob")
    before = tasks()
    await server.table("cid", "dan")
    # The last of them is the table's own.
    await comes_to(lambda: tasks() - before, Counter((*2 * TASKS, "TableTask.run")))


async def test_an_idle_table_waits_for_nothing_but_the_next_question_whether_the_client_is_there(
    server: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Comings and goings expire, and the lobby tells of many new tables at once, a little later."""
    monkeypatch.setattr("cartino_tui.screens.chat.PASSING_SECONDS", 0.05)
    await server.table("ann", "bob")
    await server.table("cid", "dan")
    await comes_to(waiting, Counter({"SSHConnection._keepalive_timer_callback": 4}))


def waiting() -> Counter[str]:
    """What the loop does next or later by itself."""
    loop: Any = asyncio.get_running_loop()
    handles = (*loop._ready, *loop._scheduled)
    return Counter(handle._callback.__qualname__ for handle in handles if not handle.cancelled())


async def comes_to(count: Callable[[], Counter[str]], expected: Counter[str]) -> None:
    """Give the loop turns until the `count` is as `expected`: how many it needs depends on the machine."""
    given_up = time.monotonic() + 30
    while count() != expected and time.monotonic() < given_up:
        await asyncio.sleep(0.005)
    assert count() == expected


async def holding(server: Inside) -> Terminal:
    """The terminal of somebody with a stone in hand, who has pressed every key that is pressed later."""
    terminal = (await on_turn(server.visitors, await server.table("ann", "bob"))).terminal
    terminal.press(PICK)
    await terminal.answered()
    await press(terminal, 40)
    return terminal


async def press(terminal: Terminal, times: int) -> None:
    """Press up and down in turn so many times, each when the one before was answered."""
    for number in range(times):
        terminal.press(UP if number % 2 else DOWN)
        await terminal.answered()


@contextmanager
def uncollected() -> Iterator[None]:
    """Nothing is freed meanwhile that is not free by itself."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


async def test_a_cursor_key_leaves_nothing_behind(server: Inside) -> None:
    terminal = await holding(server)
    with uncollected():
        await terminal.quiet()
        before = sys.getallocatedblocks()
        await press(terminal, KEYS)
        await terminal.quiet()
        gc.collect()  # Python keeps some blocks at hand that are free
        kept = sys.getallocatedblocks() - before
    assert kept / KEYS < KEPT_A_KEY


def close(guest: Guest) -> None:
    guest.connection.close()


def cut(guest: Guest) -> None:
    guest.connection.abort()


@pytest.mark.parametrize("leave", [close, cut])
async def test_who_has_left_is_free_at_once(server: Inside, leave: Callable[[Guest], None]) -> None:
    with uncollected():
        table = await server.table("ann", "bob")
        assert of_sessions() > Counter()
        for guest in table.players.values():
            leave(guest)
        await comes_to(lambda: tasks() & Counter(TASKS), Counter())
        await comes_to(of_sessions, Counter())


async def test_a_client_that_draws_at_home_is_two_tasks_and_free_at_once_when_it_has_left(
    server: Inside,
) -> None:
    with uncollected():
        before = tasks()
        async with await connect(server.server, "ann") as ann:
            line = await ann.create_process(subsystem="cartino", encoding=None)
            line.stdin.write(frame_bytes(wire.encode(Hello(wire.VERSION))))
            assert await line.stdout.read(1)
            await comes_to(lambda: tasks() - before, Counter(("Session._serve", "ConnectionManager._serve")))
            assert {"ServerLink": 1, "Subsystem": 1}.items() <= of_sessions().items()
        del line, ann
        await comes_to(of_sessions, Counter())


def of_sessions() -> Counter[str]:
    """What there is of sessions, by type."""
    return Counter(type(found).__name__ for found in gc.get_objects() if isinstance(found, OF_A_SESSION))


PARKED = 150
STATEMENTS = 120
"""Of both databases, with those of the schema checks and of what the server begins to do in the background."""


@contextlib.contextmanager
def counted_statements() -> Iterator[list[str]]:
    """Record the statements of all connections that are opened in the block."""
    found: list[str] = []

    def trace(_cursor: apsw.Cursor, statement: str, _values: object) -> bool:
        found.append(statement)
        return True

    def watch(connection: apsw.Connection) -> None:
        connection.exec_trace = trace

    apsw.connection_hooks.append(watch)
    try:
        yield found
    finally:
        apsw.connection_hooks.remove(watch)


async def statements_of_a_start(data: Path, parked: int) -> int:
    """Return how many statements a start beside `parked` parked games takes; it restores the one open table."""
    data.mkdir(mode=0o700)
    await park(data, parked + 1, now=NOON)
    server = DealServer(data)
    with counted_statements() as found:
        await server.start()
        count = len(found)
    assert len(list(server.server.services.registry)) == 1
    assert len(await server.journal.parked()) == parked
    await server.stop()
    return count


async def test_a_start_does_nothing_for_each_parked_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    restored: list[int] = []

    def counted(kept: StoredGame, *others: Any) -> TableState:
        restored.append(kept.game)
        return restore(kept, *others)

    monkeypatch.setattr("cartino_server.lobby.table_registry.restore", counted)
    assert await statements_of_a_start(tmp_path / "data", PARKED) <= STATEMENTS < PARKED
    assert len(restored) == 1, "the open table"
