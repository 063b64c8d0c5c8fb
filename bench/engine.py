"""Measure the moves that one core applies a second in random games, and the greedy bot's choices."""

import gc
import random
import time
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

from bench.figures import Figure, Section
from bench.scale import Scale
from bench.server import BenchError
from cartino_engine.bots import Bot
from cartino_engine.chance import SeedChance
from cartino_engine.port import AnyGame, Step
from cartino_games.casino.cards import CARDS, Customs
from cartino_games.casino.rules import Casino, CasinoState
from cartino_games.casino.views import CasinoView
from cartino_games.registry import installed
from cartino_protocol.refusals import Refusal
from cartino_protocol.wire import encode

BOUNDS: Final[Mapping[str, float]] = {"cartino": 100_000, "caro": 20_000, "casino": 5_000}
"""The least moves a second; other games have no bound."""
LEGAL_MS: Final = 10
"""The most that the moves of a full table of Casino may take to list."""
MOST_MOVES: Final = 64
"""The moves of which one is chosen: of a long list, the first ones."""


async def measure(scale: Scale) -> Section:
    """Random games of each kind, then games between greedy bots, in this process."""
    figures: list[Figure] = []
    for name, game in installed().rules.items():
        for called, options in _kinds(game):
            figures.append(
                Figure(
                    f"moves applied, {name} {called}".rstrip(),
                    _moves_a_second(game, options, scale.games),
                    "/s",
                    BOUNDS.get(name),
                    at_least=True,
                )
            )
    return Section(
        "Engine and bots",
        f"{scale.games} random games side by side and {scale.bot_games} games of greedy bots for each kind, in this "
        "process; each move is the first on its state",
        (*figures, _full_table(scale.games), *_bots(scale.bot_games)),
    )


def _kinds(game: AnyGame) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the choices of the game's first option, with all others at their defaults."""
    options = {option.name: option.default for option in game.options}
    if not options:
        yield "", options
    for first in game.options[:1]:
        for choice in first.choices:
            yield choice, {**options, first.name: choice}


def _full_table(count: int) -> Figure:
    """Time the slowest of so many tables of Casino with 20 loose cards and a hand of 4, each listed first."""
    rules, dice, slowest = Casino(), random.Random(count), 0.0
    for _ in range(count):
        loose = dice.sample(CARDS, 24)
        hand = tuple(loose.pop() for _ in range(4))
        table = CasinoView(Customs(), (0, 0), on_turn=0, held=(4, 4), taken=(0, 0), loose=tuple(loose))
        state = CasinoState(table, SeedChance(bytes(32), ("", "")), (), (hand, ()), ((), ()))
        gc.collect()
        before = time.thread_time()
        if not list(rules.legal(state, 0)):
            raise BenchError("a hand of Casino has no move")
        slowest = max(slowest, time.thread_time() - before)
    return Figure("legal moves of 4 cards beside 20 loose ones, casino, max", slowest * 1000, "ms", LEGAL_MS)


class _Game:
    """A random game of three: its state, and the chance that chooses its moves."""

    def __init__(self, game: AnyGame, options: Mapping[str, str], seed: int) -> None:
        """Start the game."""
        self.game = game
        self.chance = random.Random(seed)
        players, shuffle = ("a", "b", "c"), SeedChance(self.chance.randbytes(32), ("",) * 3)
        self.state = game.start(options, players, shuffle).state

    def choose(self) -> tuple[int, Any] | None:
        """Return who moves next, and how; None where the game is over."""
        if not (turn := self.game.on_turn(self.state)):
            return None
        moves = list(islice(self.game.legal(self.state, turn[0]), MOST_MOVES))
        return turn[0], self.chance.choice(moves)

    def go_on(self, step: Step[Any] | Refusal) -> None:
        """Take what the engine answered to the move. Raises BenchError where it was refused."""
        if not isinstance(step, Step):
            raise BenchError("a legal move of the bench was refused")
        self.state = step.state


def _moves_a_second(game: AnyGame, options: Mapping[str, str], count: int) -> float:
    """Measure CPU time, so that others' work isn't counted. The games go on side by side, a move at a time.

    So every move is the first of its kind on its state, with other games' between, as a server's are; and one look at
    the clock, which takes a twentieth of a move, is enough for many.
    """
    # Nor is it to look for garbage among all that a bench is made of.
    gc.collect()
    gc.freeze()
    games, moves, seconds = [_Game(game, options, seed) for seed in range(count)], 0, 0.0
    while games:
        going = [(each, *chosen) for each in games if (chosen := each.choose())]
        asked = [(each.state, seat, move) for each, seat, move in going]
        before = time.thread_time()
        steps = [game.apply(*move) for move in asked]
        seconds += time.thread_time() - before
        moves += len(asked)
        for (each, _, _), step in zip(going, steps, strict=True):
            each.go_on(step)
        games = [each for each, _, _ in going]
    gc.unfreeze()
    return moves / seconds


def _bots(games: int) -> tuple[Figure, ...]:
    """Time the choices of the greedy bot in `games` games of each edition of Cartino."""
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
    game, chance = installed().rules["cartino"], random.Random(seed)
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
