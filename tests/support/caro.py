"""Positions of Caro drawn as pictures, and random games in which people sin and call."""

import random
from collections.abc import Iterator, Sequence

from cartino_games.caro.rules import Caro
from cartino_games.caro.rules.game import FULL, State
from cartino_games.caro.rules.table import Table, cell_of, place_of
from cartino_games.caro.views import COLOURS, SPANS, Accept, Call, Lay, Line, Move
from cartino_protocol.records import FORMAT, EndLine, GameLine, RecordLine
from cartino_protocol.refusals import Refusal
from cartino_server.engine.chance import SeedChance, commitment
from cartino_server.engine.port import Step

GAME = Caro()
STARTED = "2026-01-01T12:00:00Z"
ENDED = "2026-01-01T12:30:00Z"


def position(
    picture: str, *supplies: str, honour: bool = False, rounds: int = 1, totals: Sequence[int] = ()
) -> State:
    """A state with seat 0 on turn; the picture's rows are parted by blanks, its upper left cell is 0, 0."""
    supplies = supplies or (FULL, FULL)
    table = Table(SPANS[len(supplies)])
    for y, row in enumerate(picture.split()):
        for x, mark in enumerate(row):
            for colour in COLOURS:
                if mark == colour:
                    table = table.with_caro(cell_of(x, y), colour)
    return State(
        honour=honour,
        rounds=rounds,
        first=0,
        seat=0,
        table=table,
        supplies=supplies,
        totals=tuple(totals) or (0,) * len(supplies),
    )


def lay(text: str) -> Lay:
    """The lay written `R1,-2`."""
    x, y = map(int, text[1:].split(","))
    return Lay(next(colour for colour in COLOURS if colour == text[0]), x, y)


def refused(state: State, seat: int, move: Move) -> str:
    """The rule or reason that refuses a move; fails where it is taken."""
    answer = GAME.apply(state, seat, move)
    assert isinstance(answer, Refusal)
    assert GAME.check(state, seat, move) == answer
    return answer.detail or answer.reason


class Sitting:
    """Plays moves on a state and keeps the lines; a refused move fails the test."""

    def __init__(self, state: State) -> None:
        """Sit down at `state`."""
        self.state = state
        self.lines: list[RecordLine] = []

    def play(self, *moves: tuple[int, str]) -> list[RecordLine]:
        """Make each seat's move (a lay as in `lay`, `call`, `accept`); the lines of the last one."""
        step: Step[State] | Refusal | None = None
        for seat, text in moves:
            move = Call() if text == "call" else Accept() if text == "accept" else lay(text)
            step = GAME.apply(self.state, seat, move)
            assert isinstance(step, Step), (seat, text, step)
            self.state = step.state
            self.lines += step.lines
        assert isinstance(step, Step)
        return list(step.lines)


def any_move(state: State, dice: random.Random) -> tuple[int, Move]:
    """A move of somebody who may act: often lawful, under the referee `honour` also sins and calls, right and wrong."""
    seat = dice.choice(GAME.on_turn(state))
    if state.callers() and dice.random() < 0.3:
        return dice.choice(state.callers()), Call()
    if state.closing:
        return seat, Accept()
    sinning = state.honour and not state.must and dice.random() < 0.4
    colour, cell = dice.choice(list(state.lays(seat, lawful=not sinning)))
    return seat, Lay(colour, *place_of(cell))


def random_game(
    seed: int, options: dict[str, str], seats: int
) -> Iterator[tuple[State, tuple[Line | RecordLine, ...]]]:
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
