"""A thread that has a hand on the journal for itself: it takes tasks from the loop and answers them there."""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterable, Sequence
from queue import Empty, SimpleQueue
from typing import Any, Protocol

import msgspec

from cartino_server.store.port import JournalDead

MOST_AT_ONCE = 500
"""Tasks that a hand gets together."""


class Task(msgspec.Struct, frozen=True, eq=False):
    """Work for a thread, which gets what its hand holds, and who waits for what it returns."""

    work: Callable[[Any], Any]
    answer: asyncio.Future[Any]


Answer = tuple[Task, Any, Exception | None]


class Hand(Protocol):
    """What a worker does in its thread; nothing of it is called anywhere else."""

    def settle(self, tasks: Sequence[Task]) -> list[Answer]:
        """Do the tasks, in order. What it raises nobody foresaw, and it ends the journal."""

    def rest(self, *, last: bool) -> None:
        """What is done once the tasks are answered; `last`: there will be none any more."""

    def close(self) -> None:
        """Give back what was held."""


class Trust:
    """Whether the journal can be trusted still; all its threads share it."""

    def __init__(self, dead: Callable[[Exception], object]) -> None:
        """`dead(error)` is called once, on the running loop, when it no longer can."""
        self._dead = dead
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._why = ""

    @property
    def lost(self) -> bool:
        """Whether nothing may be done any more."""
        return self._why != ""

    def lose(self, error: Exception) -> None:
        """From now on every task is refused; only the first error counts."""
        with self._lock:
            if self._why:
                return
            self._why = str(error) or type(error).__name__
        self.call(lambda: self._dead(error))

    def refuse(self, tasks: Iterable[Task]) -> list[Answer]:
        """The answers of a journal that is lost."""
        return [(task, None, JournalDead(self._why)) for task in tasks]

    def call(self, what: Callable[[], object]) -> None:
        """Do `what` on the loop; one that has ended has nobody who waits."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(what)


class Worker:
    """Runs a hand in a thread of its own, until `end`."""

    def __init__(self, name: str, hand: Hand, trust: Trust) -> None:
        """Start the thread."""
        self._hand = hand
        self._trust = trust
        self._tasks: SimpleQueue[Task | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """How many tasks nobody has begun yet."""
        return self._tasks.qsize()

    async def do(self, work: Callable[[Any], Any]) -> Any:
        """Have the work done; what it returned. Raises what went wrong.

        Whoever is cancelled here no longer hears of the work, but it is done.
        """
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._tasks.put(Task(work, answer))
        return await answer

    async def end(self) -> None:
        """Finish what was given and end the thread."""
        self._tasks.put(None)
        await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        more = True
        while more:
            tasks, more = self._take()
            self._work(tasks, last=not more)
        try:
            self._hand.close()
        except Exception as error:
            self._trust.lose(error)

    def _work(self, tasks: Sequence[Task], *, last: bool) -> None:
        try:
            self._answer(self._trust.refuse(tasks) if self._trust.lost else self._hand.settle(tasks))
            if not self._trust.lost:
                self._hand.rest(last=last)
        except Exception as error:
            # Whatever it was (no memory, say), nobody knows what was done. Who was answered isn't asked again.
            self._trust.lose(error)
            self._answer(self._trust.refuse(tasks))

    def _take(self) -> tuple[list[Task], bool]:
        """Everything that waits, at least one; and whether there is to be more after it."""
        tasks: list[Task] = []
        with contextlib.suppress(Empty):
            task = self._tasks.get()
            while task is not None:
                tasks.append(task)
                if len(tasks) == MOST_AT_ONCE:
                    return tasks, True
                task = self._tasks.get_nowait()
            return tasks, False
        return tasks, True

    def _answer(self, answers: Sequence[Answer]) -> None:
        if answers:
            self._trust.call(lambda: _give(answers))


def _give(answers: Sequence[Answer]) -> None:
    for task, result, error in answers:
        if task.answer.done():
            continue
        if error is None:
            task.answer.set_result(result)
        else:
            task.answer.set_exception(error)
