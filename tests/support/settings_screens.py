"""The screens of the settings as frames, each with what a person would see there first."""

from cartino_tui.draw.canvas import Frame
from cartino_tui.game_port.screen import Look, all_samples
from cartino_tui.keys import SETTINGS as KEYS
from cartino_tui.preferences import Preferences
from cartino_tui.screens.settings import SettingsDrawing, SettingsModel
from cartino_tui.widgets.layout import translate_hints
from tests.support.games import SCREENS


def settings(look: Look, cursor: int, **choices: object) -> Frame:
    wanted = Preferences(ascii=look.ascii)
    wanted.choose(**choices)
    model = SettingsModel(cursor=cursor, sample=tuple(all_samples(SCREENS, look)))
    hints = translate_hints(KEYS.hints("more", "help", "back"), look)
    return SettingsDrawing(model, look, wanted).frame(hints)
