"""Golden games, and the rules read a second time over them and over what was tampered with."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from cartino_engine.replay import read_record, verify
from tests.oracle.check_caro import check
from tests.support.caro import GAME

GOLDEN = sorted((Path(__file__).parents[3] / "golden").glob("caro-*.jsonl"))
GAMES = {"caro": GAME}


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_golden_game_verifies(path: Path) -> None:
    verify(read_record(path.read_bytes(), GAMES))
    assert check(path.read_text(encoding="utf-8").splitlines()) is None, (
        "the rules read a second time disagree"
    )


def test_every_option_and_number_of_seats_has_a_golden_game() -> None:
    heads = [read_record(path.read_bytes(), GAMES).head for path in GOLDEN]
    played = {(len(head.seats), *option) for head in heads for option in head.options.items()}
    assert played == {
        (seats, option.name, choice)
        for seats in (2, 3, 4)
        for option in GAME.options
        for choice in option.choices
    }


def test_every_line_is_in_a_golden_game() -> None:
    kinds = {json.loads(line)["type"] for path in GOLDEN for line in path.read_text("utf-8").splitlines()}
    assert kinds == {"game", "round", "lay", "call", "undo", "forfeit", "accept", "skip", "end"}


def spoilt(line: dict[str, Any]) -> list[dict[str, Any]]:
    """The line with one thing wrong, in several ways; not those that may be right as well."""
    wrong = []
    for name, value in line.items():
        if name in {"type", "started", "ended", "seats", "cuts", "game", "options"}:
            continue
        if isinstance(value, bool):
            wrong.append({**line, name: not value})
        elif isinstance(value, int):
            wrong.append(
                {**line, name: value + 1} if name not in {"x", "y", "seat"} else {**line, name: value + 9}
            )
        elif isinstance(value, str):
            wrong.append({**line, name: "zz"})
        wrong.append({each: line[each] for each in line if each != name})
    return wrong


def test_the_second_reading_finds_what_is_wrong() -> None:
    lines = (GOLDEN[0].parent / "caro-honour-2-opener-2.jsonl").read_text("utf-8").splitlines()
    seen: Counter[str] = Counter()
    for number, text in enumerate(lines):
        line = json.loads(text)
        seen[line["type"]] += 1
        if seen[line["type"]] > 4:
            continue
        for wrong in spoilt(line):
            tampered = [*lines[:number], json.dumps(wrong), *lines[number + 1 :]]
            assert check(tampered) is not None, wrong
        assert check([*lines[:number], *lines[number + 1 :]]) is not None, f"without {text}"
        assert check([*lines[: number + 1], *lines[number:]]) is not None, f"twice {text}"
