"""Notice that the terminal of this process is gone, even where hangups are ignored."""

import os
import select
import signal
import sys
import termios
import time
from collections.abc import Callable
from threading import Thread
from typing import Final

_CHECK_SECONDS: Final = 1.0
"""Seconds between two checks of a terminal that can't be waited for."""


def runs_in_window() -> bool:
    """Return whether this process depends on its terminal; one started by nohup, setsid or a service doesn't."""
    try:
        return sys.stderr.isatty() and os.tcgetpgrp(0) >= 0
    except (OSError, AttributeError, ValueError):
        return False


def watch_terminal(gone: Callable[[], object]) -> None:
    """Call `gone()` in a thread when the terminal at standard input is gone."""
    Thread(target=_wait, args=(gone,), name="hangup", daemon=True).start()


def _wait(gone: Callable[[], object]) -> None:
    # Signals are for the main thread.
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    terminal = select.poll()
    # Without an event to wait for: hangups and errors are always reported.
    terminal.register(0, 0)
    while not any(event & (select.POLLHUP | select.POLLERR) for _, event in terminal.poll()):
        # Some systems can't poll a terminal.
        time.sleep(_CHECK_SECONDS)
        try:
            termios.tcgetattr(0)
        except termios.error:
            break
    gone()
