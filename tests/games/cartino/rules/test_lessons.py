"""Cartino's lessons: the sheet's figures are among them, and each begins at a table that there can be."""

import pytest

from cartino_engine.port import LessonScript
from cartino_engine.replay import PUPIL_SEAT, LessonProgress, replay_lesson
from cartino_games.cartino.moves import EndTurn, Move
from cartino_games.cartino.rules.lessons import LESSONS
from cartino_games.cartino.rules.state import CartinoState
from cartino_games.cartino.views import CartinoEvent, CartinoView
from cartino_protocol.refusals import Refusal
from cartino_protocol.wire import encode_raw
from tests.support.cartino import GAME

CartinoLesson = LessonScript[CartinoState, Move]


BY_NAME = {lesson.name: lesson for lesson in LESSONS}


def after(lesson: CartinoLesson, moves: list[Move]) -> LessonProgress:
    progress = replay_lesson(GAME, lesson, [bytes(encode_raw(move)) for move in moves])
    assert isinstance(progress, LessonProgress), progress
    return progress


def seen(lesson: CartinoLesson) -> CartinoView:
    """The table at the end of the lesson."""
    way: list[Move] = []
    for task in lesson.tasks:
        legal = set(GAME.legal(after(lesson, way).state, PUPIL_SEAT))
        way.append(next(move for move in task.wanted if move in legal))
    return GAME.view(after(lesson, way).state, PUPIL_SEAT)


@pytest.mark.parametrize("lesson", LESSONS, ids=BY_NAME)
def test_a_lesson_begins_at_a_table_that_there_can_be(lesson: CartinoLesson) -> None:
    start = lesson.start
    drawn = [*(stone for hand in start.hands for stone in hand), *start.bag.remaining_stones()]
    bag = list(start.tables.stones)
    for stone in drawn:
        bag.remove(stone)
    for spot, bit in enumerate(start.tables.bit):
        if start.taken & bit:
            bag.remove(start.tables.joker if start.jokers & bit else spot // 2)
    assert len(start.hands) == 1 + len(lesson.others)


def lays(view: CartinoView) -> list[tuple[str, int]]:
    return [
        (each.spot, each.points)
        for each in view.recent
        if each.kind in {"lay", "swap"} and each.seat == PUPIL_SEAT
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("first", [("KSu", 0)]),
        ("level", [("KSu", 0), ("KSl", 7)]),
        ("value", [("KSu", 1)]),
        ("order", [("8Sl", 4)]),
        ("four", [("KSl", 16)]),
        ("turn", [("ASu", 0), ("KSu", 5), ("QSu", 4)]),
    ],
)
def test_the_sheets_six_figures(name: str, expected: list[tuple[str, int]]) -> None:
    assert lays(seen(BY_NAME[name])) == expected


def test_the_fifth_figure_brings_a_chip() -> None:
    before, then = GAME.view(BY_NAME["four"].start, PUPIL_SEAT), seen(BY_NAME["four"])
    assert (before.scores[PUPIL_SEAT].chips, then.scores[PUPIL_SEAT].chips) == (0, 1)


def test_what_the_other_lessons_show_happens() -> None:
    assert [each.kind for each in seen(BY_NAME["turn"]).recent if each.seat != PUPIL_SEAT] == ["lay", "turn"]
    assert CartinoEvent("five", PUPIL_SEAT, points=10) in seen(BY_NAME["five"]).recent
    assert lays(seen(BY_NAME["joker"])) == [("KCu", 3), ("ACu", 4)]
    assert ([each.kind for each in seen(BY_NAME["swap"]).recent], seen(BY_NAME["swap"]).gone) == (["swap"], 1)
    end = seen(BY_NAME["end"])
    assert (end.on_turn, end.bonus, end.penalty) == (None, (10, 0), (0, 8))


def test_a_way_that_is_none_is_refused() -> None:
    first = BY_NAME["first"]
    (wanted, *_), (stray, *_) = first.tasks[0].wanted, list(GAME.legal(first.start, PUPIL_SEAT))
    assert stray not in first.tasks[0].wanted

    def refused(*moves: bytes) -> str:
        answer = replay_lesson(GAME, first, moves)
        assert isinstance(answer, Refusal)
        return answer.detail or answer.reason

    assert refused(b"\xc1") == "malformed"
    assert refused(bytes(encode_raw(wanted)).replace(b"KSu", b"\xff\xfe\xfd")) == "malformed"
    assert refused(b"\x91" * 8000) == "malformed"
    assert refused(bytes(encode_raw(EndTurn()))) == "lay-first"
    assert refused(bytes(encode_raw(wanted)), bytes(encode_raw(wanted))) == "stale", "the lesson is over"
    assert refused(bytes(encode_raw(stray)), bytes(encode_raw(wanted))) == "stale", (
        "what strays is taken back first"
    )
