"""The end of a game: who won, the accounts as rows, and the proof of the shuffle, whole in every width."""

import hashlib

import msgspec
import pytest

from cartino_games.kit.result import (
    PAGES,
    Accounts,
    Ending,
    Entry,
    Heading,
    Proof,
    accounts_of,
    draw_page,
    headline,
    kept_promise,
    ledger,
    proof_rows,
    turned,
)
from cartino_games.kit.scene import TableScene
from cartino_games.kit.text import Row, rows_width
from cartino_protocol.base import Seat
from cartino_protocol.views import ResultView
from cartino_tui.draw.canvas import Canvas
from cartino_tui.game_port.description import LOT, SHUFFLE
from cartino_tui.game_port.screen import Look
from tests.support.kit_table import LARGE, NAMES, kit_scene, kit_table
from tests.support.whole import drawn_whole

SEED = "3fa9c2d1" * 8
PROMISE = hashlib.sha256(bytes.fromhex(SEED)).hexdigest()


@pytest.mark.parametrize(
    ("result", "you", "sentence"),
    [
        (ResultView((9, 12, 1), (1,), "out"), None, "Bartholomew XVI. wins with 12."),
        (ResultView((9, 12), (1,), "out"), 1, "You win with 12."),
        (ResultView((9, 9, 1), (0, 1), "out"), None, "Ann and Bartholomew XVI. share the win with 9."),
        (ResultView((9,) * 3, (0, 1, 2), "out"), None, "Ann, Bartholomew XVI. and Léa share the win with 9."),
        (ResultView((-3, -4, -9), (0,), "blocked"), None, "Ann wins with −3."),
        (ResultView((3, 4, 9), (), "abandoned"), None, "The game was abandoned; nobody won."),
        (None, None, "The game is over."),
    ],
)
def test_the_headline_says_who_won_with_what(
    result: ResultView | None, you: Seat | None, sentence: str
) -> None:
    assert headline(kit_scene(kit_table(you=you, result=result))) == sentence


def test_the_pages_come_round() -> None:
    assert [turned(page, "tab") for page in PAGES] == ["course", "board", "result"]
    assert [turned(page, "h") for page in PAGES] == ["board", "result", "course"]


def test_a_broken_promise_is_told_in_full() -> None:
    table = kit_table(3, 0, result=ResultView((12, 9, 4), (0,), "out"))
    scene = kit_scene(msgspec.structs.replace(table, seed=SEED, commitment="0" * 64), LARGE)
    ending = Ending(
        "All were laid.", "", accounts_of(scene, (), (12, 9, 4)), ((0, 5, 5, 12), (0, 0, 9, 9), (0, 1, 2, 4))
    )
    canvas = Canvas(LARGE.width, LARGE.height)
    with drawn_whole(*NAMES) as faults:
        draw_page(canvas, scene, ending, "result")
    assert faults == []
    beside_the_chart = " ".join(row[:41].strip() for row in canvas.frame().text().split("\n"))
    told = "The seed doesn't match the hash shown before the deal: this was a different shuffle. Tab: details"
    assert told in " ".join(beside_the_chart.split())


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


def account_rows(width: int, *, with_rest: bool = False, ascii: bool = False) -> list[Row]:
    return ledger(kit_scene(look=Look(80, 24, ascii=ascii)), FOUND, width, with_rest=with_rest)


def test_headings_get_short_where_there_is_no_room_for_the_full_ones() -> None:
    assert words(account_rows(70)[0]) == ["most cards in the piles", "total of the deal"]
    assert words(account_rows(40)[0]) == ["cards", "total"]


def test_numbers_end_where_their_headings_end() -> None:
    for width in (70, 40, 20):
        head, *lines = account_rows(width)
        ends = [x + len(text) for x, text, _ in head]
        assert [[x + len(text) for x, text, _ in line[3:]] for line in lines] == [ends, ends]
        assert rows_width([head, *lines]) <= max(width, 33)


def test_a_line_has_rank_sign_name_and_numbers_and_the_rest_behind_them() -> None:
    assert words(account_rows(70)[1]) == ["1", "▼", "Bartholomew XVI.", "+11", "123"]
    assert words(account_rows(70, with_rest=True)[1])[-2:] == ["K♠", "2♥"]
    assert words(account_rows(70, ascii=True)[2])[:3] == ["2", "o", "Ann"]


def over(seed: str = SEED, promise: str = PROMISE) -> TableScene:
    return kit_scene(msgspec.structs.replace(kit_table(), seed=seed, commitment=promise))


@pytest.mark.parametrize(("width", "rows"), [(120, 3), (76, 3), (69, 6), (58, 8)])
def test_all_of_it_stands_in_any_width(width: int, rows: int) -> None:
    found = proof_rows(over(), width, SHUFFLE)
    assert len(found) == rows
    assert rows_width(found) <= width
    text = "".join(text for row in found for _, text, _ in row)
    assert PROMISE in text
    assert SEED in text


def test_without_a_seed_there_is_nothing_to_prove() -> None:
    assert proof_rows(over(seed=""), 80, SHUFFLE) == []
    assert Proof.from_scene(over(seed=""), SHUFFLE).width == 2


@pytest.mark.parametrize(
    ("seed", "promised", "kept", "verdict"),
    [
        (SEED, PROMISE, True, "Fair shuffle verified"),
        (SEED.upper(), PROMISE.upper(), True, "Fair shuffle verified"),
        (SEED, "0" * 64, False, "The seed doesn't match"),
        ("no hex", PROMISE, False, "The seed doesn't match"),
        ("", PROMISE, None, ""),
    ],
)
def test_a_promise_is_kept_by_the_seed_that_has_the_hash(
    seed: str, promised: str, kept: bool | None, verdict: str
) -> None:
    """That is worked out here, and not believed."""
    scene = over(seed, promised)
    assert kept_promise(scene.table) is kept
    assert Proof.from_scene(scene, SHUFFLE).verdict.startswith(verdict)
    assert Proof.from_scene(over(), LOT).verdict.startswith("Fair draw verified")
