"""What a picked stone brings to the scene."""

from tests.support.cartino import position
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
