"""The screens of the settings as frames, each with what a person would see there first."""

from cartino_tui.draw.canvas import Frame
from cartino_tui.games.screen import Look, samples_of
from cartino_tui.keys import CALIBRATION, KEY_TEST
from cartino_tui.keys import SETTINGS as KEYS
from cartino_tui.preferences import Preferences
from cartino_tui.screens.calibration_drawing import CalibrationModel, draw_calibration
from cartino_tui.screens.key_test import draw_key_test, tried
from cartino_tui.screens.parts import said_hints
from cartino_tui.screens.settings_drawing import SettingsModel, draw_settings, scrolled
from cartino_tui.typeahead import Press
from tests.support.games import SCREENS
from tests.support.visit import TOYS


def settings(look: Look, cursor: int, **choices: object) -> Frame:
    wanted = Preferences(ascii=look.ascii)
    wanted.choose(**choices)
    model = SettingsModel(cursor=cursor, sample=tuple(samples_of(SCREENS, look)))
    model = scrolled(model, look, wanted)
    return draw_settings(model, look, wanted, said_hints(KEYS.hints("more", "help", "back"), look.tongue))


def card(look: Look) -> Frame:
    hints = said_hints(CALIBRATION.hints("yes", "no", "next", "deck", "back"), look.tongue)
    colours = look.tongue.say("256 colours")
    model = CalibrationModel(colours, sample=tuple(samples_of(SCREENS, look)))
    return draw_calibration(model, look, Preferences(ascii=look.ascii), hints)


def key_test(look: Look, key: str) -> Frame:
    hints = said_hints(KEY_TEST.hints("back"), look.tongue)
    return draw_key_test(tried(Press(key, None), TOYS, look), look, hints)
