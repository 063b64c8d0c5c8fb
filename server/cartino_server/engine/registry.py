"""Which games are played here. A new game is one line in `GAMES`."""

from collections.abc import Mapping
from types import MappingProxyType

from cartino_protocol.views import GameInfo
from cartino_server.engine.games.cartino import Cartino
from cartino_server.engine.port import AnyGame

GAMES: Mapping[str, AnyGame] = MappingProxyType({game.name: game for game in (Cartino(),)})
"""Every game by its name, the first being what quick play opens."""


def info(game: AnyGame, bots: tuple[str, ...] = ()) -> GameInfo:
    """`game`, which `bots` play, as clients are told of it."""
    return GameInfo(game.name, game.title, game.seats, game.options, bots)
