"""The screens of the settings at every size, in English, in a longer language and in ASCII: all is whole."""

from collections.abc import Callable
from functools import partial

import pytest

from cartino_tui.draw.canvas import Frame
from cartino_tui.games.plug import Look
from cartino_tui.keys import CALIBRATION, KEY_TEST
from cartino_tui.keys import SETTINGS as KEYS
from cartino_tui.preferences import Preferences
from cartino_tui.screens.calibration_drawing import CalibrationModel, draw_calibration
from cartino_tui.screens.key_test import draw_key_test, tried
from cartino_tui.screens.parts import said_hints
from cartino_tui.screens.settings_drawing import SettingsModel, draw_settings, plan, scrolled
from cartino_tui.screens.settings_rows import SETTINGS
from cartino_tui.typeahead import Press
from tests.support.pseudo import in_pseudo, plain_words
from tests.support.visit import TOYS
from tests.support.whole import drawn_whole

WIDTHS = (60, 61, 70, 79, 80, 81, 100, 119, 120, 132, 160, 200)
HEIGHTS = (20, 21, 24, 30, 40, 43, 50, 60)
NAMES = ("English", "français", "Deutsch", "Esc", "Enter", "vi", "Ann", "Toy", "LANG", "ctrl")
"""Words that are the same in every language."""


def settings(look: Look, cursor: int, **choices: object) -> Frame:
    wanted = Preferences(ascii=look.ascii)
    wanted.choose(**choices)
    model = scrolled(SettingsModel(cursor=cursor), look, wanted)
    return draw_settings(model, look, wanted, said_hints(KEYS.hints("more", "help", "back"), look.tongue))


def card(look: Look) -> Frame:
    hints = said_hints(CALIBRATION.hints("yes", "no", "next", "deck", "back"), look.tongue)
    colours = look.tongue.say("256 colours")
    return draw_calibration(CalibrationModel(colours), look, Preferences(ascii=look.ascii), hints)


def key_test(look: Look, key: str) -> Frame:
    hints = said_hints(KEY_TEST.hints("back"), look.tongue)
    return draw_key_test(tried(Press(key, None), TOYS, look), look, hints)


DRAWINGS: dict[str, Callable[[Look], Frame]] = {
    **{f"settings {row.name}": partial(settings, cursor=at) for at, row in enumerate(SETTINGS)},
    "settings, chosen": partial(settings, cursor=2, theme="own", keymap="own"),
    "card": card,
    **{f"key {key}": partial(key_test, key=key) for key in ("enter", "escape", "ctrl+f12", "x")},
}


@pytest.mark.parametrize("way", ["english", "longer", "ascii"])
@pytest.mark.parametrize("name", DRAWINGS)
def test_all_is_whole_at_every_size(name: str, way: str) -> None:
    for width in WIDTHS:
        for height in HEIGHTS:
            look = Look(width, height, ascii=way == "ascii")
            look = in_pseudo(look) if way == "longer" else look
            with drawn_whole() as faults:
                shown = DRAWINGS[name](look)
            assert faults == []
            if way == "longer":
                assert plain_words(shown, *NAMES) == []
            if way == "ascii":
                assert shown.text().replace("ç", "c").isascii()


@pytest.mark.parametrize("height", HEIGHTS)
def test_every_line_can_be_scrolled_into_sight(height: int) -> None:
    look, wanted = in_pseudo(Look(60, height)), Preferences()
    for cursor in range(len(SETTINGS)):
        model = scrolled(SettingsModel(cursor=cursor), look, wanted)
        there = plan(model, look, wanted)
        assert model.top <= cursor < model.top + there.height
        marked = draw_settings(model, look, wanted, ()).text().splitlines()[there.first + cursor - model.top]
        assert marked.startswith(" ►")
