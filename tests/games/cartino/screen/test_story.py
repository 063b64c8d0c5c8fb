"""The course of a game as running text, as much of it as there is room for; see screen.txt, too."""

import msgspec
import pytest

from cartino_games.cartino.board import Edition
from cartino_games.cartino.screen.scene import Scene
from cartino_games.cartino.screen.story import turns, turns_of
from cartino_games.cartino.turn_log import logged, opened
from cartino_games.cartino.views import CartinoEvent
from cartino_games.kit.arrangement import Box
from cartino_games.kit.log import draw_moves
from cartino_tui.draw.canvas import Canvas
from tests.support.cartino import Table, position, random_game
from tests.support.cartino_table import SMALL, scene_of
from tests.support.pseudo import PSEUDO, in_pseudo

FIVE = position("7H 8H 9H 10H JH", "7D 8D", bag="9C 9C 9D 9D 8S 8S")


def paragraphs(scene: Scene) -> list[str]:
    return [
        "".join(text for chunk in turn for text, _ in chunk).strip() for turn in reversed(list(turns(scene)))
    ]


def with_events(*events: CartinoEvent) -> Scene:
    scene, log, turn = scene_of(FIVE, 0), opened(0), list[CartinoEvent]()
    for event in events:
        turn.append(event)
        if event.kind in ("turn", "pass"):
            log, turn = log + logged("1974", turn), []
    view = msgspec.structs.replace(scene.view, recent=events, log=log)
    return msgspec.structs.replace(scene, view=view)


def lines(scene: Scene, box: Box) -> list[str]:
    canvas = Canvas(box.width, box.height)
    draw_moves(canvas, scene, turns(scene), box)
    return canvas.frame().text().split("\n")


def test_swaps_jokers_passes_and_going_out_are_told() -> None:
    scene = with_events(
        CartinoEvent("swap", 0, "AH", "AHu", 5),
        CartinoEvent("turn", 0, points=5),
        CartinoEvent("pass", 1),
        CartinoEvent("lay", 0, "*", "KHl", 4),
        CartinoEvent("turn", 0, points=4),
        CartinoEvent("out", 0, points=10),
    )
    assert paragraphs(scene) == [
        "Bartholomew XVI. laid A♥ upper replacing a joker +5",
        "Léa can't lay anything and passes",
        "Bartholomew XVI. laid ★K♥ lower +4",
        "Bartholomew XVI. is out of stones: +10",
    ]


@pytest.mark.parametrize(("edition", "seats"), [("1974", 2), ("1969", 4)])
def test_every_turn_of_a_game_is_told_with_the_points_of_its_course(edition: Edition, seats: int) -> None:
    *_, last = [state for state, _ in random_game(3, edition, seats)]
    told = [turn for turn in reversed(turns_of(scene_of(last, None))) if turn[0].kind != "out"]
    assert len(told) == len(last.course) > 24
    assert [turn[-1].points for turn in told] == list(last.course)
    laid = [event.kind for turn in told for event in turn if event.kind in ("lay", "swap")]
    assert len(laid) - laid.count("swap") == last.taken.bit_count()


def test_only_turns_that_fit_whole_are_shown_and_in_one_row_one_behind_the_other() -> None:
    table = Table(FIVE)
    table.lay("7Hu")
    table.end()
    table.lay("7Du")
    scene = scene_of(table.state, 0)
    ann, lea = " Bartholomew XVI. laid 7♥ upper +0", " Léa laid 7♦ upper +0"
    assert lines(scene, Box(0, 0, 40, 1)) == [lea]
    assert lines(scene, Box(0, 0, 40, 3)) == [ann, lea, ""]
    assert lines(scene, Box(0, 0, 70, 1)) == [f"{ann} ·{lea}"]


def test_a_turn_that_is_longer_than_its_room_shows_its_newest_lays_and_says_so() -> None:
    table = Table(FIVE)
    table.lay("7Hu", "8Hu", "9Hl", "10Hl")
    assert lines(scene_of(table.state, 0), Box(0, 0, 58, 1)) == [
        " Bartholomew XVI. laid … 9♥ lower +0, 10♥ lower +1"
    ]


def test_another_language_may_put_its_words_elsewhere() -> None:
    scene = scene_of(Table(FIVE).state, 0, in_pseudo(SMALL))
    view = msgspec.structs.replace(scene.view, log=opened(1) + logged("1974", ()))
    told_so = paragraphs(msgspec.structs.replace(scene, view=view))
    assert told_so == [PSEUDO.gettext("{name} can't lay anything and passes", name="Léa")]
