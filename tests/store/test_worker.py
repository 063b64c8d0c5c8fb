"""A worker answers whoever asked, whatever its hand comes to, and ends the journal rather than fall silent."""

import asyncio
import threading
from collections.abc import Sequence
from typing import Literal

import pytest

from cartino_server.store.port import JournalDead
from cartino_server.store.worker import Answer, Task, Trust, Worker

Part = Literal["settle", "rest", "close", ""]


class Clumsy:
    """A hand that returns what its tasks return, and has no memory left in one `part`."""

    def __init__(self, part: Part = "") -> None:
        self.part = part
        self.done: list[str] = []

    def settle(self, tasks: Sequence[Task]) -> list[Answer]:
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
    worker = Worker("hand", hand, Trust(deaths.append))
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
    trust = Trust(deaths.append)
    hand = Clumsy("settle")
    worker, other = Worker("hand", hand, trust), Worker("other", Clumsy(), trust)
    for _ in range(3):
        with pytest.raises(JournalDead, match="MemoryError"):
            await worker.do(lambda _: 1)
    with pytest.raises(JournalDead, match="MemoryError"):
        await other.do(lambda _: 1)
    await worker.end()
    await other.end()
    assert [type(death) for death in deaths] == [MemoryError]
    # It is not tried again.
    assert hand.done == ["settle", "close"]


async def test_an_answer_that_was_given_stays() -> None:
    died = asyncio.Event()
    worker = Worker("hand", Clumsy("rest"), Trust(lambda error: died.set()))
    assert await worker.do(lambda _: 1) == 1
    await died.wait()
    with pytest.raises(JournalDead):
        await worker.do(lambda _: 1)
    await worker.end()


async def test_a_hand_that_can_t_let_go_is_told_too() -> None:
    deaths: list[Exception] = []
    worker = Worker("hand", Clumsy("close"), Trust(deaths.append))
    await worker.end()
    await asyncio.sleep(0)  # what the thread called on the loop is done
    assert [type(death) for death in deaths] == [MemoryError]
