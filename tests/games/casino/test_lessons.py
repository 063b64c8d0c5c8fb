"""Casino's lessons: every task can be done with the keys its words name, and only in the way it wants."""

import msgspec
import pytest

from cartino_engine.replay import PUPIL_SEAT, LessonProgress, replay_lesson
from cartino_games.casino.typing_moves import parse_play
from cartino_games.casino.views import Play
from cartino_protocol.refusals import Refusal
from cartino_tui.i18n import translator_for
from tests.support.casino import GAME
from tests.support.casino_table import RULES, SCREEN, SMALL, Player

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


def test_there_are_at_least_six_and_all_have_words() -> None:
    assert len(LESSONS) >= 6
    assert set(LESSONS) == set(SCREEN.lessons) == set(KEYS)


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_is_done_with_keys(name: str) -> None:
    moves: list[bytes] = []
    for done, keys in enumerate(KEYS[name], 1):
        state = progress(name, moves).state
        player = Player(state, PUPIL_SEAT).press(*keys)
        assert player.move is not None, player.text()
        moves.append(msgspec.msgpack.encode(player.move))
        assert progress(name, moves).done == done, player.move
    assert len(moves) == len(LESSONS[name].tasks)


def test_another_play_strays() -> None:
    state = LESSONS["take"].start
    play = parse_play("KS", GAME.view(state, PUPIL_SEAT))
    assert progress("take", [msgspec.msgpack.encode(play)]).strayed


@pytest.mark.parametrize("language", ["en", "fr", "de"])
def test_the_words_name_cards_as_they_are_drawn(language: str) -> None:
    translator, places = translator_for(language), SCREEN.lesson_places(SMALL)
    for words in SCREEN.lessons.values():
        said = [
            words.title,
            words.begin,
            *(text for task in words.tasks for text in (task.task, task.learnt, task.astray)),
        ]
        assert all("{" not in translator.gettext(text, **places) for text in said)


def test_the_points_of_the_last_lesson_are_those_it_names() -> None:
    (task,) = LESSONS["score"].tasks
    (move,) = task.wanted
    assert isinstance(move, Play)
    found = progress("score", [msgspec.msgpack.encode(move)])
    assert GAME.totals(found.state) == (6, 3)
