"""Packages are loaded by their entry points; one that can't be leaves the others alone and says why."""

import sys
from importlib.metadata import EntryPoint
from types import ModuleType

import pytest

from cartino_games.cartino.screen.screen import CartinoScreen
from cartino_games.cartino.speech.speech import CartinoSpeech
from cartino_games.kit.card_roles import CARD_ROLES
from cartino_games.package import GamePackage
from cartino_games.registry import GROUP, load
from cartino_tui.draw.theme import RoleSet, text_style
from tests.support.race import Race

CARTINO = EntryPoint("cartino", "cartino_games.cartino.game:PACKAGE", GROUP)


class RaceSpeech(CartinoSpeech):
    name = "race"


def race_point(monkeypatch: pytest.MonkeyPatch, *sets: RoleSet) -> EntryPoint:
    """The entry point of a race that draws in the roles of `sets`."""

    class RaceScreen(CartinoScreen):
        name = "race"
        roles = sets

    module = ModuleType("a_race")
    module.PACKAGE = GamePackage(Race(), RaceScreen(), RaceSpeech())  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "a_race", module)
    return EntryPoint("race", "a_race:PACKAGE", GROUP)


def test_two_games_may_share_a_set_of_roles(monkeypatch: pytest.MonkeyPatch) -> None:
    track = RoleSet("race", lambda scheme: {"lane": text_style(scheme.colours.dim, scheme.colours.ground)})
    games = load([CARTINO, race_point(monkeypatch, CARD_ROLES, track)])
    assert (list(games.packages), dict(games.broken)) == (["cartino", "race"], {})
    assert games.roles.count(CARD_ROLES) == 1
    assert track in games.roles


@pytest.mark.parametrize(
    ("role", "owner"), [("stone-S", "cartino"), ("spade", "cards"), ("title", "the frame")]
)
def test_a_game_with_another_ones_role_is_left_out(
    monkeypatch: pytest.MonkeyPatch, role: str, owner: str
) -> None:
    clash = RoleSet("race", lambda scheme: {role: text_style(scheme.colours.text, scheme.colours.ground)})
    games = load([race_point(monkeypatch, clash), CARTINO])
    assert list(games.packages) == ["cartino"]
    assert games.broken["race"] == f"ValueError: both {owner} and race have a role {role!r}"


def test_a_game_that_fails_at_import_is_left_out() -> None:
    games = load([EntryPoint("chess", "no_such_module:PACKAGE", GROUP), CARTINO])
    assert list(games.packages) == ["cartino"]
    assert games.broken["chess"] == "ModuleNotFoundError: No module named 'no_such_module'"


def test_an_entry_point_of_another_name_or_thing_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    other = EntryPoint("marathon", race_point(monkeypatch).value, GROUP)
    games = load([other, EntryPoint("sys", "sys:path", GROUP)])
    assert dict(games.packages) == {}
    assert "'race'" in games.broken["marathon"]
    assert games.broken["sys"] == "TypeError: sys:path is no GamePackage"
