"""What is said in the lessons fits what the server teaches."""

import re

import msgspec
import pytest

from cartino_games.cartino.lesson_words import LESSONS, places
from cartino_games.cartino.rules.lessons import LESSONS as TAUGHT
from cartino_games.cartino.views import CartinoView
from cartino_protocol.views import LessonView
from cartino_tui.game_port.screen import Look
from cartino_tui.i18n import ENGLISH
from cartino_tui.screens.lesson import lesson_text
from tests.support.cartino_table import CARTINO_SCREEN
from tests.support.school import moments, shown, wanted_moves

LOOK = Look(80, 24)
VIEWS = tuple(moments())


def test_every_lesson_of_the_server_has_its_words() -> None:
    assert [lesson.name for lesson in TAUGHT] == list(LESSONS)
    assert [len(lesson.tasks) for lesson in TAUGHT] == [len(words.tasks) for words in LESSONS.values()]
    assert CARTINO_SCREEN.lessons is LESSONS


def ids(view: LessonView) -> str:
    return f"{view.name} {view.done}{' astray' if view.strayed else ''}"


@pytest.mark.parametrize("view", VIEWS, ids=ids)
def test_every_moment_has_something_to_say_and_every_place_is_filled(view: LessonView) -> None:
    words = lesson_text(LESSONS[view.name], view, places(LOOK), ENGLISH)
    assert words.title
    assert words.told
    assert words.task
    assert "{" not in f"{words}"


@pytest.mark.parametrize("number", range(1, len(TAUGHT) + 1))
def test_the_points_that_are_told_are_those_that_were_made(number: int) -> None:
    way = wanted_moves(number)
    for done in range(1, len(way) + 1):
        words = lesson_text(
            LESSONS[TAUGHT[number - 1].name], shown(number, way[:done]), places(LOOK), ENGLISH
        )
        told = re.search(r"^(\d+) points?|= (\d+)|makes (\d+)", words.told)
        if told is not None:
            view = msgspec.msgpack.decode(shown(number, way[:done]).table.game_view, type=CartinoView)
            made = [event.points for event in view.recent if event.seat == 0 and event.kind != "turn"]
            assert int(next(group for group in told.groups() if group)) == made[-1], words.told


def test_stones_are_said_in_the_letters_of_the_reader() -> None:
    french = places(Look(80, 24, letters="fr"))
    assert (french["KS"], french["QS"], french["AH"]) == ("R♠", "D♠", "A♥")
    assert places(Look(80, 24, ascii=True))["10S"] == "10S"
