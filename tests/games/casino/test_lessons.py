"""Every task of Casino's lessons can be done with the keys that its words name."""

import msgspec
import pytest

from cartino_engine.replay import PUPIL_SEAT, LessonProgress, replay_lesson
from cartino_games.casino.views import Play
from cartino_protocol.refusals import Refusal
from tests.support.casino import GAME, RULES, Player

LESSONS = {lesson.name: lesson for lesson in RULES.lessons}


KEYS: dict[str, list[tuple[str, ...]]] = {
    "take": [("1", "enter")],
    "trail": [("1", "enter")],
    "values": [("1", "enter")],
    "build": [("1", "right", "space", "enter"), ("1", "enter")],
    "raise": [("1", "down", "enter"), ("1", "enter")],
    "add": [("1", "down", "enter"), ("1", "enter")],
    "sweep": [("1", "enter")],
    "score": [("1", "enter")],
}
"""A way through each lesson."""


def progress(name: str, moves: list[bytes]) -> LessonProgress:
    found = replay_lesson(RULES, LESSONS[name], moves)
    assert not isinstance(found, Refusal)
    return found


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_is_done_with_keys(name: str) -> None:
    moves: list[bytes] = []
    for done, keys in enumerate(KEYS[name], 1):
        player = Player(progress(name, moves).state, PUPIL_SEAT).press(*keys)
        assert player.move is not None, player.text()
        moves.append(msgspec.msgpack.encode(player.move))
        assert progress(name, moves).done == done, player.move
    assert len(moves) == len(LESSONS[name].tasks)


def test_the_points_of_the_last_lesson_are_those_it_names() -> None:
    (task,) = LESSONS["score"].tasks
    (move,) = task.wanted
    assert isinstance(move, Play)
    found = progress("score", [msgspec.msgpack.encode(move)])
    assert GAME.totals(found.state) == (6, 3)
