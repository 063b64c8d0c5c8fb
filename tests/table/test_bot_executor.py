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

PATIENCE = 20
HOURS = 3600.0
Minds = Callable[..., ProcessExecutor]


@pytest.fixture
async def minds() -> AsyncIterator[Minds]:
    """Makes minds in processes, with the wild bots unless told otherwise, and closes them at the end."""
    made: list[ProcessExecutor] = []

    def make(bots: str = WILD, most: int = 4, rest: float = HOURS) -> ProcessExecutor:
        mind = ProcessExecutor(bots, most, rest)
        made.append(mind)
        return mind

    yield make
    for mind in made:
        await mind.close()


@pytest.fixture(params=["threads", "processes"])
async def mind(request: pytest.FixtureRequest, minds: Minds) -> BotExecutor:
    return minds() if request.param == "processes" else ThreadExecutor(wild_bots.BOTS)


class Looping:
    """A choice of a bot that loops (or another that tells its process), with the process that it loops in."""

    def __init__(self, folder: Path) -> None:
        self._pipe = folder / f"pipe-{len(list(folder.iterdir()))}"
        os.mkfifo(self._pipe)

    async def begin(self, mind: BotExecutor, bot: str = "loops", patience: float = HOURS) -> int:
        """The process's number, now that the bot loops."""
        view = str(self._pipe).encode()
        self.choice = asyncio.create_task(mind.choose("wild", bot, view, b"", patience))
        return int(await asyncio.to_thread(self._pipe.read_text))

    async def give_up(self) -> None:
        self.choice.cancel()
        with pytest.raises(asyncio.CancelledError):
            await self.choice


async def chosen(mind: BotExecutor, bot: str, view: bytes = b"", dice: bytes = b"") -> bytes | None:
    async with asyncio.timeout(PATIENCE):
        return await mind.choose("wild", bot, view, dice, HOURS)


async def about(mind: BotExecutor) -> About:
    answer = await chosen(mind, "tells")
    assert answer is not None
    return msgspec.msgpack.decode(answer, type=About)


async def gone(pid: int) -> None:
    """Wait until there is no such process, not even one that nobody has waited for."""
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                os.kill(pid, 0)
            except ProcessLookupError:
                return
            await asyncio.sleep(0.01)


# Either way.


async def test_the_move_comes_encoded_or_none(mind: BotExecutor) -> None:
    assert await chosen(mind, "adds", b"3") == encode(Add(3))
    assert await chosen(mind, "waits") is None


async def test_the_dice_belong_to_one_choice(mind: BotExecutor) -> None:
    first = await chosen(mind, "dices", dice=b"seed")
    assert await chosen(mind, "dices", dice=b"else") != first
    assert await chosen(mind, "dices", dice=b"seed") == first


async def test_a_bot_that_raises_says_why_without_its_view(mind: BotExecutor) -> None:
    with pytest.raises(BotFailed, match=r"^ZeroDivisionError \(wild_bots.py:\d+\)$"):
        await chosen(mind, "raises", b"a secret hand")


async def test_a_bot_that_would_end_the_process_does_not(mind: BotExecutor) -> None:
    with pytest.raises(BotFailed, match=r"^SystemExit \("):
        await chosen(mind, "quits")
    assert await chosen(mind, "adds", b"1") == encode(Add(1))


async def test_a_bot_that_is_not_there_has_failed(mind: BotExecutor) -> None:
    with pytest.raises(BotFailed, match=r"^KeyError \("):
        await chosen(mind, "nobody")


# In threads.


async def test_a_slow_bot_holds_up_neither_loop_nor_others() -> None:
    slow, steady = Pensive(), Steady()
    mind = ThreadExecutor({("race", bot.name): bot for bot in (slow, steady)})
    thinking = asyncio.create_task(mind.choose("race", "pensive", b"", b"", HOURS))
    try:
        assert await asyncio.to_thread(slow.asked.wait, PATIENCE)
        assert await mind.choose("race", "steady", b"", b"", HOURS) == encode(Add(1))
        assert not thinking.done()
    finally:
        slow.go.set()
    assert await thinking == encode(Add(1))
    assert threading.get_ident() not in steady.threads
    await mind.close()


def test_who_still_thinks_when_the_loop_is_over_is_left_to_it() -> None:
    """The answer has nowhere to go, and that is nobody's error: an exception in a thread would fail this test."""
    slow = Pensive()
    mind = ThreadExecutor({("race", "pensive"): slow})

    async def begin() -> None:
        thinking = asyncio.create_task(mind.choose("race", "pensive", b"", b"", HOURS))
        assert await asyncio.to_thread(slow.asked.wait, PATIENCE)
        thinking.cancel()

    asyncio.run(begin())
    (thread,) = (thread for thread in threading.enumerate() if thread.name == "bot pensive")
    slow.go.set()
    thread.join(PATIENCE)
    assert (thread.is_alive(), thread.daemon) == (False, True)


# In processes.


async def test_a_bot_that_loops_is_ended_and_the_next_choice_has_a_new_process(
    minds: Minds, tmp_path: Path
) -> None:
    mind, loop = minds(), Looping(tmp_path)
    pid = await loop.begin(mind)
    await loop.give_up()
    assert await chosen(mind, "adds", b"1") == encode(Add(1))
    await gone(pid)


async def test_a_bot_that_thinks_too_long_is_ended_and_has_failed(minds: Minds, tmp_path: Path) -> None:
    mind, loop = minds(), Looping(tmp_path)
    pid = await loop.begin(mind, patience=2.0)
    with pytest.raises(BotFailed, match=r"^no move in 2 s$"):
        await loop.choice
    await gone(pid)


async def test_patience_begins_when_the_bot_does(minds: Minds) -> None:
    """Five that loop and a good one at the same moment: it waits longer than any has patience, and answers."""
    mind = minds()
    async with asyncio.timeout(PATIENCE):
        *loops, good = await asyncio.gather(
            *(mind.choose("wild", "loops", b"", b"", 2.0) for _ in range(5)),
            mind.choose("wild", "adds", b"1", b"", 2.0),
            return_exceptions=True,
        )
    assert good == encode(Add(1))
    assert [str(failed) for failed in loops] == ["no move in 2 s"] * 5


async def test_a_thousand_at_once_are_served_in_the_order_of_asking(minds: Minds) -> None:
    """As at a start at which bots are on turn at every table: none is given up for the others before it."""
    mind, served = minds(most=1), []

    async def ask(n: int) -> None:
        assert await mind.choose("wild", "adds", str(n).encode(), b"", PATIENCE / 10) == encode(Add(n))
        served.append(n)

    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*(ask(n) for n in range(1000)))
    assert served == list(range(1000))


async def test_a_slow_bot_holds_up_no_other(minds: Minds, tmp_path: Path) -> None:
    mind, slow = minds(), Looping(tmp_path)
    pid = await slow.begin(mind, "blocks")
    assert (await about(mind)).pid != pid
    assert not slow.choice.done()
    await slow.give_up()


async def test_when_all_workers_loop_the_next_waits_until_one_is_given_up(
    minds: Minds, tmp_path: Path
) -> None:
    mind = minds(most=2)
    loops = [Looping(tmp_path), Looping(tmp_path)]
    pids = [await loop.begin(mind) for loop in loops]
    waiting = asyncio.create_task(about(mind))
    await loops[0].give_up()
    assert (await waiting).pid not in pids
    await loops[1].give_up()


async def test_many_choices_at_once_share_few_processes(minds: Minds) -> None:
    mind = minds()
    answers = await asyncio.gather(*(chosen(mind, "adds", str(n).encode()) for n in range(60)))
    assert answers == [encode(Add(n)) for n in range(60)]
    pids = {each.pid for each in await asyncio.gather(*(about(mind) for _ in range(12)))}
    assert (1 <= len(pids) <= 4, os.getpid() in pids) == (True, False)


async def test_a_process_that_is_killed_while_its_bot_thinks_fails_that_bot_alone(
    minds: Minds, tmp_path: Path
) -> None:
    mind, loop = minds(), Looping(tmp_path)
    with capture_logs() as logs:
        pid = await loop.begin(mind)
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(BotFailed, match=r"^its process was ended by signal 9$"):
            await loop.choice
    assert [(line["event"], line["pid"]) for line in logs] == [("bot_worker_lost", pid)]
    assert await chosen(mind, "adds", b"1") == encode(Add(1))


async def test_a_bot_that_takes_its_process_down_fails_alone(minds: Minds) -> None:
    mind = minds()
    with capture_logs(), pytest.raises(BotFailed, match=r"^its process ended with 3$"):
        await chosen(mind, "dies")
    assert await chosen(mind, "adds", b"1") == encode(Add(1))


async def test_an_idle_process_that_dies_fails_nobody(minds: Minds) -> None:
    mind = minds()
    pid = (await about(mind)).pid
    with capture_logs() as logs:
        os.kill(pid, signal.SIGKILL)
        async with asyncio.timeout(PATIENCE):
            while not logs:
                await asyncio.sleep(0.01)
    assert [(line["event"], line["pid"]) for line in logs] == [("bot_worker_lost", pid)]
    assert (await about(mind)).pid != pid


async def test_of_idle_processes_all_but_one_end(minds: Minds, tmp_path: Path) -> None:
    mind, slow = minds(rest=0.05), Looping(tmp_path)
    first = await slow.begin(mind)
    second = (await about(mind)).pid
    assert second != first
    await gone(second)
    os.kill(first, signal.SIGKILL)
    with capture_logs(), pytest.raises(BotFailed):
        await slow.choice
    mind = minds(rest=0.05)
    pids = {each.pid for each in await asyncio.gather(*(about(mind) for _ in range(4)))}
    last = (await about(mind)).pid
    for pid in pids - {last}:
        await gone(pid)
    assert (await about(mind)).pid == last


@pytest.mark.parametrize(
    ("bot", "why"),
    [
        ("garbles", "its process answered with garbage"),
        ("floods", "its process wrote without end to the log"),
    ],
)
async def test_a_process_that_talks_nonsense_is_ended(minds: Minds, bot: str, why: str) -> None:
    mind = minds()
    with capture_logs() as logs:
        with pytest.raises(BotFailed, match=f"^{why}$"):
            await chosen(mind, bot)
        assert await chosen(mind, "adds", b"1") == encode(Add(1))
    assert [line["why"] for line in logs if line["event"] == "bot_worker_broken"] == [why]
    assert len(logs) < 40


async def test_what_a_bot_says_is_logged(minds: Minds) -> None:
    mind = minds()
    with capture_logs() as logs:
        assert await chosen(mind, "chatters") == encode(Add(1))
        async with asyncio.timeout(PATIENCE):
            while not logs:
                await asyncio.sleep(0.01)
    assert [(line["event"], line["size"], line["kind"]) for line in logs] == [("bot_worker_says", 11, "")]
    assert "for the log" not in str(logs), "it might be a stone"


async def test_a_process_has_nothing_of_the_server_s(minds: Minds, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CARTINO_TEST_SECRET", "word")
    with socket.socket() as open_here:
        open_here.set_inheritable(True)
        found = await about(minds())
    allowed = {"PYTHONPATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LC_CTYPE", "__CF_USER_TEXT_ENCODING"}
    assert set(found.environ) <= allowed
    assert sorted(found.descriptors) == ["device", "device", "pipe", "pipe", "pipe"]
    assert (found.nice, found.leads) == (min(os.nice(0) + 5, 19), True)


async def test_without_its_bots_every_choice_fails_and_the_log_says_why(minds: Minds) -> None:
    mind = minds("tests.support.nowhere:BOTS")
    with capture_logs() as logs:
        with pytest.raises(BotFailed, match=r"^its process ended with 1$"):
            await chosen(mind, "adds", b"1")
        await mind.close()
    assert "bot_worker_lost" in [line["event"] for line in logs]
    assert [line for line in logs if line.get("kind") == "ModuleNotFoundError"]


async def test_where_no_process_can_be_started_every_choice_fails(
    minds: Minds, monkeypatch: pytest.MonkeyPatch
) -> None:
    mind = minds()
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with capture_logs() as logs, pytest.raises(BotFailed, match=r"^there is no process"):
        await chosen(mind, "adds", b"1")
    assert [line["event"] for line in logs] == ["bot_worker_not_started"]
    monkeypatch.undo()
    assert await chosen(mind, "adds", b"1") == encode(Add(1))


async def test_who_gives_up_while_the_process_starts_leaves_it_to_the_next(minds: Minds) -> None:
    mind = minds()
    hasty = asyncio.create_task(chosen(mind, "adds", b"1"))
    await asyncio.sleep(0)
    hasty.cancel()
    with pytest.raises(asyncio.CancelledError):
        await hasty
    assert await chosen(mind, "adds", b"2") == encode(Add(2))


async def test_the_house_s_own_bots_are_found(minds: Minds) -> None:
    mind = minds("cartino_games.registry:bots")
    for game, bot in BOTS:
        with pytest.raises(BotFailed, match=r"^DecodeError \("):
            await mind.choose(game, bot, b"\xc1", b"", HOURS)


async def test_closed_it_leaves_nothing_behind(tmp_path: Path) -> None:
    await asyncio.to_thread(int)
    before = left_over()
    mind, loop = ProcessExecutor(WILD), Looping(tmp_path)
    looping = await loop.begin(mind)
    idle = (await about(mind)).pid
    with capture_logs() as logs:
        await mind.close()
        with pytest.raises(BotFailed):
            await loop.choice
        await mind.close()
        with pytest.raises(BotFailed):
            await chosen(mind, "adds", b"1")
    for pid in (looping, idle):
        await gone(pid)
    async with asyncio.timeout(PATIENCE):
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
    mind = ProcessExecutor(WILD)
    choice = asyncio.create_task(chosen(mind, "adds", b"1"))
    await asyncio.sleep(0)
    await mind.close()
    with pytest.raises(BotFailed):
        await choice
    async with asyncio.timeout(PATIENCE):
        while left_over() != before:
            await asyncio.sleep(0.01)


def left_over() -> tuple[int, int, set[str]]:
    """Open descriptors, tasks, and threads that are not the loop's own."""
    threads = {each.name for each in threading.enumerate() if not each.name.startswith("asyncio_")}
    return len(os.listdir("/dev/fd")), len(asyncio.all_tasks()), threads
