"""The screens of the settings at every size, in English, in a longer language and in ASCII: all is whole."""

import itertools
from collections.abc import Callable
from functools import partial

import pytest

from cartino_tui.draw.canvas import Frame
from cartino_tui.game_port.screen import Look
from cartino_tui.pages.settings_rows import SETTING_ROWS
from cartino_tui.preferences import Preferences
from cartino_tui.screens.settings import SettingsDrawing, SettingsModel
from tests.support.languages import OTHERS, in_others
from tests.support.pseudo import in_pseudo, plain_words
from tests.support.settings_screens import settings
from tests.support.sizes import each_size, sizes
from tests.support.whole import drawn_whole

WIDTHS = (60, 61, 70, 79, 80, 81, 100, 119, 120, 132, 160, 200)
HEIGHTS = (20, 21, 24, 30, 40, 43, 50, 60)
SIZES = tuple(itertools.product(WIDTHS, HEIGHTS))
NAMES = ("English", "français", "Deutsch", "Esc", "Enter", "vi", "Ann", "Toy", "LANG", "ctrl")
"""Words that are the same in every language."""


DRAWINGS: dict[str, Callable[[Look], Frame]] = {
    **{f"settings {row.name}": partial(settings, cursor=at) for at, row in enumerate(SETTING_ROWS)},
    "settings, chosen": partial(settings, cursor=2, theme="own", keymap="own"),
}


@each_size
@pytest.mark.parametrize("way", ["english", "longer", "ascii", *OTHERS])
def test_all_is_whole_at_every_size(way: str, every: bool) -> None:
    for size, name in itertools.product(sizes(SIZES, every=every), DRAWINGS):
        look = Look(*size, ascii=way == "ascii")
        look = in_pseudo(look) if way == "longer" else look
        if way in OTHERS:
            look = in_others(look)[OTHERS.index(way)]
        with drawn_whole() as faults:
            shown = DRAWINGS[name](look)
        assert faults == [], (name, size)
        if way == "longer":
            assert plain_words(shown, *NAMES) == []
        if way == "ascii":
            assert shown.text().replace("ç", "c").isascii()


@pytest.mark.parametrize("height", HEIGHTS)
def test_every_line_can_be_scrolled_into_sight(height: int) -> None:
    look, wanted = in_pseudo(Look(60, height)), Preferences()
    for cursor in range(len(SETTING_ROWS)):
        drawing = SettingsDrawing(SettingsModel(cursor=cursor), look, wanted)
        top = drawing.model.top
        assert top <= cursor < top + drawing.height
        marked = drawing.frame(()).text().splitlines()[drawing.first + cursor - top]
        assert marked.startswith(" ►")
