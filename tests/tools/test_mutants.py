"""Mutants: each one is a small change that still parses, and knows which tests to run."""

import ast
from pathlib import Path

import pytest

from tools.mutants import ROOT, mutants, suites

SOURCE = '''"""A module."""
LIMIT: int = 3


def ready(ä: int, others: list[int]) -> bool:
    """Say it."""
    log.info("asked", count=1)
    others.sort()
    pairs = zip(others, others, strict=True)
    return ä + 1 > LIMIT and not others
'''


def test_every_mutant_is_one_small_change_of_what_runs(tmp_path: Path) -> None:
    file = tmp_path / "cartino_tui" / "sample.py"
    file.parent.mkdir()
    file.write_text(SOURCE)
    text = file.read_bytes()
    found = list(mutants(tmp_path))
    assert {(each.before, each.text) for each in found} == {
        ("3", "(4)"),
        ("others.sort()", "pass"),
        ("ä + 1 > LIMIT and not others", "(ä + 1 > LIMIT or not others)"),
        ("ä + 1 > LIMIT", "(ä + 1 >= LIMIT)"),
        ("ä + 1", "(ä - 1)"),
        ("1", "(2)"),
        ("not others", "(others)"),
    }
    for each in found:
        ast.parse(text[: each.start] + each.text.encode() + text[each.end :])


@pytest.mark.parametrize(
    ("path", "own"),
    [
        ("server/cartino_server/store/journal.py", ["tests/store"]),
        ("cartino_tui/draw/frame.py", ["tests/tui/draw"]),
        ("games/cartino_games/casino/game.py", ["tests/games/casino"]),
        (
            "games/cartino_games/cartino/board.py",
            ["tests/games/cartino"],
        ),
        ("protocol/cartino_protocol/wire.py", ["tests/protocol"]),
    ],
)
def test_the_tests_of_its_own_package_come_first(path: str, own: list[str]) -> None:
    first, around = suites(Path(path), ROOT / "tests")
    assert first == own
    assert not set(first) & set(around)
    assert all((ROOT / place).exists() for place in around)
