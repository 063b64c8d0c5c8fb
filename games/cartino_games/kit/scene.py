"""What any drawing of a table needs, gathered once: a game extends `TableScene` with its view and its pointer."""

from typing import Final

import msgspec

from cartino_games.kit.marks import Marks
from cartino_protocol.base import Seat
from cartino_protocol.views import SeatView, TableView
from cartino_tui.draw.text import fit, safe
from cartino_tui.game_port.screen import ClockReading, Look, TableChrome

NAME_CELLS: Final = 16
"""The cells of the longest player name."""


class TableScene(msgspec.Struct, frozen=True):
    """A table and who looks at it. `names` are the players' names as they are drawn (see `names_of`).

    A game whose view says more precisely whose turn it is (in lessons, animations, replays) overrides `turn`.
    """

    table: TableView
    look: Look
    around: TableChrome
    marks: Marks
    names: tuple[str, ...]

    @property
    def turn(self) -> tuple[Seat, ...]:
        """The seats that are to act, none once the game is over."""
        return self.table.turn

    @property
    def you(self) -> Seat | None:
        """The seat of the person who looks at the table, None for a spectator."""
        return self.table.you

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return not self.turn

    @property
    def mine(self) -> bool:
        """Whether it is the turn of the person who looks at the table."""
        return self.you is not None and self.you in self.turn

    @property
    def width(self) -> int:
        """The cells of a row of the screen."""
        return self.look.width

    @property
    def status_row(self) -> int:
        """The row of the status line, above the hints."""
        return self.look.height - 2

    @property
    def hint_row(self) -> int:
        """The row of the key hints, the last one."""
        return self.look.height - 1

    def fit(self, text: str, cells: int) -> str:
        """Return foreign text in at most `cells` cells and this terminal's characters."""
        return fit(text, cells, ascii=self.look.ascii)

    def safe(self, text: str) -> str:
        """Return a few words in this terminal's characters."""
        return safe(text, ascii=self.look.ascii)

    def clock(self, seat: Seat) -> ClockReading | None:
        """Return the clock that runs for a seat, or None."""
        return self.around.clocks[seat] if seat < len(self.around.clocks) else None

    def name(self, seat: Seat) -> str:
        """Return a seat's name, `?` where the view knows more seats than the table."""
        return self.names[seat] if seat < len(self.names) else "?"

    def seat(self, seat: Seat) -> SeatView | None:
        """Return what the table knows of a seat, None where the view knows more seats than the table."""
        return self.table.seats[seat] if seat < len(self.table.seats) else None


def names_of(table: TableView, look: Look) -> tuple[str, ...]:
    """Return the players' names in at most `NAME_CELLS` cells and this terminal's characters."""
    return tuple(fit(seat.name, NAME_CELLS, ascii=look.ascii) for seat in table.seats)
