"""The base of games without secrets, in which chance says no more than who begins."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeVar

import msgspec
from typing_extensions import override

from cartino_games.kit.boards.views import RoundLine
from cartino_protocol.base import Audience, Seat
from cartino_protocol.records import GameLine, RecordLine
from cartino_server.engine.chance import Chance, GivenOrder
from cartino_server.engine.port import Game

State = TypeVar("State")
Move = TypeVar("Move")
Value = TypeVar("Value")


class OpenGame(Game[State, Move]):
    """A game of which everything is seen by everybody."""

    moves: ClassVar[msgspec.msgpack.Decoder[Any]]
    """Reads the game's moves."""

    @override
    def read_move(self, raw: bytes) -> Move:
        move: Move = self.moves.decode(raw)
        return move

    @override
    def redact(self, line: RecordLine, state: State, audience: Audience = None) -> RecordLine:
        """Return the line as it is: nothing is hidden."""
        return line

    @override
    def drawn(self, options: Mapping[str, str], lines: Sequence[RecordLine]) -> Chance:
        """Return the lot: the seat that moves first in the first round."""
        first = next((line.first for line in lines if isinstance(line, RoundLine)), 0)
        return GivenOrder(sorted(seats_of(lines), key=lambda seat: seat != first))


def lot(chance: Chance, seats: int) -> Seat:
    """Return the seat that begins by lot."""
    return chance.order(seats)[0]


def seats_of(lines: Sequence[RecordLine]) -> range:
    """Return the seats of a whole record."""
    head = lines[0]
    return range(len(head.seats) if isinstance(head, GameLine) else 0)


def at_seat(values: tuple[Value, ...], seat: Seat, value: Value) -> tuple[Value, ...]:
    """Return `values`, one a seat, with another one at `seat`."""
    return (*values[:seat], value, *values[seat + 1 :])
