"""The board as it is printed: which card stands in which cell, what it is worth, which spots share a side.

Names are those of the record: a card is rank and suit letter (`10S`, `AH`), a joker stone `*`, a spot the
card and `u` or `l` for its upper or lower half (`KSu`). Cards are counted suit by suit (D H S C), ranks rising;
card c has the spots 2c (upper) and 2c + 1 (lower).
"""

from typing import Literal

Edition = Literal["1974", "1969"]

SUITS = "DHSC"
"""From the weakest: diamonds, hearts, spades, clubs (sheet, Préparatifs 3)."""

JOKER = "*"
JOKER_PENALTY = 6
JOKERS = 2
"""Of all editions."""
VALUES = {"A": 5, "K": 4, "Q": 3, "J": 2}
"""What a card is worth when it is touched; all others 1. The German scan's queen of 5 is a misread 3."""

TRACK_FIELDS = 20
CHIPS_IN_BOX = 25

# Each suit is a corner; ranks run from the outer end of a row towards the middle of the board.
_PLANS: dict[Edition, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "1974": (("10", "9", "8", "7"), ("J", "Q", "K", "A")),
    "1969": (("7", "6", "5", "4", "3", "2"), ("8", "9", "10", "J", "Q", "K", "A")),
}
_CORNERS = {"S": (0, 1, False), "H": (0, 1, True), "D": (3, 2, False), "C": (3, 2, True)}
_RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")


class Board:
    """One edition's board. All tuples are indexed by card or spot number as said in the module."""

    def __init__(self, edition: Edition) -> None:
        """Lay out `edition`'s board from its plan of an edge row and a middle row."""
        edge, middle = _PLANS[edition]
        present = {*edge, *middle}
        self.edition: Edition = edition
        self.ranks: tuple[str, ...] = tuple(rank for rank in _RANKS if rank in present)
        self.rows = 4
        self.columns = 2 * len(middle)
        """The grid's width in cells; an edge row that is shorter is set in at both sides."""
        self.cards: tuple[str, ...] = tuple(rank + suit for suit in SUITS for rank in self.ranks)
        self.values: tuple[int, ...] = tuple(VALUES.get(card[:-1], 1) for card in self.cards)
        self.cells: tuple[tuple[int, int], ...] = tuple(
            self._place(card, edge, middle) for card in self.cards
        )
        """(row, column) of each card."""
        self.spots: tuple[str, ...] = tuple(card + half for card in self.cards for half in "ul")
        self.spot_number: dict[str, int] = {name: number for number, name in enumerate(self.spots)}
        self.card_number: dict[str, int] = {name: number for number, name in enumerate(self.cards)}
        self.joker = len(self.cards)
        """The stone number of a joker: one past the last card."""
        self.stone_names: tuple[str, ...] = (*self.cards, JOKER)
        self.stone_number: dict[str, int] = {name: number for number, name in enumerate(self.stone_names)}
        grid = {self.place_of(spot): spot for spot in range(len(self.spots))}
        self.neighbours: tuple[tuple[int, ...], ...] = tuple(
            tuple(
                grid[near]
                for near in ((line - 1, column), (line, column + 1), (line + 1, column), (line, column - 1))
                if near in grid
            )
            for line, column in map(self.place_of, range(len(self.spots)))
        )
        """The spots that share a side with each spot: above, right, below, left, where there are any."""

    def place_of(self, spot: int) -> tuple[int, int]:
        """Return (line, column) of a spot on the grid of half cells: 8 lines, `columns` columns."""
        row, column = self.cells[spot // 2]
        return 2 * row + spot % 2, column

    def _place(self, card: str, edge: tuple[str, ...], middle: tuple[str, ...]) -> tuple[int, int]:
        rank, suit = card[:-1], card[-1]
        edge_row, middle_row, mirrored = _CORNERS[suit]
        on_edge = rank in edge
        column = len(middle) - len(edge) + edge.index(rank) if on_edge else middle.index(rank)
        return edge_row if on_edge else middle_row, self.columns - 1 - column if mirrored else column


BOARDS: dict[Edition, Board] = {"1974": Board("1974"), "1969": Board("1969")}
