"""One worker process as the loop sees it: whether it can be asked, and that its end is sure."""

import asyncio
from collections.abc import AsyncIterator
from typing import cast
from unittest.mock import Mock

import pytest
from structlog.testing import capture_logs

from cartino_engine.runner import BotReply, BotRequest, encode_frame
from cartino_protocol.wire import encode
from cartino_server.table.bot_executor import BotFailed, BotProcess, start_bot_process
from tests.support.race import Add
from tests.support.wild_bots import WILD

TIME_LIMIT = 20


@pytest.fixture
async def worker() -> AsyncIterator[BotProcess]:
    """A process with the wild bots, which is gone at the end."""
    started = await start_bot_process(WILD)
    yield started
    started.end()
    await over(started)


async def ask(worker: BotProcess, bot: str, view: bytes = b"") -> BotReply:
    async with asyncio.timeout(TIME_LIMIT):
        return await worker.ask(BotRequest("wild", bot, view, b""))


async def over(worker: BotProcess) -> None:
    async with asyncio.timeout(TIME_LIMIT):
        await worker.ended
    assert not worker.usable


async def test_it_answers_and_can_be_asked_again(worker: BotProcess) -> None:
    for n in (1, 2):
        assert worker.usable
        assert await ask(worker, "adds", str(n).encode()) == BotReply((encode(Add(n)),))


async def test_who_gives_up_ends_it(worker: BotProcess) -> None:
    asking = asyncio.create_task(ask(worker, "loops"))
    await asyncio.sleep(0)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert not worker.usable
    await over(worker)


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


async def test_an_answer_that_comes_while_it_is_given_up_is_no_garbage() -> None:
    """Both in one turn of the loop: the pipe is read, and the asking is cancelled before who asked is told."""
    process = Piped()
    assert process.stdout is not None
    with capture_logs() as logs:
        worker = BotProcess(process)
        asking = asyncio.create_task(ask(worker, "loops"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        process.stdout.feed_data(encode_frame(BotReply(())))
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await over(worker)
    assert logs == []


async def test_ended_it_is_asked_in_vain_and_logs_nothing(worker: BotProcess) -> None:
    with capture_logs() as logs:
        asking = asyncio.create_task(ask(worker, "loops"))
        await asyncio.sleep(0)
        worker.end()
        worker.end()
        with pytest.raises(BotFailed, match=r"^its process was ended by signal 9$"):
            await asking
        with pytest.raises(BotFailed):
            await ask(worker, "adds", b"1")
    assert logs == []


async def test_a_second_answer_ends_it(worker: BotProcess) -> None:
    with capture_logs() as logs:
        assert await ask(worker, "doubles") == BotReply(())
        await over(worker)
    assert [(line["event"], line["why"]) for line in logs] == [
        ("bot_worker_broken", "its process answered with garbage")
    ]


async def test_one_that_closed_its_pipe_is_not_asked_again_though_it_runs(worker: BotProcess) -> None:
    asking = asyncio.create_task(ask(worker, "deafens"))
    async with asyncio.timeout(TIME_LIMIT):
        while worker.usable:
            await asyncio.sleep(0.01)
    assert not worker.ended.done()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking


async def test_its_last_words_are_logged_before_it_counts_as_ended() -> None:
    with capture_logs() as logs:
        worker = await start_bot_process("tests.support.nowhere:BOTS")
        await over(worker)
    said = [line for line in logs if line["event"] == "bot_worker_says"]
    assert said[-1]["kind"] == "ModuleNotFoundError"
    assert {line["where"].partition(":")[0] for line in said} >= {"runner.py", ""}
    assert "nowhere" not in str(logs), "what an error says stays there"
    assert {line["pid"] for line in logs} == {worker.pid}
