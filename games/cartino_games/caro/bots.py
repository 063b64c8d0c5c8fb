"""Caro's bots. They never break a rule, and call one in two lays that do."""

from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import ClassVar

import msgspec

from cartino_games.caro.rules.table import Table, broken, cell_of, place_of
from cartino_games.caro.views import COLOURS, Accept, Call, CaroView, Lay, Move
from cartino_server.bots.port import Bot, CantChoose

_views = msgspec.msgpack.Decoder(CaroView)
NODES = 1500
"""Lays that `Deep` searches for each move: 100 ms or less on one core."""
WIDTH = 12
"""Lays that `Deep` considers in each turn, those with the most points."""
INFINITY = float("inf")


class Option(msgspec.Struct, frozen=True):
    """A lay by the rules: its points, and the table and the seat's supply after it."""

    lay: Lay
    points: int
    table: Table
    supply: str


def options(table: Table, supply: str, must: str = "") -> Iterator[Option]:
    """Yield the lays by the rules: most points first, then the colour with most caros left."""
    lays = [
        (table.score(cell, colour) * (1 + (supply.count(colour) == 1)), supply.count(colour), colour, cell)
        for cell in table.places()
        for colour in COLOURS
        if colour in supply and must in ("", colour)
    ]
    lays.sort(key=lambda lay: lay[:2], reverse=True)
    for points, _, colour, cell in lays:
        if broken(table.cells, cell, colour) is None:
            after = table.with_caro(cell, colour)
            yield Option(Lay(colour, *place_of(cell)), points, after, supply.replace(colour, "", 1))


def _most(table: Table, supply: str) -> int:
    return next((option.points for option in options(table, supply)), 0)


class Greedy(Bot):
    """Take the most points now, on a tie leave the next seat the fewest. The other bots share its `choose`."""

    game: ClassVar[str] = "caro"
    name: ClassVar[str] = "greedy"

    def choose(self, view: bytes, chance: Random) -> Move | None:
        """See Bot.choose."""
        seen = _views.decode(view)
        table = Table(seen.span)
        for cell, colour in enumerate(seen.board):
            if colour in COLOURS:
                table = table.with_caro(cell_of(*seen.place(cell)), colour)
        if seen.claim and seen.laid:
            cell = cell_of(*seen.laid[1:])
            if broken(table.without(cell).cells, cell, table.cells[cell]) and chance.random() < 0.5:
                return Call()
        if seen.reach:
            seat = seen.on_turn[0]
            return self.pick(
                list(options(table, seen.supplies[seat], seen.must)), seen.supplies, seat, chance
            )
        if not seen.claim:
            raise CantChoose("nothing to lay or to answer")
        return Accept() if seen.closing else None

    def pick(self, options: list[Option], supplies: tuple[str, ...], seat: int, chance: Random) -> Lay:
        """Return one of the `options` of `seat`, which come most points first; `supplies` are per seat."""
        best = [option for option in options if option.points == options[0].points]
        return min(best, key=lambda each: _most(each.table, supplies[(seat + 1) % len(supplies)])).lay


class Chancer(Greedy):
    """Choose any lay by the rules at random."""

    name: ClassVar[str] = "random"

    def pick(self, options: list[Option], supplies: tuple[str, ...], seat: int, chance: Random) -> Lay:
        """See Greedy.pick."""
        return chance.choice(options).lay


class Deep(Greedy):
    """Look ahead for the best margin, assuming that all others play against it."""

    name: ClassVar[str] = "deep"

    def __init__(self, nodes: int = NODES) -> None:
        """Search one turn deeper until `nodes` lays were looked at, so the same view gives the same move."""
        self._nodes = nodes

    def pick(self, options: list[Option], supplies: tuple[str, ...], seat: int, chance: Random) -> Lay:
        """See Greedy.pick."""
        search, best = _Search(seat, len(supplies), self._nodes), options[0]
        for depth in range(1, sum(map(len, supplies)) + 1):
            first = [best, *(option for option in options if option is not best)]
            found = search.best(first, supplies, seat, depth, float("-inf"), float("inf"))[1]
            if search.left <= 0:
                break
            best = found
        return best.lay


class _Search:
    """Alpha-beta search for the seat `me`; a margin is its points times the number of others, minus theirs."""

    def __init__(self, me: int, seats: int, left: int) -> None:
        self.me, self.seats, self.left = me, seats, left

    def best(
        self, options: list[Option], supplies: tuple[str, ...], seat: int, depth: int, low: float, high: float
    ) -> tuple[float, Option]:
        """Return the margin and the option that `seat` chooses, if it is between `low` and `high`."""
        mine, best = seat == self.me, options[0]
        for option in options[:WIDTH]:
            self.left -= 1
            gain = option.points * (self.seats - 1 if mine else -1)
            after = (*supplies[:seat], option.supply, *supplies[seat + 1 :])
            margin = gain + self._rest(option.table, after, seat, depth - 1, low - gain, high - gain)
            if mine and margin > low:
                low, best = margin, option
            elif not mine:
                high = min(high, margin)
            if low >= high:
                break
        return low if mine else high, best

    def _rest(
        self, table: Table, supplies: tuple[str, ...], seat: int, depth: int, low: float, high: float
    ) -> float:
        """Return the margin of the `depth` turns that follow one of `seat`."""
        for step in range(1, self.seats + 1) if depth and self.left > 0 else ():
            mover = (seat + step) % self.seats
            replies = list(islice(options(table, supplies[mover]), WIDTH if depth > 1 else 1))
            if replies:
                return self.best(replies, supplies, mover, depth, low, high)[0]
        return 0
