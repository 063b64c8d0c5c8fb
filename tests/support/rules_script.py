"""Runs rules written as text: a position, moves with what they lead to, and facts about the table.

    == RULES.md Jokers: with `any` a joker may be swapped out at once
    hands: * KS 7D, 7C; stones: KSl; bag: 7C 7C; swap: any
    0 *@KSu -> lay points=4
    0 KSu -> lay points=4 swapped=true; turn; draw
    1 7Cu !not-your-turn
    ? totals: 8 0

A case starts with its title and the position. A move is a seat and what the game's `read` understands; `->` lists
every line of the record that it adds, each by its type and some fields, `!` the rule that refuses it. `?` is a fact.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from cartino_engine.port import AnyGame, Step
from cartino_protocol.base import Seat
from cartino_protocol.refusals import Refusal

Position = Mapping[str, list[str]]
"""What the line of a position says, by its keys, each in the order of the line."""


class Notation(NamedTuple):
    """How a game's positions, moves and own facts are written."""

    game: AnyGame
    start: Callable[[Position], Any]
    read: Callable[[str, Any, Seat], Any]
    facts: Mapping[str, Callable[..., object]]


def cases(file: Path) -> list[Any]:
    """Return the cases of a file as parameters: their lines, with the title as id."""
    found = []
    for text in file.read_text(encoding="utf-8").split("\n== ")[1:]:
        title, *lines = text.rstrip().split("\n")
        found.append(pytest.param([line for line in lines if line and not line.startswith("#")], id=title))
    return found


class Case:
    """A case that is being played."""

    def __init__(self, notation: Notation, position: str) -> None:
        """Begin at `position`, as it is written."""
        self.notation = notation
        self.state = notation.start(_position(position))

    def command(self, line: str) -> None:
        """Check a fact or make a move; one that is otherwise fails the test."""
        if line.startswith("? "):
            name, _, expected = line[2:].partition(": ")
            found = _spelled(_fact(self.notation, name.removesuffix(":"), self.state))
            assert found == expected, f"{line}: {found}"
            return
        seat, _, rest = line.partition(" ")
        text, _, rule = rest.partition(" !")
        text, arrow, outcome = text.partition(" ->")
        game, move = self.notation.game, self.notation.read(text, self.state, int(seat))
        answer, refusal = game.apply(self.state, int(seat), move), game.check(self.state, int(seat), move)
        if rule:
            assert isinstance(answer, Refusal), f"{line}: taken"
            assert (answer.detail or answer.reason, refusal) == (rule, answer), line
            return
        assert isinstance(answer, Step), f"{line}: {answer}"
        assert refusal is None, line
        self.state = answer.state
        if arrow:
            _compare(line, outcome, [msgspec.to_builtins(each) for each in answer.lines])


def run(notation: Notation, lines: list[str]) -> None:
    """Play a case of rules."""
    position, *commands = lines
    case = Case(notation, position)
    for line in commands:
        case.command(line)


def _position(line: str) -> Position:
    found: dict[str, list[str]] = {}
    for part in line.split("; "):
        key, _, value = part.partition(":")
        found.setdefault(key, []).append(value.strip())
    return found


def _compare(line: str, outcome: str, made: list[dict[str, Any]]) -> None:
    expected = [each.split() for each in outcome.split(";")]
    assert [each["type"] for each in made] == [words[0] for words in expected], f"{line}: {made}"
    for each, (_, *fields) in zip(made, expected, strict=True):
        found = [f"{name}={_spelled(each.get(name)).replace(' ', ',')}" for name, _ in map(_parted, fields)]
        assert found == fields, line


def _parted(field: str) -> tuple[str, str]:
    name, _, value = field.partition("=")
    return name, value


def _fact(notation: Notation, name: str, state: Any) -> object:
    game, (name, *words) = notation.game, name.split()
    if name in notation.facts:
        return notation.facts[name](state, *words)
    match name:
        case "turn":
            return game.on_turn(state)
        case "may":
            return game.may_act(state)
        case "totals":
            return game.totals(state)
        case "turns":
            return game.turns(state)
        case "claim":
            claim = game.claim(state)
            return "" if claim is None else (*claim.seats, claim.seconds, claim.silence is not None)
    result = game.result(state)
    assert name == "result", f"no fact {name}"
    return "" if result is None else (result.reason, *result.totals, "won by", *result.winners)


def _spelled(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return " ".join(map(_spelled, value))
    return "" if value is None else str(value)
