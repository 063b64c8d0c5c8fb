"""Lessons: a table that nobody else sits at and of which nothing is kept, shown as a pupil's moves have made it."""

from collections.abc import Mapping

from cartino_protocol.commands import Lesson
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import LessonView, ResultView, RoomView, SeatView
from cartino_protocol.wire import raw
from cartino_server.engine.port import AnyGame, AnyLesson
from cartino_server.engine.teaching import PUPIL, Progress, taught
from cartino_server.rooms.seat import HouseLink


def teach(link: HouseLink, asked: Lesson, games: Mapping[str, AnyGame], name: str) -> None:
    """Show whoever `asked` over `link`, and is called `name`, their lesson; or say why not."""
    shown = lesson_view(games, name, asked)
    if isinstance(shown, Refusal):
        link.refuse(asked, shown.reason, shown.detail)
    else:
        link.put(shown)


def lesson_view(games: Mapping[str, AnyGame], name: str, asked: Lesson) -> LessonView | Refusal:
    """What the pupil called `name` sees who `asked`, or why there is nothing to see."""
    game = games.get(asked.game)
    if game is None:
        return Refusal("unknown-game", asked.game)
    if not game.lessons:
        return Refusal("no-lesson")
    number = min(asked.number, len(game.lessons))
    lesson = game.lessons[number - 1]
    progress = taught(game, lesson, tuple(bytes(move) for move in asked.moves))
    if isinstance(progress, Refusal):
        return progress
    room = _room(game, lesson, progress, name, len(asked.moves))
    return LessonView(
        game=game.name,
        number=number,
        of=len(game.lessons),
        name=lesson.name,
        done=progress.done,
        tasks=len(lesson.tasks),
        room=room,
        strayed=progress.strayed,
    )


def _room(game: AnyGame, lesson: AnyLesson, progress: Progress, name: str, number: int) -> RoomView:
    result = game.result(progress.state)
    return RoomView(
        code="",
        game=game.name,
        options=lesson.options,
        state="playing" if result is None else "finished",
        number=number,
        seats=(SeatView(name, "human"), *(SeatView(other, "bot") for other in lesson.others)),
        owner=None,
        you=PUPIL,
        spectators=0,
        commitment="",
        open=False,
        turn=game.on_turn(progress.state),
        table=raw(game.view(progress.state, PUPIL)),
        result=None if result is None else ResultView(result.totals, result.winners, result.reason),
    )
