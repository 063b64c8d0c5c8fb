"""Looks ahead: one player against all others, who are taken to play against them alone."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count

import msgspec

from cartino_games.caro.rules.table import Table
from cartino_games.caro.views import CaroLay
from cartino_protocol.base import Seat


class CaroPosition(msgspec.Struct, frozen=True):
    """What lies, each seat's caros, and the seat that laid last."""

    table: Table
    supplies: tuple[str, ...]
    seat: Seat


class Branch(msgspec.Struct, frozen=True):
    """A `move` of `seat`, the points it gains, and the position after it."""

    move: CaroLay
    seat: Seat
    gain: int
    after: CaroPosition


Replies = Callable[[CaroPosition, int], Sequence[Branch]]
"""Returns at most so many lays of the next seat in a position, most points first; none at the end."""


class OutOfMovesError(Exception):
    """The search has looked at as many moves as it may."""


class Search:
    """Alpha-beta search. A margin is a player's points times the number of the others, minus their points."""

    def __init__(self, replies: Replies, seats: int, width: int, moves: float = float("inf")) -> None:
        """Look at `width` moves a position and at `moves` in all, at most."""
        self._replies = replies
        self._others = seats - 1
        self._width = width
        self._moves = moves
        self._cut = False
        """Whether a line of play was left before its end."""

    def best(self, branches: Sequence[Branch]) -> Branch:
        """Return the best of `branches` that was found, looking one move further ahead each round."""
        best = branches[0]
        with suppress(OutOfMovesError):
            for ahead in count(1):
                self._cut, low = False, float("-inf")
                for branch in [best, *(each for each in branches[: self._width] if each is not best)]:
                    margin = self._margin(branch, best.seat, ahead, low, float("inf"))
                    if margin > low:
                        low, best = margin, branch
                if not self._cut or len(branches) == 1:
                    break
        return best

    def compared(self, branches: Sequence[Branch], made: Branch, ahead: int) -> tuple[Branch, float, float]:
        """Return the best of `branches` so many moves on, its margin there, and that of `made`, one of them."""
        own = most = self._margin(made, made.seat, ahead, float("-inf"), float("inf"))
        best = made
        for branch in branches[: self._width]:
            if branch is not made:
                margin = self._margin(branch, made.seat, ahead, most, float("inf"))
                if margin > most:
                    most, best = margin, branch
        return best, most, own

    def _margin(self, branch: Branch, me: Seat, depth: int, low: float, high: float) -> float:
        """Return the margin of `me` in `depth` moves from `branch` on, exact if between `low` and `high`."""
        self._moves -= 1
        if self._moves < 0:
            raise OutOfMovesError
        gain = branch.gain * (self._others if branch.seat == me else -1)
        low, high, depth = low - gain, high - gain, depth - 1
        self._cut = self._cut or not depth
        branches = self._replies(branch.after, self._width if depth > 1 else 1) if depth else ()
        if not branches:
            return gain
        mine, margins = branches[0].seat == me, []
        for each in branches:
            margins.append(self._margin(each, me, depth, low, high))
            low, high = (max(low, margins[-1]), high) if mine else (low, min(high, margins[-1]))
            if low >= high:
                break
        return gain + (max if mine else min)(margins)
