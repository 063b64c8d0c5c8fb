"""Standard streams whose failures never end a program: a full disk, a reader that has gone, a closed descriptor."""

import io
import os
import select
import sys
from typing import Any, TextIO

from cartino_server.commands.console import CommandError, err, failure

_STDOUT, _STDERR = 1, 2


class _Output(io.RawIOBase):
    """A descriptor whose first failure is kept in `error`; what can't be written is lost."""

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self.error: OSError | None = None
        self._descriptor = descriptor

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def isatty(self) -> bool:
        return os.isatty(self._descriptor)

    def write(self, data: Any, /) -> int:
        """Write some of `data`; return how much of it is done with."""
        while self.error is None:
            try:
                return os.write(self._descriptor, data)
            except BlockingIOError:
                select.select([], [self._descriptor], [])
            except OSError as error:
                self.error = error
        return len(data)


def open_streams() -> None:
    """Replace this process's stdout and stderr; closed descriptors become /dev/null, so that no file gets theirs."""
    if sys.stdout is not sys.__stdout__:
        # A test's own.
        return
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= _STDERR:
        pass
    os.close(descriptor)
    if sys.stdin is None:
        sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    # Stdout prints what the locale's encoding can show.
    sys.stdout = _text_stream(_STDOUT, sys.stdout, "replace")
    sys.stderr = _text_stream(_STDERR, sys.stderr, "backslashreplace")


def _text_stream(descriptor: int, before: TextIO | None, errors: str) -> TextIO:
    return io.TextIOWrapper(
        io.BufferedWriter(_Output(descriptor)),
        before.encoding if before is not None else "utf-8",
        errors,
        line_buffering=descriptor == _STDERR,
    )


def check_output() -> None:
    """Raise CommandError if some of stdout couldn't be written; for commands whose output is their work.

    A closed stdout and a reader that has gone are what the user wanted.
    """
    sys.stdout.flush()
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    error = raw.error if isinstance(raw, _Output) else None
    if error is not None and not isinstance(error, BrokenPipeError):
        raise failure("The output couldn't be written: {why}.", why=error.strerror)


def report_lost_output() -> None:
    """Print the sentence of `check_output`; for commands that have done their work."""
    try:
        check_output()
    except CommandError as error:
        err(error.sentence)
