"""The screens that may lie over any table, begun or not."""

from collections.abc import Callable, Mapping
from typing import Final

from cartino_tui.known import Known
from cartino_tui.screens.base import HouseScreen
from cartino_tui.screens.settings import SettingsScreen
from cartino_tui.screens.talk_screen import TalkScreen
from cartino_tui.stage import Stage

OVER_TABLES: Final[Mapping[str, Callable[[Stage, Known], HouseScreen]]] = {
    "said": TalkScreen,
    "settings": SettingsScreen,
}
"""Each by the action of the key that leads there."""
