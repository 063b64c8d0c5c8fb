"""Caro's bots: at random, greedy, erring, looking ahead. They never break a rule, and call one in two lays that do."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import count, islice
from random import Random
from typing import ClassVar

import msgspec
from typing_extensions import override

from cartino_engine.bots import Bot, CantChoose, Verdict
from cartino_games.caro.rules.table import Table, broken, cell_of
from cartino_games.caro.views import COLOURS, Accept, Call, CaroLay, CaroView, Move
from cartino_games.kit.levels import BEGINNER, CAREFUL, CASUAL, EXPERT, GREEDY, LEARNER, pick_softly
from cartino_protocol.base import Seat

_LEFT = 0.5
"""A point left to the next seat, in points."""
_AHEAD = 3
"""Moves to look ahead to judge one."""
_views = msgspec.msgpack.Decoder(CaroView)
_moves: msgspec.msgpack.Decoder[Move] = msgspec.msgpack.Decoder(Move)


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


class OutOfMovesError(Exception):
    """The search has looked at as many moves as it may."""


class Search:
    """Alpha-beta search. A margin is a player's points times the number of the others, minus their points."""

    def __init__(self, seats: int, width: int, moves: float = float("inf")) -> None:
        """Look at `width` moves a position and at `moves` in all, at most."""
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
        branches = replies(branch.after, self._width if depth > 1 else 1) if depth else ()
        if not branches:
            return gain
        mine, margins = branches[0].seat == me, []
        for each in branches:
            margins.append(self._margin(each, me, depth, low, high))
            low, high = (max(low, margins[-1]), high) if mine else (low, min(high, margins[-1]))
            if low >= high:
                break
        return gain + (max if mine else min)(margins)


class CaroBot(Bot):
    """A bot that picks one of several lays with points."""

    game: ClassVar[str] = "caro"

    @abstractmethod
    def pick(self, branches: Sequence[Branch], seats: int, chance: Random) -> Branch:
        """Return one of `branches` in a game of so many seats."""

    @override
    def choose(self, view: bytes, chance: Random) -> Move | None:
        seen = _views.decode(view)
        answer = _answer(seen, chance)
        if answer is not None:
            return answer
        branches = _branches(seen)
        return self.pick(branches, len(seen.totals), chance).move if branches else None


def _answer(view: CaroView, chance: Random) -> Move | None:
    """Return what to do before laying, None for nothing. Raises CantChoose where there is no move."""
    if not view.claim and not view.lays:
        raise CantChoose("nothing to lay or to answer")
    if view.claim and chance.random() < 0.5:
        table, cell = _table(view), cell_of(view.laid)
        if broken(table.without_caro(cell).cells, cell, table.cells[cell]):
            return Call()
    return Accept() if view.closing else None


def replies(position: CaroPosition, most: int) -> Sequence[Branch]:
    """Return up to `most` lays of the next seat that has any, most points first; none at the end."""
    seats = len(position.supplies)
    turns = (_lays(position, (position.seat + step) % seats) for step in range(1, seats + 1))
    return next(filter(None, (list(islice(lays, most)) for lays in turns)), [])


def _branches(view: CaroView) -> list[Branch]:
    """Return the lays of the seat on turn, most points first; none where it has nothing but an answer."""
    if not view.lays:
        return []
    seat = view.on_turn[0]
    return list(_lays(CaroPosition(_table(view), view.supplies, seat), seat, view.must))


def _table(view: CaroView) -> Table:
    table = Table(view.span)
    for cell, colour in enumerate(view.board):
        if colour in COLOURS:
            table = table.with_caro(cell_of(view.place(cell)), colour)
    return table


def _lays(position: CaroPosition, seat: Seat, must: str = "") -> Iterator[Branch]:
    """Yield the lays by the rules, most points first."""
    supplies, supply = position.supplies, position.supplies[seat]
    for colour, cell, points in position.table.lays(supply, must):
        left = (*supplies[:seat], supply.replace(colour, "", 1), *supplies[seat + 1 :])
        after = CaroPosition(position.table.with_caro(cell, colour), left, seat)
        yield Branch(position.table.lay(colour, cell), seat, points, after)


class CaroChancer(CaroBot):
    """Choose any lay by the rules at random."""

    name: ClassVar[str] = "random"

    @override
    def pick(self, branches: Sequence[Branch], seats: int, chance: Random) -> Branch:
        return chance.choice(branches)


class CaroGreedy(CaroBot):
    """Take the most points now, on a tie leave the next seat the fewest; choose by chance among equal lays."""

    name: ClassVar[str] = GREEDY

    @override
    def pick(self, branches: Sequence[Branch], seats: int, chance: Random) -> Branch:
        best = [branch for branch in branches if branch.gain == branches[0].gain]
        chance.shuffle(best)
        return min(best, key=lambda each: sum(reply.gain for reply in replies(each.after, 1)))


class ErringCaroBot(CaroBot):
    """Prefers a lay by its points less those it leaves to the next seat, but errs the more, the hotter it is."""

    heat: ClassVar[float]
    """Points by which a lay that is taken a third as often is worse."""

    @override
    def pick(self, branches: Sequence[Branch], seats: int, chance: Random) -> Branch:
        ranked = [(branch.gain - self._left(branch) / (seats - 1), branch) for branch in branches]
        return pick_softly(ranked, self.heat, chance)

    def _left(self, branch: Branch) -> float:
        """Return how much of what the next seat can take then counts, for two seats."""
        return _LEFT * max((each.gain for each in replies(branch.after, 1)), default=0)


class CaroBeginner(ErringCaroBot):
    """Hardly sees which lay is better."""

    name: ClassVar[str] = BEGINNER
    heat = 12.0


class CaroLearner(ErringCaroBot):
    """Errs often."""

    name: ClassVar[str] = LEARNER
    heat = 5.5


class CaroCasual(ErringCaroBot):
    """Errs by a few points."""

    name: ClassVar[str] = CASUAL
    heat = 3.2


class SearchingCaroBot(CaroBot):
    """Looks ahead for the best margin, at a fixed number of moves, so that it chooses the same on any machine.

    Which of equal lays it takes is chance, or every game from one beginning would be the same.
    """

    moves: ClassVar[int]
    """Moves to look at in all."""
    width: ClassVar[int]
    """Moves to look at in one position."""

    @override
    def judge(self, view: bytes, made: Sequence[bytes]) -> Verdict:
        seen, move = _views.decode(view), _moves.decode(made[0])
        branches = _branches(seen)
        own = next((branch for branch in branches if branch.move == move), None)
        if own is None:
            # An answer, or a lay against the rules that nobody called: there is nothing to compare it with.
            return Verdict(0.0, (move,))
        others = len(seen.totals) - 1
        search = Search(others + 1, self.width)
        best, most, margin = search.compared(branches, own, _AHEAD)
        return Verdict((most - margin) / others, (best.move,))

    @override
    def pick(self, branches: Sequence[Branch], seats: int, chance: Random) -> Branch:
        shuffled = chance.sample(branches, len(branches))
        shuffled.sort(key=lambda branch: -branch.gain)
        return Search(seats, self.width, self.moves).best(shuffled)


class CaroCareful(SearchingCaroBot):
    """Looks two moves ahead, about."""

    name: ClassVar[str] = CAREFUL
    evaluation: ClassVar[int] = 1
    moves = 150
    width = 8


class CaroExpert(SearchingCaroBot):
    """Looks several moves ahead."""

    name: ClassVar[str] = EXPERT
    moves = 2_500
    width = 12
