"""Caro's bots. They never break a rule, and call one in two lays that do."""

from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import ClassVar

import msgspec

from cartino_games.caro.rules.table import Table, broken, cell_of, place_of
from cartino_games.caro.views import COLOURS, Accept, Call, CaroView, Lay, Move
from cartino_games.kit.search import Branch, Search
from cartino_protocol.ids import Seat
from cartino_server.bots.port import Bot, CantChoose

_views = msgspec.msgpack.Decoder(CaroView)
NODES = 1500
"""Lays that `Deep` searches for each move: 100 ms or less on one core."""
WIDTH = 12
"""Lays that `Deep` considers in each turn, those with the most points."""


class Position(msgspec.Struct, frozen=True):
    """What lies, each seat's caros, and the seat that laid last."""

    table: Table
    supplies: tuple[str, ...]
    seat: Seat


Option = Branch[Position, Lay]


def options(position: Position, seat: Seat, must: str = "") -> Iterator[Option]:
    """Yield the lays of `seat` by the rules: most points first, then the colour with most caros left."""
    table, supplies = position.table, position.supplies
    supply = supplies[seat]
    lays = [
        (table.score(cell, colour) * (1 + (supply.count(colour) == 1)), supply.count(colour), colour, cell)
        for cell in table.places()
        for colour in COLOURS
        if colour in supply and must in ("", colour)
    ]
    lays.sort(key=lambda lay: lay[:2], reverse=True)
    for points, _, colour, cell in lays:
        if broken(table.cells, cell, colour) is None:
            left = (*supplies[:seat], supply.replace(colour, "", 1), *supplies[seat + 1 :])
            after = Position(table.with_caro(cell, colour), left, seat)
            yield Branch(Lay(colour, place_of(cell)), seat, points, after)


def replies(position: Position, most: int) -> list[Option]:
    """Return up to `most` lays of the next seat that has any."""
    seats = len(position.supplies)
    turns = (options(position, (position.seat + step) % seats) for step in range(1, seats + 1))
    return next(filter(None, (list(islice(lays, most)) for lays in turns)), [])


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
                table = table.with_caro(cell_of(seen.place(cell)), colour)
        if seen.claim and seen.laid:
            cell = cell_of(seen.laid)
            if broken(table.without(cell).cells, cell, table.cells[cell]) and chance.random() < 0.5:
                return Call()
        if seen.reach:
            seat = seen.on_turn[0]
            lays = options(Position(table, seen.supplies, seat), seat, seen.must)
            return self.pick(list(lays), chance).move
        if not seen.claim:
            raise CantChoose("nothing to lay or to answer")
        return Accept() if seen.closing else None

    def pick(self, options: list[Option], chance: Random) -> Option:
        """Return one of the `options`, which come most points first."""
        best = [option for option in options if option.gain == options[0].gain]
        return min(best, key=lambda each: sum(reply.gain for reply in replies(each.after, 1)))


class Chancer(Greedy):
    """Choose any lay by the rules at random."""

    name: ClassVar[str] = "random"

    def pick(self, options: list[Option], chance: Random) -> Option:
        """See Greedy.pick."""
        return chance.choice(options)


class Deep(Greedy):
    """Look ahead for the best margin."""

    name: ClassVar[str] = "deep"

    def __init__(self, nodes: int = NODES) -> None:
        """Look at `nodes` lays or a few more."""
        self._nodes = nodes

    def pick(self, options: list[Option], chance: Random) -> Option:
        """See Greedy.pick."""
        supplies = options[0].after.supplies
        search = Search(replies, len(supplies), self._nodes, WIDTH)
        return search.best(options, 1 + sum(map(len, supplies)))
