"""Caro's bots. They never break a rule, and call one in two lays that do."""

from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import ClassVar

import msgspec
from typing_extensions import override

from cartino_games.caro.rules.table import Table, broken, cell_of
from cartino_games.caro.views import COLOURS, Accept, Call, CaroView, Move
from cartino_games.kit.boards.bots import ErringBot, GreedyBot, RandomBot, ScoringBot, SearchBot
from cartino_games.kit.boards.search import Branch
from cartino_games.kit.levels import BEGINNER, CAREFUL, CASUAL, EXPERT, LEARNER
from cartino_protocol.base import Seat
from cartino_server.engine.bots import CantChoose


class CaroPosition(msgspec.Struct, frozen=True):
    """What lies, each seat's caros, and the seat that laid last."""

    table: Table
    supplies: tuple[str, ...]
    seat: Seat


class CaroBot(ScoringBot[CaroView, CaroPosition, Move]):
    """What all of them do alike. See ScoringBot for what each method is."""

    game: ClassVar[str] = "caro"
    decoder = msgspec.msgpack.Decoder(CaroView)

    @override
    def answer(self, view: CaroView, chance: Random) -> Move | None:
        if not view.claim and not view.lays:
            raise CantChoose("nothing to lay or to answer")
        if view.claim and chance.random() < 0.5:
            table, cell = _table(view), cell_of(view.laid)
            if broken(table.without(cell).cells, cell, table.cells[cell]):
                return Call()
        return Accept() if view.closing else None

    @override
    def branches(self, view: CaroView) -> list[Branch[CaroPosition, Move]]:
        seat = view.on_turn[0]
        return (
            list(_lays(CaroPosition(_table(view), view.supplies, seat), seat, view.must)) if view.lays else []
        )

    @override
    def replies(self, position: CaroPosition, most: int) -> list[Branch[CaroPosition, Move]]:
        seats = len(position.supplies)
        turns = (_lays(position, (position.seat + step) % seats) for step in range(1, seats + 1))
        return next(filter(None, (list(islice(lays, most)) for lays in turns)), [])


def _table(view: CaroView) -> Table:
    table = Table(view.span)
    for cell, colour in enumerate(view.board):
        if colour in COLOURS:
            table = table.with_caro(cell_of(view.place(cell)), colour)
    return table


def _lays(position: CaroPosition, seat: Seat, must: str = "") -> Iterator[Branch[CaroPosition, Move]]:
    """Yield the lays by the rules, most points first."""
    supplies, supply = position.supplies, position.supplies[seat]
    for colour, cell, points in position.table.lays(supply, must):
        left = (*supplies[:seat], supply.replace(colour, "", 1), *supplies[seat + 1 :])
        after = CaroPosition(position.table.with_caro(cell, colour), left, seat)
        yield Branch(position.table.lay(colour, cell), seat, points, after)


class CaroChancer(RandomBot[CaroView, CaroPosition, Move], CaroBot):
    """Choose any lay by the rules at random."""


class CaroGreedy(GreedyBot[CaroView, CaroPosition, Move], CaroBot):
    """Take the most points."""


class CaroBeginner(ErringBot[CaroView, CaroPosition, Move], CaroBot):
    """Hardly sees which lay is better."""

    name: ClassVar[str] = BEGINNER
    heat = 12.0


class CaroLearner(ErringBot[CaroView, CaroPosition, Move], CaroBot):
    """Errs often."""

    name: ClassVar[str] = LEARNER
    heat = 5.5


class CaroCasual(ErringBot[CaroView, CaroPosition, Move], CaroBot):
    """Errs by a few points."""

    name: ClassVar[str] = CASUAL
    heat = 3.2


class CaroCareful(SearchBot[CaroView, CaroPosition, Move], CaroBot):
    """Looks two moves ahead, about."""

    name: ClassVar[str] = CAREFUL
    evaluation: ClassVar[int] = 1
    moves = 150
    width = 8
    move_decoder = msgspec.msgpack.Decoder(Move)


class CaroExpert(SearchBot[CaroView, CaroPosition, Move], CaroBot):
    """Looks several moves ahead."""

    name: ClassVar[str] = EXPERT
    moves = 2_500
