import msgspec
import pytest

from cartino_games.cartino.screen.pointer import NOWHERE
from cartino_tui.i18n import ENGLISH
from tests.support.cartino import GAME, position
from tests.support.cartino_table import AROUND, PLUG, SMALL, press, room_of, view_of

STATE = position("AH 7S", "7D")
ROOM = room_of(STATE, 0)


def test_the_view_comes_back_as_the_engine_made_it() -> None:
    assert PLUG.read(ROOM.table) == GAME.view(STATE, 0)
    with pytest.raises(msgspec.DecodeError):
        PLUG.read(msgspec.Raw(b"\x01"))


def test_a_newcomer_points_at_nothing_and_a_pick_outlives_the_same_view() -> None:
    assert PLUG.fresh() == NOWHERE
    pointer = press(ROOM, "1")
    assert PLUG.follow(ROOM, view_of(ROOM), pointer) == pointer


def test_keys_clicks_and_drawing_go_through_the_plug() -> None:
    view = view_of(ROOM)
    assert PLUG.key(ROOM, view, NOWHERE, "1").pointer.stone == view.hand[0]
    assert PLUG.click(ROOM, view, NOWHERE, SMALL, 2, 15).pointer.stone == view.hand[0]
    assert AROUND.title in PLUG.draw(ROOM, view, NOWHERE, SMALL, AROUND).text()


def test_refusals_and_options_have_words() -> None:
    assert PLUG.refused("one-suit", ENGLISH).startswith("All stones of a turn")
    assert PLUG.refused("something newer", ENGLISH).endswith(".")
    assert PLUG.title_of({"edition": "1969"}, ENGLISH) == "Cartino 1969"
    assert PLUG.title_of({}, ENGLISH) == "Cartino"


def test_every_key_of_the_help_does_something() -> None:
    shown = [key for key, _ in PLUG.key_help]
    assert shown[:6] == ["1-5", "↑ ↓ ← → k j h l", "/", "Enter", "e", "Esc Backspace"]
    view = view_of(ROOM)
    for key in ("1", "5", "up", "down", "left", "right", "h", "j", "k", "l", "slash", "enter", "e"):
        assert PLUG.key(ROOM, view, press(ROOM, "1"), key).taken
