"""Looks ahead in games without secrets: one player against all others, who are taken to play against them alone."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from typing import Generic, TypeVar

import msgspec

from cartino_protocol.base import Seat

Position = TypeVar("Position")
Move = TypeVar("Move")


class Branch(msgspec.Struct, Generic[Position, Move], frozen=True):
    """A `move` of `seat`, the points it gains, and the position after it."""

    move: Move
    seat: Seat
    gain: int
    after: Position


class OutOfTimeError(Exception):
    """The search has to stop."""


class Search(Generic[Position, Move]):
    """Alpha-beta search. A margin is a player's points times the number of the others, minus their points."""

    def __init__(
        self,
        branches: Callable[[Position, int], Sequence[Branch[Position, Move]]],
        seats: int,
        width: int,
        in_time: Callable[[], bool],
    ) -> None:
        """Look at `width` moves a position at most, as long as `in_time()`, which is asked before each move.

        `branches` gives so many moves of one position, the most promising first, all by one seat; none at the end.
        """
        self._branches = branches
        self._others = seats - 1
        self._width = width
        self._in_time = in_time
        self._cut = False
        """Whether a line of play was left before its end."""

    def best(self, branches: Sequence[Branch[Position, Move]]) -> Branch[Position, Move]:
        """Return the best of `branches` that was found in time, looking one move further ahead each round."""
        best = branches[0]
        with suppress(OutOfTimeError):
            for ahead in count(1):
                self._cut, low = False, float("-inf")
                for branch in [best, *(each for each in branches[: self._width] if each is not best)]:
                    margin = self._margin(branch, best.seat, ahead, low, float("inf"))
                    if margin > low:
                        low, best = margin, branch
                if not self._cut or len(branches) == 1:
                    break
        return best

    def compared(
        self, branches: Sequence[Branch[Position, Move]], made: Branch[Position, Move], ahead: int
    ) -> tuple[Branch[Position, Move], float, float]:
        """Return the best of `branches` so many moves on, its margin there, and that of `made`, one of them."""
        own = most = self._margin(made, made.seat, ahead, float("-inf"), float("inf"))
        best = made
        for branch in branches[: self._width]:
            if branch is not made:
                margin = self._margin(branch, made.seat, ahead, most, float("inf"))
                if margin > most:
                    most, best = margin, branch
        return best, most, own

    def _margin(self, branch: Branch[Position, Move], me: Seat, depth: int, low: float, high: float) -> float:
        """Return the margin of `me` in `depth` moves from `branch` on, exact if between `low` and `high`."""
        if not self._in_time():
            raise OutOfTimeError
        gain = branch.gain * (self._others if branch.seat == me else -1)
        low, high, depth = low - gain, high - gain, depth - 1
        self._cut = self._cut or not depth
        branches = self._branches(branch.after, self._width if depth > 1 else 1) if depth else ()
        if not branches:
            return gain
        mine, margins = branches[0].seat == me, []
        for each in branches:
            margins.append(self._margin(each, me, depth, low, high))
            low, high = (max(low, margins[-1]), high) if mine else (low, min(high, margins[-1]))
            if low >= high:
                break
        return gain + (max if mine else min)(margins)
