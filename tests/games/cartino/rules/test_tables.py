"""The printed board in numbers, and how a total stands on the track."""

import pytest

from cartino_games.cartino.board import BOARDS, Edition
from cartino_games.cartino.rules.tables import TABLES


@pytest.mark.parametrize(
    ("edition", "total", "chips", "field"),
    [
        ("1974", 0, 0, 0),
        ("1974", 1, 0, 1),
        ("1974", 19, 0, 19),
        ("1974", 20, 1, 0),
        ("1974", 21, 1, 1),
        ("1974", 137, 6, 17),
        ("1969", 0, 0, 0),
        ("1969", 20, 0, 20),
        ("1969", 21, 1, 1),
        ("1969", 40, 1, 20),
        ("1969", 41, 2, 1),
        ("1974", -7, 0, 0),
        ("1969", -7, 0, 0),
        ("1974", 620, 31, 0),
    ],
)
def test_chips_and_the_marker(edition: Edition, total: int, chips: int, field: int) -> None:
    tables = TABLES[edition]
    assert (tables.chips(total), tables.field(total)) == (chips, field)


@pytest.mark.parametrize(("edition", "cells"), [("1974", 32), ("1969", 52)])
def test_touching_is_mutual_and_every_spot_has_its_place(edition: Edition, cells: int) -> None:
    board = BOARDS[edition]
    assert len(board.cards) == cells
    assert len({board.place_of(spot) for spot in range(2 * cells)}) == 2 * cells
    for spot, near in enumerate(board.neighbours):
        assert 2 <= len(near) <= 4
        assert all(spot in board.neighbours[other] for other in near)


def test_the_middle_rows_carry_the_high_cards_inwards() -> None:
    board = BOARDS["1974"]
    rows = [
        " ".join(
            card for place, card in sorted(zip(board.cells, board.cards, strict=True)) if place[0] == row
        )
        for row in range(4)
    ]
    assert rows == [
        "10S 9S 8S 7S 7H 8H 9H 10H",
        "JS QS KS AS AH KH QH JH",
        "JD QD KD AD AC KC QC JC",
        "10D 9D 8D 7D 7C 8C 9C 10C",
    ]


def test_values_are_those_of_the_french_sheet() -> None:
    for board in BOARDS.values():
        values = dict(zip(board.cards, board.values, strict=True))
        assert [values[rank + "D"] for rank in board.ranks[-5:]] == [1, 2, 3, 4, 5]
        assert sum(values.values()) == 4 * (14 + len(board.ranks) - 4)
