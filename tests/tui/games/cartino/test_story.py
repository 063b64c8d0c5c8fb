import msgspec

from cartino_games.cartino.screen.scene import Scene
from cartino_games.cartino.screen.story import turns
from cartino_games.cartino.views import Event
from cartino_games.kit.arrangement import Box
from cartino_games.kit.text import draw_moves
from cartino_tui.draw.canvas import Canvas
from tests.support.cartino import Table, position
from tests.support.cartino_table import SMALL, scene_of
from tests.support.pseudo import PSEUDO, in_pseudo

FIVE = position("7H 8H 9H 10H JH", "7D 8D", bag="9C 9C 9D 9D 8S 8S")


def paragraphs(scene: Scene) -> list[str]:
    return [
        "".join(text for chunk in turn for text, _ in chunk).strip() for turn in reversed(list(turns(scene)))
    ]


def with_events(*events: Event) -> Scene:
    scene = scene_of(FIVE, 0)
    return msgspec.structs.replace(scene, view=msgspec.structs.replace(scene.view, recent=events))


def lines(scene: Scene, box: Box) -> list[str]:
    canvas = Canvas(box.width, box.height)
    draw_moves(canvas, scene, turns(scene), box)
    return canvas.frame().text().split("\n")


def test_a_turn_is_a_paragraph_with_every_stone_its_half_and_its_points() -> None:
    table = Table(FIVE)
    table.lay("7Hu", "8Hu", "9Hl", "10Hl", "JHu")
    assert paragraphs(scene_of(table.state, 0)) == [
        "Bartholomew XVI. laid 7♥ upper +0, 8♥ upper +1, 9♥ lower +0, 10♥ lower +1, J♥ upper +1, five stones +10 = +13"
    ]


def test_a_turn_that_still_runs_has_no_sum() -> None:
    table = Table(FIVE)
    table.lay("7Hu", "8Hu")
    assert paragraphs(scene_of(table.state, 0)) == ["Bartholomew XVI. laid 7♥ upper +0, 8♥ upper +1"]


def test_swaps_jokers_passes_and_going_out_are_told() -> None:
    scene = with_events(
        Event("swap", 0, "AH", "AHu", 5),
        Event("turn", 0, points=5),
        Event("pass", 1),
        Event("lay", 0, "*", "KHl", 4),
        Event("turn", 0, points=4),
        Event("out", 0, points=10),
    )
    assert paragraphs(scene) == [
        "Bartholomew XVI. laid A♥ upper for a joker +5",
        "Léa can lay nothing and passes",
        "Bartholomew XVI. laid ★K♥ lower +4",
        "Bartholomew XVI. is out of stones +10",
    ]


def test_a_turn_whose_beginning_is_gone_is_left_out() -> None:
    scene = with_events(Event("lay", 0, "KH", "KHu", 5), Event("turn", 0, points=9), Event("pass", 1))
    assert paragraphs(scene) == ["Léa can lay nothing and passes"]


def test_only_turns_that_fit_whole_are_shown_the_newest_last() -> None:
    table = Table(FIVE)
    table.lay("7Hu")
    table.end()
    table.lay("7Du")
    table.end()
    assert lines(scene_of(table.state, 0), Box(0, 0, 40, 1)) == [" Léa laid 7♦ upper +0"]
    shown = lines(scene_of(table.state, 0), Box(0, 0, 40, 3))
    assert shown == [" Bartholomew XVI. laid 7♥ upper +0", " Léa laid 7♦ upper +0", ""]


def test_in_one_row_turns_stand_one_behind_the_other() -> None:
    table = Table(FIVE)
    table.lay("7Hu")
    table.end()
    table.lay("7Du")
    assert lines(scene_of(table.state, 0), Box(0, 0, 70, 1)) == [
        " Bartholomew XVI. laid 7♥ upper +0 · Léa laid 7♦ upper +0"
    ]


def test_a_turn_that_is_longer_than_its_room_shows_its_newest_lays_and_says_so() -> None:
    table = Table(FIVE)
    table.lay("7Hu", "8Hu", "9Hl", "10Hl")
    assert lines(scene_of(table.state, 0), Box(0, 0, 58, 1)) == [
        " Bartholomew XVI. laid … 9♥ lower +0, 10♥ lower +1"
    ]


def test_another_language_may_put_its_words_elsewhere() -> None:
    scene = scene_of(Table(FIVE).state, 0, in_pseudo(SMALL))
    event = Event("pass", 1)
    view = msgspec.structs.replace(scene.view, recent=(event,))
    told_so = paragraphs(msgspec.structs.replace(scene, view=view))
    assert told_so == [PSEUDO.gettext("{name} can lay nothing and passes", name="Léa")]
