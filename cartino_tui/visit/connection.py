"""The state of the connection and what depends on it: countdown, slow-answer notes, saving settings.

Settings are saved a moment after the last change, not with every key.
"""

import asyncio
from collections.abc import Callable
from typing import Final, Protocol

from cartino_protocol.commands import Prefer
from cartino_protocol.link import ConnectionStatus
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import N_, LazyMessage
from cartino_tui.draw.canvas import Canvas, Frame, Row, put_rows, wrap_rows
from cartino_tui.game_port.screen import Look
from cartino_tui.preferences import Preferences

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


SAVE_DELAY: Final = 1.0
"""Seconds after the last change."""


class StoppableTimer(Protocol):
    """What is to be done later."""

    def stop(self) -> None:
        """Don't do it."""


class SettingsSaver:
    """Tells the house of one person's choices."""

    def __init__(
        self,
        preferences: Preferences,
        line: ConnectionState,
        later: Callable[[float, Callable[[], None]], StoppableTimer],
        say: Callable[[Prefer], None],
    ) -> None:
        """It knows as much as `preferences` says. `later(seconds, act)` does something then; `say` tells the house."""
        self._preferences = preferences
        self._line = line
        self._later = later
        self._say = say
        self._waits: StoppableTimer | None = None

    def changed(self) -> None:
        """Something else was chosen."""
        self._stop()
        self._waits = self._later(SAVE_DELAY, self.tell)

    def refused(self, refusal: Refusal) -> None:
        """Where the house had no time for it, it is said again with the next change, or at the end: never in a loop."""
        if refusal.to == Prefer.__name__ and refusal.reason == "busy":
            self._preferences.mark_unsent()

    def tell(self) -> None:
        """Say it now, if it is news and there is a line; where there is none it stays news."""
        self._stop()
        news = None if self._line.is_down else self._preferences.news()
        if news is not None:
            self._say(news)

    def _stop(self) -> None:
        if self._waits is not None:
            self._waits.stop()
            self._waits = None


TICK_SECONDS: Final = 1.0
"""Seconds."""


class RepeatingTimer:
    """Does something each second between its begin and its end; there is no timer otherwise."""

    def __init__(
        self, every: Callable[[float, Callable[[], None]], StoppableTimer], act: Callable[[], None]
    ) -> None:
        """It does not tick. `every(seconds, act)` does `act` that often."""
        self._every = every
        self._act = act
        self._timer: StoppableTimer | None = None

    def begin(self) -> bool:
        """Tick; False where it did already."""
        if self._timer is not None:
            return False
        self._timer = self._every(TICK_SECONDS, self._act)
        return True

    def end(self) -> None:
        """Tick no more."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
