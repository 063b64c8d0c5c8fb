"""Cards, tiles and rows of them."""

import itertools
from itertools import combinations

import pytest

from cartino_games.kit.arrangement import Box
from cartino_games.kit.cards import (
    FULL_WIDTH,
    Face,
    card_face,
    draw_card,
    draw_large,
    draw_row,
    lay_row,
)
from cartino_games.kit.marks import CARDS, COURTS, JOKER, marks_for_letters
from cartino_tui.draw.canvas import Canvas
from cartino_tui.game_port.screen import Look
from tests.support.kit_table import LOOKS, kit_scene, lines_of
from tests.support.whole import drawn_whole

ROWS = 3
"""Of a picture."""
HAND = ("KS", "10H", "2D", "AC")


def faces(look: Look, *picked: int) -> list[Face]:
    marks = kit_scene(look=look).marks
    return [card_face(marks, name, picked=at in picked) for at, name in enumerate(HAND)]


def row(width: int, height: int, look: Look, *picked: int, cursor: int | None = None) -> list[str]:
    canvas, box = Canvas(width, height), Box(0, 0, width, height)
    with drawn_whole() as faults:
        draw_row(canvas, kit_scene(look=look), lay_row(box, len(HAND)), faces(look, *picked), cursor=cursor)
    assert faults == []
    return lines_of(canvas)


SMALL, ASCII, FRENCH = Look(80, 24), Look(80, 24, ascii=True), Look(80, 24, letters="fr")


def test_flat_cards_have_their_number_and_the_picked_one_stands_between_marks() -> None:
    assert row(32, 1, SMALL, 1) == [" 1   K♠  2 ►10♥◄ 3   2♦  4   A♣"]
    assert row(24, 1, SMALL, 1) == ["1  K♠ 2►10♥◄3  2♦ 4  A♣"]
    assert row(32, 1, ASCII, 1) == [" 1   KS  2 >10H< 3   2D  4   AC"]
    assert row(32, 1, FRENCH) == [" 1   R♠  2  10♥  3   2♦  4   A♣"]


def test_the_cursor_can_be_told_from_what_is_picked_without_colours() -> None:
    for look in (SMALL, ASCII):
        for width, height in ((32, 1), (24, 1), (32, 3), (40, 5)):
            seen = [
                row(width, height, look),
                row(width, height, look, 1),
                row(width, height, look, cursor=1),
                row(width, height, look, 1, cursor=1),
            ]
            assert all(one != other for one, other in combinations(seen, 2)), (width, height)


def test_cards_are_blocks_that_stand_apart_with_an_edge_at_the_foot() -> None:
    assert row(28, 3, SMALL, 1) == [
        "1      2      3      4",
        "  K♠   ►10♥◄    2♦     A♣",
        "▄▄▄▄▄▄ ▄▄▄▄▄▄ ▄▄▄▄▄▄ ▄▄▄▄▄▄",
    ]
    assert row(28, 3, ASCII, cursor=1)[1] == "  KS   >10H <   2D     AC"
    canvas = Canvas(28, 3)
    draw_row(canvas, kit_scene(), lay_row(Box(0, 0, 28, 3), len(HAND)), faces(SMALL, 1))
    assert [role for _, role in canvas.frame().rows[0]][:4] == ["card-S", "fill-card-S", "ground", "held-H"]


def test_a_high_box_shows_a_picture_and_a_note_and_one_of_ten_rows_twice_as_large() -> None:
    rows = {}
    for width, height in ((14, 7), (24, 10)):
        canvas, scene = Canvas(width, height), kit_scene()
        draw_card(canvas, scene, Box(0, 0, width, height), card_face(scene.marks, "AH", note="14"), "1")
        shown = canvas.frame().text().split("\n")
        assert "14" in shown[0]
        assert "A♥" in shown[-2]
        rows[height] = sum(any(cell in "█▀▄" for cell in row) for row in shown[1:-1])
    assert rows[10] == 2 * rows[7] > 0


def test_tiles_have_any_text() -> None:
    canvas, box, look = Canvas(40, 3), Box(0, 0, 40, 3), SMALL
    tiles = [Face("red 3", "heart"), Face("grey 12", "spade")]
    draw_row(canvas, kit_scene(look=look), lay_row(box, 2, text=7), tiles, labels="rg")
    assert lines_of(canvas)[1] == "  red 3     grey 12"


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("count", [1, 4, 20, 52])
def test_all_cards_stay_in_their_box_and_a_click_finds_them(look: Look, count: int) -> None:
    box = Box(3, 2, look.width // 2, 5)
    found = lay_row(box, count)
    assert len(found.boxes) == count or count == 52
    for number, at in enumerate(found.boxes, found.first):
        assert box.holds(at.x, at.y)
        assert box.holds(at.x + at.width - 1, at.y + at.height - 1)
        assert found.card_at(at.x, at.y) == found.card_at(at.x + at.width - 1, at.y + at.height - 1) == number
    assert found.card_at(0, 0) is None


def test_of_too_many_cards_those_around_the_cursor_are_shown() -> None:
    box = Box(0, 0, 18, 2)
    for cursor in range(20):
        found = lay_row(box, 20, cursor)
        assert 0 < len(found.boxes) < 20
        assert found.first <= cursor < found.first + len(found.boxes)


def pictured(stone: str, width: int, letters: str = "en") -> str:
    canvas = Canvas(20, ROWS + 2)
    found = next(each for each in COURTS if each == letters)
    draw_large(canvas, marks_for_letters(False, found), stone, 2, 1, width, "stone-S")
    return canvas.frame().text()


@pytest.mark.parametrize("letters", COURTS)
def test_every_stone_has_a_picture_of_its_own(letters: str) -> None:
    stones = (*CARDS, JOKER)
    pictures = {pictured(stone, FULL_WIDTH, letters) for stone in stones}
    assert len(pictures) == len(stones)


@pytest.mark.parametrize("width", [6, FULL_WIDTH, 14])
def test_a_picture_stays_in_its_cells(width: int) -> None:
    for stone in (*CARDS, JOKER):
        above, *rows, below = pictured(stone, width).split("\n")
        assert (above, below) == ("", "")
        for row in rows:
            assert row[:2].strip() == ""
            assert len(row) <= 2 + width


def test_where_there_is_no_room_for_the_suit_the_rank_stands_alone() -> None:
    assert len({pictured(f"K{suit}", 6) for suit in "DHSC"}) == 1
    assert len({pictured(f"{rank}S", 6) for rank in (*"23456789", "10", *"JQKA")}) == 13


def test_an_ace_of_hearts() -> None:
    rows = pictured("AH", FULL_WIDTH).split("\n")[1 : 1 + ROWS]
    assert [row[2:] for row in rows] == [" ▄▀▀▄ ▄█▄█▄", " █▄▄█ ▀███▀", " █  █  ▀█▀"]
    assert all(one != other for one, other in itertools.pairwise(rows))
