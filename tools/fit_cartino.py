"""Fit the weights of Cartino's evaluation by self-play: `python -m tools.fit_cartino 1974 2 [--games 2000]`.

Bots play by the weights so far, sometimes a turn by chance. From each seat's positions after its turns, with the points
that came until the next one, the weights are the least-squares solution of the temporal differences (LSTD, Bradtke and
Barto 1996, with traces): a game's own end says too little, since its margin has a standard deviation of 41 points. The
weights for that table are written to weights.json.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Final, NamedTuple, get_args

import msgspec

from cartino_engine.chance import SeedChance
from cartino_engine.port import Step
from cartino_games.cartino import bots
from cartino_games.cartino.board import JOKERS, Edition
from cartino_games.cartino.bots.evaluation import (
    FEATURES,
    PHASES,
    Known,
    Weights,
    features,
    phase_of,
    rank,
    read_known,
)
from cartino_games.cartino.bots.levels import moves_of
from cartino_games.cartino.bots.planning import TurnEnd, most_points, plan_of
from cartino_games.cartino.moves import Move
from cartino_games.cartino.rules.game import Cartino
from cartino_games.cartino.rules.state import CartinoState
from cartino_protocol.refusals import Refusal

BY_CHANCE: Final = 0.12
"""The share of turns that are one of the best few by points, whatever they are worth."""
FEW: Final = 6
TRACE: Final = 0.4
"""How far a position answers for what comes after the next one."""
RIDGE: Final = 30.0
GAME: Final = Cartino()
SIZE: Final = FEATURES * PHASES


class Moment(NamedTuple):
    """A position after a seat's turn, and the points that came until after its next one, less the others' mean."""

    phase: int
    features: list[float]
    gain: float


def main() -> int:
    """Fit and write."""
    words = argparse.ArgumentParser(prog="python -m tools.fit_cartino", description=__doc__)
    words.add_argument("edition", choices=get_args(Edition))
    words.add_argument("seats", type=int, choices=(2, 3, 4))
    words.add_argument("--games", type=int, default=2000)
    words.add_argument("--rounds", type=int, default=3)
    words.add_argument("--jobs", type=int, default=2)
    given = words.parse_args()
    weights: Weights | None = None
    with ProcessPoolExecutor(given.jobs) as pool:
        for turn in range(given.rounds):
            each = [
                (given.edition, given.seats, turn * given.games + game, weights)
                for game in range(given.games)
            ]
            games = pool.map(play, each, chunksize=20)
            weights = solve([seat for game in games for seat in game])
            print(f"round {turn + 1} of {given.rounds}", file=sys.stderr)
    assert weights is not None
    _write(given.edition, given.seats, weights)
    return 0


def play(order: tuple[Edition, int, int, Weights | None]) -> list[list[Moment]]:
    """Play a game: for each seat its moments in order. Without weights the bots count points."""
    edition, seats, seed, weights = order
    chance = Random(seed)
    dice = SeedChance(chance.randbytes(32), ("",) * seats)
    options = GAME.read_options({"edition": edition})
    assert not isinstance(options, Refusal)
    state = GAME.start(options, ("bot",) * seats, dice).state
    found: list[list[tuple[int, list[float], tuple[int, ...]]]] = [[] for _ in range(seats)]
    while state.settlement is None:
        seat, known = state.seat, read_known(GAME.view(state, state.seat))
        end, plan = _turn(known, weights, chance)
        totals = tuple(total + end.points * (at == seat) for at, total in enumerate(state.totals))
        if not end.out:
            ground = known.position.ground
            phase = phase_of(known.bag, 2 * len(ground.board.cards) + JOKERS)
            table = end.taken, end.jokers, end.kept, end.kept_jokers
            found[seat].append(
                (phase, features(ground, *table, known.unseen, known.bag, known.others), totals)
            )
        for move in plan:
            step = GAME.apply(state, seat, move)
            assert isinstance(step, Step)
            state = step.state
    return [list(_moments(seat, moments, state)) for seat, moments in enumerate(found)]


def _turn(known: Known, weights: Weights | None, chance: Random) -> tuple[TurnEnd, Sequence[Move]]:
    position = known.position
    tree = known.tree
    if chance.random() < BY_CHANCE:
        end = chance.choice(sorted(tree.ends(), key=lambda each: -each.points)[:FEW])
    elif weights is None:
        best = most_points(position, tree.ends())
        assert best is not None
        end = best
    else:
        end = rank(msgspec.structs.replace(known, weights=weights))[0][1]
    return end, moves_of(position.ground.board, plan_of(position, tree, end))


def _moments(
    seat: int, found: list[tuple[int, list[float], tuple[int, ...]]], end: CartinoState
) -> Iterator[Moment]:
    later = [totals for _, _, totals in found[1:]] + [end.totals]
    for (phase, facts, before), after in zip(found, later, strict=True):
        gains = [new - old for old, new in zip(before, after, strict=True)]
        yield Moment(phase, facts, gains[seat] - (sum(gains) - gains[seat]) / (len(gains) - 1))


def solve(seats: Sequence[Sequence[Moment]]) -> Weights:
    """Return the weights with which each position is worth what came, and the next position."""
    scale = _scale(seats)
    matrix = [[RIDGE * (row == column) for column in range(SIZE)] for row in range(SIZE)]
    for phase in range(PHASES):
        matrix[phase * FEATURES][phase * FEATURES] = 0.1
    right = [0.0] * SIZE
    for moments in seats:
        trace = [0.0] * SIZE
        placed = [_placed(moment, scale) for moment in moments]
        for at, moment in enumerate(moments):
            trace = [TRACE * value for value in trace]
            change = dict(placed[at])
            for place, value in placed[at].items():
                trace[place] += value
            for place, value in placed[at + 1].items() if at + 1 < len(moments) else ():
                change[place] = change.get(place, 0.0) - value
            for row, value in enumerate(trace):
                if value:
                    right[row] += value * moment.gain
                    line = matrix[row]
                    for place, difference in change.items():
                        line[place] += value * difference
    found = [value / scale[place] for place, value in enumerate(_eliminate(matrix, right))]
    return tuple(tuple(found[phase * FEATURES : (phase + 1) * FEATURES]) for phase in range(PHASES))


def _placed(moment: Moment, scale: Sequence[float]) -> dict[int, float]:
    """Return the features that aren't 0, by their place among those of all phases."""
    first = moment.phase * FEATURES
    return {first + at: value / scale[first + at] for at, value in enumerate(moment.features) if value}


def _scale(seats: Sequence[Sequence[Moment]]) -> list[float]:
    """Return the standard deviation of each feature in each phase; 1 where it never changes."""
    sums = [[0.0, 0.0, 0.0] for _ in range(SIZE)]
    for moments in seats:
        for moment in moments:
            for at, value in enumerate(moment.features):
                total = sums[moment.phase * FEATURES + at]
                total[0] += 1
                total[1] += value
                total[2] += value * value
    variances = [(squares / (count or 1)) - (total / (count or 1)) ** 2 for count, total, squares in sums]
    return [variance**0.5 if variance > 1e-9 else 1.0 for variance in variances]


def _eliminate(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Return the solution of the linear equations, by elimination with the largest pivot."""
    rows = [[*line, value] for line, value in zip(matrix, right, strict=True)]
    for at in range(SIZE):
        pivot = max(range(at, SIZE), key=lambda row: abs(rows[row][at]))
        rows[at], rows[pivot] = rows[pivot], rows[at]
        for row in range(at + 1, SIZE):
            factor = rows[row][at] / rows[at][at]
            if factor:
                rows[row] = [value - factor * top for value, top in zip(rows[row], rows[at], strict=True)]
    found = [0.0] * SIZE
    for at in reversed(range(SIZE)):
        known = sum(rows[at][place] * found[place] for place in range(at + 1, SIZE))
        found[at] = (rows[at][SIZE] - known) / rows[at][at]
    return found


def _write(edition: Edition, seats: int, weights: Weights) -> None:
    path = Path(str(files(bots).joinpath("weights.json")))
    tables = msgspec.json.decode(path.read_bytes(), type=dict[str, dict[str, Weights]])
    tables[edition][str(seats)] = tuple(tuple(float(f"{weight:.3g}") for weight in row) for row in weights)
    lines = [
        f' "{name}": {{\n'
        + ",\n".join(
            f'  "{count}": [\n' + ",\n".join(f"   [{', '.join(map(repr, row))}]" for row in rows) + "\n  ]"
            for count, rows in counts.items()
        )
        + "\n }"
        for name, counts in tables.items()
    ]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    sys.exit(main())
