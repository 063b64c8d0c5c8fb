"""One edition's board and rules as tables of numbers and bit masks, so that a lay costs a few look-ups.

A set of spots is an int with bit `spot` set. Suits are 0 to 3 from the weakest, diamonds.
"""

from cartino_games.cartino.board import BOARDS, JOKER_PENALTY, SUITS, Board, Edition


class Tables:
    """Everything about an edition that never changes."""

    def __init__(self, board: Board, *, joker_comes_in: bool, chip_at: int) -> None:
        """Work the tables out of the printed `board` and the two points in which the editions differ.

        `joker_comes_in`: a joker that is swapped out goes to the swapper's hand (1969), else out of the game.
        `chip_at`: the total over a whole number of chips at which the next chip comes: 20 (1974) or 21 (1969).
        """
        cards = len(board.cards)
        per_suit = cards // len(SUITS)
        self.board = board
        self.joker_comes_in = joker_comes_in
        self.chip_at = chip_at
        self.joker = board.joker
        self.stones: tuple[int, ...] = (*tuple(sorted([*range(cards)] * 2)), self.joker, self.joker)
        """The canonical list of stones that the shuffle orders."""
        self.suit: tuple[int, ...] = (*(card // per_suit for card in range(cards)), -1)
        """The suit of each stone; a joker has none (-1)."""
        self.cost: tuple[int, ...] = (*board.values, JOKER_PENALTY)
        """What each stone costs who still holds it at the end (sheet, Fin du jeu 2)."""
        self.bit: tuple[int, ...] = tuple(1 << spot for spot in range(2 * cards))
        self.touch: tuple[tuple[tuple[int, int], ...], ...] = tuple(
            tuple((1 << near, board.values[near // 2]) for near in board.neighbours[spot])
            for spot in range(2 * cards)
        )
        """For each spot the (bit, value) of the spots that share a side with it."""
        self.suit_spots: tuple[int, ...] = tuple(
            sum(1 << spot for spot in range(2 * cards) if self.suit[spot // 2] == suit)
            for suit in range(len(SUITS))
        )
        self.all_spots = (1 << 2 * cards) - 1

    def points(self, spot: int, taken: int) -> int:
        """Return what a stone laid on `spot` scores when the spots in `taken` hold stones (sheet, Décompte 1-3)."""
        points = 0
        for bit, value in self.touch[spot]:
            if taken & bit:
                points += value
        return points

    def chips(self, total: int) -> int:
        """Return how many chips of 20 a total has earned (sheet, Repérage 2); none below zero."""
        return max((total + 20 - self.chip_at) // 20, 0)

    def field(self, total: int) -> int:
        """Return the track's field on which the marker of a total stands, 1-20; 0 off the track."""
        return max(total - 20 * self.chips(total), 0)


TABLES: dict[Edition, Tables] = {
    "1974": Tables(BOARDS["1974"], joker_comes_in=False, chip_at=20),
    "1969": Tables(BOARDS["1969"], joker_comes_in=True, chip_at=21),
}
