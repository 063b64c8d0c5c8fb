"""Notice that the terminal of this process is gone, even where hangups are ignored."""

import os
import select
import signal
import termios
import time
from collections.abc import Callable
from threading import Thread
from typing import Final

_CHECK_SECONDS: Final = 1.0
"""Seconds between two checks of a terminal that can't be waited for."""


def open_window(*, hangups_ignored: bool) -> int | None:
    """Return a descriptor of the terminal on which this process depends, None if there is none.

    It is the controlling terminal of a process in the foreground, or one whose stderr it is. With `hangups_ignored`
    only the latter, since nohup redirects that. A process started by setsid or a service has none.
    """
    shown = _foreground(2) is not None
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return None
    if shown or (not hangups_ignored and _foreground(terminal) == os.getpgrp()):
        return terminal
    os.close(terminal)
    return None


def _foreground(descriptor: int) -> int | None:
    """Return the process group in the foreground of our controlling terminal, if `descriptor` is that."""
    try:
        return os.tcgetpgrp(descriptor)
    except OSError:
        return None


def watch_terminal(gone: Callable[[], object], terminal: int = 0) -> None:
    """Call `remove_link()` in a thread when the terminal at the descriptor, by default standard input, is gone."""
    Thread(target=_wait, args=(gone, terminal), name="hangup", daemon=True).start()


def _wait(gone: Callable[[], object], descriptor: int) -> None:
    # Signals are for the main thread.
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    terminal = select.poll()
    # Without an event to wait for: hangups and errors are always reported.
    terminal.register(descriptor, 0)
    while not any(event & (select.POLLHUP | select.POLLERR) for _, event in terminal.poll()):
        # Some systems can't poll a terminal.
        time.sleep(_CHECK_SECONDS)
        try:
            termios.tcgetattr(descriptor)
        except termios.error:
            break
    gone()
