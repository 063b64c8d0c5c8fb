"""Caro's lessons: each has words, a table somebody could have come to, and a way through it."""

import pytest

from cartino_engine.port import LessonScript, Step
from cartino_games.caro import words
from cartino_games.caro.rules.table import CaroState
from cartino_games.caro.views import Call, CallLine, CaroLay, CaroLayLine, Move, place_at, read_lay
from tests.support.caro import GAME

LESSONS = pytest.mark.parametrize("lesson", GAME.lessons, ids=lambda lesson: lesson.name)


def test_there_are_at_least_six_and_each_has_its_words() -> None:
    assert [lesson.name for lesson in GAME.lessons] == list(words.LESSONS)
    assert len(GAME.lessons) >= 6
    for lesson in GAME.lessons:
        assert len(words.LESSONS[lesson.name].tasks) == len(lesson.tasks)
        assert GAME.read_options(lesson.options) == lesson.options


@LESSONS
def test_every_wanted_move_is_legal_and_there_is_another_to_stray_to(
    lesson: LessonScript[CaroState, Move],
) -> None:
    legal = list(GAME.legal(lesson.start, 0))
    (task,) = lesson.tasks
    assert task.wanted
    for move in task.wanted:
        assert move in legal
        assert isinstance(GAME.apply(lesson.start, 0, move), Step)
    if words.LESSONS[lesson.name].tasks[0].astray:
        assert set(map(repr, legal)) > set(map(repr, task.wanted)), "nothing to stray to"


@LESSONS
def test_what_a_lesson_says_is_so(lesson: LessonScript[CaroState, Move]) -> None:
    """The points that its words name, and the rules that bar the other places."""
    offered, span = GAME.view(lesson.start, 0).lays, lesson.start.table.span
    wanted = [move for move in lesson.tasks[0].wanted if isinstance(move, CaroLay)]
    points = {offered[move.colour + place_at(move.x, move.y, span)] for move in wanted}
    match lesson.name:
        case "pair":
            assert points == {10}
        case "pairs":
            assert (len(wanted), points) == (1, {17})
        case "double":
            assert points == {16}
        case "beside":
            barred(lesson.start, "Bh6", "beside")
        case "crowd":
            barred(lesson.start, "Rg8", "crowd")
        case "diagonal":
            barred(lesson.start, "Ri9", "diagonal")
        case _:
            step = GAME.apply(lesson.start, 0, Call())
            assert isinstance(step, Step)
            assert step.lines[0] == CallLine(0, 1, True)
            assert step.state.broke == "beside"
            assert isinstance(lesson.start.last, CaroLayLine)


def barred(state: CaroState, word: str, rule: str) -> None:
    move = read_lay(word, state.table.span)
    assert isinstance(move, CaroLay)
    refusal = GAME.check(state, 0, move)
    assert refusal is not None
    assert refusal.detail == rule
