import msgspec
import pytest

from cartino_games.cartino.screen.pointer import NOWHERE
from cartino_tui.i18n import ENGLISH
from tests.support.cartino import GAME, position
from tests.support.cartino_table import AROUND, SMALL, TOY_SCREEN, press, room_of, view_of

STATE = position("AH 7S", "7D")
ROOM = room_of(STATE, 0)


def test_the_view_comes_back_as_the_engine_made_it() -> None:
    assert TOY_SCREEN.read(ROOM.table) == GAME.view(STATE, 0)
    with pytest.raises(msgspec.DecodeError):
        TOY_SCREEN.read(msgspec.Raw(b"\x01"))


def test_a_newcomer_points_at_nothing_and_a_pick_outlives_the_same_view() -> None:
    assert TOY_SCREEN.fresh() == NOWHERE
    pointer = press(ROOM, "1")
    assert TOY_SCREEN.follow(ROOM, view_of(ROOM), pointer) == pointer


def test_keys_clicks_and_drawing_go_through_the_screen() -> None:
    view = view_of(ROOM)
    assert TOY_SCREEN.key(ROOM, view, NOWHERE, "1").pointer.stone == view.hand[0]
    assert TOY_SCREEN.click(ROOM, view, NOWHERE, SMALL, 2, 15).pointer.stone == view.hand[0]
    assert AROUND.title in TOY_SCREEN.draw(ROOM, view, NOWHERE, SMALL, AROUND).text()


def test_refusals_and_options_have_words() -> None:
    assert TOY_SCREEN.refused("one-suit", ENGLISH).startswith("All stones of a turn")
    assert TOY_SCREEN.refused("something newer", ENGLISH).endswith(".")
    assert TOY_SCREEN.title_of({"edition": "1969"}, ENGLISH) == "Cartino 1969"
    assert TOY_SCREEN.title_of({}, ENGLISH) == "Cartino"


def test_every_key_of_the_help_does_something() -> None:
    shown = [key for key, _ in TOY_SCREEN.key_help]
    assert shown[:6] == ["1-5", "↑ ↓ ← → k j h l", "/", "Enter", "e", "Esc Backspace"]
    view = view_of(ROOM)
    for key in ("1", "5", "up", "down", "left", "right", "h", "j", "k", "l", "slash", "enter", "e"):
        assert TOY_SCREEN.key(ROOM, view, press(ROOM, "1"), key).taken
