"""Cards, points and endings in words."""

import pytest

from cartino_games.kit.spoken import card_name, cards, find_new_events, headline, listed, points
from cartino_protocol.base import Seat
from cartino_protocol.views import ResultView
from cartino_tui.i18n import ENGLISH, translator_for
from tests.support.kit_table import kit_table


def test_cards_have_names_in_the_readers_language() -> None:
    assert [card_name(card, ENGLISH) for card in ("KS", "10H", "*")] == [
        "the king of spades",
        "the 10 of hearts",
        "joker",
    ]
    assert cards(("AD", "JC"), ENGLISH) == "the ace of diamonds, the jack of clubs"
    assert card_name("KS", translator_for("fr")) == "le roi de pique"


def test_points_below_nothing_have_a_word_for_their_sign() -> None:
    said = {1: "1 point", 9: "9 points", -1: "minus 1 point", -3: "minus 3 points"}
    assert {number: points(number, ENGLISH) for number in said} == said


def test_parts_with_commas_are_parted_by_semicolons() -> None:
    assert listed((), ENGLISH) == ""
    assert listed(("a, b",), ENGLISH) == "a, b"
    assert listed(("a, b", "c", "d"), ENGLISH) == "a, b; c; d"


@pytest.mark.parametrize(
    ("result", "you", "said"),
    [
        (None, 0, "The game is over."),
        (ResultView((1, 2), (), "abandoned"), 0, "The game was abandoned; nobody won."),
        (ResultView((9, 2), (0,), "out"), 0, "The game is over. You win with 9 points."),
        (ResultView((9, 2), (0,), "out"), 1, "The game is over. Ann wins with 9 points."),
        (
            ResultView((9, 9), (0, 1), "out"),
            None,
            "The game is over. Ann, Bartholomew XVI. share the win with 9 points.",
        ),
    ],
)
def test_who_won_with_how_many_points(result: ResultView | None, you: Seat | None, said: str) -> None:
    assert headline(kit_table(you=you, result=result), ENGLISH) == said


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ((), (1, 2), ((1, 2), False)),
        ((1, 2, 3), (2, 3, 4), ((4,), False)),
        ((1, 2), (1, 2), ((), False)),
        ((1, 2), (5, 6), ((5, 6), True)),
        ((1, 1), (1, 1, 1), ((1,), False)),
    ],
)
def test_news_are_the_events_behind_those_that_were_there(
    old: tuple[int, ...], new: tuple[int, ...], found: tuple[tuple[int, ...], bool]
) -> None:
    assert find_new_events(old, new) == found
