"""One moment of a game of Caro."""

from collections.abc import Iterator
from typing import Literal

import msgspec

from cartino_games.caro.rules.table import Table, broken
from cartino_games.caro.views import COLOURS, Broken, Colour, LayLine, Line
from cartino_protocol.ids import Seat

FULL = "".join(colour * 3 for colour in COLOURS)


class State(msgspec.Struct, frozen=True):
    """One moment of a game.

    `seat` lays next; while `closing` it laid the round's last caro, which the others answer. `last` is the last lay
    unless it was called back, `answered` who called or accepted it, `must` the colour to be laid again, `broke` the
    rule of the last right call. `course` has
    the totals after each turn.
    """

    honour: bool
    rounds: int
    first: Seat
    seat: Seat
    table: Table
    supplies: tuple[str, ...]
    totals: tuple[int, ...]
    last: LayLine | None = None
    answered: tuple[Seat, ...] = ()
    closing: bool = False
    must: str = ""
    broke: Literal[""] | Broken = ""
    course: tuple[tuple[int, ...], ...] = ()
    by_round: tuple[tuple[int, ...], ...] = ()
    recent: tuple[Line, ...] = ()
    told: int = 0

    def lays(self, seat: Seat, *, lawful: bool = True) -> Iterator[tuple[Colour, int, int]]:
        """Yield colour, cell and points of what `seat` could lay: by the rules, or all that touches."""
        return self.table.lays(self.supplies[seat], self.must, lawful=lawful)

    def can_lay(self, seat: Seat) -> bool:
        """Return whether `seat` could lay anything by the rules."""
        cells, supply = self.table.cells, self.must or self.supplies[seat]
        colours = [colour for colour in COLOURS if colour in supply]
        return any(broken(cells, cell, each) is None for cell in self.table.places() for each in colours)

    def callers(self) -> tuple[Seat, ...]:
        """Return the seats that may call the last lay, or accept it while the round is closing."""
        if not self.honour or self.last is None or self.over:
            return ()
        return tuple(s for s in range(len(self.totals)) if s not in (self.last.seat, *self.answered))

    @property
    def over(self) -> bool:
        """Whether the last round has ended."""
        return len(self.by_round) == self.rounds
