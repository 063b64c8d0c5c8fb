"""Lessons as a pupil does them: the moves that each task wants, and what the server shows after each."""

from collections.abc import Iterator, Sequence

from cartino_engine.replay import PUPIL_SEAT, LessonProgress, replay_lesson
from cartino_games.cartino.moves import Move
from cartino_games.cartino.rules.lessons import LESSONS
from cartino_protocol.commands import Lesson
from cartino_protocol.views import LessonView
from cartino_protocol.wire import encode_raw
from cartino_server.lobby.finished.history import lesson_view
from tests.support.cartino import GAME
from tests.support.games import GAMES


def shown(number: int, moves: Sequence[Move] = ()) -> LessonView:
    """What the server shows of the lesson `number` after `moves`."""
    view = lesson_view(GAMES, "ann", Lesson("cartino", number, tuple(encode_raw(move) for move in moves)))
    assert isinstance(view, LessonView)
    return view


def wanted_moves(number: int) -> tuple[Move, ...]:
    """One way through the lesson `number`."""
    lesson = LESSONS[number - 1]
    way: list[Move] = []
    for task in lesson.tasks:
        way.append(next(move for move in task.wanted if move in _legal(number, way)))
    return tuple(way)


def moments() -> Iterator[LessonView]:
    """Every lesson as it stands before each task, after a move that strays from it, and at its end."""
    for number in range(1, len(LESSONS) + 1):
        way = wanted_moves(number)
        for done in range(len(way) + 1):
            yield shown(number, way[:done])
            if done < len(way):
                wanted = LESSONS[number - 1].tasks[done].wanted
                astray = next((move for move in _legal(number, way[:done]) if move not in wanted), None)
                if astray is not None:
                    yield shown(number, [*way[:done], astray])


def _legal(number: int, moves: Sequence[Move]) -> Sequence[Move]:
    progress = replay_lesson(GAME, LESSONS[number - 1], [bytes(encode_raw(move)) for move in moves])
    assert isinstance(progress, LessonProgress)
    return list(GAME.legal(progress.state, PUPIL_SEAT))
