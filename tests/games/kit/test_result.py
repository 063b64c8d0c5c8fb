"""The end of a game in words."""

import pytest

from cartino_games.kit.result import PAGES, headline, turned
from cartino_games.kit.scene import TableScene
from cartino_protocol.base import Seat
from cartino_protocol.views import ResultView
from tests.support.kit_table import kit_room, kit_scene


def with_result(result: ResultView | None, you: Seat | None = None) -> TableScene:
    return kit_scene(kit_room(you=you, result=result))


@pytest.mark.parametrize(
    ("result", "sentence"),
    [
        (ResultView((9, 12, 1), (1,), "out"), "Bartholomew XVI. wins with 12."),
        (ResultView((9, 9, 1), (0, 1), "out"), "Ann and Bartholomew XVI. share the win with 9."),
        (
            ResultView((9, 9, 9), (0, 1, 2), "out"),
            "Ann, Bartholomew XVI. and Léa share the win with 9.",
        ),
        (ResultView((-3, -4, -9), (0,), "blocked"), "Ann wins with −3."),
        (ResultView((3, 4, 9), (), "abandoned"), "The game was left before its end; nobody has won."),
        (None, "The game is over."),
    ],
)
def test_the_headline_says_who_won_with_what(result: ResultView | None, sentence: str) -> None:
    assert headline(with_result(result)) == sentence


def test_the_winner_is_told_so() -> None:
    assert headline(with_result(ResultView((9, 12), (1,), "out"), you=1)) == "You win with 12."


def test_the_pages_come_round() -> None:
    assert [turned(page, "tab") for page in PAGES] == ["course", "board", "result"]
    assert [turned(page, "h") for page in PAGES] == ["board", "result", "course"]
