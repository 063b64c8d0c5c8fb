"""The points that are told in the lessons are those that were made."""

import re

import msgspec
import pytest

from cartino_games.cartino.lesson_words import LESSONS, places
from cartino_games.cartino.rules.lessons import LESSONS as TAUGHT
from cartino_games.cartino.views import CartinoView
from cartino_tui.game_port.screen import Look
from tests.support.school import shown, wanted_moves


@pytest.mark.parametrize("number", range(1, len(TAUGHT) + 1))
def test_the_points_that_are_told_are_those_that_were_made(number: int) -> None:
    way, words = wanted_moves(number), LESSONS[TAUGHT[number - 1].name]
    for done in range(1, len(way) + 1):
        told = re.search(r"^(\d+) points?|= (\d+)|makes (\d+)", words.tasks[done - 1].learnt)
        if told is not None:
            view = msgspec.msgpack.decode(shown(number, way[:done]).table.game_view, type=CartinoView)
            made = [event.points for event in view.recent if event.seat == 0 and event.kind != "turn"]
            assert int(next(group for group in told.groups() if group)) == made[-1]


def test_stones_are_said_in_the_letters_of_the_reader() -> None:
    french = places(Look(80, 24, letters="fr"))
    assert (french["KS"], french["QS"], french["AH"]) == ("R♠", "D♠", "A♥")
    assert places(Look(80, 24, ascii=True))["10S"] == "10S"
