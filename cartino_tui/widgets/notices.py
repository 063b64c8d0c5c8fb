"""What a screen shows in place of its status line: a lost connection, a late answer, what the host says."""

import asyncio
from collections.abc import Callable
from typing import Final

from cartino_protocol.text import N_
from cartino_tui.draw.canvas import Canvas, Frame, Row, put_rows, wrap_rows
from cartino_tui.game_port.screen import Look

FIRST_NOTE_SECONDS: Final = 0.5
SECOND_NOTE_SECONDS: Final = 5.0
WAITING_MESSAGE: Final = N_("Waiting for the server; keys you press meanwhile are queued.")
NO_ANSWER_MESSAGE: Final = N_("The server isn't responding; the connection may be down. Ctrl-C to quit.")


def with_notice(frame: Frame, sentence: str, look: Look) -> Frame:
    """Return `frame` with `sentence` in place of its status line, above the last row, in as many rows as it takes."""
    if frame.height < 2:
        return frame
    rows = status_rows(sentence, look)[: frame.height - 1]
    canvas = Canvas(frame.width, len(rows))
    put_rows(canvas, 1, 0, rows)
    above = frame.rows[: -1 - len(rows)]
    return Frame(frame.width, frame.height, (*above, *canvas.frame().rows, *frame.rows[-1:]))


def status_rows(sentence: str, look: Look) -> list[Row]:
    """Wrap `sentence` into rows, at least one."""
    return wrap_rows(sentence, "status", look.width - 2, ascii=look.ascii) or [()]


class SlowAnswerNote:
    """Says that an answer is late, from a command until `is_waiting()` is false; calls `changed` on a new sentence."""

    def __init__(self, is_waiting: Callable[[], bool], changed: Callable[[], None]) -> None:
        """Nothing was sent yet."""
        self._is_waiting = is_waiting
        self._changed = changed
        self._sentence = ""
        self._next: asyncio.TimerHandle | None = None

    @property
    def sentence(self) -> str:
        """What to show in place of the status, in English; "" where nobody waits, or not for long."""
        return self._sentence if self._is_waiting() else ""

    def begin(self) -> None:
        """Note that a command was sent."""
        self.stop()
        self._next = asyncio.get_running_loop().call_later(FIRST_NOTE_SECONDS, self._pass, WAITING_MESSAGE)

    def stop(self) -> None:
        """Say nothing any more."""
        self._sentence = ""
        if self._next is not None:
            self._next.cancel()
            self._next = None

    def _pass(self, sentence: str) -> None:
        self._next = None
        if not self._is_waiting():
            return
        if sentence == WAITING_MESSAGE:
            self._next = asyncio.get_running_loop().call_later(
                SECOND_NOTE_SECONDS - FIRST_NOTE_SECONDS, self._pass, NO_ANSWER_MESSAGE
            )
        self._sentence = sentence
        self._changed()
