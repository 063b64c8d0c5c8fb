"""Which games this app can show. A new game is one line in `PLUGS`."""

from collections.abc import Mapping
from types import MappingProxyType

from cartino_tui.games.cartino import CartinoPlug
from cartino_tui.games.plug import AnyPlug

PLUGS: Mapping[str, AnyPlug] = MappingProxyType({plug.name: plug for plug in (CartinoPlug(),)})
"""Every plug by its game's name on the wire."""
