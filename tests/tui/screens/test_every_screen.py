"""Every screen says for itself what it draws, what its keys are and what they do: the base's are empty."""

import importlib
import pkgutil

import pytest

import cartino_tui.screens
from cartino_tui.widgets.app_screen import AppScreen

for module in pkgutil.iter_modules(cartino_tui.screens.__path__):
    importlib.import_module(f"cartino_tui.screens.{module.name}")

SCREENS = [screen for screen in AppScreen.__subclasses__() if screen.__module__.startswith("cartino_tui.")]


def test_they_are_found() -> None:
    assert {"LobbyScreen", "TableScreen", "HelpScreen"} <= {screen.__name__ for screen in SCREENS}


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("part", ["draw", "keys", "hints", "press"])
def test_it_gives_what_a_screen_must(screen: type[AppScreen], part: str) -> None:
    assert part in vars(screen)
