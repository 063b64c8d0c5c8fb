"""Packages are loaded by their entry points; one that can't be leaves the others alone and says why."""

import asyncio
import signal
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import NoReturn

import pytest

from cartino_engine.port import GameTooSlowError
from cartino_games.cartino.screen.screen import CartinoScreen
from cartino_games.cartino.speech.speech import CartinoSpeech
from cartino_games.containment import GameFaultError
from cartino_games.kit.card_roles import CARD_ROLES
from cartino_games.package import GamePackage
from cartino_games.registry import GROUP, load
from cartino_protocol.commands import Create
from cartino_server.cli.main import main
from cartino_server.commands.ssh_commands import parse_ssh_command
from cartino_server.metrics.error_summaries import summarize_error
from cartino_tui.draw.theme import RoleSet, text_style
from cartino_tui.i18n import ENGLISH
from tests.support.race import Add, Race, State
from tests.support.visit import toy_table

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


@pytest.mark.parametrize(
    ("point", "why"),
    [
        ("no_such_module:PACKAGE", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("sys:path", "TypeError: sys:path is no GamePackage"),
        ("presses_here:PACKAGE", "KeyboardInterrupt"),
    ],
)
def test_a_game_that_fails_at_import_is_left_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, point: str, why: str
) -> None:
    (tmp_path / "presses_here.py").write_text("raise KeyboardInterrupt")
    monkeypatch.syspath_prepend(tmp_path)
    games = load([EntryPoint("chess", point, GROUP), CARTINO])
    assert list(games.packages) == ["cartino"]
    assert games.broken["chess"].startswith(why)


def test_another_package_with_the_name_of_a_game_leaves_it_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    games = load([EntryPoint("cartino", "no_such_module:PACKAGE", GROUP), CARTINO])
    assert list(games.packages) == ["cartino"]
    assert list(games.broken) == ["cartino"]
    for module in ("commands.game_options", "cli.game_packages"):
        monkeypatch.setattr(f"cartino_server.{module}.installed", lambda: games)
    command = parse_ssh_command(["new", "--game", "cartino"], ENGLISH)
    assert isinstance(command, Create)
    # The checks themselves are in tests/games/conformance/test_checks.py.
    monkeypatch.setattr("cartino_server.cli.game_packages.check_game", lambda package: iter(()))
    assert main(["check-game", "cartino"]) == 0
    assert "can't be played" not in capsys.readouterr().err


@pytest.mark.parametrize("fault", [SystemExit, KeyboardInterrupt, GeneratorExit, asyncio.CancelledError])
def test_a_game_by_others_can_t_end_the_program(
    monkeypatch: pytest.MonkeyPatch, fault: type[BaseException]
) -> None:
    """Whatever its methods raise is an error of the game, also in a generator; one that takes long is, too."""
    point = race_point(monkeypatch)

    def fail(*_: object) -> NoReturn:
        raise fault

    def legal(*_: object) -> Iterator[Add]:
        yield Add(1)
        raise fault

    for name, method in (("totals", fail), ("legal", legal)):
        monkeypatch.setattr(Race, name, method)
    monkeypatch.setattr(RaceSpeech, "scores", fail)
    monkeypatch.setattr(signal, "getsignal", lambda number: None)
    package = load([point]).packages["race"]
    assert isinstance(package.rules, Race)
    assert package.rules.title == "Race"
    with pytest.raises(GameFaultError, match=fault.__name__) as raised:
        package.rules.totals(State(3, "one", (), ()))
    assert "test_registry.py" in summarize_error(raised.value), "the place in the game is logged"
    moves = package.rules.legal(State(3, "one", (), ()), 0)
    assert next(moves) == Add(1)
    with pytest.raises(GameFaultError):
        next(moves)
    with pytest.raises(GameFaultError):
        package.speech.scores(toy_table(), None, ENGLISH)


def test_a_ctrl_c_at_the_terminal_is_not_a_fault_of_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    point = race_point(monkeypatch)

    def press(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(Race, "totals", press)
    monkeypatch.setattr(signal, "getsignal", lambda number: signal.default_int_handler)
    with pytest.raises(KeyboardInterrupt):
        load([point]).packages["race"].rules.totals(State(3, "one", (), ()))


def test_after_a_call_that_takes_long_no_other_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    package = load([race_point(monkeypatch)]).packages["race"]
    assert package.rules.turns(State(3, "one", (), ())) == 0
    seconds = iter((0.0, 10.0))
    monkeypatch.setattr("time.perf_counter", lambda: next(seconds))
    with pytest.raises(GameTooSlowError, match=r"10\.0 s"):
        package.rules.turns(State(3, "one", (), ()))
    monkeypatch.setattr("time.perf_counter", None)
    for call in (
        lambda: package.rules.totals(State(3, "one", (), ())),
        lambda: package.speech.scores(toy_table(), None, ENGLISH),
    ):
        with pytest.raises(GameTooSlowError):
            call()


def test_an_entry_point_of_another_name_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    games = load([EntryPoint("marathon", race_point(monkeypatch).value, GROUP)])
    assert dict(games.packages) == {}
    assert "'race'" in games.broken["marathon"]
