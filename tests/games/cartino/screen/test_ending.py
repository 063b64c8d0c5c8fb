"""The end: who won and why, the accounts, the course, the proof, at every size whole."""

import hashlib
from typing import Any

import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion

from cartino_games.cartino.board import Edition
from cartino_games.cartino.moves import EndTurn, Lay
from cartino_games.cartino.screen.ending import best, ending, ledger_of
from cartino_games.cartino.screen.pointer import CartinoPointer
from cartino_games.cartino.screen.scene import Scene
from cartino_games.kit.result import Page, ledger, reasons
from cartino_games.kit.text import Row
from cartino_protocol.views import MissedTurn, RatingChange, ResultView, TableView
from cartino_protocol.wire import encode_raw
from cartino_tui.draw.canvas import Frame
from cartino_tui.game_port.screen import Look
from tests.support.cartino import random_game
from tests.support.cartino_table import (
    AROUND,
    CARTINO_SCREEN,
    SMALL,
    scene_of,
    table_of,
    view_of,
)
from tests.support.sizes import USUAL

OVER = [state for state, _ in random_game(3, "1974", 4)][-1]


def with_view(scene: Scene, **changes: object) -> Scene:
    return msgspec.structs.replace(scene, view=msgspec.structs.replace(scene.view, **changes))


@pytest.mark.parametrize(
    ("totals", "winners", "bonus", "you", "sentence"),
    [
        ((9, 12), (1,), (0, 10), 0, "3 points ahead. Léa went out: their hand and the bag are empty."),
        ((9, 8), (0,), (10, 0), 0, "One point ahead. You went out: your hand and the bag are empty."),
        ((9, 9), (0, 1), (0, 0), None, "Nobody could lay another stone."),
        ((9, 3), (), (0, 0), None, ""),
    ],
)
def test_why_it_was_over_and_by_how_much_it_was_won(
    totals: tuple[int, ...], winners: tuple[int, ...], bonus: tuple[int, ...], you: int | None, sentence: str
) -> None:
    scene = with_view(scene_of(OVER, you), bonus=bonus)
    table = msgspec.structs.replace(scene.table, result=ResultView(totals, winners, "out"))
    scene = msgspec.structs.replace(scene, table=table)
    assert reasons(scene, ending(scene).why) == sentence


def test_the_best_turn_is_named_with_its_player() -> None:
    course = {"first": 2, "course": (1, 30, 4)}
    assert best(with_view(scene_of(OVER, 0), **course)) == (
        "Johann Sebastian had the best turn: 30 points in turn 2."
    )
    assert best(with_view(scene_of(OVER, 3), **course)) == "You had the best turn: 30 points in turn 2."
    assert best(with_view(scene_of(OVER, 3), course=())) == ""


def test_the_column_the_sentence_and_the_lines_below_mean_the_same_by_a_best_turn() -> None:
    """The points for going out are in none of them."""
    for seed in range(3, 9):
        state = [state for state, _ in random_game(seed, "1974", 2)][-1]
        found = ending(scene_of(state, None))
        most = [max(state.course[seat::2]) for seat in ((each - state.first) % 2 for each in range(2))]
        assert list(found.gains) == most
        assert f": {max(most)} points in turn" in found.best
        for seat, pieces in found.best_steps:
            said = " ".join(text for text, _ in pieces)
            turn = int(said.split()[1])
            assert (state.first + turn - 1) % 2 == seat
            assert state.course[turn - 1] == most[seat]
            assert said.endswith(f"+{most[seat]}")


def test_the_board_of_the_end_shows_every_hand() -> None:
    table = table_of(OVER, 0)
    scene = scene_of(OVER, 0)
    text = CARTINO_SCREEN.draw(table, view_of(table), CartinoPointer(page="board"), SMALL, AROUND).text()
    for penalty, hand in zip(scene.view.penalty, scene.view.hands, strict=True):
        shown = " ".join(scene.marks.card(stone) for stone in hand)
        assert (f"−{penalty} {shown}" if hand else "+10 went out") in text


def reviewed(look: Look, **changes: Any) -> str:
    table = table_of(OVER, 0)
    assert table.result is not None
    table = msgspec.structs.replace(table, result=msgspec.structs.replace(table.result, **changes))
    page = CARTINO_SCREEN.draw(table, view_of(table), CartinoPointer(page="result"), look, AROUND)
    return " ".join(page.text().split())


@pytest.mark.parametrize("look", [SMALL, Look(120, 40)], ids=["80x24", "120x40"])
def test_the_result_names_the_new_rating_and_the_turn_that_lost_most(look: Look) -> None:
    moves = tuple(map(encode_raw, (Lay("KS", "KSu"), Lay("QS", "QSl"), EndTurn())))
    shown = reviewed(look, rating=RatingChange(1012, 1003), missed=MissedTurn(9, 5, 19, moves))
    assert "Your rating: 1003 (−9)." in shown
    assert "The best turn you missed: 19 points instead of 5 in turn 9 (K♠ upper; Q♠ lower)." in shown
    assert not any(text in reviewed(look) for text in ("The best turn you missed", "Your rating"))


@pytest.mark.parametrize(
    ("missed", "said"),
    [
        ((5, 19, 14), "The best turn you missed: 19 points instead of 5 in turn 9 (★ as K♠ upper)."),
        (
            (8, 6, 4),
            "Your costliest turn: turn 9. ★ as K♠ upper: about 4 points better in the long run, 6 instead of 8 ",
        ),
    ],
)
def test_points_that_come_later_are_told_from_those_of_the_turn(
    missed: tuple[int, int, int], said: str
) -> None:
    made, best, lost = missed
    moves = (encode_raw(Lay("*", "KSu")), encode_raw(EndTurn()))
    assert said in reviewed(SMALL, missed=MissedTurn(9, made, best, moves, lost))


def rows_of(scene: Scene, width: int, *, with_rest: bool) -> list[Row]:
    return ledger(scene, ledger_of(scene), width, with_rest=with_rest)


def words(row: Row) -> list[str]:
    return [text for _, text, _ in row]


def test_who_went_out_and_who_held_stones_is_seen_and_a_line_adds_up() -> None:
    head, first, second, *_ = rows_of(scene_of(OVER, 0), 100, with_rest=True)
    assert words(head) == ["stones laid", "five stones", "going out", "left in hand", "total"]
    assert words(first) == ["1", "▼", "Léa", "52", "·", "+10", "·", "62"]
    assert words(second) == ["2", "●", "Bartholomew XVI.", "59", "·", "·", "−1", "58", "10♣"]
    short = words(rows_of(scene_of(OVER, 0), 58, with_rest=False)[0])
    assert short == ["laid", "fives", "out", "left", "total"]
    for row in rows_of(with_view(scene_of(OVER, 0), fives=(0, 5)), 100, with_rest=False)[1:]:
        *parts, total = (word.replace("−", "-").replace("·", "0") for word in words(row)[3:])
        assert sum(map(int, parts)) == int(total)


EDITIONS: tuple[Edition, ...] = ("1974", "1969")
ENDS = {
    (edition, seats): [state for state, _ in random_game(3, edition, seats)][-1]
    for edition in EDITIONS
    for seats in (2, 3, 4)
}
SEED = "3fa9c2d1" * 8
HINTS = (("x", "cut"), ("t", "talk"), ("r", "again"), ("?", "help"), ("q", "leave"))
FINISHED = msgspec.structs.replace(AROUND, hints=HINTS)
PAGES: tuple[Page, ...] = ("result", "course")


SIZES = {f"{width}x{height}": Look(width, height) for width, height in USUAL}
sized = pytest.mark.parametrize("look", SIZES.values(), ids=SIZES.keys())


def finished(edition: Edition, seats: int, you: int | None = 0) -> TableView:
    """A game that is over, whose seed has the promised hash, with one who would play again."""
    promise = hashlib.sha256(bytes.fromhex(SEED)).hexdigest()
    table = table_of(ENDS[edition, seats], you)
    return msgspec.structs.replace(table, seed=SEED, commitment=promise, again=(1,))


def shown(table: TableView, page: Page, look: Look) -> Frame:
    return CARTINO_SCREEN.draw(table, view_of(table), CartinoPointer(page=page), look, FINISHED)


@sized
def test_result(look: Look, snapshot: SnapshotAssertion) -> None:
    """Proves that the end says who won and why, and has every player's bonuses and penalties in a line."""
    assert shown(finished("1974", 4), "result", look).text() == snapshot


@sized
def test_course(look: Look, snapshot: SnapshotAssertion) -> None:
    """Proves that the course of all totals is drawn at every size, with promise, seed and verdict whole."""
    assert shown(finished("1969", 3), "course", look).text() == snapshot


def test_result_of_two(snapshot: SnapshotAssertion) -> None:
    """Proves that a small table leaves room for the chart and the talk at 80 by 24."""
    assert shown(finished("1969", 2, None), "result", SIZES["80x24"]).text() == snapshot


def test_ascii(snapshot: SnapshotAssertion) -> None:
    """Proves that nothing of the end needs more than ASCII: players' courses are told apart by their marks."""
    look = Look(80, 24, ascii=True)
    text = "\n".join(shown(finished("1974", 4), page, look).text() for page in PAGES)
    assert text.isascii()
    assert text == snapshot


def test_a_game_without_course_and_seed_still_has_its_end() -> None:
    """An older server tells neither."""
    table = msgspec.structs.replace(finished("1974", 2), seed="")
    view = msgspec.structs.replace(view_of(table), course=(), fives=())
    for page in PAGES:
        frame = CARTINO_SCREEN.draw(table, view, CartinoPointer(page=page), SIZES["80x24"], FINISHED)
        assert "┤" not in frame.text()
        assert SEED not in frame.text()
