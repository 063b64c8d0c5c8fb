"""What a greedy bot's move costs: games between greedy bots, only `choose` is timed."""

import time
from random import Random

from bench.figures import Figure
from cartino_games.registry import installed
from cartino_protocol.wire import encode
from cartino_server.engine.bots import Bot
from cartino_server.engine.chance import SeedChance
from cartino_server.engine.port import Step


def measure(games: int) -> tuple[Figure, ...]:
    """Play `games` games of each edition."""
    figures: list[Figure] = []
    greedy = installed().bots["cartino", "greedy"]
    for edition in ("1974", "1969"):
        times = [took for seed in range(games) for took in _choices(edition, greedy, seed)]
        figures += [
            Figure(f"greedy bot's move, {edition}, mean", sum(times) / len(times) * 1000, "ms"),
            Figure(f"greedy bot's move, {edition}, max", max(times) * 1000, "ms"),
        ]
    return tuple(figures)


def _choices(edition: str, bot: Bot, seed: int) -> list[float]:
    """Return the seconds of every choice in one game of two."""
    game, chance = installed().rules["cartino"], Random(seed)
    options = {option.name: option.default for option in game.options} | {"edition": edition}
    state = game.start(options, ("a", "b"), SeedChance(chance.randbytes(32), ("", ""))).state
    times = []
    while turn := game.on_turn(state):
        view = encode(game.view(state, turn[0]))
        before = time.perf_counter()
        move = bot.choose(view, chance)
        assert move is not None
        times.append(time.perf_counter() - before)
        after = game.apply(state, turn[0], game.read_move(encode(move)))
        assert isinstance(after, Step)
        state = after.state
    return times
