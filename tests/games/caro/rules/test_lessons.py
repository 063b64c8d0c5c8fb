"""Caro's lessons are true: the points that their words name, and the rules that bar the other places."""

import pytest

from cartino_engine.port import Step
from cartino_games.caro.views import Call, CallLine, CaroLay, place_at, read_lay
from cartino_protocol.refusals import Refusal
from tests.support.caro import GAME

BY_NAME = {lesson.name: lesson for lesson in GAME.lessons}


@pytest.mark.parametrize(("name", "points"), [("pair", {10}), ("pairs", {17}), ("double", {16})])
def test_the_points_are_those_that_are_named(name: str, points: set[int]) -> None:
    lesson = BY_NAME[name]
    offered, span = GAME.view(lesson.start, 0).lays, lesson.start.table.span
    wanted = [move for move in lesson.tasks[0].wanted if isinstance(move, CaroLay)]
    assert {offered[move.colour + place_at(move.x, move.y, span)] for move in wanted} == points


@pytest.mark.parametrize(
    ("name", "word", "rule"),
    [("beside", "Bh6", "beside"), ("crowd", "Rg8", "crowd"), ("diagonal", "Ri9", "diagonal")],
)
def test_a_place_is_barred_by_the_rule_of_the_lesson(name: str, word: str, rule: str) -> None:
    state = BY_NAME[name].start
    move = read_lay(word, state.table.span)
    assert move is not None
    assert GAME.check(state, 0, move) == Refusal("illegal", rule)


def test_the_call_is_right() -> None:
    step = GAME.apply(BY_NAME["call"].start, 0, Call())
    assert isinstance(step, Step)
    assert step.lines[0] == CallLine(0, 1, True)
    assert step.state.broke == "beside"
