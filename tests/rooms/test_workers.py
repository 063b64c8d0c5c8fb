"""One worker process as the loop sees it: whether it can be asked, and that its end is sure."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from structlog.testing import capture_logs

from cartino_protocol.wire import encode
from cartino_server.bots.choosing import Choice
from cartino_server.bots.frames import Question, frame
from cartino_server.rooms.workers import Worker, WorkerLost, start_worker
from tests.support.race import Add
from tests.support.wild_bots import WILD

PATIENCE = 20


@pytest.fixture
async def worker() -> AsyncIterator[Worker]:
    """A process with the wild bots, which is gone at the end."""
    started = await start_worker(WILD)
    yield started
    started.end()
    await over(started)


async def ask(worker: Worker, bot: str, view: bytes = b"") -> Choice:
    async with asyncio.timeout(PATIENCE):
        return await worker.ask(Question("wild", bot, view, b""))


async def over(worker: Worker) -> None:
    async with asyncio.timeout(PATIENCE):
        await worker.ended
    assert not worker.usable


async def test_it_answers_and_can_be_asked_again(worker: Worker) -> None:
    for n in (1, 2):
        assert worker.usable
        assert await ask(worker, "adds", str(n).encode()) == Choice(encode(Add(n)))


async def test_who_gives_up_ends_it(worker: Worker) -> None:
    asking = asyncio.create_task(ask(worker, "loops"))
    await asyncio.sleep(0)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert not worker.usable
    await over(worker)


async def test_an_answer_that_comes_while_it_is_given_up_is_no_garbage(worker: Worker) -> None:
    """Both in one turn of the loop: the asking is cancelled, then the pipe is read, then who asked is told."""
    with capture_logs() as logs:
        asking = asyncio.create_task(ask(worker, "loops"))
        await asyncio.sleep(0)
        asking.cancel()
        worker.pipe_data_received(1, frame(Choice(None)))
        with pytest.raises(asyncio.CancelledError):
            await asking
        await over(worker)
    assert logs == []


async def test_ended_it_is_asked_in_vain_and_logs_nothing(worker: Worker) -> None:
    with capture_logs() as logs:
        asking = asyncio.create_task(ask(worker, "loops"))
        await asyncio.sleep(0)
        worker.end()
        worker.end()
        with pytest.raises(WorkerLost, match=r"^its process was ended by signal 9$"):
            await asking
        with pytest.raises(WorkerLost):
            await ask(worker, "adds", b"1")
    assert logs == []


async def test_a_second_answer_ends_it(worker: Worker) -> None:
    with capture_logs() as logs:
        assert await ask(worker, "doubles") == Choice(None)
        await over(worker)
    assert [(line["event"], line["why"]) for line in logs] == [
        ("bot_worker_broken", "its process answered with garbage")
    ]


async def test_one_that_closed_its_pipe_is_not_asked_again_though_it_runs(worker: Worker) -> None:
    asking = asyncio.create_task(ask(worker, "deafens"))
    async with asyncio.timeout(PATIENCE):
        while worker.usable:
            await asyncio.sleep(0.01)
    assert not worker.ended.done()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking


async def test_its_last_words_are_logged_before_it_counts_as_ended() -> None:
    with capture_logs() as logs:
        worker = await start_worker("tests.support.nowhere:BOTS")
        await over(worker)
    said = [line for line in logs if line["event"] == "bot_worker_says"]
    assert said[-1]["kind"] == "ModuleNotFoundError"
    assert {line["where"].partition(":")[0] for line in said} >= {"worker.py", ""}
    assert "nowhere" not in str(logs), "what an error says stays there"
    assert {line["pid"] for line in logs} == {worker.pid}
