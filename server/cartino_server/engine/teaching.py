"""How far a lesson is after a pupil's moves: they are played again from its beginning, each time."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from cartino_protocol.ids import Seat
from cartino_protocol.refusals import Refusal
from cartino_server.engine.port import AnyGame, AnyLesson

PUPIL: Final[Seat] = 0


class Progress(msgspec.Struct, frozen=True):
    """A lesson's table as it stands, and how many tasks are `done`; for `strayed` see `LessonView`."""

    state: Any
    done: int
    strayed: bool = False


def taught(game: AnyGame, lesson: AnyLesson, moves: Sequence[bytes]) -> Progress | Refusal:
    """Where `lesson` stands after `moves` (MessagePack), or why there is no such way.

    A move that is allowed but not wanted may be the last one: what it brings can be looked at.
    """
    now = Progress(lesson.start, 0)
    for raw in moves:
        if now.strayed or now.done == len(lesson.tasks):
            return Refusal("stale")
        try:
            move = game.read_move(raw)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            return Refusal("malformed")
        after = _next(game, lesson, now, move)
        if isinstance(after, Refusal):
            return after
        now = after
    return now


def _next(game: AnyGame, lesson: AnyLesson, now: Progress, move: Any) -> Progress | Refusal:
    task = lesson.tasks[now.done]
    step = game.apply(now.state, PUPIL, move)
    if isinstance(step, Refusal):
        return step
    if move not in task.wanted:
        return Progress(step.state, now.done, strayed=True)
    state = step.state
    for seat, reply in task.replies:
        answer = game.apply(state, seat, reply)
        if isinstance(answer, Refusal):
            raise ValueError(f"the lesson {lesson.name} plays a move that is refused: {answer.detail}")
        state = answer.state
    return Progress(state, now.done + 1)
