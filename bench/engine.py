"""Lays a second of one core: those of random games through `apply` with all its checks. And what bots take."""

import gc
import random
import time
from typing import Any, Final

from bench import bots
from bench.figures import Figure, Section
from bench.scale import Scale
from bench.server import BenchError
from cartino_games.cartino.moves import Lay
from cartino_games.registry import installed
from cartino_protocol.refusals import Refusal
from cartino_server.engine.chance import SeedChance
from cartino_server.engine.port import Step

GAME: Final = installed().rules["cartino"]


async def measure(scale: Scale) -> Section:
    """Random games of each edition, then games between greedy bots, in this process."""
    return Section(
        "Engine and bots",
        f"{scale.games} random games side by side and {scale.bot_games} games of greedy bots for each edition, in "
        "this process; each lay is the first on its state",
        (
            *(
                Figure(
                    f"lays applied, {edition}",
                    _lays_a_second(edition, scale.games),
                    "/s",
                    100_000,
                    at_least=True,
                )
                for edition in ("1974", "1969")
            ),
            *bots.measure(scale.bot_games),
        ),
    )


class _Game:
    """A random game of three: its state, and the chance that chooses its moves."""

    def __init__(self, edition: str, seed: int) -> None:
        """The game at its beginning."""
        self.chance = random.Random(seed)
        players, shuffle = ("a", "b", "c"), SeedChance(self.chance.randbytes(32), ("",) * 3)
        self.state = GAME.start({"edition": edition}, players, shuffle).state

    def choose(self) -> tuple[int, Any] | None:
        """Who moves next, and how; None where the game is over."""
        if not (turn := GAME.on_turn(self.state)):
            return None
        return turn[0], self.chance.choice(list(GAME.legal(self.state, turn[0])))

    def go_on(self, step: Step[Any] | Refusal) -> None:
        """Take what the engine answered to the move. Raises BenchError where it was refused."""
        if not isinstance(step, Step):
            raise BenchError("a legal move of the bench was refused")
        self.state = step.state


def _lays_a_second(edition: str, count: int) -> float:
    """Of time on the core: what others take of it is not the engine's. The games go on side by side, a move at a time.

    So every lay is the first of its kind on its state, with other games' between, as a house's are; and one look at
    the clock, which takes a twentieth of a lay, is enough for many.
    """
    # Nor is it to look for garbage among all that a bench is made of.
    gc.collect()
    gc.freeze()
    games, lays, seconds = [_Game(edition, seed) for seed in range(count)], 0, 0.0
    while games:
        going = [(game, *chosen) for game in games if (chosen := game.choose())]
        laid = [(game.state, seat, move) for game, seat, move in going if isinstance(move, Lay)]
        before = time.thread_time()
        steps = [GAME.apply(*lay) for lay in laid]
        seconds += time.thread_time() - before
        lays += len(laid)
        answers = iter(steps)
        for game, seat, move in going:
            game.go_on(next(answers) if isinstance(move, Lay) else GAME.apply(game.state, seat, move))
        games = [game for game, _, _ in going]
    gc.unfreeze()
    return lays / seconds
