"""The accounts as rows: what each total is made of, in as many words as there is room for."""

import msgspec

from cartino_games.cartino.screen.ledger import ledger, seat_marks
from cartino_games.cartino.screen.rows import Row, rows_width
from cartino_games.cartino.screen.scene import Scene
from cartino_tui.draw.theme import SEATS
from cartino_tui.games.screen import Look
from tests.support.cartino import random_game
from tests.support.cartino_table import SMALL, scene_of

OVER = [state for state, _ in random_game(3, "1974", 4)][-1]


def over(**changes: object) -> Scene:
    scene = scene_of(OVER, 0)
    return msgspec.structs.replace(scene, view=msgspec.structs.replace(scene.view, **changes))


def words(row: Row) -> list[str]:
    return [text for _, text, _ in row]


def test_a_line_adds_up_to_its_total() -> None:
    for row in ledger(over(fives=(0, 5)), 100, with_hands=False)[1:]:
        *parts, total = (word.replace("−", "-").replace("·", "0") for word in words(row)[3:])
        assert sum(map(int, parts)) == int(total)


def test_who_went_out_and_who_held_stones_is_seen() -> None:
    head, first, second, *_ = ledger(over(), 100, with_hands=True)
    assert words(head) == ["stones laid", "five at once", "going out", "left in hand", "total"]
    assert words(first) == ["1", "○", "Léa", "52", "·", "+10", "·", "62"]
    assert words(second) == ["2", "●", "Bartholomew XVI.", "59", "·", "·", "−1", "58", "10♣"]


def test_numbers_stand_below_the_ends_of_their_headings() -> None:
    for width in (58, 78, 118):
        head, *rows = ledger(over(), width, with_hands=False)
        ends = [x + len(text) for x, text, _ in head]
        for row in rows:
            assert [x + len(text) for x, text, _ in row[3:]] == ends
        assert rows_width([head, *rows]) <= width


def test_the_headings_get_shorter_with_the_room() -> None:
    assert words(ledger(over(), 58, with_hands=False)[0]) == ["laid", "fives", "out", "left", "total"]


def test_each_seat_has_a_mark_and_a_colour_of_its_own() -> None:
    for look in (SMALL, Look(80, 24, ascii=True)):
        marks = seat_marks(msgspec.structs.replace(over(), look=look))
        assert len(set(marks)) == len(set(SEATS)) == 4
        assert marks.isascii() == look.ascii
