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
from typing import cast
from unittest.mock import Mock

import msgspec
import pytest
from structlog.testing import capture_logs

from cartino_engine.runner import BotReply, BotRequest, encode_frame
from cartino_protocol.wire import encode
from cartino_server.table.bot_executor import (
    BotExecutor,
    BotFailed,
    BotProcess,
    ProcessExecutor,
    ThreadExecutor,
    start_bot_process,
)
from tests.support import wild_bots
from tests.support.games import BOTS
from tests.support.race import Add, Pensive
from tests.support.wild_bots import WILD, About

TIME_LIMIT = 20
HOURS = 3600.0
Executors = Callable[..., ProcessExecutor]


@pytest.fixture
async def executors() -> AsyncIterator[Executors]:
    """Makes executors in processes, with the wild bots by default, and closes them at the end."""
    made: list[ProcessExecutor] = []

    def make(bots: str = WILD, most: int = 4, rest: float = HOURS) -> ProcessExecutor:
        made.append(ProcessExecutor(bots, most, rest))
        return made[-1]

    yield make
    for executor in made:
        await executor.close()


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
        await give_up(self.choice)


async def give_up(asking: asyncio.Task[object]) -> None:
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking


async def chosen(executor: BotExecutor, bot: str, view: bytes = b"", dice: bytes = b"") -> tuple[bytes, ...]:
    async with asyncio.timeout(TIME_LIMIT):
        return await executor.choose("wild", bot, view, dice, HOURS)


async def is_well(executor: BotExecutor) -> bool:
    return await chosen(executor, "adds", b"1") == (encode(Add(1)),)


async def about(executor: BotExecutor) -> About:
    (answer,) = await chosen(executor, "tells")
    return msgspec.msgpack.decode(answer, type=About)


async def until(check: Callable[[], object]) -> None:
    async with asyncio.timeout(TIME_LIMIT):
        while not check():
            await asyncio.sleep(0.01)


async def gone(pid: int) -> None:
    """Wait until there is no such process, not even one that nobody has waited for."""

    def is_gone() -> bool:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        return False

    await until(is_gone)


@pytest.mark.parametrize("kind", ["threads", "processes"])
async def test_a_choice_comes_encoded_and_a_bot_that_fails_says_why(kind: str, executors: Executors) -> None:
    executor = executors() if kind == "processes" else ThreadExecutor(wild_bots.BOTS)
    assert await chosen(executor, "adds", b"3") == (encode(Add(3)),)
    assert await chosen(executor, "waits") == ()
    first = await chosen(executor, "dices", dice=b"seed")
    assert await chosen(executor, "dices", dice=b"else") != first
    assert await chosen(executor, "dices", dice=b"seed") == first
    for bot, why in (
        ("raises", r"^ZeroDivisionError \(wild_bots.py:\d+\)$"),
        ("quits", r"^SystemExit \("),
        ("nobody", r"^KeyError \("),
    ):
        with pytest.raises(BotFailed, match=why):
            await chosen(executor, bot, b"a secret hand")
    assert await is_well(executor)


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


class TestProcesses:
    @pytest.mark.parametrize("time_limit", [HOURS, 2.0])
    async def test_a_bot_that_loops_is_ended_when_its_time_is_up_or_nobody_waits(
        self, executors: Executors, tmp_path: Path, time_limit: float
    ) -> None:
        executor, loop = executors(), Looping(tmp_path)
        pid = await loop.begin(executor, time_limit=time_limit)
        if time_limit == HOURS:
            await loop.give_up()
        else:
            with pytest.raises(BotFailed, match=r"^no move in 2 s$"):
                await loop.choice
        assert await is_well(executor)
        await gone(pid)

    async def test_its_time_begins_when_the_bot_does(self, executors: Executors) -> None:
        """One that loops and a good one at the same moment: it waits longer than it has time, and answers."""
        executor = executors(most=1)
        async with asyncio.timeout(TIME_LIMIT):
            loops, good = await asyncio.gather(
                executor.choose("wild", "loops", b"", b"", 2.0),
                executor.choose("wild", "adds", b"1", b"", 1.5),
                return_exceptions=True,
            )
        assert (str(loops), good) == ("no move in 2 s", (encode(Add(1)),))

    async def test_a_thousand_at_once_are_served_in_the_order_of_asking(self, executors: Executors) -> None:
        """As at a start at which bots are on turn at every table: none is given up for the others before it."""
        executor, served = executors(most=1), []

        async def ask(n: int) -> None:
            move = await executor.choose("wild", "adds", str(n).encode(), b"", TIME_LIMIT / 10)
            assert move == (encode(Add(n)),)
            served.append(n)

        async with asyncio.timeout(TIME_LIMIT):
            await asyncio.gather(*(ask(n) for n in range(1000)))
        assert served == list(range(1000))

    async def test_a_slow_bot_holds_up_no_other_until_all_processes_are_slow(
        self, executors: Executors, tmp_path: Path
    ) -> None:
        executor = executors(most=2)
        loops = [Looping(tmp_path), Looping(tmp_path)]
        pids = [await loops[0].begin(executor, "blocks")]
        assert (await about(executor)).pid != pids[0]
        pids.append(await loops[1].begin(executor))
        waiting = asyncio.create_task(about(executor))
        await asyncio.sleep(0)
        assert not loops[0].choice.done()
        await loops[0].give_up()
        assert (await waiting).pid not in pids
        await loops[1].give_up()

    async def test_a_process_that_is_killed_fails_its_bot_alone_and_idle_nobody(
        self, executors: Executors, tmp_path: Path
    ) -> None:
        executor, loop = executors(), Looping(tmp_path)
        with capture_logs() as logs:
            pid = await loop.begin(executor)
            os.kill(pid, signal.SIGKILL)
            with pytest.raises(BotFailed, match=r"^its process was ended by signal 9$"):
                await loop.choice
            idle = (await about(executor)).pid
            os.kill(idle, signal.SIGKILL)
            await until(lambda: len(logs) == 2)
        assert [(line["event"], line["pid"]) for line in logs] == [
            ("bot_worker_lost", pid),
            ("bot_worker_lost", idle),
        ]
        assert (await about(executor)).pid not in (pid, idle)

    async def test_of_idle_processes_all_but_one_end(self, executors: Executors) -> None:
        executor = executors(rest=0.05)
        pids = {each.pid for each in await asyncio.gather(*(about(executor) for _ in range(4)))}
        last = (await about(executor)).pid
        for pid in pids - {last}:
            await gone(pid)
        assert (await about(executor)).pid == last

    @pytest.mark.parametrize(
        ("bot", "why", "event"),
        [
            ("garbles", "its process answered with garbage", "bot_worker_broken"),
            ("floods", "its process wrote without end to the log", "bot_worker_broken"),
            ("dies", "its process ended with 3", "bot_worker_lost"),
        ],
    )
    async def test_a_bot_that_spoils_its_process_fails_alone(
        self, executors: Executors, bot: str, why: str, event: str
    ) -> None:
        executor = executors()
        with capture_logs() as logs:
            with pytest.raises(BotFailed, match=f"^{why}$"):
                await chosen(executor, bot)
            assert await is_well(executor)
        assert [line["why"] for line in logs if line["event"] == event] == [why]
        assert len(logs) < 40

    async def test_a_process_has_nothing_of_the_server_s(
        self, executors: Executors, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("CARTINO_TEST_SECRET", "word")
        with socket.socket() as open_here:
            open_here.set_inheritable(True)
            found = await about(executors())
        allowed = {"HOME", "PYTHONPATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LC_CTYPE"}
        assert set(found.environ) <= {*allowed, "__CF_USER_TEXT_ENCODING"}
        assert sorted(found.descriptors) == ["device", "device", "pipe", "pipe", "pipe"]
        assert (found.nice, found.leads) == (min(os.nice(0) + 5, 19), True)

    async def test_where_no_process_can_be_started_every_choice_fails(
        self, executors: Executors, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        executor = executors()
        monkeypatch.setattr(sys, "executable", "/no/such/python")
        with capture_logs() as logs, pytest.raises(BotFailed, match=r"^there is no process"):
            await is_well(executor)
        assert [line["event"] for line in logs] == ["bot_worker_not_started"]
        monkeypatch.undo()
        assert await is_well(executor)

    async def test_who_gives_up_while_the_process_starts_leaves_it_to_the_next(
        self, executors: Executors
    ) -> None:
        executor = executors()
        hasty = asyncio.create_task(is_well(executor))
        await asyncio.sleep(0)
        await give_up(hasty)
        assert await is_well(executor)

    async def test_the_server_s_own_bots_are_found(self, executors: Executors) -> None:
        executor = executors("cartino_games.registry:bots")
        for game, bot in BOTS:
            with pytest.raises(BotFailed, match=r"^DecodeError \("):
                await executor.choose(game, bot, b"\xc1", b"", HOURS)

    @pytest.mark.parametrize("is_starting", [False, True])
    async def test_closed_it_leaves_nothing_behind(self, tmp_path: Path, is_starting: bool) -> None:
        await asyncio.to_thread(int)
        before = left_over()
        executor, loop = ProcessExecutor(WILD), Looping(tmp_path)
        pids: list[int] = []
        if is_starting:
            choice: asyncio.Task[object] = asyncio.create_task(is_well(executor))
            await asyncio.sleep(0)
        else:
            pids = [await loop.begin(executor), (await about(executor)).pid]
            choice = loop.choice
        with capture_logs() as logs:
            await executor.close()
            with pytest.raises(BotFailed):
                await choice
            await executor.close()
            with pytest.raises(BotFailed):
                await is_well(executor)
        for pid in pids:
            await gone(pid)
        await until(lambda: left_over() == before)
        assert logs == []


SERVER = """
import asyncio, sys
from cartino_server.table.bot_executor import ProcessExecutor

async def serve():
    executor = ProcessExecutor(sys.argv[1])
    await asyncio.gather(*(executor.choose("wild", "holds", pipe.encode(), b"", 3600.0) for pipe in sys.argv[2:]))

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


def left_over() -> tuple[int, int, set[str]]:
    """Open descriptors, tasks, and threads that are not the loop's own."""
    threads = {each.name for each in threading.enumerate() if not each.name.startswith("asyncio_")}
    return len(os.listdir("/dev/fd")), len(asyncio.all_tasks()), threads


class Piped(asyncio.subprocess.Process):
    """A process whose pipes the test fills."""

    def __init__(self) -> None:
        self.pid = 1
        self.stdin = cast("asyncio.StreamWriter", Mock())
        self.stdout, self.stderr = asyncio.StreamReader(), asyncio.StreamReader()
        self._over = asyncio.Event()

    @property
    def returncode(self) -> int | None:
        return -9 if self._over.is_set() else None

    async def wait(self) -> int:
        await self._over.wait()
        return -9

    def kill(self) -> None:
        for pipe in (self.stdout, self.stderr):
            assert pipe is not None
            pipe.feed_eof()
        self._over.set()


class TestOneProcess:
    @pytest.fixture
    async def worker(self) -> AsyncIterator[BotProcess]:
        """A process with the wild bots, which is gone at the end."""
        started = await start_bot_process(WILD)
        yield started
        started.end()
        await self.over(started)

    async def ask(self, worker: BotProcess, bot: str) -> BotReply:
        async with asyncio.timeout(TIME_LIMIT):
            return await worker.ask(BotRequest("wild", bot, b"", b""))

    async def over(self, worker: BotProcess) -> None:
        async with asyncio.timeout(TIME_LIMIT):
            await worker.ended
        assert not worker.usable

    async def test_an_answer_that_comes_while_it_is_given_up_is_no_garbage(self) -> None:
        """Both in one turn of the loop: the pipe is read before the one who asked is cancelled."""
        process = Piped()
        assert process.stdout is not None
        with capture_logs() as logs:
            worker = BotProcess(process)
            asking = asyncio.create_task(self.ask(worker, "loops"))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            process.stdout.feed_data(encode_frame(BotReply(())))
            await give_up(asking)
            await self.over(worker)
        assert logs == []

    async def test_a_second_answer_ends_it(self, worker: BotProcess) -> None:
        with capture_logs() as logs:
            assert await self.ask(worker, "doubles") == BotReply(())
            await self.over(worker)
        assert [(line["event"], line["why"]) for line in logs] == [
            ("bot_worker_broken", "its process answered with garbage")
        ]

    async def test_one_that_closed_its_pipe_is_not_asked_again_though_it_runs(
        self, worker: BotProcess
    ) -> None:
        asking = asyncio.create_task(self.ask(worker, "deafens"))
        await until(lambda: not worker.usable)
        assert not worker.ended.done()
        await give_up(asking)

    async def test_its_last_words_are_logged_before_it_counts_as_ended(self) -> None:
        with capture_logs() as logs:
            worker = await start_bot_process("tests.support.nowhere:BOTS")
            await self.over(worker)
        said = [line for line in logs if line["event"] == "bot_worker_says"]
        assert said[-1]["kind"] == "ModuleNotFoundError"
        assert {line["where"].partition(":")[0] for line in said} >= {"runner.py", ""}
        assert "nowhere" not in str(logs), "what an error says stays there"
        assert {line["pid"] for line in logs} == {worker.pid}
