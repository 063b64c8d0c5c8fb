"""A worker answers whoever asked, whatever its hand comes to, and ends the journal rather than fall silent."""

import asyncio
import threading
from collections.abc import Sequence
from typing import Literal

import pytest

from cartino_server.store.database_threads import DatabaseTask, DatabaseThread, FailureLatch, TaskResult
from cartino_server.store.port import JournalClosed

Part = Literal["settle", "rest", "close", ""]


class Clumsy:
    """A hand that returns what its tasks return, and has no memory left in one `part`."""

    def __init__(self, part: Part = "") -> None:
        self.part = part
        self.done: list[str] = []

    def settle(self, tasks: Sequence[DatabaseTask]) -> list[TaskResult]:
        self._step("settle")
        return [(task, task.work(self), None) for task in tasks]

    def rest(self, *, last: bool) -> None:
        self._step("rest")

    def close(self) -> None:
        self._step("close")

    def _step(self, part: Part) -> None:
        self.done.append(part)
        if part == self.part:
            raise MemoryError


async def test_what_the_work_returns_is_the_answer() -> None:
    deaths: list[Exception] = []
    hand = Clumsy()
    worker = DatabaseThread("hand", hand, FailureLatch(deaths.append))
    assert await worker.do(lambda _: 1) == 1
    assert await worker.do(lambda held: held) is hand
    last = asyncio.ensure_future(worker.do(lambda _: threading.current_thread().name))
    await asyncio.sleep(0)  # the task has asked
    await worker.end()
    assert await last == "hand"
    assert deaths == []
    assert hand.done[-1] == "close"


async def test_what_nobody_foresaw_ends_the_journal_and_all_who_ask_are_told() -> None:
    deaths: list[Exception] = []
    trust = FailureLatch(deaths.append)
    hand = Clumsy("settle")
    worker, other = DatabaseThread("hand", hand, trust), DatabaseThread("other", Clumsy(), trust)
    for _ in range(3):
        with pytest.raises(JournalClosed, match="MemoryError"):
            await worker.do(lambda _: 1)
    with pytest.raises(JournalClosed, match="MemoryError"):
        await other.do(lambda _: 1)
    await worker.end()
    await other.end()
    assert [type(death) for death in deaths] == [MemoryError]
    # It is not tried again.
    assert hand.done == ["settle", "close"]


async def test_an_answer_that_was_given_stays() -> None:
    died = asyncio.Event()
    worker = DatabaseThread("hand", Clumsy("rest"), FailureLatch(lambda error: died.set()))
    assert await worker.do(lambda _: 1) == 1
    await died.wait()
    with pytest.raises(JournalClosed):
        await worker.do(lambda _: 1)
    await worker.end()


async def test_a_hand_that_can_t_let_go_is_told_too() -> None:
    deaths: list[Exception] = []
    worker = DatabaseThread("hand", Clumsy("close"), FailureLatch(deaths.append))
    await worker.end()
    await asyncio.sleep(0)  # what the thread called on the loop is done
    assert [type(death) for death in deaths] == [MemoryError]
