"""Anything that can happen at a table, without a server: who comes, goes, plays, talks, votes, and time that passes."""

from collections.abc import Callable, Sequence
from functools import partial
from random import Random

import msgspec

from cartino_engine.port import AnyGame
from cartino_protocol.base import ABSENCES, CLOCKS, Audience
from cartino_protocol.views import ChatView, TableView
from cartino_protocol.wire import encode
from cartino_server.environment import Ports
from cartino_server.store.journal import Journal
from cartino_server.table.match import bot_for
from cartino_server.table.seating import Order
from cartino_server.table.time_control import TimeControl
from cartino_server.table.views import table_view
from tests.support.game_server import World
from tests.support.live_table import LiveSaver, LiveTable

PERSONS = ("ann", "bob", "eve", "joe", "kim")
SEED = bytes(range(32))
BOTS = ("one", "two")
"""The substitutes; whoever plays for a seat makes its first legal move here."""

Deed = Callable[[], object]


class Table:
    """A table and its way into a journal, with one seed for all its games."""

    def __init__(self, game: AnyGame, chance: Random, journal: Journal) -> None:
        self.world = World()
        self.ports = msgspec.structs.replace(self.world.ports(), entropy=lambda count: SEED[:count])
        seats = chance.randint(2, 3)
        bots = ("one",) * chance.randint(0, seats - 1)
        time_limit = TimeControl(chance.choice(list(CLOCKS)), chance.choice(list(ABSENCES)))
        options = game.read_options({})
        assert isinstance(options, dict)
        self.order = Order(game, options, seats, bots, True, time_limit)
        self.table = LiveTable("AAAA", self.order, SEED, self.ports, BOTS)
        self.saver = LiveSaver(self.table, journal, self.ports.clock)

    def deed(self, chance: Random) -> Deed:
        """Something that may happen next; it can be done again after it was undone."""
        person = chance.choice(PERSONS)
        if chance.random() < 0.1:
            return partial(self.pass_time, chance.choice([5.0, 31.0, 130.0]))
        if person not in self.table.attendance.present:
            come = chance.choice([self.table.join, self.table.join, self.table.watch])
            return partial(come, person, person, person == "kim")
        deeds: list[Deed] = [
            *[self.move(self.on_turn() or person, chance)] * 15,
            self.move(person, chance),
            self.bot_move(chance),
            self.bot_move(chance),
            partial(self.table.say, person, f"word {chance.randrange(99)}"),
            partial(self.table.cut, person, f"cut {chance.randrange(99)}"),
            partial(self.table.sit, person, chance.randrange(4)),
            partial(self.table.stand, person),
            partial(self.table.start, person),
            partial(self.table.rematch, person),
            partial(self.table.vote, person, chance.random() < 0.4),
            partial(self.table.leave, person),
            partial(self.table.cut_off, person),
            partial(self.table.rename, person, f"{person}{chance.randrange(9)}"),
        ]
        return chance.choice(deeds)

    def on_turn(self) -> str:
        """The id of the first person that the game waits for; "" where it waits for none."""
        match, chairs = self.table.running, self.table.seating.chairs
        return "" if match is None else next((chairs[seat].person for seat in match.on_turn()), "")

    def pass_time(self, seconds: float) -> None:
        """Time passes, and the table looks what that means."""
        self.world.time += seconds
        self.table.look()

    def move(self, person: str, chance: Random) -> Deed:
        """A move of the person's, legal where they have one, now and then too late."""
        number = self.table.number - (chance.random() < 0.1)
        moves = legal(self.table, self.table.seating.seat_of(person))
        return partial(self.table.act, person, number, chance.choice(moves) if moves else b"\xc0")

    def bot_move(self, chance: Random) -> Deed:
        """A move of whoever is on turn and played for by a bot."""
        match = self.table.running
        seats = (
            ()
            if match is None
            else [seat for seat in match.on_turn() if bot_for(match, self.table.seating, seat) is not None]
        )
        if not seats:
            return partial(self.pass_time, 1.0)
        seat = chance.choice(seats)
        if match is not None and chance.random() < 0.1:
            return partial(self.table.replace_bot, seat, bot_for(match, self.table.seating, seat) or "")
        return partial(self.table.act_for, seat, self.table.number, chance.choice(legal(self.table, seat)))


def legal(table: LiveTable, seat: int | None) -> Sequence[bytes]:
    """The legal moves of `seat`, encoded, that a record tells of."""
    match = table.running
    if match is None or seat is None:
        return ()
    moves = list(match.game.legal(match.state, seat))
    return [encode(move) for move in moves if type(move).__name__ != "Call"]


def looks(table: LiveTable) -> dict[Audience, tuple[TableView, ChatView]]:
    """What every audience sees."""
    audiences: list[Audience] = [None, *range(len(table.seating.chairs))]
    return {
        audience: (table_view(table.table, audience), table.chat_view(audience is None))
        for audience in audiences
    }


def play_out(table: LiveTable) -> None:
    """Play the running game to its end, the first legal move each time."""
    while (match := table.running) is not None:
        if match.timing.turn.paused:
            match = msgspec.structs.replace(match, timing=match.timing.pause(False, 0.0))
            table.table = msgspec.structs.replace(table.table, match=match)
        (seat, *_) = match.on_turn()
        assert table.act_for(seat, table.number, legal(table, seat)[0]) is None


def fixed(ports: Ports) -> Ports:
    """The same ports with but one seed."""
    return msgspec.structs.replace(ports, entropy=lambda count: SEED[:count])
