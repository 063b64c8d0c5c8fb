"""Write log lines to stderr without ever blocking the event loop or raising.

A reader of stderr may stall, so serving processes write in a thread; when its queue is full, lines are dropped and
counted. QueueListener of the standard library waits for such a reader at exit and reports a full queue to it.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from queue import Empty, SimpleQueue
from threading import Thread, get_ident
from typing import Final, TextIO

import structlog

from cartino_server.metrics.definitions import LOG_LINES_LOST

MAX_QUEUED_LINES: Final = 4096
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
        most: int = MAX_QUEUED_LINES,
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


_WRITE_ERRORS: Final = (OSError, ValueError)
"""What writing raises: its reader has gone, its disk is full; ValueError where it was closed here."""
FLUSH_SECONDS: Final = 2.0
"""Seconds that lines have to go out at the end of a process. All else is put away by then: no move waits for it."""

_queue: LogQueue | None = None
"""Where this process's lines wait, while it has them do so."""


class SafeStream:
    """Writes to a text stream what that takes, and raises nothing. It is all of a file that loggers need."""

    def __init__(self, stream: TextIO | None) -> None:
        """Write to `stream`; where there is none, as in a process begun without stderr, nowhere."""
        self._stream = stream

    def write(self, text: str) -> int:
        """Write `text`, if that can be; its length."""
        if self._stream is not None:
            with suppress(*_WRITE_ERRORS):
                self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Let what was written go on its way, if it can."""
        if self._stream is not None:
            with suppress(*_WRITE_ERRORS):
                self._stream.flush()

    def isatty(self) -> bool:
        """Whether a person looks at it."""
        with suppress(*_WRITE_ERRORS):
            return self._stream is not None and self._stream.isatty()
        return False


def log_stderr() -> SafeStream | LogQueue:
    """The process's stderr, as it is now; or where lines wait for it."""
    return _queue or SafeStream(sys.stderr)


@contextmanager
def nonblocking_stderr(patience: float = FLUSH_SECONDS) -> Iterator[None]:
    """`stderr` takes lines and holds nobody up meanwhile, however long its reader does.

    At the end they have `patience` seconds to go out. It is for processes that serve others: elsewhere whoever reads
    stderr is whom it is for.
    """
    global _queue  # noqa: PLW0603 - there is one stderr
    try:
        descriptor = sys.stderr.fileno()
    except (AttributeError, *_WRITE_ERRORS):
        # There is none, or it is something that a test reads.
        yield
        return
    _queue = LogQueue(
        _descriptor_writer(descriptor, sys.stderr),
        is_terminal=sys.stderr.isatty(),
        most=MAX_QUEUED_LINES,
        lose=LOG_LINES_LOST.add,
        tell=_log_lost_lines,
    )
    try:
        yield
    finally:
        close_queue(patience)


def close_queue(patience: float) -> None:
    """Give lines that still wait `patience` seconds to go out. Where that isn't enough, nothing more is said on stderr.

    From now on lines go there at once, where they can.
    """
    global _queue
    queue, _queue = _queue, None
    if queue is not None and not queue.close(patience):
        # A last sentence would wait for the same reader, and the process with it.
        with suppress(*_WRITE_ERRORS):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stderr.fileno())
            os.close(nowhere)


def _descriptor_writer(descriptor: int, stream: TextIO) -> Callable[[str], object]:
    """What writes lines to `descriptor` as `stream` would.

    Past the stream itself: a thread that never comes back from it would keep its lock, and whoever else uses that,
    Python's own end among them.
    """

    def write(text: str) -> None:
        with suppress(*_WRITE_ERRORS):
            data = text.encode(stream.encoding, stream.errors or "backslashreplace")
            while data:
                data = data[os.write(descriptor, data) :]

    return write


def _log_lost_lines(lines: int) -> None:
    structlog.get_logger(__name__).warning("log lines were lost, their reader was too slow", lines=lines)
