"""The end of a game in words."""

import hashlib

import msgspec
import pytest

from cartino_games.kit.result import PAGES, Ending, accounts_of, draw_page, headline, turned
from cartino_games.kit.scene import TableScene
from cartino_protocol.base import Seat
from cartino_protocol.views import ResultView
from cartino_tui.draw.canvas import Canvas
from cartino_tui.game_port.screen import Look
from tests.support.kit_table import LARGE, LOOKS, MIDDLE, NAMES, kit_scene, kit_table
from tests.support.whole import drawn_whole

SEED = "3fa9c2d1" * 8
PROMISE = hashlib.sha256(bytes.fromhex(SEED)).hexdigest()


def with_result(result: ResultView | None, you: Seat | None = None) -> TableScene:
    return kit_scene(kit_table(you=you, result=result))


@pytest.mark.parametrize(
    ("result", "sentence"),
    [
        (ResultView((9, 12, 1), (1,), "out"), "Bartholomew XVI. wins with 12."),
        (ResultView((9, 9, 1), (0, 1), "out"), "Ann and Bartholomew XVI. share the win with 9."),
        (
            ResultView((9, 9, 9), (0, 1, 2), "out"),
            "Ann, Bartholomew XVI. and Léa share the win with 9.",
        ),
        (ResultView((-3, -4, -9), (0,), "blocked"), "Ann wins with −3."),
        (ResultView((3, 4, 9), (), "abandoned"), "The game was abandoned; nobody won."),
        (None, "The game is over."),
    ],
)
def test_the_headline_says_who_won_with_what(result: ResultView | None, sentence: str) -> None:
    assert headline(with_result(result)) == sentence


def test_the_winner_is_told_so() -> None:
    assert headline(with_result(ResultView((9, 12), (1,), "out"), you=1)) == "You win with 12."


def test_the_pages_come_round() -> None:
    assert [turned(page, "tab") for page in PAGES] == ["course", "board", "result"]
    assert [turned(page, "h") for page in PAGES] == ["board", "result", "course"]


COURSES = ((0, 5, 5, 12), (0, 0, 9, 9), (0, 1, 2, 4))


def result_page(look: Look, *, seed: str = SEED, promise: str = PROMISE) -> str:
    table = kit_table(3, 0, result=ResultView((12, 9, 4), (0,), "out"))
    scene = kit_scene(msgspec.structs.replace(table, seed=seed, commitment=promise), look)
    ending = Ending("All were laid.", "", accounts_of(scene, (), (12, 9, 4)), COURSES)
    canvas = Canvas(look.width, look.height)
    with drawn_whole(*NAMES) as faults:
        draw_page(canvas, scene, ending, "result")
    assert faults == []
    return canvas.frame().text()


@pytest.mark.parametrize("look", LOOKS)
def test_the_proof_is_folded_to_a_line_beside_the_key_for_all_of_it(look: Look) -> None:
    text = result_page(look)
    assert "Fair shuffle verified  Tab: details" in text
    assert SEED not in text
    assert "verified" not in result_page(look, seed="")


def test_a_broken_promise_is_told_in_full() -> None:
    text = result_page(LARGE, promise="0" * 64)
    beside_the_chart = " ".join(row[:41].strip() for row in text.split("\n"))
    told = "The seed doesn't match the hash shown before the deal: this was a different shuffle. Tab: details"
    assert told in " ".join(beside_the_chart.split())
    assert "verified" not in text


@pytest.mark.parametrize("look", LOOKS)
def test_each_players_best_turn_stands_before_the_total(look: Look) -> None:
    rows = [row.replace("│", " ").split() for row in result_page(look).split("\n")]
    ann = next(row for row in rows if row[:1] == ["1"])
    other = next(row for row in rows if row[:1] == ["2"])
    assert ann[ann.index("12") - 1] == "+7"
    assert other[other.index("9") - 1] == "+9"


@pytest.mark.parametrize("look", [MIDDLE, LARGE])
def test_large_pages_are_framed(look: Look) -> None:
    text = result_page(look)
    for heading in ("─ Score ─", "─ Totals by turn ─", "─ Chat ─"):
        assert heading in text
    assert text.count("┌") == text.count("┐") == text.count("└") == text.count("┘") == 3
