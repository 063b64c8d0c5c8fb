"""The accounts as rows, with columns that a game names."""

from cartino_games.kit.result import Accounts, Entry, Heading, ledger, part
from cartino_games.kit.text import Row, rows_width
from cartino_tui.game_port.screen import Look
from tests.support.kit_table import kit_scene

HEADINGS = (Heading("most cards in the piles", "cards"), Heading("total of the deal", "total"))
HELD = (("K♠", "printed-S"), ("2♥", "printed-H"))
FOUND = Accounts(
    HEADINGS,
    (
        Entry(1, 1, (("+11", "points"), ("123", "points")), HELD),
        Entry(0, 2, (("·", "dim"), ("−4", "points"))),
    ),
)


def words(row: Row) -> list[str]:
    return [text for _, text, _ in row]


def rows(width: int, *, with_rest: bool = False, ascii: bool = False) -> list[Row]:
    return ledger(kit_scene(look=Look(80, 24, ascii=ascii)), FOUND, width, with_rest=with_rest)


def test_headings_get_short_where_there_is_no_room_for_the_full_ones() -> None:
    assert words(rows(70)[0]) == ["most cards in the piles", "total of the deal"]
    assert words(rows(40)[0]) == ["cards", "total"]


def test_numbers_end_where_their_headings_end() -> None:
    for width in (70, 40, 20):
        head, *lines = rows(width)
        ends = [x + len(text) for x, text, _ in head]
        assert [[x + len(text) for x, text, _ in line[3:]] for line in lines] == [ends, ends]
        assert rows_width([head, *lines]) <= max(width, 33)


def test_a_line_has_rank_sign_name_and_numbers_and_the_rest_behind_them() -> None:
    assert words(rows(70)[1]) == ["1", "▼", "Bartholomew XVI.", "+11", "123"]
    assert words(rows(70, with_rest=True)[1])[-2:] == ["K♠", "2♥"]
    assert words(rows(70, ascii=True)[2])[:3] == ["2", "o", "Ann"]


def test_a_part_has_its_sign_and_nothing_is_a_dot() -> None:
    scene = kit_scene()
    assert [part(scene, points) for points in (3, 0, -2)] == [("+3", "points"), ("·", "dim"), ("−2", "error")]
