"""Bots for games in which the points of a move can be told: at random, greedy, looking ahead.

A game extends `ScoringBot` with how its views are read, and each of its bots is that and one of the others here.
"""

from abc import abstractmethod
from collections.abc import Sequence
from itertools import count
from random import Random
from typing import Any, ClassVar, Generic, TypeVar

import msgspec
from typing_extensions import override

from cartino_games.kit.boards.search import Branch, Position, Search
from cartino_games.kit.boards.views import TableView
from cartino_games.kit.levels import GREEDY, pick_softly
from cartino_server.engine.bots import Bot, Verdict

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
    """Take the most points now, on a tie leave the next seat the fewest; choose by chance among equal moves."""

    name: ClassVar[str] = GREEDY

    @override
    def pick(
        self, branches: Sequence[Branch[Position, Move]], seats: int, chance: Random
    ) -> Branch[Position, Move]:
        best = [branch for branch in branches if branch.gain == branches[0].gain]
        chance.shuffle(best)
        return min(best, key=lambda each: sum(reply.gain for reply in self.replies(each.after, 1)))


class ErringBot(ScoringBot[View, Position, Move]):
    """Prefers a move by its points less those it leaves to the next seat, but errs the more, the hotter it is."""

    heat: ClassVar[float]
    """Points by which a move that is taken a third as often is worse."""

    @override
    def pick(
        self, branches: Sequence[Branch[Position, Move]], seats: int, chance: Random
    ) -> Branch[Position, Move]:
        ranked = [(branch.gain - self._left(branch) / (seats - 1), branch) for branch in branches]
        return pick_softly(ranked, self.heat, chance)

    def _left(self, branch: Branch[Position, Move]) -> float:
        """Return how much of what the next seat can take then counts, for two seats."""
        return _LEFT * max((each.gain for each in self.replies(branch.after, 1)), default=0)


_LEFT = 0.5
"""A point left to the next seat, in points."""


class SearchBot(ScoringBot[View, Position, Move]):
    """Looks ahead for the best margin, at a fixed number of moves, so that it chooses the same on any machine.

    Which of equal moves it takes is chance, or every game from one beginning would be the same.
    """

    moves: ClassVar[int]
    """Moves to look at in all."""
    width: ClassVar[int] = 12
    """Moves to look at in one position."""
    ahead: ClassVar[int] = 3
    """Moves to look ahead to judge one."""
    move_decoder: ClassVar[msgspec.msgpack.Decoder[Any]]

    @override
    def judge(self, view: bytes, made: Sequence[bytes]) -> Verdict:
        seen, move = self.decoder.decode(view), self.move_decoder.decode(made[0])
        branches = self.branches(seen)
        own = next((branch for branch in branches if branch.move == move), None)
        if own is None:
            # An answer, or a move against the rules that nobody called: there is nothing to compare it with.
            return Verdict(0.0, (move,))
        others = len(seen.totals) - 1
        search = Search(self.replies, others + 1, self.width, lambda: True)
        best, most, margin = search.compared(branches, own, self.ahead)
        return Verdict((most - margin) / others, (best.move,))

    @override
    def pick(
        self, branches: Sequence[Branch[Position, Move]], seats: int, chance: Random
    ) -> Branch[Position, Move]:
        looked = count(1)
        shuffled = chance.sample(branches, len(branches))
        shuffled.sort(key=lambda branch: -branch.gain)
        return Search(self.replies, seats, self.width, lambda: next(looked) <= self.moves).best(shuffled)
