"""`cartino new-game` and `cartino check-game`: a package that works, and one sentence for whatever is wrong."""

import runpy
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from cartino_games import registry
from cartino_games.package import Games
from cartino_server.cli import game_packages
from cartino_server.cli.main import main


def point(name: str, value: str) -> EntryPoint:
    return EntryPoint(name, value, registry.GROUP)


@pytest.fixture
def with_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Games:
    """The example, and games that can't be loaded, installed beside our own."""
    (tmp_path / "raises_here.py").write_text("raise RuntimeError('a mistake')")
    (tmp_path / "exits_here.py").write_text("import sys; sys.exit(3)")
    (tmp_path / "is_none.py").write_text("PACKAGE = None")
    monkeypatch.syspath_prepend(tmp_path)
    games = registry.load(
        [
            point("crazy-eights", "cartino_crazy_eights:PACKAGE"),
            point("raises", "raises_here:PACKAGE"),
            point("exits", "exits_here:PACKAGE"),
            point("missing", "no_such_module_here:PACKAGE"),
            point("none", "is_none:PACKAGE"),
            point("misnamed", "cartino_crazy_eights:PACKAGE"),
        ]
    )
    monkeypatch.setattr(game_packages, "installed", lambda: games)
    return games


def test_what_can_t_be_loaded_leaves_the_others_alone(with_others: Games) -> None:
    assert list(with_others.packages) == ["crazy-eights"]
    assert set(with_others.broken) == {"raises", "exits", "missing", "none", "misnamed"}


def test_the_checks_are_a_line_each_and_one_that_fails_says_why(
    with_others: Games, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def none_won(*_: object) -> list[int]:
        return []

    rules = type(with_others.packages["crazy-eights"].rules)
    monkeypatch.setattr(rules, "won", none_won)
    monkeypatch.setattr(rules, "seats", (2, 2))
    assert main(["check-game", "crazy-eights"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("failed  play to the end: 2 seats, {}: the winners are the seats ()")
    assert len(lines) == 10
    assert any(line.startswith("ok      ") for line in lines)


@pytest.mark.parametrize(
    ("name", "code", "sentence"),
    [
        ("raises", 1, "The game raises is installed but can't be played: RuntimeError: a mistake."),
        ("exits", 1, "The game exits is installed but can't be played: SystemExit: 3."),
        ("chess", 4, "There is no game chess here; choose from crazy-eights."),
        ("\x1b[2J", 4, "There is no game ?[2J here; choose from crazy-eights."),
    ],
)
def test_a_game_that_is_not_there_is_one_sentence(
    with_others: Games, capsys: pytest.CaptureFixture[str], name: str, code: int, sentence: str
) -> None:
    assert main(["check-game", name]) == code
    assert capsys.readouterr().err == f"{sentence}\n"


def test_a_new_game_has_a_test_that_passes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "mine"
    assert main(["new-game", "high-card", str(folder)]) == 0
    assert f"pip install -e {folder}" in capsys.readouterr().out
    monkeypatch.syspath_prepend(folder)
    runpy.run_path(str(folder / "test_cartino_high_card.py"))["test_conformance"]()
    assert 'high-card = "cartino_high_card:PACKAGE"' in (folder / "pyproject.toml").read_text()
