"""Bots that think in threads and in processes: good ones, and those that raise, loop and take the process down."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import msgspec
import pytest
from structlog.testing import capture_logs

from cartino_protocol.wire import encode
from cartino_server.table.bot_executor import BotExecutor, BotFailed, ProcessExecutor, ThreadExecutor
from tests.support import wild_bots
from tests.support.games import BOTS
from tests.support.race import Add, Pensive, Steady
from tests.support.wild_bots import WILD, About

TIME_LIMIT = 20
HOURS = 3600.0
Executors = Callable[..., ProcessExecutor]


@pytest.fixture
async def executors() -> AsyncIterator[Executors]:
    """Makes minds in processes, with the wild bots unless told otherwise, and closes them at the end."""
    made: list[ProcessExecutor] = []

    def make(bots: str = WILD, most: int = 4, rest: float = HOURS) -> ProcessExecutor:
        executor = ProcessExecutor(bots, most, rest)
        made.append(executor)
        return executor

    yield make
    for executor in made:
        await executor.close()


@pytest.fixture(params=["threads", "processes"])
async def executor(request: pytest.FixtureRequest, executors: Executors) -> BotExecutor:
    return executors() if request.param == "processes" else ThreadExecutor(wild_bots.BOTS)


class Looping:
    """A choice of a bot that loops (or another that tells its process), with the process that it loops in."""

    def __init__(self, folder: Path) -> None:
        self._pipe = folder / f"pipe-{len(list(folder.iterdir()))}"
        os.mkfifo(self._pipe)

    async def begin(self, executor: BotExecutor, bot: str = "loops", time_limit: float = HOURS) -> int:
        """The process's number, now that the bot loops."""
        view = str(self._pipe).encode()
        self.choice = asyncio.create_task(executor.choose("wild", bot, view, b"", time_limit))
        return int(await asyncio.to_thread(self._pipe.read_text))

    async def give_up(self) -> None:
        self.choice.cancel()
        with pytest.raises(asyncio.CancelledError):
            await self.choice


async def chosen(executor: BotExecutor, bot: str, view: bytes = b"", dice: bytes = b"") -> tuple[bytes, ...]:
    async with asyncio.timeout(TIME_LIMIT):
        return await executor.choose("wild", bot, view, dice, HOURS)


async def about(executor: BotExecutor) -> About:
    (answer,) = await chosen(executor, "tells")
    return msgspec.msgpack.decode(answer, type=About)


async def gone(pid: int) -> None:
    """Wait until there is no such process, not even one that nobody has waited for."""
    async with asyncio.timeout(TIME_LIMIT):
        while True:
            try:
                os.kill(pid, 0)
            except ProcessLookupError:
                return
            await asyncio.sleep(0.01)


# Either way.


async def test_the_move_comes_encoded_or_none(executor: BotExecutor) -> None:
    assert await chosen(executor, "adds", b"3") == (encode(Add(3)),)
    assert await chosen(executor, "waits") == ()


async def test_the_dice_belong_to_one_choice(executor: BotExecutor) -> None:
    first = await chosen(executor, "dices", dice=b"seed")
    assert await chosen(executor, "dices", dice=b"else") != first
    assert await chosen(executor, "dices", dice=b"seed") == first


async def test_a_bot_that_raises_says_why_without_its_view(executor: BotExecutor) -> None:
    with pytest.raises(BotFailed, match=r"^ZeroDivisionError \(wild_bots.py:\d+\)$"):
        await chosen(executor, "raises", b"a secret hand")


async def test_a_bot_that_would_end_the_process_does_not(executor: BotExecutor) -> None:
    with pytest.raises(BotFailed, match=r"^SystemExit \("):
        await chosen(executor, "quits")
    assert await chosen(executor, "adds", b"1") == (encode(Add(1)),)


async def test_a_bot_that_is_not_there_has_failed(executor: BotExecutor) -> None:
    with pytest.raises(BotFailed, match=r"^KeyError \("):
        await chosen(executor, "nobody")


# In threads.


async def test_a_slow_bot_holds_up_neither_loop_nor_others() -> None:
    slow, steady = Pensive(), Steady()
    executor = ThreadExecutor({("race", bot.name): bot for bot in (slow, steady)})
    thinking = asyncio.create_task(executor.choose("race", "pensive", b"", b"", HOURS))
    try:
        assert await asyncio.to_thread(slow.asked.wait, TIME_LIMIT)
        assert await executor.choose("race", "steady", b"", b"", HOURS) == (encode(Add(1)),)
        assert not thinking.done()
    finally:
        slow.go.set()
    assert await thinking == (encode(Add(1)),)
    assert threading.get_ident() not in steady.threads
    await executor.close()


def test_who_still_thinks_when_the_loop_is_over_is_left_to_it() -> None:
    """The answer has nowhere to go, and that is nobody's error: an exception in a thread would fail this test."""
    slow = Pensive()
    executor = ThreadExecutor({("race", "pensive"): slow})

    async def begin() -> None:
        thinking = asyncio.create_task(executor.choose("race", "pensive", b"", b"", HOURS))
        assert await asyncio.to_thread(slow.asked.wait, TIME_LIMIT)
        thinking.cancel()

    asyncio.run(begin())
    (thread,) = (thread for thread in threading.enumerate() if thread.name == "bot pensive")
    slow.go.set()
    thread.join(TIME_LIMIT)
    assert (thread.is_alive(), thread.daemon) == (False, True)


# In processes.


async def test_a_bot_that_loops_is_ended_and_the_next_choice_has_a_new_process(
    executors: Executors, tmp_path: Path
) -> None:
    executor, loop = executors(), Looping(tmp_path)
    pid = await loop.begin(executor)
    await loop.give_up()
    assert await chosen(executor, "adds", b"1") == (encode(Add(1)),)
    await gone(pid)


async def test_a_bot_that_thinks_too_long_is_ended_and_has_failed(
    executors: Executors, tmp_path: Path
) -> None:
    executor, loop = executors(), Looping(tmp_path)
    pid = await loop.begin(executor, time_limit=2.0)
    with pytest.raises(BotFailed, match=r"^no move in 2 s$"):
        await loop.choice
    await gone(pid)


async def test_patience_begins_when_the_bot_does(executors: Executors) -> None:
    """Five that loop and a good one at the same moment: it waits longer than any has patience, and answers."""
    executor = executors()
    async with asyncio.timeout(TIME_LIMIT):
        *loops, good = await asyncio.gather(
            *(executor.choose("wild", "loops", b"", b"", 2.0) for _ in range(5)),
            executor.choose("wild", "adds", b"1", b"", 2.0),
            return_exceptions=True,
        )
    assert good == (encode(Add(1)),)
    assert [str(failed) for failed in loops] == ["no move in 2 s"] * 5


async def test_a_thousand_at_once_are_served_in_the_order_of_asking(executors: Executors) -> None:
    """As at a start at which bots are on turn at every table: none is given up for the others before it."""
    executor, served = executors(most=1), []

    async def ask(n: int) -> None:
        assert await executor.choose("wild", "adds", str(n).encode(), b"", TIME_LIMIT / 10) == (
            encode(Add(n)),
        )
        served.append(n)

    async with asyncio.timeout(TIME_LIMIT):
        await asyncio.gather(*(ask(n) for n in range(1000)))
    assert served == list(range(1000))


async def test_a_slow_bot_holds_up_no_other(executors: Executors, tmp_path: Path) -> None:
    executor, slow = executors(), Looping(tmp_path)
    pid = await slow.begin(executor, "blocks")
    assert (await about(executor)).pid != pid
    assert not slow.choice.done()
    await slow.give_up()


async def test_when_all_workers_loop_the_next_waits_until_one_is_given_up(
    executors: Executors, tmp_path: Path
) -> None:
    executor = executors(most=2)
    loops = [Looping(tmp_path), Looping(tmp_path)]
    pids = [await loop.begin(executor) for loop in loops]
    waiting = asyncio.create_task(about(executor))
    await loops[0].give_up()
    assert (await waiting).pid not in pids
    await loops[1].give_up()


async def test_many_choices_at_once_share_few_processes(executors: Executors) -> None:
    executor = executors()
    answers = await asyncio.gather(*(chosen(executor, "adds", str(n).encode()) for n in range(60)))
    assert answers == [(encode(Add(n)),) for n in range(60)]
    pids = {each.pid for each in await asyncio.gather(*(about(executor) for _ in range(12)))}
    assert (1 <= len(pids) <= 4, os.getpid() in pids) == (True, False)


async def test_a_process_that_is_killed_while_its_bot_thinks_fails_that_bot_alone(
    executors: Executors, tmp_path: Path
) -> None:
    executor, loop = executors(), Looping(tmp_path)
    with capture_logs() as logs:
        pid = await loop.begin(executor)
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(BotFailed, match=r"^its process was ended by signal 9$"):
            await loop.choice
    assert [(line["event"], line["pid"]) for line in logs] == [("bot_worker_lost", pid)]
    assert await chosen(executor, "adds", b"1") == (encode(Add(1)),)


async def test_a_bot_that_takes_its_process_down_fails_alone(executors: Executors) -> None:
    executor = executors()
    with capture_logs(), pytest.raises(BotFailed, match=r"^its process ended with 3$"):
        await chosen(executor, "dies")
    assert await chosen(executor, "adds", b"1") == (encode(Add(1)),)


async def test_an_idle_process_that_dies_fails_nobody(executors: Executors) -> None:
    executor = executors()
    pid = (await about(executor)).pid
    with capture_logs() as logs:
        os.kill(pid, signal.SIGKILL)
        async with asyncio.timeout(TIME_LIMIT):
            while not logs:
                await asyncio.sleep(0.01)
    assert [(line["event"], line["pid"]) for line in logs] == [("bot_worker_lost", pid)]
    assert (await about(executor)).pid != pid


async def test_of_idle_processes_all_but_one_end(executors: Executors, tmp_path: Path) -> None:
    executor, slow = executors(rest=0.05), Looping(tmp_path)
    first = await slow.begin(executor)
    second = (await about(executor)).pid
    assert second != first
    await gone(second)
    os.kill(first, signal.SIGKILL)
    with capture_logs(), pytest.raises(BotFailed):
        await slow.choice
    executor = executors(rest=0.05)
    pids = {each.pid for each in await asyncio.gather(*(about(executor) for _ in range(4)))}
    last = (await about(executor)).pid
    for pid in pids - {last}:
        await gone(pid)
    assert (await about(executor)).pid == last


@pytest.mark.parametrize(
    ("bot", "why"),
    [
        ("garbles", "its process answered with garbage"),
        ("floods", "its process wrote without end to the log"),
    ],
)
async def test_a_process_that_talks_nonsense_is_ended(executors: Executors, bot: str, why: str) -> None:
    executor = executors()
    with capture_logs() as logs:
        with pytest.raises(BotFailed, match=f"^{why}$"):
            await chosen(executor, bot)
        assert await chosen(executor, "adds", b"1") == (encode(Add(1)),)
    assert [line["why"] for line in logs if line["event"] == "bot_worker_broken"] == [why]
    assert len(logs) < 40


async def test_what_a_bot_says_is_logged(executors: Executors) -> None:
    executor = executors()
    with capture_logs() as logs:
        assert await chosen(executor, "chatters") == (encode(Add(1)),)
        async with asyncio.timeout(TIME_LIMIT):
            while not logs:
                await asyncio.sleep(0.01)
    assert [(line["event"], line["size"], line["kind"]) for line in logs] == [("bot_worker_says", 11, "")]
    assert "for the log" not in str(logs), "it might be a stone"


async def test_a_process_has_nothing_of_the_server_s(
    executors: Executors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CARTINO_TEST_SECRET", "word")
    with socket.socket() as open_here:
        open_here.set_inheritable(True)
        found = await about(executors())
    allowed = {
        "HOME",
        "PYTHONPATH",
        "LD_LIBRARY_PATH",
        "DYLD_LIBRARY_PATH",
        "LC_CTYPE",
        "__CF_USER_TEXT_ENCODING",
    }
    assert set(found.environ) <= allowed
    assert sorted(found.descriptors) == ["device", "device", "pipe", "pipe", "pipe"]
    assert (found.nice, found.leads) == (min(os.nice(0) + 5, 19), True)


async def test_without_its_bots_every_choice_fails_and_the_log_says_why(executors: Executors) -> None:
    executor = executors("tests.support.nowhere:BOTS")
    with capture_logs() as logs:
        with pytest.raises(BotFailed, match=r"^its process ended with 1$"):
            await chosen(executor, "adds", b"1")
        await executor.close()
    assert "bot_worker_lost" in [line["event"] for line in logs]
    assert [line for line in logs if line.get("kind") == "ModuleNotFoundError"]


async def test_where_no_process_can_be_started_every_choice_fails(
    executors: Executors, monkeypatch: pytest.MonkeyPatch
) -> None:
    executor = executors()
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with capture_logs() as logs, pytest.raises(BotFailed, match=r"^there is no process"):
        await chosen(executor, "adds", b"1")
    assert [line["event"] for line in logs] == ["bot_worker_not_started"]
    monkeypatch.undo()
    assert await chosen(executor, "adds", b"1") == (encode(Add(1)),)


async def test_who_gives_up_while_the_process_starts_leaves_it_to_the_next(executors: Executors) -> None:
    executor = executors()
    hasty = asyncio.create_task(chosen(executor, "adds", b"1"))
    await asyncio.sleep(0)
    hasty.cancel()
    with pytest.raises(asyncio.CancelledError):
        await hasty
    assert await chosen(executor, "adds", b"2") == (encode(Add(2)),)


async def test_the_server_s_own_bots_are_found(executors: Executors) -> None:
    executor = executors("cartino_games.registry:bots")
    for game, bot in BOTS:
        with pytest.raises(BotFailed, match=r"^DecodeError \("):
            await executor.choose(game, bot, b"\xc1", b"", HOURS)


async def test_closed_it_leaves_nothing_behind(tmp_path: Path) -> None:
    await asyncio.to_thread(int)
    before = left_over()
    executor, loop = ProcessExecutor(WILD), Looping(tmp_path)
    looping = await loop.begin(executor)
    idle = (await about(executor)).pid
    with capture_logs() as logs:
        await executor.close()
        with pytest.raises(BotFailed):
            await loop.choice
        await executor.close()
        with pytest.raises(BotFailed):
            await chosen(executor, "adds", b"1")
    for pid in (looping, idle):
        await gone(pid)
    async with asyncio.timeout(TIME_LIMIT):
        while left_over() != before:
            await asyncio.sleep(0.01)
    assert logs == []


SERVER = """
import asyncio, sys
from cartino_server.table.bot_executor import ProcessExecutor

async def serve():
    mind = ProcessExecutor(sys.argv[1])
    await asyncio.gather(*(mind.choose("wild", "holds", pipe.encode(), b"", 3600.0) for pipe in sys.argv[2:]))

asyncio.run(serve())
"""


def test_when_the_server_is_killed_its_looping_bots_end_too(tmp_path: Path) -> None:
    pipes = [tmp_path / "one", tmp_path / "other"]
    for pipe in pipes:
        os.mkfifo(pipe)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", SERVER, WILD, *map(str, pipes)], env=environment) as server:
        try:
            with pipes[0].open() as one, pipes[1].open() as other:
                looping = {int(one.readline()), int(other.readline())}
                assert len(looping - {server.pid}) == 2
                server.kill()
                # Comes back when nobody has the other end open any more.
                assert (one.read(), other.read()) == ("", "")
        finally:
            server.kill()


async def test_closed_while_a_process_starts_it_leaves_nothing_behind() -> None:
    before = left_over()
    executor = ProcessExecutor(WILD)
    choice = asyncio.create_task(chosen(executor, "adds", b"1"))
    await asyncio.sleep(0)
    await executor.close()
    with pytest.raises(BotFailed):
        await choice
    async with asyncio.timeout(TIME_LIMIT):
        while left_over() != before:
            await asyncio.sleep(0.01)


def left_over() -> tuple[int, int, set[str]]:
    """Open descriptors, tasks, and threads that are not the loop's own."""
    threads = {each.name for each in threading.enumerate() if not each.name.startswith("asyncio_")}
    return len(os.listdir("/dev/fd")), len(asyncio.all_tasks()), threads
