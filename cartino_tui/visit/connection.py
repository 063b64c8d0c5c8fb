"""What a person is shown of the connection: whether it is lost, the countdown to the next try, a late answer."""

import asyncio
from collections.abc import Callable
from typing import Final

from cartino_protocol.link import ConnectionStatus
from cartino_protocol.text import N_, LazyMessage
from cartino_tui.draw.canvas import Canvas, Frame, Row, put_rows, wrap_rows
from cartino_tui.game_port.screen import Look

_LOST_MESSAGES: Final = (
    N_("The line is lost; next try in {n} s. Ctrl-C leaves."),
    N_("The house restarts; next try in {n} s. Ctrl-C leaves."),
    N_("Not said: the line is lost; next try in {n} s. Ctrl-C leaves."),
    N_("Not said: the house restarts; next try in {n} s. Ctrl-C leaves."),
)
"""By whether the house restarts, and (two further) whether something was to be said."""
_TRYING_MESSAGES: Final = (
    N_("The line is lost; trying now. Ctrl-C leaves."),
    N_("The house restarts; trying now. Ctrl-C leaves."),
    N_("Not said: the line is lost; trying now. Ctrl-C leaves."),
    N_("Not said: the house restarts; trying now. Ctrl-C leaves."),
)
"""As above."""
_RECONNECTED_MESSAGE: Final = N_("The line is back; going where you were.")


class ConnectionState:
    """What all screens of an app know of the line. In a process of the house's own there is always one."""

    def __init__(self) -> None:
        """The line is there."""
        self.is_down = False
        """Whether the house hears nothing: there is no line, or one is not yet again where one was."""
        self.send_failed = False
        """Whether something was just to be said all the same."""
        self._news = ConnectionStatus("back")
        self._since = 0.0

    def hear(self, news: ConnectionStatus, now: float) -> None:
        """The line stands otherwise since `now`, in seconds."""
        self._news, self._since = news, now
        self.is_down = True

    def is_up(self) -> None:
        """One is where one was."""
        self.is_down = self.send_failed = False

    def sentence(self, now: float) -> LazyMessage:
        """What to show instead of the status; an empty one while nothing is wrong."""
        if not self.is_down:
            return LazyMessage("")
        which = self._news.restarts + 2 * self.send_failed
        match self._news.stands:
            case "lost":
                left = max(1, round(self._news.seconds - (now - self._since)))
                return LazyMessage(_LOST_MESSAGES[which], {"n": left})
            case "trying":
                return LazyMessage(_TRYING_MESSAGES[which])
            case "back":
                return LazyMessage(_RECONNECTED_MESSAGE)


def with_notice(frame: Frame, sentence: str, look: Look) -> Frame:
    """`frame` with `sentence` in place of its status line, above the last row, on as many rows as it takes."""
    if frame.height < 2:
        return frame
    rows = status_rows(sentence, look)[: frame.height - 1]
    canvas = Canvas(frame.width, len(rows))
    put_rows(canvas, 1, 0, rows)
    above = frame.rows[: -1 - len(rows)]
    return Frame(frame.width, frame.height, (*above, *canvas.frame().rows, *frame.rows[-1:]))


def status_rows(sentence: str, look: Look) -> list[Row]:
    """`sentence` in as many rows as it needs, at least one."""
    return wrap_rows(sentence, "status", look.width - 2, ascii=look.ascii) or [()]


FIRST_NOTE_SECONDS: Final = 0.5
SECOND_NOTE_SECONDS: Final = 5.0
"""Seconds."""
WAITING_MESSAGE: Final = N_("On its way to the house; what you type meanwhile waits.")
NO_ANSWER_MESSAGE: Final = N_("The house has not answered for a while; the line may be down. Ctrl-C leaves.")


class SlowAnswerNote:
    """A screen's: from a command until `is_waiting()` is false. `changed` is called when it reads otherwise."""

    def __init__(self, is_waiting: Callable[[], bool], changed: Callable[[], None]) -> None:
        """Nothing was said yet."""
        self._is_waiting = is_waiting
        self._changed = changed
        self._sentence = ""
        self._next: asyncio.TimerHandle | None = None

    @property
    def sentence(self) -> str:
        """What to say in place of the status; "" while nobody waits, or not for long."""
        return self._sentence if self._is_waiting() else ""

    def begin(self) -> None:
        """Something was said just now."""
        self.stop()
        self._next = asyncio.get_running_loop().call_later(FIRST_NOTE_SECONDS, self._pass, WAITING_MESSAGE)

    def stop(self) -> None:
        """Nobody looks any more."""
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
