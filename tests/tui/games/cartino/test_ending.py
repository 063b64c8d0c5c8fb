import msgspec
import pytest

from cartino_protocol.views import ResultView
from cartino_tui.games.cartino.ending import headline, promise
from cartino_tui.games.cartino.scene import Scene
from tests.support.cartino import random_game
from tests.support.cartino_table import SMALL, drawn, scene_of

OVER = [state for state, _ in random_game(3, "1974", 4)][-1]


def with_result(result: ResultView | None, you: int | None = None) -> Scene:
    scene = scene_of(OVER, you)
    return msgspec.structs.replace(scene, room=msgspec.structs.replace(scene.room, result=result))


@pytest.mark.parametrize(
    ("result", "sentence"),
    [
        (ResultView((9, 12, 1), (1,), "out"), "Léa wins with 12."),
        (ResultView((9, 9, 1), (0, 1), "out"), "Bartholomew XVI. and Léa share the win with 9."),
        (ResultView((-3, -4, -9), (0,), "blocked"), "Bartholomew XVI. wins with −3."),
        (ResultView((3, 4, 9), (), "abandoned"), "The game was left before its end; nobody has won."),
        (None, "The game is over."),
    ],
)
def test_the_headline_says_who_won_with_what(result: ResultView | None, sentence: str) -> None:
    assert headline(with_result(result)) == sentence


def test_the_winner_is_told_so() -> None:
    assert headline(with_result(ResultView((9, 12), (1,), "out"), you=1)) == "You win with 12."


def test_the_seed_stands_beside_its_promise_once_it_is_known() -> None:
    scene = scene_of(OVER, None)
    assert promise(scene) == "seed 3fa9c2d13fa9… was promised as 91cd04ee91cd… (? has both whole)"
    hidden = msgspec.structs.replace(scene, room=msgspec.structs.replace(scene.room, seed=""))
    assert promise(hidden) == ""


def test_every_seats_settlement_and_hand_are_shown() -> None:
    scene = scene_of(OVER, 0)
    text = drawn(OVER, 0, SMALL).text()
    for penalty, hand in zip(scene.view.penalty, scene.view.hands, strict=True):
        shown = " ".join(scene.marks.card(stone) for stone in hand)
        assert (f"−{penalty} {shown}" if hand else "+10 went out") in text
