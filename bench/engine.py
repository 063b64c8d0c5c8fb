"""Lays a second: random games through `apply` with all its checks; only `apply` is timed."""

import random
import time

from bench.figures import Figure
from cartino_protocol.games.cartino.moves import Lay
from cartino_server.engine.chance import SeedChance
from cartino_server.engine.port import Step
from cartino_server.engine.registry import GAMES


def measure(games: int) -> tuple[Figure, ...]:
    """Play `games` games of each edition."""
    return tuple(
        Figure(f"lays applied, {edition}", _lays_a_second(edition, games), "/s", 20_000, at_least=True)
        for edition in ("1974", "1969")
    )


def _lays_a_second(edition: str, games: int) -> float:
    game = GAMES["cartino"]
    lays, seconds = 0, 0.0
    for seed in range(games):
        rng = random.Random(seed)
        step = game.start({"edition": edition}, ("a", "b", "c"), SeedChance(rng.randbytes(32), ("",) * 3))
        state = step.state
        while turn := game.on_turn(state):
            move = rng.choice(game.legal(state, turn[0]))
            before = time.perf_counter()
            after = game.apply(state, turn[0], move)
            took = time.perf_counter() - before
            assert isinstance(after, Step)
            if isinstance(move, Lay):
                lays += 1
                seconds += took
            state = after.state
    return lays / seconds
