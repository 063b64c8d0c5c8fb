"""Finds the installed games by their entry points. Only the command line and bots' processes ask here."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Final

from cartino_engine.bots import Bot
from cartino_games.containment import contain
from cartino_games.package import GamePackage, Games
from cartino_tui.draw.theme import ANY_SCHEME, FRAME, distinct_role_sets, merge_role_sets

GROUP: Final = "cartino.games"
"""The entry-point group: NAME = "module:PACKAGE", a `GamePackage`."""

_OWN: Final = "cartino_games."
NAME: Final = re.compile("[a-z][a-z0-9-]{1,15}")
"""What a game may be called."""


@cache
def installed() -> Games:
    """Return every installed game, this distribution's own first; one that can't be loaded is in `broken`.

    The name in `broken` may be that of a game in `packages`, which another package wanted, too.
    """
    return load(entry_points(group=GROUP))


def bots() -> Mapping[tuple[str, str], Bot]:
    """Return the bots of all installed games, for a process that does nothing but choose."""
    return installed().bots


def load(points: Iterable[EntryPoint]) -> Games:
    """Load the package behind each of `points`. A game that fails to load leaves the others alone."""
    packages: dict[str, GamePackage] = {}
    broken: dict[str, str] = {}
    for point in sorted(points, key=_rank):
        try:
            package = _load(point)
            if package.name in packages:
                raise ValueError("another installed package has a game of that name")
            sets = distinct_role_sets(
                each for known in (*packages.values(), package) for each in known.screen.roles
            )
            merge_role_sets((FRAME, *sets), ANY_SCHEME)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) and point.value.startswith(_OWN):
                raise
            broken[point.name] = f"{type(error).__name__}: {error}"
        else:
            packages[package.name] = package
    return Games(packages, broken)


def _load(point: EntryPoint) -> GamePackage:
    package = point.load()
    if not isinstance(package, GamePackage):
        raise TypeError(f"{point.value} is no GamePackage")
    if package.name != point.name or not NAME.fullmatch(package.name):
        raise ValueError(f"the game's name is {package.name!r}, its entry point's {point.name!r}")
    return package if point.value.startswith(_OWN) else contain(package)


def _rank(point: EntryPoint) -> tuple[bool, bool, str]:
    """Sort the program's namesake first: quick play offers it to newcomers."""
    return not point.value.startswith(_OWN), not point.value.startswith(f"{_OWN}cartino."), point.name
