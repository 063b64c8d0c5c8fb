"""The screens of the settings as frames, each with what a person would see there first."""

from cartino_tui.draw.canvas import Frame
from cartino_tui.game_port.screen import Look, all_samples
from cartino_tui.keys import CALIBRATION, KEY_TEST
from cartino_tui.keys import SETTINGS as KEYS
from cartino_tui.pages.settings_rows import SETTING_ROWS
from cartino_tui.preferences import Preferences
from cartino_tui.screens.key_bindings import describe_key, draw_key_test
from cartino_tui.screens.settings import SettingsDrawing, SettingsModel, draw_calibration
from cartino_tui.visit.pending import Press
from cartino_tui.widgets.layout import translate_hints
from tests.support.games import SCREENS
from tests.support.visit import TOYS


def settings(look: Look, cursor: int, **choices: object) -> Frame:
    wanted = Preferences(ascii=look.ascii)
    wanted.choose(**choices)
    model = SettingsModel(cursor=cursor, sample=tuple(all_samples(SCREENS, look)))
    hints = translate_hints(KEYS.hints("more", "help", "back"), look)
    return SettingsDrawing(model, look, wanted).frame(hints)


def card(look: Look, games: int = 1) -> Frame:
    """The calibration, with the samples of all games so many times."""
    hints = translate_hints(CALIBRATION.hints("yes", "no", "next", "deck", "back"), look)
    colours = look.translator.gettext("256 colours")
    sample = games * [*all_samples(SCREENS, look)]
    return draw_calibration(colours, sample, SETTING_ROWS, look, Preferences(ascii=look.ascii), hints)


def key_test(look: Look, key: str) -> Frame:
    hints = translate_hints(KEY_TEST.hints("back"), look)
    return draw_key_test(describe_key(Press(key, None), TOYS, look), look, hints)
