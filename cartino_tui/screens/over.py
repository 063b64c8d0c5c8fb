"""The screens that may lie over any table, begun or not."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from cartino_tui.known import Known
from cartino_tui.screens.base import HouseScreen
from cartino_tui.screens.ignored import IgnoredScreen
from cartino_tui.screens.settings import SettingsScreen
from cartino_tui.screens.talk_screen import TalkScreen
from cartino_tui.stage import Stage

OVER_TABLES: Final[Mapping[str, Callable[[Stage, Known], HouseScreen]]] = {
    "said": TalkScreen,
    "ignore": partial(TalkScreen, about="ignore"),
    "report": partial(TalkScreen, about="report"),
    "ignored": IgnoredScreen,
    "settings": SettingsScreen,
}
"""Each by the action of the key that leads there."""
