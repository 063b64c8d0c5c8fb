"""The pictures of large stones: every rank and suit has its own, in as many cells as it may take."""

import itertools

import pytest

from cartino_games.kit.cards import FULL_WIDTH, ROWS, draw_large
from cartino_games.kit.marks import CARDS, COURTS, JOKER, marks_for_letters
from cartino_tui.draw.canvas import Canvas


def drawn(stone: str, width: int, letters: str = "en") -> str:
    canvas = Canvas(20, ROWS + 2)
    found = next(each for each in COURTS if each == letters)
    draw_large(canvas, marks_for_letters(False, found), stone, 2, 1, width, "stone-S")
    return canvas.frame().text()


@pytest.mark.parametrize("letters", COURTS)
def test_every_stone_has_a_picture_of_its_own(letters: str) -> None:
    stones = (*CARDS, JOKER)
    pictures = {drawn(stone, FULL_WIDTH, letters) for stone in stones}
    assert len(pictures) == len(stones)


@pytest.mark.parametrize("width", [6, FULL_WIDTH, 14])
def test_a_picture_stays_in_its_cells(width: int) -> None:
    for stone in (*CARDS, JOKER):
        above, *rows, below = drawn(stone, width).split("\n")
        assert (above, below) == ("", "")
        for row in rows:
            assert row[:2].strip() == ""
            assert len(row) <= 2 + width


def test_where_there_is_no_room_for_the_suit_the_rank_stands_alone() -> None:
    same = {drawn(f"K{suit}", 6) for suit in "DHSC"}
    assert len(same) == 1
    ranks = {drawn(f"{rank}S", 6) for rank in (*"23456789", "10", *"JQKA")}
    assert len(ranks) == 13


def test_any_two_suits_differ_by_more_than_a_stem_or_a_tip() -> None:
    suits = [drawn(f"K{suit}", FULL_WIDTH).split("\n")[1 : 1 + ROWS] for suit in "DHSC"]
    for one, other in itertools.combinations(suits, 2):
        assert sum(row != opposite for row, opposite in zip(one, other, strict=True)) >= 2


def test_an_ace_of_hearts() -> None:
    rows = drawn("AH", FULL_WIDTH).split("\n")[1 : 1 + ROWS]
    assert [row[2:] for row in rows] == [" ▄▀▀▄ ▄█▄█▄", " █▄▄█ ▀███▀", " █  █  ▀█▀"]
    assert all(one != other for one, other in itertools.pairwise(rows))
