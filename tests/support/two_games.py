"""Two games as if both were installed: Cartino, and the race of the tests."""

import pytest

from cartino_games.cartino.game import PACKAGE
from cartino_games.cartino.screen.screen import CartinoScreen
from cartino_games.cartino.speech.speech import CartinoSpeech
from cartino_games.package import GamePackage, Games
from cartino_server.cli import commands, simulate
from cartino_server.commands import game_options, people_commands, visit_commands
from tests.support.game_server import race_bots
from tests.support.race import Race


class RaceScreen(CartinoScreen):
    name = "race"
    levels = ("steady",)
    title = "Race"


class RaceSpeech(CartinoSpeech):
    name = "race"
    levels = ("steady",)
    title = "Race"


RACE = GamePackage(Race(), RaceScreen(), RaceSpeech(), tuple(race_bots().values()))


def install(
    monkeypatch: pytest.MonkeyPatch, *packages: GamePackage, broken: dict[str, str] | None = None
) -> None:
    """Have the command line find these games alone, and those that are broken."""
    games = Games({package.name: package for package in packages}, broken)
    for module in (commands, game_options, people_commands, simulate, visit_commands):
        monkeypatch.setattr(module, "installed", lambda: games)
    # What other tests have read with other games is stored there.
    monkeypatch.setattr(visit_commands, "_read_visit", visit_commands.VISITS.read)


def install_both(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, PACKAGE, RACE)
