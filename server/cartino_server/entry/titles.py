"""What games are called where lines are printed."""

from collections.abc import Mapping

from cartino_server.engine.registry import GAMES
from cartino_tui.tongue import Tongue


def title(game: str, options: Mapping[str, str], tongue: Tongue) -> str:
    """A game and its options in a few words, as everywhere else: "Cartino 1974"; by its name where it is not known."""
    known = GAMES.get(game)
    return " ".join([game if known is None else tongue.say(known.title), *options.values()])
