"""What a lesson answers to a move it didn't ask for is true of every legal move, in the games that have lessons."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import pytest

from cartino_engine.port import AnyGame, AnyLesson, LessonTask, Step
from cartino_games.caro.views import CaroLay
from cartino_games.cartino.moves import EndTurn, Lay
from cartino_protocol.base import Seat
from tests.support.games import GAMES, SCREENS

LESSONS = [(game, lesson) for game in GAMES.values() for lesson in game.lessons]
PUPIL: Seat = 0

Claim = Callable[[AnyGame, Any, LessonTask[Any], Any], bool]
"""Whether a sentence is true of a move that strays: the game, the state before it, the task, the move."""


def always(game: AnyGame, state: Any, task: LessonTask[Any], move: Any) -> bool:
    return True


def scores(game: AnyGame, state: Any, move: Any) -> int:
    step = game.apply(state, PUPIL, move)
    assert isinstance(step, Step)
    return game.totals(step.state)[PUPIL] - game.totals(state)[PUPIL]


def grey_for_17(game: AnyGame, state: Any, task: LessonTask[Any], move: Any) -> bool:
    (wanted,) = task.wanted
    return wanted.colour == "G" and scores(game, state, wanted) == 17


def not_grey_by_red(game: AnyGame, state: Any, task: LessonTask[Any], move: Any) -> bool:
    return move.colour != "G" or scores(game, state, move) < 16


def not_it(stone: str, half: str = "") -> Claim:
    """The move isn't that stone, or not on that half."""

    def check(game: AnyGame, state: Any, task: LessonTask[Any], move: Any) -> bool:
        return not isinstance(move, Lay) or move.stone != stone or (half != "" and move.spot != stone + half)

    return check


CLAIMS: dict[str, Claim] = {
    "": always,
    "Legal, but not what this step asks for.": always,
    "This step asks for grey between the two reds: 17 points.": grey_for_17,
    "Choose grey and lay it next to red.": not_grey_by_red,
    "Call it first: once you lay a caro, the move stands.": lambda game, state, task, move: isinstance(
        move, CaroLay
    ),
    "That's a different stone. Try {KS}.": not_it("KS"),
    "Legal, but this step asks for {KS} on the upper half.": not_it("KS", "u"),
    "Legal, but this step asks for {KS} on the lower half.": not_it("KS", "l"),
    "You could lay that too, but in this step the turn ends with three stones.": lambda game, state, task, move: (
        isinstance(move, Lay)
    ),
    "Lay all five before you end the turn.": lambda game, state, task, move: isinstance(move, EndTurn),
}


def steps(game: AnyGame, lesson: AnyLesson) -> Iterator[tuple[Any, LessonTask[Any]]]:
    """The state before each task, on the way of the first wanted moves."""
    state = lesson.start
    for task in lesson.tasks:
        yield state, task
        for seat, move in (
            (PUPIL, next(each for each in task.wanted if free(game, state, each))),
            *task.replies,
        ):
            step = game.apply(state, seat, move)
            assert isinstance(step, Step)
            state = step.state


def free(game: AnyGame, state: Any, move: Any) -> bool:
    return game.check(state, PUPIL, move) is None


@pytest.mark.parametrize(
    ("game", "lesson"), LESSONS, ids=[f"{game.name} {lesson.name}" for game, lesson in LESSONS]
)
def test_what_is_said_of_another_move_is_true(game: AnyGame, lesson: AnyLesson) -> None:
    words = SCREENS[game.name].lessons[lesson.name].tasks
    for (state, task), said in zip(steps(game, lesson), words, strict=True):
        for move in islice(game.legal(state, PUPIL), 500):
            if move not in task.wanted:
                assert CLAIMS[said.astray](game, state, task, move), f"{said.astray!r} of {move}"


def test_five_stones_score_what_the_lesson_says() -> None:
    game = GAMES["cartino"]
    lesson = next(each for each in game.lessons if each.name == "five")
    best: dict[tuple[str, ...], int] = {}

    def lay(state: Any, ranks: tuple[str, ...]) -> None:
        if len(ranks) == 5:
            best[ranks] = max(best.get(ranks, 0), game.totals(state)[PUPIL])
            return
        for move in game.legal(state, PUPIL):
            step = game.apply(state, PUPIL, move) if isinstance(move, Lay) else None
            if isinstance(move, Lay) and isinstance(step, Step):
                lay(step.state, (*ranks, move.stone[:-1]))

    lay(lesson.start, ())
    assert max(best, key=lambda ranks: best[ranks]) == ("A", "K", "Q", "J", "10")
    assert max(best.values()) == 19 + 10
