"""Every screen says for itself what it draws, what its keys are and what they do: the base's are empty."""

import importlib
import pkgutil

import cartino_tui.screens
from cartino_tui.screens.table_state import GameScreenBase
from cartino_tui.widgets.app_screen import AppScreen

for module in pkgutil.iter_modules(cartino_tui.screens.__path__):
    importlib.import_module(f"cartino_tui.screens.{module.name}")

SCREENS = [
    screen
    for screen in (*AppScreen.__subclasses__(), *GameScreenBase.__subclasses__())
    if screen.__module__.startswith("cartino_tui.") and screen is not GameScreenBase
]


def test_each_gives_what_a_screen_must() -> None:
    assert {"PageScreen", "TableScreen", "HelpScreen"} <= {screen.__name__ for screen in SCREENS}
    parts = ({"draw"}, {"press"}, {"keys", "KEYS"}, {"hints", "HINTS"})
    lacks = {screen.__name__: part for screen in SCREENS for part in parts if part.isdisjoint(vars(screen))}
    assert lacks == {}
