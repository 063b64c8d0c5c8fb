"""Keymaps: whatever keys somebody chooses, all can be done, no key does two things, and hints and help tell it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cartino_tui import keys
from cartino_tui.key_table import key_from_label, key_label
from cartino_tui.keys import KeyTable
from cartino_tui.preferences import ARROWS, RESERVED_CAPITALS, Settings, is_rebindable, keymap_of
from tests.support.visit import line, lobby, toy_table, welcome
from tests.tui.conftest import Visiting

TABLES = {name: value for name, value in vars(keys).items() if isinstance(value, KeyTable)}
VI = Settings(keymap="vi")
WASD = {"up": "w", "left": "a", "down": "s", "right": "d"}
USED = sorted(
    {key for table in TABLES.values() for row in table.rows for key in row.keys if " " not in key} | {"e"}
)
OWN = st.dictionaries(
    st.sampled_from(USED), st.sampled_from([*"abcdefghijklmnopqrstuvwxyzGNTXY", "slash", "colon", "plus"])
).map(lambda own: Settings(keymap="own", own_keys=own))


def test_the_capitals_that_mean_something_are_known() -> None:
    assert {key for key in USED if len(key) == 1 and key.isupper()} == RESERVED_CAPITALS


def test_without_one_every_key_is_what_it_is() -> None:
    keymap = keymap_of(Settings())
    assert keymap.meaning("w") == "w"
    assert keymap.shown("Esc") == "Esc"
    assert keymap.arrows == "↑↓←→"
    assert keymap is keymap_of(Settings(bell=False))


def test_letters_that_move_leave_their_own_actions_to_their_capitals() -> None:
    keymap = keymap_of(Settings(keymap="own", own_keys=WASD))
    assert [keymap.meaning(key) for key in "wsad"] == list(ARROWS)
    assert keymap.meaning("W") == "w"
    assert keymap.meaning("up") == "up"
    assert keymap.shown("w") == "W"
    assert keymap.all_shown("↑ k") == "w ↑ k"
    assert keymap.arrows == "wsad"


@pytest.mark.parametrize("name", TABLES)
def test_where_an_arrow_moves_the_key_of_vi_does_too(name: str) -> None:
    keymap = keymap_of(VI)
    for arrow in ARROWS:
        action = TABLES[name].action(arrow)
        assert action is None or TABLES[name].action(keymap.key(arrow)) == action


@given(st.one_of(st.just(VI), OWN))
def test_whatever_is_chosen_each_key_that_is_shown_does_what_it_is_shown_for(settings: Settings) -> None:
    keymap = keymap_of(settings)
    vi = settings.keymap == "vi"
    shown = {}
    for key in USED:
        pressed = keymap.key(key)
        if not vi:
            assert keymap.meaning(pressed) == key, f"{key} is lost"
        shown[key] = pressed
    assert vi or len(set(shown.values())) == len(USED)


@given(OWN)
def test_arrows_enter_and_escape_always_do_what_they_do(settings: Settings) -> None:
    keymap = keymap_of(settings)
    for key in (*ARROWS, "enter", "escape", "backspace", *"0123456789"):
        assert keymap.meaning(key) == key


def test_a_key_that_stands_for_another_is_one_character_and_no_number() -> None:
    assert is_rebindable("x")
    assert is_rebindable("slash")
    assert not any(is_rebindable(key) for key in ("up", "enter", "5", "ctrl+a", "f1", "pageup"))
    assert keymap_of(Settings(keymap="own", own_keys={"up": "5"})).meaning("5") == "5"
    assert key_from_label(key_label("slash")) == "slash"


async def test_screens_read_keys_and_clicks_and_show_hints_and_help_by_the_keymap(visit: Visiting) -> None:
    greeting = (welcome(), lobby(line("K7QP", "Bo -"), line("B4ZT", "Cy -")))
    async with visit(greeting=greeting, size=(100, 24)) as v:
        v.app.context.preferences.choose(keymap="own", own_keys=WASD)
        await v.types("s")
        assert "► B4ZT" in v.text
        await v.types("w")
        assert "► K7QP" in v.text
        assert "W watch" in v.text
        await v.click("W watch")
        assert [type(said).__name__ for said in v.link.sent] == ["Watch"]


async def test_the_help_has_the_keys_of_the_keymap(visit: Visiting) -> None:
    async with visit() as v:
        v.app.context.preferences.choose(keymap="own", own_keys=WASD)
        await v.types("question_mark", "slash", *"the table above", "enter")
        row = next(
            row for row in v.text.splitlines() if "the table above" in row and "find" not in row.lower()
        )
        assert row.split()[:3] == ["w", "↑", "k"]


async def test_a_line_of_text_and_a_question_take_keys_as_they_are(visit: Visiting) -> None:
    async with visit(toy_table()) as v:
        v.app.context.preferences.choose(keymap="own", own_keys=WASD)
        await v.types("t", "w", "a", "s", "d", "enter")
        assert [getattr(said, "text", "") for said in v.link.sent] == ["wasd"]
