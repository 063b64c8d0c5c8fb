"""The accounts as rows: what each total is made of, in as many words as there is room for."""

import msgspec

from cartino_games.cartino.screen.ending import ledger_of
from cartino_games.cartino.screen.scene import Scene
from cartino_games.kit.result import ledger
from cartino_games.kit.text import Row, rows_width
from tests.support.cartino import random_game
from tests.support.cartino_table import scene_of

OVER = [state for state, _ in random_game(3, "1974", 4)][-1]


def over(**changes: object) -> Scene:
    scene = scene_of(OVER, 0)
    return msgspec.structs.replace(scene, view=msgspec.structs.replace(scene.view, **changes))


def rows_of(scene: Scene, width: int, *, with_rest: bool) -> list[Row]:
    return ledger(scene, ledger_of(scene), width, with_rest=with_rest)


def words(row: Row) -> list[str]:
    return [text for _, text, _ in row]


def test_a_line_adds_up_to_its_total() -> None:
    for row in rows_of(over(fives=(0, 5)), 100, with_rest=False)[1:]:
        *parts, total = (word.replace("−", "-").replace("·", "0") for word in words(row)[3:])
        assert sum(map(int, parts)) == int(total)


def test_who_went_out_and_who_held_stones_is_seen() -> None:
    head, first, second, *_ = rows_of(over(), 100, with_rest=True)
    assert words(head) == ["stones laid", "five stones", "going out", "left in hand", "total"]
    assert words(first) == ["1", "▼", "Léa", "52", "·", "+10", "·", "62"]
    assert words(second) == ["2", "●", "Bartholomew XVI.", "59", "·", "·", "−1", "58", "10♣"]


def test_numbers_stand_below_the_ends_of_their_headings() -> None:
    for width in (58, 78, 118):
        head, *rows = rows_of(over(), width, with_rest=False)
        ends = [x + len(text) for x, text, _ in head]
        for row in rows:
            assert [x + len(text) for x, text, _ in row[3:]] == ends
        assert rows_width([head, *rows]) <= width


def test_the_headings_get_shorter_with_the_room() -> None:
    assert words(rows_of(over(), 58, with_rest=False)[0]) == ["laid", "fives", "out", "left", "total"]
