import pytest

from cartino_games.cartino.board import BOARDS, CHIPS_IN_BOX, JOKER_PENALTY, TRACK_FIELDS, VALUES
from cartino_games.cartino.rulebook import RULES
from cartino_tui.game_port.description import Section
from cartino_tui.i18n import ENGLISH
from tests.support.cartino_table import CARTINO_SCREEN


def section(heading: str) -> Section:
    return next(each for each in RULES if each.heading == heading)


def text(heading: str) -> str:
    return " ".join(each.translate_paragraph(ENGLISH) for each in section(heading).paragraphs)


def test_the_numbers_are_those_of_the_game() -> None:
    values = text("Values")
    names = {"A": "ace", "K": "king", "Q": "queen", "J": "jack"}
    assert all(f"{names[rank]}" in values and str(value) in values for rank, value in VALUES.items())
    assert f"{TRACK_FIELDS} fields" in text("Track and chips")
    assert f"{CHIPS_IN_BOX} chips" in text("Track and chips")
    assert f"{JOKER_PENALTY} for a joker" in text("Ending the game")
    for board in BOARDS.values():
        assert f"{len(board.cards)} cards" in text("The stones")
        assert f"{2 * len(board.cards) + 2} stones" in text("The stones")


@pytest.mark.parametrize(
    ("heading", "decisions"),
    [
        ("Values", 1),
        ("Setup", 1),
        ("Your turn", 1),
        ("Points", 1),
        ("Five in one turn", 1),
        ("Jokers", 3),
        ("Track and chips", 1),
        ("Ending the game", 2),
        ("What is secret", 1),
        ("Fair shuffle", 1),
    ],
)
def test_our_own_decisions_are_marked_where_they_stand(heading: str, decisions: int) -> None:
    assert sum(each.ours for each in section(heading).paragraphs) == decisions
    assert text(heading).lower().count("our ruling: ") == decisions


@pytest.mark.parametrize("heading", ["The stones", "Jokers", "Track and chips"])
def test_where_the_editions_differ_both_are_told(heading: str) -> None:
    assert {each.only for each in section(heading).paragraphs if each.only} == {"1974", "1969"}
    assert "1974 only: " in text(heading)
    assert "1969 only: " in text(heading)


def test_the_rules_of_an_edition_compare_it_with_no_other() -> None:
    headings = {part.heading for part in CARTINO_SCREEN.rules_of({"edition": "1974"})}
    assert "The two editions" not in headings
    assert {"The stones", "The board"} <= headings
