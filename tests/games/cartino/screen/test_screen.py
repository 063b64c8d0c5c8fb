import msgspec
import pytest

from cartino_games.cartino.screen.pointer import NOWHERE
from cartino_tui.i18n import ENGLISH
from tests.support.cartino import GAME, position
from tests.support.cartino_table import AROUND, CARTINO_SCREEN, SMALL, press, table_of, view_of

STATE = position("AH 7S", "7D")
TABLE = table_of(STATE, 0)


def test_the_view_comes_back_as_the_engine_made_it() -> None:
    assert CARTINO_SCREEN.read(TABLE.game_view) == GAME.view(STATE, 0)
    with pytest.raises(msgspec.DecodeError):
        CARTINO_SCREEN.read(msgspec.Raw(b"\x01"))


def test_a_newcomer_points_at_nothing_and_a_pick_outlives_the_same_view() -> None:
    assert CARTINO_SCREEN.fresh() == NOWHERE
    pointer = press(TABLE, "1")
    assert CARTINO_SCREEN.update_pointer(TABLE, view_of(TABLE), pointer) == pointer


def test_keys_clicks_and_drawing_go_through_the_screen() -> None:
    view = view_of(TABLE)
    assert CARTINO_SCREEN.key(TABLE, view, NOWHERE, "1").pointer.stone == view.hand[0]
    assert CARTINO_SCREEN.click(TABLE, view, NOWHERE, SMALL, 2, 15).pointer.stone == view.hand[0]
    assert AROUND.title in CARTINO_SCREEN.draw(TABLE, view, NOWHERE, SMALL, AROUND).text()


def test_refusals_and_options_have_words() -> None:
    assert CARTINO_SCREEN.describe_refusal("one-suit", ENGLISH).startswith("All stones of a turn")
    assert CARTINO_SCREEN.describe_refusal("something newer", ENGLISH).endswith(".")
    assert CARTINO_SCREEN.title_of({"edition": "1969"}, ENGLISH) == "Cartino 1969"
    assert CARTINO_SCREEN.title_of({}, ENGLISH) == "Cartino"


def test_every_key_of_the_help_does_something() -> None:
    shown = [key for key, _ in CARTINO_SCREEN.key_help]
    assert shown[:6] == ["1-5", "↑ ↓ ← → k j h l", "/", "Enter", "e", "Esc Backspace"]
    view = view_of(TABLE)
    for key in ("1", "5", "up", "down", "left", "right", "h", "j", "k", "l", "slash", "enter", "e"):
        assert CARTINO_SCREEN.key(TABLE, view, press(TABLE, "1"), key).taken
