"""What Casino's table is drawn from and what keys act on, gathered once, and where it stands in a large terminal.

There is a mat beside a column of text. On the mat lie, from above: the other players' cards with the pack, the cards
on the table, and one's own hand.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from typing_extensions import override

from cartino_games.casino.views import CasinoView, Play, Rule
from cartino_games.kit.arrangement import FOOT_ROWS, TITLE_ROWS, Arrangement, Box
from cartino_games.kit.card_roles import SUIT_ROLES
from cartino_games.kit.cards import HUGE, LARGE, CardBoxes, lay_row
from cartino_games.kit.scene import TableScene
from cartino_games.kit.screen import TablePointer
from cartino_games.kit.text import Piece
from cartino_protocol.base import Seat
from cartino_tui.game_port.screen import Look

HAND: Final = 4
"""The most cards in a hand."""
FACE_CELLS: Final = 4
"""The length of the longest text of a face on the table."""
_LEAST: Final = Look(100, 30)
"""The least terminal with a mat."""
_PITCHES: Final = (4, 3)
"""The rows from one player to the next."""
_TALK: Final = 4
"""The least rows of talk, and half of those of moves."""
_HUGE: Final = Look(150, 48)
"""The least terminal with the largest cards."""
_LYING: Final = 8
"""So many cards have room on the mat without others getting smaller."""
_APART: Final = 2
"""The cells between two cards of another player."""
_BACK: Final = 8
"""The most cells of such a card."""
_PACK: Final = 10
"""The cells of the pack with a gap before it."""
_COLUMN: Final = 44
"""The least width of the column of text."""


class MatPlaces(NamedTuple):
    """The inside of the rim (`mat`), and on it the `others` with the pack, the `table`, one's own `hand` and `pile`.

    `cards` is the most rows of a card. Players, moves and talk stand in a column of text at the right.
    """

    mat: Box
    others: Box
    table: Box
    hand: Box
    pile: Box
    cards: int

    def row(self, count: int, cursor: int = 0) -> CardBoxes:
        """Return where `count` cards lie on the table."""
        return lay_row(
            self.table, count, cursor, text=FACE_CELLS, highest=self.cards, centred=True, least=_LYING
        )

    def slots(self, count: int) -> CardBoxes:
        """Return the places on the table, also those on which nothing lies."""
        return self.row(max(count, _LYING))


def mat_places(look: Look) -> MatPlaces | None:
    """Return the places on the mat; None where the terminal is too small for one."""
    if look.width < _LEAST.width or look.height < _LEAST.height:
        return None
    rows = look.height - TITLE_ROWS - FOOT_ROWS
    mat = Box(1, TITLE_ROWS + 1, look.width - _column(look) - 3, rows - 2)
    huge = look.width >= _HUGE.width and look.height >= _HUGE.height
    cards = HUGE if huge else LARGE
    above = 4 if mat.height < 3 * LARGE + 8 else 5 if not huge else 7
    others = Box(mat.x + 1, mat.y, mat.width - 2, above)
    fingers = cards if mat.height >= 3 * LARGE + 8 else 5
    hand = Box(mat.x + 1, mat.y + mat.height - fingers, mat.width - _PACK - 1, fingers)
    table = Box(mat.x, mat.y + above, mat.width, mat.height - above - fingers)
    pile = Box(mat.x + mat.width - _BACK - 1, hand.y + 1, _BACK, min(fingers - 1, 5))
    return MatPlaces(mat, others, table, hand, pile, cards)


class ColumnPlaces(NamedTuple):
    """The places in the column of text beside the mat: players, the table `below` them, moves and talk."""

    players: Box
    below: Box
    moves: Box
    talk: Box


def column_places(look: Look, seats: int, aside: int) -> ColumnPlaces:
    """Return the places in the column, with `aside` rows more below the players."""
    x, width = look.width - _column(look) + 1, _column(look) - 2
    rows = look.height - TITLE_ROWS - FOOT_ROWS
    used = aside + 2 if aside else 0
    pitch = next((each for each in _PITCHES if rows >= each * seats + 2 + used + 2 * _TALK + 4), 2)
    players = Box(x, TITLE_ROWS + 1, width, pitch * seats)
    top = players.y + players.height + 1 + used
    left = TITLE_ROWS + rows - top
    talk = max(_TALK, left // 3)
    return ColumnPlaces(
        players=players,
        below=Box(x, players.y + players.height + 2, width, rows - _PITCHES[-1] * seats - 2 * _TALK - 8),
        moves=Box(x, top + 1, width, left - talk - 2),
        talk=Box(x, top + left - talk + 1, width, talk - 2),
    )


def others_boxes(box: Box, others: int) -> tuple[list[Box], Box]:
    """Return the boxes of so many players side by side, and that of the pack at the right."""
    each = (box.width - _PACK) // others
    boxes = [Box(box.x + at * each, box.y, each - 1, box.height) for at in range(others)]
    return boxes, Box(box.x + box.width - _BACK, box.y + 1, _BACK, box.height - 1)


def backs(box: Box) -> list[Box]:
    """Return where a player's cards lie in `box`, below a row for the name, and last the pile."""
    pitch = min(_BACK + _APART, box.width // (HAND + 1))
    width = pitch - (1 if pitch < _BACK else _APART)
    return [Box(box.x + at * pitch, box.y + 1, width, box.height - 1) for at in range(HAND + 1)]


def _column(look: Look) -> int:
    """Return how wide the column is."""
    return max(_COLUMN, look.width // 4 + 10)


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

    `lying` is what lies on the table, each by its cards; `row` in `table_box` and `fingers` are where that and the hand
    stand; `plays` are those of the chosen card; `below` is the table below the players.
    """

    view: CasinoView
    pointer: CasinoPointer
    plan: Arrangement
    lying: Sequence[tuple[str, ...]]
    plays: Sequence[Way]
    fingers: CardBoxes
    below: Box
    table_box: Box = Box(0, 0, 0, 0)
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
        end = self.table_box.y + self.table_box.height
        top = max((box.y + box.height for box in self.row.boxes), default=self.table_box.y)
        return self.table_box._replace(y=top, height=max(0, end - top))

    @property
    def score(self) -> Box:
        """Where the players stand."""
        return score_box(self.plan, len(self.table.seats))

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
