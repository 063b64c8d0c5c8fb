"""What Casino's table is drawn from and what keys act on, gathered once."""

from collections.abc import Iterable, Sequence
from typing import Final

from typing_extensions import override

from cartino_games.casino.mat import MatPlaces
from cartino_games.casino.views import CasinoView, Play, Rule
from cartino_games.kit.arrangement import Arrangement, Box
from cartino_games.kit.card_roles import SUIT_ROLES
from cartino_games.kit.cards import CardBoxes
from cartino_games.kit.scene import TableScene
from cartino_games.kit.screen import TablePointer
from cartino_games.kit.text import Piece
from cartino_protocol.base import Seat

Way = tuple[Play, Rule | None]
"""A play, and the rule that refuses it or None."""
_PITCH: Final = 4
"""The most rows from one player to the next (see `draw_players`)."""


class CasinoPointer(TablePointer, frozen=True):
    """The card chosen from the hand, the table cards chosen for it, the play marked, and the cursor on the table."""

    card: str = ""
    chosen: tuple[str, ...] = ()
    at: int = 0
    spot: int | None = None


class CasinoScene(TableScene, frozen=True):
    """A view and a pointer, with where things stand.

    `lying` is what lies on the table, each by its cards; `row` in `table` and `fingers` are where that and the hand
    stand; `plays` are those of the chosen card; `below` is the room below the players.
    """

    view: CasinoView
    pointer: CasinoPointer
    plan: Arrangement
    lying: Sequence[tuple[str, ...]]
    plays: Sequence[Way]
    fingers: CardBoxes
    below: Box
    table: Box = Box(0, 0, 0, 0)
    row: CardBoxes = CardBoxes(())
    places: MatPlaces | None = None

    @property
    @override
    def turn(self) -> tuple[Seat, ...]:
        return () if self.view.on_turn is None else (self.view.on_turn,)

    @property
    def list(self) -> Box:
        """Where the plays are listed: beside a mat over the talk, and over as many moves as it takes.

        Elsewhere over moves and talk; while others play and move, below the table's cards.
        """
        if self.places is not None:
            moves, talk = self.plan.moves, self.plan.talk
            more = max(0, min(len(self.plays) - talk.height, talk.y - moves.y))
            return talk._replace(y=talk.y - more, height=talk.height + more)
        if self.mine:
            edge = int(self.plan.headed)
            top = self.plan.moves.y
            return Box(3 * edge, top, self.width - 6 * edge, self.status_row - top - edge)
        end = self.table.y + self.table.height
        top = max((box.y + box.height for box in self.row.boxes), default=self.table.y)
        return self.table._replace(y=top, height=max(0, end - top))

    @property
    def score(self) -> Box:
        """Where the players stand."""
        return score_box(self.plan, len(self.room.seats))

    def shown(self, cards: Iterable[str]) -> str:
        """Return cards as they are drawn, in a line."""
        return " ".join(map(self.marks.card, cards))

    def pieces(self, cards: Iterable[str]) -> Sequence[Piece]:
        """Return cards in the colours of their suits, with blanks between."""
        shown = [(self.marks.card(card), SUIT_ROLES[card[-1]]) for card in cards if card]
        return [(f"{' ' * (at > 0)}{text}", role) for at, (text, role) in enumerate(shown)]


def score_box(plan: Arrangement, seats: int) -> Box:
    """Return where so many players stand."""
    box = plan.players
    return box._replace(height=seats * min(box.height // seats, _PITCH))
