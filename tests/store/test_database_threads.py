"""The writer's thread answers every task, whatever fails, and ends the journal rather than fall silent."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, TypeVar

import pytest

from cartino_server.store.database import open_writer
from cartino_server.store.database_threads import FailureLatch, ReaderThread, WriterThread
from cartino_server.store.hash_chain import HeadFile
from cartino_server.store.journal_writer import JournalWriter
from cartino_server.store.port import JournalClosed

T = TypeVar("T")


class Clumsy(JournalWriter):
    """A writer that runs out of memory in one `part`."""

    def __init__(self, data: Path, part: Literal["transact", "release", "close", ""] = "") -> None:
        super().__init__(open_writer(data / "journal.db"), HeadFile(data / "heads", bytes(16)), 0.0)
        self.part = part
        self.done: list[str] = []

    def transact(self, works: Sequence[Callable[[JournalWriter], T]]) -> list[T]:
        self._step("transact")
        return super().transact(works)

    def release(self) -> None:
        self._step("release")

    def close(self) -> None:
        super().close()
        self._step("close")

    def _step(self, part: str) -> None:
        self.done.append(part)
        if part == self.part:
            raise MemoryError


async def test_what_the_work_returns_is_the_answer(tmp_path: Path) -> None:
    deaths: list[Exception] = []
    writer = Clumsy(tmp_path)
    thread = WriterThread(writer, FailureLatch(deaths.append))
    assert await thread.do(lambda _: 1) == 1
    assert await thread.do(lambda held: held) is writer
    last = asyncio.ensure_future(thread.do(lambda _: threading.current_thread().name))
    await asyncio.sleep(0)  # the task has asked
    await thread.end()
    assert await last == "journal"
    assert deaths == []
    assert writer.done[-1] == "close"


async def test_what_nobody_foresaw_ends_the_journal_and_all_who_ask_are_told(tmp_path: Path) -> None:
    deaths: list[Exception] = []
    latch = FailureLatch(deaths.append)
    writer = Clumsy(tmp_path, "transact")
    thread = WriterThread(writer, latch)
    reader = ReaderThread(open_writer(tmp_path / "journal.db"), latch)
    for _ in range(3):
        with pytest.raises(JournalClosed, match="MemoryError"):
            await thread.do(lambda _: 1)
    with pytest.raises(JournalClosed, match="MemoryError"):
        await reader.do(lambda _: 1)
    await thread.end()
    await reader.end()
    assert [type(death) for death in deaths] == [MemoryError]
    # It is not tried again.
    assert writer.done == ["transact", "close"]


async def test_an_answer_that_was_given_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cartino_server.store.database_threads.CHECKPOINT_PAGES", 0)
    died = asyncio.Event()
    thread = WriterThread(Clumsy(tmp_path, "release"), FailureLatch(lambda error: died.set()))
    assert await thread.do(lambda _: 1) == 1
    await died.wait()
    with pytest.raises(JournalClosed):
        await thread.do(lambda _: 1)
    await thread.end()


async def test_a_writer_that_can_t_be_closed_is_told_too(tmp_path: Path) -> None:
    deaths: list[Exception] = []
    thread = WriterThread(Clumsy(tmp_path, "close"), FailureLatch(deaths.append))
    await thread.end()
    await asyncio.sleep(0)  # what the thread called on the loop is done
    assert [type(death) for death in deaths] == [MemoryError]
