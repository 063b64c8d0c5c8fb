"""Where a person is in the lessons of a game; the same on the screen and in plain mode."""

import msgspec

from cartino_protocol.commands import Lesson
from cartino_protocol.views import LessonView
from cartino_protocol.wire import encode_raw


class CurrentLesson:
    """The lesson that a person is in, and their moves in it. Its methods return the command to send."""

    def __init__(self, game: str, number: int) -> None:
        """Go on with the lesson `number` of `game`, which has yet to be asked for."""
        self.number = number
        self.view: LessonView | None = None
        """The lesson as the server showed it last."""
        self.moves: tuple[msgspec.Raw, ...] = ()
        self._game = game
        self._before: LessonView | None = None
        """The lesson before the last move."""

    @property
    def is_done(self) -> bool:
        """Whether the lesson's tasks are done."""
        return self.view is not None and self.view.done >= self.view.tasks

    @property
    def is_open(self) -> bool:
        """Whether a move is due."""
        return self.view is not None and not self.is_done and not self.view.strayed

    @property
    def is_last(self) -> bool:
        """Whether no lesson follows."""
        return self.view is not None and self.view.number == self.view.of

    @property
    def resumes_at(self) -> int:
        """The lesson to begin with next time: the first one after the end of the last."""
        return 1 if self.is_last and self.is_done else self.number

    def begin(self, number: int) -> Lesson:
        """Ask for the beginning of a lesson."""
        self.moves = ()
        return Lesson(self._game, number)

    def begin_earlier(self) -> Lesson:
        """Ask for the beginning of this lesson, or, at its beginning, of the one before it."""
        return self.begin(self.number if self.moves else max(1, self.number - 1))

    def move(self, move: msgspec.Struct) -> Lesson:
        """Make a move in this lesson."""
        self.moves = (*self.moves, encode_raw(move))
        return Lesson(self._game, self.number, self.moves)

    def handle(self, view: LessonView) -> None:
        """Take in the lesson as it is now."""
        self._before, self.view, self.number = self.view, view, view.number

    def take_back(self) -> LessonView | None:
        """Return the lesson before a move that led astray, and go on from there; None if none did."""
        if self.view is None or not self.view.strayed or self._before is None:
            return None
        self.moves, self.view = self.moves[:-1], self._before
        return self.view

    def forget_refused_move(self) -> None:
        """Forget a move that the server didn't take."""
        self.moves = self.moves[: self.view.table.number if self.view else 0]
