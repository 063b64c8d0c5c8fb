"""Bots for games in which the points of a move can be told: at random, greedy, looking ahead.

A game extends `ScoringBot` with how its views are read, and each of its bots is that and one of the others here.
"""

import time
from abc import abstractmethod
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, ClassVar, Generic, TypeVar

import msgspec
from typing_extensions import override

from cartino_games.kit.boards.search import Branch, Position, Search
from cartino_games.kit.boards.views import TableView
from cartino_server.engine.bots import Bot

View = TypeVar("View", bound=TableView)
Move = TypeVar("Move", bound=msgspec.Struct)


class ScoringBot(Bot, Generic[View, Position, Move]):
    """A bot that picks one of several moves with points."""

    decoder: ClassVar[msgspec.msgpack.Decoder[Any]]
    """Reads the game's view."""

    @abstractmethod
    def branches(self, view: View) -> Sequence[Branch[Position, Move]]:
        """Return the moves of the seat on turn, most points first; none where it has nothing but an answer."""

    @abstractmethod
    def replies(self, position: Position, most: int) -> Sequence[Branch[Position, Move]]:
        """Return up to `most` moves of the next seat, most points first; none at the end."""

    @abstractmethod
    def answer(self, view: View, chance: Random) -> Move | None:
        """Return what to do before any of `branches`, None for nothing. Raises CantChoose where there is no move."""

    @abstractmethod
    def pick(
        self, branches: Sequence[Branch[Position, Move]], seats: int, chance: Random
    ) -> Branch[Position, Move]:
        """Return one of `branches` in a game of so many seats."""

    @override
    def choose(self, view: bytes, chance: Random) -> Move | None:
        seen = self.decoder.decode(view)
        answer = self.answer(seen, chance)
        if answer is not None:
            return answer
        branches = self.branches(seen)
        return self.pick(branches, len(seen.totals), chance).move if branches else None


class RandomBot(ScoringBot[View, Position, Move]):
    """Make any move at random."""

    name: ClassVar[str] = "random"

    @override
    def pick(
        self, branches: Sequence[Branch[Position, Move]], seats: int, chance: Random
    ) -> Branch[Position, Move]:
        return chance.choice(branches)


class GreedyBot(ScoringBot[View, Position, Move]):
    """Take the most points now, on a tie leave the next seat the fewest."""

    name: ClassVar[str] = "greedy"

    @override
    def pick(
        self, branches: Sequence[Branch[Position, Move]], seats: int, chance: Random
    ) -> Branch[Position, Move]:
        best = [branch for branch in branches if branch.gain == branches[0].gain]
        return min(best, key=lambda each: sum(reply.gain for reply in self.replies(each.after, 1)))


class DeepBot(ScoringBot[View, Position, Move]):
    """Look ahead for the best margin until its time is up, so a slower machine may choose another move."""

    name: ClassVar[str] = "deep"

    def __init__(
        self, budget: float = 0.15, width: int = 12, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Think for `budget` seconds of `clock` a move, looking at `width` moves a position."""
        self._budget = budget
        self._width = width
        self._clock = clock

    @override
    def pick(
        self, branches: Sequence[Branch[Position, Move]], seats: int, chance: Random
    ) -> Branch[Position, Move]:
        end = self._clock() + self._budget
        return Search(self.replies, seats, self._width, lambda: self._clock() < end).best(branches)
