"""Which games the plain mode can speak of. A new game is one line in `VOICES`."""

from collections.abc import Mapping
from types import MappingProxyType

from cartino_tui.games.cartino.spoken import CartinoVoice
from cartino_tui.games.spoken import AnyVoice

VOICES: Mapping[str, AnyVoice] = MappingProxyType({voice.name: voice for voice in (CartinoVoice(),)})
"""Every voice by its game's name on the wire."""
