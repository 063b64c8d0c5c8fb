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
"""About a megabyte: minutes of a full server."""


class LogQueue:
    """A file for loggers whose lines a thread writes in order; a line is lost when too many wait. Never raises.

    If the thread is gone, as in a fork, lines are written at once.
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
        """`write(line)` may block and never raises; `lose()` is called for each line beyond `most`.

        `tell(lines)` is called in the thread with the number lost, once the queue is half empty or ends; it may log.
        """
        self._write = write
        self._is_terminal = is_terminal
        self._most = most
        self._lose = lose
        self._tell = tell
        # Its `put` is reentrant: a signal handler may log.
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        # Counting is atomic.
        self._losing = count(1)
        self._lost = self._told = 0
        self._told_of: list[str] = []
        """Lines logged by the thread itself, written afterwards: loggers share one lock."""
        self._is_closed = False
        # A daemon, since a write may never return.
        self._thread = Thread(target=self._work, name="log", daemon=True)
        self._thread.start()

    def write(self, text: str) -> int:
        """Queue a line; return its length."""
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
        """Do nothing; lines are written as soon as possible."""

    def isatty(self) -> bool:
        """Return whether the stream is a terminal."""
        return self._is_terminal

    def close(self, time_limit: float) -> bool:
        """Wait at most `time_limit` seconds until all lines are written; return whether they are.

        Later lines are written at once, or lost if this failed.
        """
        self._is_closed = True
        self._lines.put(None)
        self._thread.join(time_limit)
        if self._thread.is_alive():
            return False
        # Lines that other threads queued meanwhile.
        with suppress(Empty):
            while True:
                if (line := self._lines.get_nowait()) is not None:
                    self._write(line)
        return True

    def _work(self) -> None:
        # Signals are for the main thread.
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        while (line := self._lines.get()) is not None:
            self._write(line)
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
"""Errors of a write: no reader, a full disk; ValueError for a closed file."""
FLUSH_SECONDS: Final = 2.0
"""Longest wait for lines to be written when a process ends."""

_queue: LogQueue | None = None
"""The queue of this process, if it has one."""


class SafeStream:
    """A file for loggers that writes to a text stream and never raises."""

    def __init__(self, stream: TextIO | None) -> None:
        """Write to `stream`; drop everything if it is None, as in a process without stderr."""
        self._stream = stream

    def write(self, text: str) -> int:
        """Write `text` if possible; return its length."""
        if self._stream is not None:
            with suppress(*_WRITE_ERRORS):
                self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Flush the stream if possible."""
        if self._stream is not None:
            with suppress(*_WRITE_ERRORS):
                self._stream.flush()

    def isatty(self) -> bool:
        """Return whether the stream is a terminal."""
        with suppress(*_WRITE_ERRORS):
            return self._stream is not None and self._stream.isatty()
        return False


def log_stderr() -> SafeStream | LogQueue:
    """Return the log queue, or the current stderr if there is none."""
    return _queue or SafeStream(sys.stderr)


@contextmanager
def nonblocking_stderr(time_limit: float = FLUSH_SECONDS) -> Iterator[None]:
    """Log through a queue, so that a stalled reader of stderr never blocks; wait `time_limit` seconds at the end."""
    global _queue  # noqa: PLW0603 - there is one stderr
    try:
        descriptor = sys.stderr.fileno()
    except (AttributeError, *_WRITE_ERRORS):
        # No stderr, or a test's replacement.
        yield
        return
    _queue = LogQueue(
        _descriptor_writer(descriptor, sys.stderr),
        is_terminal=sys.stderr.isatty(),
        most=MAX_QUEUED_LINES,
        lose=LOG_LINES_LOST.add,
        tell=lambda lines: structlog.get_logger(__name__).warning(
            "log lines were lost, their reader was too slow", lines=lines
        ),
    )
    try:
        yield
    finally:
        close_queue(time_limit)


def close_queue(time_limit: float) -> None:
    """Wait `time_limit` seconds for queued lines, then log without a queue; stderr is closed if they aren't written."""
    global _queue
    queue, _queue = _queue, None
    if queue is not None and not queue.close(time_limit):
        # Any further line would block on the same reader.
        with suppress(*_WRITE_ERRORS):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stderr.fileno())
            os.close(nowhere)


def _descriptor_writer(descriptor: int, stream: TextIO) -> Callable[[str], object]:
    """Return a function that writes to `descriptor` in the encoding of `stream`, without the stream's lock."""

    def write(text: str) -> None:
        with suppress(*_WRITE_ERRORS):
            data = text.encode(stream.encoding, stream.errors or "backslashreplace")
            while data:
                data = data[os.write(descriptor, data) :]

    return write
