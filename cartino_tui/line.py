"""How the line to the house stands, for the screens: in place of the status line as long as it is down."""

from typing import Final

from cartino_protocol.line import LineNews
from cartino_protocol.marking import N_, Sentence
from cartino_tui.draw.canvas import Canvas, Frame, Row
from cartino_tui.draw.flowing import in_rows, put_rows
from cartino_tui.games.screen import Look

_LOST: Final = (
    N_("The line is lost; next try in {n} s. Ctrl-C leaves."),
    N_("The house restarts; next try in {n} s. Ctrl-C leaves."),
    N_("Not said: the line is lost; next try in {n} s. Ctrl-C leaves."),
    N_("Not said: the house restarts; next try in {n} s. Ctrl-C leaves."),
)
"""By whether the house restarts, and (two further) whether something was to be said."""
_TRYING: Final = (
    N_("The line is lost; trying now. Ctrl-C leaves."),
    N_("The house restarts; trying now. Ctrl-C leaves."),
    N_("Not said: the line is lost; trying now. Ctrl-C leaves."),
    N_("Not said: the house restarts; trying now. Ctrl-C leaves."),
)
"""As above."""
_BACK: Final = N_("The line is back; going where you were.")


class LineBoard:
    """What all screens of an app know of the line. In a process of the house's own there is always one."""

    def __init__(self) -> None:
        """The line is there."""
        self.is_down = False
        """Whether the house hears nothing: there is no line, or one is not yet again where one was."""
        self.in_vain = False
        """Whether something was just to be said all the same."""
        self._news = LineNews("back")
        self._since = 0.0

    def hear(self, news: LineNews, now: float) -> None:
        """The line stands otherwise since `now`, in seconds."""
        self._news, self._since = news, now
        self.is_down = True

    def is_up(self) -> None:
        """One is where one was."""
        self.is_down = self.in_vain = False

    def sentence(self, now: float) -> Sentence:
        """What to show instead of the status; an empty one while nothing is wrong."""
        if not self.is_down:
            return Sentence("")
        which = self._news.restarts + 2 * self.in_vain
        match self._news.stands:
            case "lost":
                left = max(1, round(self._news.seconds - (now - self._since)))
                return Sentence(_LOST[which], {"n": left})
            case "trying":
                return Sentence(_TRYING[which])
            case "back":
                return Sentence(_BACK)


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
    return in_rows(sentence, "status", look.width - 2, ascii=look.ascii) or [()]
