"""Looks ahead in games without secrets: one player against all others, who are taken to play against them alone."""

from collections.abc import Callable, Sequence
from itertools import count
from typing import Generic, TypeVar

import msgspec

from cartino_protocol.ids import Seat

Position = TypeVar("Position")
Move = TypeVar("Move")


class Branch(msgspec.Struct, Generic[Position, Move], frozen=True):
    """A `move` of `seat`, the points it gains, and the position after it."""

    move: Move
    seat: Seat
    gain: int
    after: Position


class Search(Generic[Position, Move]):
    """Alpha-beta search. A margin is a player's points times the number of the others, minus their points."""

    def __init__(
        self,
        branches: Callable[[Position, int], Sequence[Branch[Position, Move]]],
        seats: int,
        nodes: int,
        width: int,
    ) -> None:
        """Look at about `nodes` moves at most, at `width` a position.

        `branches` gives so many moves of one position, the most promising first, all by one seat; none at the end. The
        search counts moves, not time: the same position gives the same move.
        """
        self._branches = branches
        self._others = seats - 1
        self._left = nodes
        self._width = width
        self._cut = False
        """Whether a line of play was left before its end."""

    def best(self, branches: Sequence[Branch[Position, Move]]) -> Branch[Position, Move]:
        """Return the best of `branches`, looking one move further ahead as long as nodes are left."""
        best = branches[0]
        for ahead in count(1):
            self._cut = False
            first = [best, *(branch for branch in branches if branch is not best)]
            found = self._best(first, best.seat, ahead, float("-inf"), float("inf"))[1]
            if self._left <= 0:
                break
            best = found
            if not self._cut:
                break
        return best

    def _best(
        self, branches: Sequence[Branch[Position, Move]], me: Seat, depth: int, low: float, high: float
    ) -> tuple[float, Branch[Position, Move]]:
        """Return the margin of `me` and the branch that is chosen, if it is between `low` and `high`."""
        mine, best = branches[0].seat == me, branches[0]
        for branch in branches[: self._width]:
            self._left -= 1
            gain = branch.gain * (self._others if mine else -1)
            margin = gain + self._rest(branch.after, me, depth - 1, low - gain, high - gain)
            if mine and margin > low:
                low, best = margin, branch
            elif not mine:
                high = min(high, margin)
            if low >= high:
                break
        return low if mine else high, best

    def _rest(self, position: Position, me: Seat, depth: int, low: float, high: float) -> float:
        """Return the margin of the `depth` moves from `position` on."""
        self._cut = self._cut or not depth
        if depth and self._left > 0:
            branches = self._branches(position, self._width if depth > 1 else 1)
            if branches:
                return self._best(branches, me, depth, low, high)[0]
        return 0
