"""The games that a client can show: those that are installed, and what a server tells of others."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

from cartino_protocol.views import GameInfo

Shown = TypeVar("Shown")


class WithForeign(Mapping[str, Shown]):
    """Screens or speeches by game name: the `installed` ones, and one made by `foreign` for each other game.

    One visit's own: what a server tells of its games is meant for nobody else.
    """

    def __init__(self, installed: Mapping[str, Shown], foreign: Callable[[GameInfo], Shown]) -> None:
        """Begin with those that are installed."""
        self._shown: Final = dict(installed)
        self._foreign: Final = foreign

    def learn(self, games: Sequence[GameInfo]) -> None:
        """Take in the games that a server has."""
        for game in games:
            if game.name not in self._shown:
                self._shown[game.name] = self._foreign(game)

    def __getitem__(self, name: str) -> Shown:
        """Return what shows the game of that name. Raises KeyError."""
        return self._shown[name]

    def __iter__(self) -> Iterator[str]:
        """Yield the names, the installed games first."""
        return iter(self._shown)

    def __len__(self) -> int:
        """Return how many games can be shown."""
        return len(self._shown)


def learn(shown: Mapping[str, Any], games: Sequence[GameInfo]) -> None:
    """Let `shown` take in the server's games, if it holds more than what is installed."""
    if isinstance(shown, WithForeign):
        shown.learn(games)
