"""The same question as `probe`'s to the process's own terminal, before anything is drawn there."""

import contextlib
import os
import select
import termios
import time
import tty
from typing import Final

from cartino_tui.draw.theme import Ground
from cartino_tui.driver import ground

PATIENCE: Final = 0.3
"""Seconds for the answer."""
_LAST: Final = b"\x1b[c"
"""What every terminal answers, so that nobody waits for one that doesn't know the other question."""


def ask_ground(path: str = "/dev/tty") -> Ground | None:
    """The ground of the terminal at `path`, by what it answers; None where it tells nothing, or there is none."""
    try:
        there = os.open(path, os.O_RDWR | os.O_NOCTTY)
    except OSError:
        return None
    try:
        before = termios.tcgetattr(there)
        try:
            tty.setcbreak(there)
            os.write(there, ground.QUESTION + _LAST)
            return ground.take_answer(_answers(there))
        finally:
            with contextlib.suppress(termios.error):
                termios.tcsetattr(there, termios.TCSANOW, before)
    except (OSError, termios.error):
        return None
    finally:
        os.close(there)


def _answers(there: int) -> bytearray:
    """What comes up to the end of the last answer, or until patience ends."""
    came = bytearray()
    end = time.monotonic() + PATIENCE
    while (left := end - time.monotonic()) > 0 and select.select([there], [], [], left)[0]:
        piece = os.read(there, 1)
        came += piece
        if not piece or (came.endswith(b"c") and b"\x1b[?" in came):
            break
    return came
