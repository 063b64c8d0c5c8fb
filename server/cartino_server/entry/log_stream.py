"""Where log lines go, as far as they can: one that can't be written is lost, and nothing else with it."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final, TextIO

import structlog

from cartino_server.entry import log_queue
from cartino_server.entry.log_queue import LogQueue
from cartino_server.metering.figures import LOG_LOST

_CANT: Final = (OSError, ValueError)
"""What writing raises: its reader has gone, its disk is full; ValueError where it was closed here."""
PATIENCE: Final = 2.0
"""Seconds that lines have to go out at the end of a process. All else is put away by then: no move waits for it."""

_queue: LogQueue | None = None
"""Where this process's lines wait, while it has them do so."""


class LogStream:
    """Writes to a text stream what that takes, and raises nothing. It is all of a file that loggers need."""

    def __init__(self, stream: TextIO | None) -> None:
        """Write to `stream`; where there is none, as in a process begun without stderr, nowhere."""
        self._stream = stream

    def write(self, text: str) -> int:
        """Write `text`, if that can be; its length."""
        if self._stream is not None:
            with suppress(*_CANT):
                self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Let what was written go on its way, if it can."""
        if self._stream is not None:
            with suppress(*_CANT):
                self._stream.flush()

    def isatty(self) -> bool:
        """Whether a person looks at it."""
        with suppress(*_CANT):
            return self._stream is not None and self._stream.isatty()
        return False


def stderr() -> LogStream | LogQueue:
    """The process's stderr, as it is now; or where lines wait for it."""
    return _queue or LogStream(sys.stderr)


@contextmanager
def never_waiting(patience: float = PATIENCE) -> Iterator[None]:
    """`stderr` takes lines and holds nobody up meanwhile, however long its reader does.

    At the end they have `patience` seconds to go out. It is for processes that serve others: elsewhere whoever reads
    stderr is whom it is for.
    """
    global _queue  # noqa: PLW0603 - there is one stderr
    try:
        descriptor = sys.stderr.fileno()
    except (AttributeError, *_CANT):
        # There is none, or it is something that a test reads.
        yield
        return
    _queue = LogQueue(
        _writer(descriptor, sys.stderr),
        is_terminal=sys.stderr.isatty(),
        most=log_queue.MOST_WAITING,
        lose=LOG_LOST.add,
        tell=_tell_lost,
    )
    try:
        yield
    finally:
        wait_no_more(patience)


def wait_no_more(patience: float) -> None:
    """Give lines that still wait `patience` seconds to go out. Where that isn't enough, nothing more is said on stderr.

    From now on lines go there at once, where they can.
    """
    global _queue
    queue, _queue = _queue, None
    if queue is not None and not queue.close(patience):
        # A last sentence would wait for the same reader, and the process with it.
        with suppress(*_CANT):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stderr.fileno())
            os.close(nowhere)


def _writer(descriptor: int, stream: TextIO) -> Callable[[str], object]:
    """What writes lines to `descriptor` as `stream` would.

    Past the stream itself: a thread that never comes back from it would keep its lock, and whoever else uses that,
    Python's own end among them.
    """

    def write(text: str) -> None:
        with suppress(*_CANT):
            data = text.encode(stream.encoding, stream.errors or "backslashreplace")
            while data:
                data = data[os.write(descriptor, data) :]

    return write


def _tell_lost(lines: int) -> None:
    structlog.get_logger(__name__).warning("log lines were lost, their reader was too slow", lines=lines)
