from cartino_games.cartino.screen.scene import is_free, is_joker, suit_of
from tests.support.cartino import position, random_game
from tests.support.cartino_table import scene_of

STATE = position("AH 7S", "7D", stones=["ASu"], jokers=["KHu"])


def test_a_picked_stone_brings_its_open_spots_its_cursor_and_what_it_can_touch() -> None:
    scene = scene_of(STATE, 0, keys=("1",))
    number = scene.board.spot_number
    assert scene.open_spots == {number["AHu"]: 9, number["AHl"]: 0}
    assert scene.cursor == number["AHu"]
    assert scene.touched == {number["ASu"], number["KHu"]}
    assert scene_of(STATE, 0, keys=("1", "down")).touched == scene.touched, "the cursor changes none"
    scene = scene_of(position("* 7S", "7D", stones=["ASu"], jokers=["KHu"]), 0, keys=("2",))
    assert scene.lay is not None
    assert (scene.lay.stone, scene.touched) == ("*", frozenset()), "a joker can touch nearly all"


def test_nothing_picked_points_at_nothing() -> None:
    scene = scene_of(STATE, 0)
    assert (scene.open_spots, scene.touched, scene.cursor, scene.lay) == ({}, frozenset(), None, None)


def test_whose_turn_it_is_and_whether_it_is_over() -> None:
    assert [scene_of(STATE, you).mine for you in (0, 1, None)] == [True, False, False]
    *_, (over, _) = random_game(1, "1974", 2)
    assert scene_of(over, 0).is_over
    assert not scene_of(STATE, 0).is_over


def test_what_lies_on_a_spot_reads_as_its_card() -> None:
    scene = scene_of(STATE, 0)
    stone, joker, free = (scene.board.spot_number[name] for name in ("ASu", "KHu", "7Du"))
    assert (scene.card_at(stone), scene.card_at(joker)) == ("A♠", "★K♥")
    assert (is_free(scene, free), is_free(scene, joker), is_joker(scene, joker)) == (True, False, True)
    assert [suit_of(name) for name in ("10S", "*")] == ["S", "*"]
    assert scene.name(7) == "?"
