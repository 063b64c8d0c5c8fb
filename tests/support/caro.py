"""Positions of Caro drawn as pictures, and random games in which people sin and call."""

import random
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from cartino_engine.chance import SeedChance, commitment
from cartino_engine.port import Step
from cartino_games.caro.rules import lessons
from cartino_games.caro.rules.game import Caro
from cartino_games.caro.rules.table import CaroState
from cartino_games.caro.views import COLOURS, Accept, Call, CaroLay, Line, Move
from cartino_protocol.records import FORMAT, EndLine, GameLine, RecordLine
from cartino_protocol.refusals import Refusal

GAME = Caro()
STARTED = "2026-01-01T12:00:00Z"
ENDED = "2026-01-01T12:30:00Z"


def position(
    picture: str, *supplies: str, honour: bool = False, rounds: int = 1, totals: Sequence[int] = ()
) -> CaroState:
    """A state as `picture` shows it, with seat 0 on turn; its upper left cell is the middle place."""
    state = lessons.position(picture, *supplies, honour=honour)
    return replace(state, rounds=rounds, totals=tuple(totals) or state.totals)


def lay(text: str) -> CaroLay:
    """The lay written `R1,-2`."""
    x, y = map(int, text[1:].split(","))
    return CaroLay(next(colour for colour in COLOURS if colour == text[0]), x, y)


def refused(state: CaroState, seat: int, move: Move | str) -> str:
    """The rule or reason that refuses a move (a lay as in `lay`); fails where it is taken."""
    move = lay(move) if isinstance(move, str) else move
    answer = GAME.apply(state, seat, move)
    assert isinstance(answer, Refusal)
    assert GAME.check(state, seat, move) == answer
    return answer.detail or answer.reason


class Sitting:
    """Plays moves on a state and keeps the lines; a refused move fails the test."""

    def __init__(self, state: CaroState) -> None:
        """Sit down at `state`."""
        self.state = state
        self.lines: list[RecordLine] = []

    def play(self, *moves: tuple[int, str]) -> list[RecordLine]:
        """Make each seat's move (a lay as in `lay`, `call`, `accept`); the lines of the last one."""
        told: list[RecordLine] = []
        for seat, text in moves:
            move = Call() if text == "call" else Accept() if text == "accept" else lay(text)
            step = GAME.apply(self.state, seat, move)
            assert isinstance(step, Step), (seat, text, step)
            self.state, told = step.state, list(step.lines)
            self.lines += told
        return told


def any_move(state: CaroState, dice: random.Random) -> tuple[int, Move]:
    """A move of somebody who may act: often lawful, under the referee `honour` also sins and calls, right and wrong."""
    seat = dice.choice(GAME.on_turn(state))
    if state.callers() and dice.random() < 0.3:
        return dice.choice(state.callers()), Call()
    if state.closing:
        return seat, Accept()
    sinning = state.honour and not state.must and dice.random() < 0.4
    colour, cell, _ = dice.choice(list(state.lays(seat, lawful=not sinning)))
    return seat, state.table.lay(colour, cell)


def random_game(
    seed: int, options: dict[str, str], seats: int
) -> Iterator[tuple[CaroState, tuple[Line | RecordLine, ...]]]:
    """Every state of a game of random moves, with the lines that led to it."""
    dice = random.Random(seed)
    step = GAME.start(options, ("ann",) * seats, SeedChance(dice.randbytes(32), ("",) * seats))
    yield step.state, step.lines
    while GAME.result(step.state) is None:
        after = GAME.apply(step.state, *any_move(step.state, dice))
        assert isinstance(after, Step)
        step = after
        yield step.state, step.lines


def record(seed: int, options: dict[str, str], seats: int) -> list[RecordLine]:
    """The whole record of `random_game`."""
    secret = random.Random(seed).randbytes(32)
    names = ("ann", "bob", "cleo", "dan")[:seats]
    lines: list[RecordLine] = [
        GameLine(FORMAT, "caro", options, names, commitment(secret), ("",) * seats, STARTED)
    ]
    course = list(random_game(seed, options, seats))
    lines += [line for _, more in course for line in more]
    result = GAME.result(course[-1][0])
    assert result is not None
    lines.append(EndLine(result.totals, result.winners, result.reason, secret.hex(), ENDED))
    return lines
