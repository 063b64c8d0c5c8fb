"""Log lines wait for their reader in a thread of their own: whoever logs never does, least of all the event loop.

A reader may stall and not go away, as a journal that hangs or a terminal that somebody has stopped; to write to it then
takes as long as that lasts. The standard library's QueueListener would write in a thread too; but it waits for its
reader at the end for as long as that takes, and what its full queue does not take is an error with a traceback, written
to that same reader.
"""

import signal
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from queue import Empty, SimpleQueue
from threading import Thread, get_ident
from typing import Final

MOST_WAITING: Final = 4096
"""Lines that wait, a megabyte or so: minutes of a full house."""


class LogQueue:
    """Takes whole lines, and has a thread write them in their order; where too many wait already, a line is lost.

    It is all of a file that loggers need, and raises nothing. Where its thread is gone, as at a process's end and in a
    fork, lines are written by whoever logs.
    """

    def __init__(
        self,
        write: Callable[[str], object],
        *,
        is_terminal: bool = False,
        most: int = MOST_WAITING,
        lose: Callable[[], object] = lambda: None,
        tell: Callable[[int], object] = lambda _lines: None,
    ) -> None:
        """`write(line)` may take as long as it likes, and raises nothing.

        Of more than `most` that wait, `lose()` is told of each; `tell(lines)` how many were lost, once half of those
        that wait have been written, or it ends. It runs in the thread, and may log that: there is room for it.
        """
        self._write = write
        self._is_terminal = is_terminal
        self._most = most
        self._lose = lose
        self._tell = tell
        # Its `put` never waits, not even for another `put` that a signal has interrupted.
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        # Counted in one step, from whichever thread.
        self._losing = count(1)
        self._lost = self._told = 0
        self._told_of: list[str] = []
        """What the thread itself has to say. It never writes while it logs: loggers have one lock for all threads."""
        self._is_closed = False
        # A daemon, for it may never come back from what it writes to.
        self._thread = Thread(target=self._work, name="log", daemon=True)
        self._thread.start()

    def write(self, text: str) -> int:
        """Have one line written; its length."""
        if not self._thread.is_alive():
            self._write(text)
        elif get_ident() == self._thread.ident:
            self._told_of.append(text)
        elif self._is_closed or self._lines.qsize() >= self._most:
            self._lost = next(self._losing)
            self._lose()
        else:
            self._lines.put(text)
        return len(text)

    def flush(self) -> None:
        """Nothing: lines go as soon as they can."""

    def isatty(self) -> bool:
        """Whether a person looks at it."""
        return self._is_terminal

    def close(self, patience: float) -> bool:
        """Wait until all is written, at most `patience` seconds; whether it is. What comes later is written at once.

        Where it is not, what comes later is lost: the reader is as good as gone.
        """
        self._is_closed = True
        self._lines.put(None)
        self._thread.join(patience)
        if self._thread.is_alive():
            return False
        # What another thread had written in the same breath.
        with suppress(Empty):
            while True:
                if (line := self._lines.get_nowait()) is not None:
                    self._write(line)
        return True

    def _work(self) -> None:
        # Signals are for the main thread, which may be waiting for one.
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        while (line := self._lines.get()) is not None:
            self._write(line)
            # While it is nearly full there will be more to tell soon.
            if 2 * self._lines.qsize() <= self._most:
                self._tell_lost()
        self._tell_lost()

    def _tell_lost(self) -> None:
        lost = self._lost - self._told
        if lost > 0:
            self._told += lost
            self._tell(lost)
            while self._told_of:
                self._write(self._told_of.pop(0))
