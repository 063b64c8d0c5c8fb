"""Which bots there are. A new bot is one line in `BOTS`."""

from collections.abc import Mapping
from types import MappingProxyType

from cartino_server.bots.games.cartino.chancer import Chancer
from cartino_server.bots.games.cartino.greedy import Greedy
from cartino_server.bots.port import Bot

BOTS: Mapping[tuple[str, str], Bot] = MappingProxyType(
    {(bot.game, bot.name): bot for bot in (Greedy(), Chancer())}
)
"""Every bot by (its game's name, its own name)."""
