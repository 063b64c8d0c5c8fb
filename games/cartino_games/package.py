"""A game as one object: what its folder hands to the server, to bots and to everything that shows it."""

from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Final

from cartino_engine.bots import Bot
from cartino_engine.port import AnyGame
from cartino_tui.draw.theme import RoleSet
from cartino_tui.game_port.screen import AnyScreen, all_roles
from cartino_tui.game_port.speech import AnySpeech

RESERVED: Final = frozenset(
    {
        *("absence", "ascii", "bot", "bots", "clock", "game", "games", "help", "hints"),
        *("json", "learn", "name", "plain", "private", "records", "seats", "seed"),
    }
)
"""What the command line calls its own options of a table, so that no option of a game can have these names."""


class GamePackage:
    """One game: its rules, the bots that play it, its table on the screen and in sentences.

    The entry-point group `cartino.games` names one of these for each game; the first bot is the one that a table
    takes unless somebody chooses, and plays on for people who are away.
    """

    def __init__(
        self, rules: AnyGame, screen: AnyScreen, speech: AnySpeech, bots: tuple[Bot, ...] = ()
    ) -> None:
        """Put the parts together. Raises ValueError where they don't belong to one game."""
        self.rules: Final = rules
        self.screen: Final = screen
        self.speech: Final = speech
        self.bots: Final = bots
        for part in (screen, speech):
            if part.name != rules.name:
                raise ValueError(
                    f"the rules are of {rules.name}, the {type(part).__name__} is of {part.name}"
                )
        taken = sorted(RESERVED & {option.name for option in rules.options})
        if taken:
            raise ValueError(f"an option can't be called {taken[0]}, which is an option of the command line")
        for bot in bots:
            if bot.game != rules.name:
                raise ValueError(f"the rules are of {rules.name}, the bot {bot.name} plays {bot.game}")
        missing = sorted({*screen.levels} - {bot.name for bot in bots}) if bots else []
        if missing:
            raise ValueError(f"there is no bot {missing[0]}, which quick play is to be against")

    @property
    def name(self) -> str:
        """The game's name on the wire, in records and on the command line."""
        return self.rules.name


class Games:
    """The games of one process by name, as each part of the program wants them."""

    def __init__(self, packages: Mapping[str, GamePackage], broken: Mapping[str, str] | None = None) -> None:
        """`packages` by name, quick play's first; `broken` says why an entry point gave no game, by its name."""
        self.packages: Final = MappingProxyType(dict(packages))
        self.broken: Final = MappingProxyType(dict(broken or {}))

    @cached_property
    def rules(self) -> Mapping[str, AnyGame]:
        """The rules of every game."""
        return MappingProxyType({name: package.rules for name, package in self.packages.items()})

    @cached_property
    def bots(self) -> Mapping[tuple[str, str], Bot]:
        """Every bot by the names of its game and its own."""
        return MappingProxyType(
            {(name, bot.name): bot for name, package in self.packages.items() for bot in package.bots}
        )

    @cached_property
    def screens(self) -> Mapping[str, AnyScreen]:
        """The table screen of every game."""
        return MappingProxyType({name: package.screen for name, package in self.packages.items()})

    @cached_property
    def roles(self) -> tuple[RoleSet, ...]:
        """The roles that the games draw in, for a theme."""
        return all_roles(self.screens)

    @cached_property
    def speeches(self) -> Mapping[str, AnySpeech]:
        """The speech of every game."""
        return MappingProxyType({name: package.speech for name, package in self.packages.items()})
