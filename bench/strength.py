"""Measure how well bots play: each pair in the same shuffles with the seats swapped."""

from functools import partial
from random import Random
from typing import Final

import msgspec

from bench.figures import Figure, Section
from bench.scale import Scale
from bench.server import BenchError
from cartino_engine.chance import SeedChance
from cartino_engine.port import Step
from cartino_games.casino.views import DealScoreLine
from cartino_games.registry import installed
from cartino_protocol.wire import encode


class Pair(msgspec.Struct, frozen=True):
    """A bot that should beat another at `game` in at least `wins` percent of `full` shuffles.

    `deals`: a shuffle is one deal of Casino instead of a whole game. `options` are those that aren't the usual ones.
    """

    game: str
    strong: str
    weak: str
    wins: float
    full: int
    deals: bool = False
    options: dict[str, str] = {}


APART: Final = {"bag": "apart"}
"""What one draws doesn't depend on the other, so that a swap of seats takes more of the luck away."""
PAIRS: Final = (
    Pair("cartino", "learner", "beginner", 58, 100, options=APART),
    Pair("cartino", "casual", "learner", 58, 100, options=APART),
    Pair("cartino", "careful", "greedy", 66, 300, options=APART),
    Pair("cartino", "expert", "greedy", 70, 300, options=APART),
    Pair("cartino", "expert", "careful", 58, 300, options=APART),
    Pair("caro", "learner", "beginner", 58, 100),
    Pair("caro", "casual", "learner", 58, 100),
    Pair("caro", "greedy", "casual", 58, 100),
    Pair("caro", "careful", "greedy", 75, 100),
    Pair("caro", "expert", "careful", 58, 40),
    Pair("casino", "learner", "beginner", 58, 300, deals=True),
    Pair("casino", "casual", "learner", 58, 300, deals=True),
    Pair("casino", "greedy", "casual", 58, 300, deals=True),
    Pair("casino", "careful", "greedy", 75, 300, deals=True),
    Pair("casino", "expert", "careful", 58, 300, deals=True),
)


OPENING: Final = 4
"""Moves by chance before the bots begin, the same in both seatings, in a game where the shuffle says too little."""


async def measure(scale: Scale) -> Section:
    """Play every pair of PAIRS for two seats."""
    return Section(
        "Bots against bots",
        f"{scale.matches * 100:g} % of 40 to 300 shuffles of Cartino and Caro and 1,000 deals of Casino, each played "
        "twice with the seats swapped; a tie is half a win",
        tuple(_figure(pair, max(2, round(pair.full * scale.matches))) for pair in PAIRS),
    )


def _figure(pair: Pair, shuffles: int) -> Figure:
    meet = partial(_margins, pair)
    margins = [margin for seed in range(shuffles) for margin in meet(seed)]
    won = sum(0.5 if margin == 0 else float(margin > 0) for margin in margins)
    name = f"{pair.game}: {pair.strong} beats {pair.weak}"
    return Figure(name, 100 * won / len(margins), "%", pair.wins, at_least=True)


def _margins(pair: Pair, seed: int) -> tuple[int, ...]:
    """Return the strong bot's margins: in each of both games, or in both seatings of a deal together."""
    one, other = (
        _played(pair, (pair.strong, pair.weak), seed),
        _played(pair, (pair.weak, pair.strong), seed),
    )
    first, second = one[0] - one[1], other[1] - other[0]
    return (first + second,) if pair.deals else (first, second)


def _played(pair: Pair, bots: tuple[str, str], seed: int) -> tuple[int, ...]:
    """Return the points of both seats after a game, or after its first deal."""
    game, chance = installed().rules[pair.game], Random(f"{seed} {bots}")
    options = {option.name: option.default for option in game.options} | pair.options
    shuffle = SeedChance(Random(seed).randbytes(32), ("", ""))
    state, opening = game.start(options, bots, shuffle).state, 0 if pair.deals else OPENING
    for _ in range(opening):
        # Bots that use no dice play the same game again and again from one beginning.
        seat = game.on_turn(state)[0]
        opened = game.apply(state, seat, Random(f"{seed} opening").choice(list(game.legal(state, seat))))
        if isinstance(opened, Step):
            state = opened.state
    while turn := game.on_turn(state):
        seat = turn[0]
        bot = installed().bots[pair.game, bots[seat]]
        for move in bot.plan(encode(game.view(state, seat)), chance) or (None,):
            step = None if move is None else game.apply(state, seat, game.read_move(encode(move)))
            if not isinstance(step, Step):
                raise BenchError(f"{bots[seat]} made no move that {pair.game} takes")
            state = step.state
            scored = next((line for line in step.lines if isinstance(line, DealScoreLine)), None)
            if pair.deals and scored is not None:
                return scored.points
    return game.totals(state)
