"""What a Cartino bot makes of its seat's view: numbers and bit masks, and nothing that the view doesn't hold.

A set of spots is an int with bit `spot` set.
"""

from collections.abc import Iterator

import msgspec

from cartino_games.cartino.board import BOARDS, JOKER, JOKERS, SUITS, Board, Edition
from cartino_games.cartino.views import FREE, STONE, TAKEN_BY_JOKER, CartinoView

_views = msgspec.msgpack.Decoder(CartinoView)


def read_view(view: bytes) -> CartinoView:
    """Return the view in `view`. Raises msgspec.DecodeError."""
    return _views.decode(view)


class Ground(msgspec.Struct, frozen=True):
    """A board ready for sums: for each spot its neighbours as a mask, and what any set of those is worth."""

    board: Board
    reach: tuple[int, ...]
    worth: tuple[dict[int, int], ...]
    suits: tuple[tuple[int, ...], ...]
    """The spots of each suit, weakest suit first."""


class TurnPosition(msgspec.Struct, frozen=True):
    """The table and one's hand in the middle of one's own turn.

    `taken` are covered spots, `jokers` those under a joker; `stones` the cards in hand, rising; `free_jokers` may
    be laid in this turn, `barred` may not; `suit` is the turn's or -1; `laid` counts this turn's stones and `mine`
    are the spots they lie on, as far as the view still tells; `last`: the bag is empty; `swap_later`: a stone can't
    take the place of a joker that was laid in the same turn.
    """

    ground: Ground
    taken: int
    jokers: int
    stones: tuple[int, ...]
    free_jokers: int
    barred: int
    suit: int
    laid: int
    mine: int
    last: bool
    swap_later: bool

    @property
    def open_jokers(self) -> int:
        """The spots on which a stone may take a joker's place in this turn, now or once a joker lies there."""
        return self.jokers & ~self.mine if self.swap_later else -1


class Unseen(msgspec.Struct, frozen=True):
    """The stones that are neither laid nor in the own hand: cards with their number, jokers, and all together."""

    cards: tuple[tuple[int, int], ...]
    jokers: int
    count: int

    def stones(self) -> Iterator[int]:
        """Yield each unseen card, as often as it is unseen."""
        for card, count in self.cards:
            yield from (card,) * count


def read_unseen(view: CartinoView) -> Unseen:
    """Return what the seat with this view hasn't seen. A joker that is out of the game is not unseen."""
    board = BOARDS[view.edition]
    cards = list[tuple[int, int]]()
    for card, name in enumerate(board.cards):
        laid = (view.board[2 * card] == STONE) + (view.board[2 * card + 1] == STONE)
        count = 2 - laid - view.hand.count(name)
        if count:
            cards.append((card, count))
    jokers = JOKERS - view.board.count(TAKEN_BY_JOKER) - view.gone - view.hand.count(JOKER)
    return Unseen(tuple(cards), jokers, sum(count for _, count in cards) + jokers)


def position_of(
    ground: Ground,
    table: tuple[int, int],
    hand: tuple[tuple[int, ...], int],
    *,
    last: bool,
    swap_later: bool,
) -> TurnPosition:
    """Return the position at the beginning of a turn.

    `table` has the spots taken and those under jokers, `hand` the cards, rising, and the number of jokers.
    """
    (taken, jokers), (stones, free_jokers) = table, hand
    return TurnPosition(
        ground,
        taken,
        jokers,
        stones,
        free_jokers,
        barred=0,
        suit=-1,
        laid=0,
        mine=0,
        last=last,
        swap_later=swap_later,
    )


def read_position(view: CartinoView) -> TurnPosition:
    """Return the position that `view` shows to the seat on turn."""
    ground = GROUNDS[view.edition]
    board = ground.board
    jokers = view.hand.count(JOKER)
    return TurnPosition(
        ground=ground,
        taken=sum(1 << spot for spot, what in enumerate(view.board) if what != FREE),
        jokers=sum(1 << spot for spot, what in enumerate(view.board) if what == TAKEN_BY_JOKER),
        stones=tuple(sorted(board.card_number[name] for name in view.hand if name != JOKER)),
        free_jokers=jokers - view.barred,
        barred=view.barred,
        suit=SUITS.index(view.suit) if view.suit else -1,
        laid=view.laid,
        mine=_laid_this_turn(view, board),
        last=view.bag == 0,
        swap_later=view.swap_later,
    )


def _laid_this_turn(view: CartinoView, board: Board) -> int:
    mine = 0
    for event in reversed(view.recent[-view.laid :] if view.laid else ()):
        if event.kind not in {"lay", "swap"} or event.seat != view.on_turn:
            break
        mine |= 1 << board.spot_number[event.spot]
    return mine


def _ground(board: Board) -> Ground:
    spots = range(len(board.spots))
    return Ground(
        board,
        tuple(sum(1 << near for near in board.neighbours[spot]) for spot in spots),
        tuple(_worth_of_sets(board, board.neighbours[spot]) for spot in spots),
        tuple(tuple(spot for spot in spots if board.spots[spot][-2] == suit) for suit in SUITS),
    )


def _worth_of_sets(board: Board, near: tuple[int, ...]) -> dict[int, int]:
    worth = {0: 0}
    for spot in near:
        worth |= {mask | 1 << spot: points + board.values[spot // 2] for mask, points in worth.items()}
    return worth


GROUNDS: dict[Edition, Ground] = {edition: _ground(board) for edition, board in BOARDS.items()}
