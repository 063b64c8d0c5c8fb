import pytest

from cartino_protocol.games.cartino.board import CHIPS_IN_BOX, JOKER_PENALTY, TRACK_FIELDS, VALUES
from cartino_tui.games.cartino.rules import RULES

PARAGRAPHS = [" ".join(part.split()) for part in RULES.split("\n\n")]


def paragraph(heading: str) -> str:
    return next(part for part in PARAGRAPHS if part.startswith(heading))


def test_the_numbers_are_those_of_the_game() -> None:
    values = paragraph("VALUES")
    names = {"A": "ace", "K": "king", "Q": "queen", "J": "jack"}
    assert all(f"{names[rank]}" in values and str(value) in values for rank, value in VALUES.items())
    assert f"{TRACK_FIELDS} fields" in paragraph("TRACK")
    assert f"{CHIPS_IN_BOX} chips" in paragraph("TRACK")
    assert f"{JOKER_PENALTY} for a joker" in paragraph("THE END")


@pytest.mark.parametrize(
    ("heading", "decisions"),
    [
        ("THE BOARD", 2),
        ("THE START", 1),
        ("YOUR TURN", 1),
        ("POINTS", 1),
        ("FIVE", 1),
        ("JOKERS", 1),
        ("TRACK", 1),
    ],
)
def test_our_own_decisions_are_marked_where_they_stand(heading: str, decisions: int) -> None:
    assert paragraph(heading).count("[ours]") == decisions


def test_where_the_editions_differ_both_are_told() -> None:
    for heading in ("TWO EDITIONS", "JOKERS", "TRACK"):
        assert "1974" in paragraph(heading)
        assert "1969" in paragraph(heading)
