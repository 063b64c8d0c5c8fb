"""Where log lines go, as far as they can: one that can't be written is lost, and nothing else with it."""

import sys
from contextlib import suppress
from typing import Final, TextIO

_CANT: Final = (OSError, ValueError)
"""What writing raises: its reader has gone, its disk is full; ValueError where it was closed here."""


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


def stderr() -> LogStream:
    """The process's stderr, as it is now."""
    return LogStream(sys.stderr)
