"""The settings and one's own keys, as values and frames; the visits are in `settings.txt`."""

import pytest
from syrupy.assertion import SnapshotAssertion

from cartino_protocol.wire import encode_raw
from cartino_tui.draw.canvas import row_width
from cartino_tui.game_port.screen import Look, all_samples
from cartino_tui.i18n import ENGLISH, LANGUAGES, Language, translator_for
from cartino_tui.pages.settings_rows import SETTING_ROWS, chosen_index, next_value, value_text
from cartino_tui.preferences import Preferences, Settings, decode_settings, keymap_of
from cartino_tui.screens.settings import (
    KeyBindingsDrawing,
    SettingsDrawing,
    bindable_keys,
)
from tests.support.games import DARK, SCREENS
from tests.support.pseudo import in_pseudo
from tests.support.visit import TOYS
from tests.support.visit_script import visits

test_visits = visits(__file__)


def test_there_is_a_row_for_every_setting_and_each_of_its_values_is_reached() -> None:
    own_lines = {setting.name for setting in SETTING_ROWS}
    assert own_lines == set(Settings.__struct_fields__) - {"own_keys", "taught", "lessons", "game", "wins"}
    for row in SETTING_ROWS:
        wanted = Preferences()
        begun = chosen_index(row, wanted)
        wanted.choose(**{row.name: next_value(row, wanted, -1)})
        assert chosen_index(row, wanted) == (begun - 1) % len(row.choices)
        seen = set()
        for _ in row.choices:
            wanted.choose(**{row.name: next_value(row, wanted, 1)})
            assert decode_settings(bytes(encode_raw(wanted.settings))) == wanted.settings
            seen.add(row.choices[chosen_index(row, wanted)][0])
        assert seen == {value for value, _ in row.choices}
        assert len(seen) > 1


def test_an_automatic_value_says_what_it_comes_to() -> None:
    wanted = Preferences("de", ascii=True, ground="light")
    said = {row.name: value_text(row, wanted, ENGLISH) for row in SETTING_ROWS}
    assert said["language"] == "auto: Deutsch"
    assert said["letters"] == "auto: A K D B"
    assert said["theme"] == "auto: light"
    assert said["characters"] == "auto: plain (ASCII)"
    assert said["deck"] == "four colours"


def test_a_click_hits_a_row_its_arrows_or_nothing() -> None:
    drawing = SettingsDrawing(Look(80, 24), Preferences())
    assert drawing.setting_at(5, 0) is None
    assert drawing.setting_at(5, 22) is None
    assert drawing.setting_at(79, 4) == (1, 0)
    assert drawing.setting_at(drawing.value_x, 4) == (1, -1)
    assert drawing.setting_at(drawing.value_x + 4, 4) == (1, 1)


def test_cartinos_sample_has_every_state_of_a_card_in_its_role(snapshot: SnapshotAssertion) -> None:
    assert SCREENS["cartino"].sample(Look(60, 20)) == snapshot


def test_every_games_sample_fits_beside_the_others_and_is_made_of_its_roles() -> None:
    for look in (Look(60, 20), Look(60, 20, ascii=True)):
        for row in all_samples(SCREENS, look):
            assert row_width(row) <= 48
            assert {role for _, role in row} <= set(DARK.styles)
            assert not look.ascii or all(text.isascii() for text, _ in row)


@pytest.mark.parametrize("height", [20, 21, 24, 40])
def test_every_row_can_be_scrolled_into_sight(height: int) -> None:
    look, wanted = in_pseudo(Look(60, height)), Preferences()
    for cursor in range(len(SETTING_ROWS)):
        drawing = SettingsDrawing(look, wanted, cursor)
        top = drawing.top
        assert top <= cursor < top + drawing.height
        marked = drawing.frame(()).text().splitlines()[drawing.first + cursor - top]
        assert marked.startswith(" ►")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", [(60, 20), (80, 24), (200, 60)])
def test_every_binding_is_whole_and_hit_where_it_is_seen(size: tuple[int, int], language: Language) -> None:
    wasd = keymap_of(Settings(keymap="own", own_keys={"up": "w", "left": "a", "down": "s", "right": "d"}))
    look = Look(*size, translator=translator_for(language), keymap=wasd)
    rows = bindable_keys(TOYS)
    for cursor, (_, what) in enumerate(rows):
        drawing = KeyBindingsDrawing(rows, look, cursor)
        text = drawing.frame(()).text()
        assert " ".join(look.translator.gettext(what).split()) in " ".join(text.split())
        y = next(y for y, line in enumerate(text.splitlines()) if line.startswith(" ►"))
        assert drawing.binding_at(y) == cursor
    first = KeyBindingsDrawing(rows, look)
    assert (first.binding_at(0), first.binding_at(size[1] - 1)) == (None, None)
