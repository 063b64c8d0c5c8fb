"""One moment of a game of Cartino."""

import msgspec

from cartino_games.cartino.rules.bag import Bag
from cartino_games.cartino.rules.tables import Tables
from cartino_games.cartino.views import CartinoEvent

RECENT = 18
"""How many events a state remembers for its views."""


class Settlement(msgspec.Struct, frozen=True):
    """The end's reckoning, a seat: the 10 for going out, what stones in hand cost; `out` tells how it ended."""

    bonus: tuple[int, ...]
    penalty: tuple[int, ...]
    out: bool


class CartinoState(msgspec.Struct, frozen=True):
    """Everything that a game is at one moment; who may know what is `view`'s business.

    `hands` holds sorted stone numbers (jokers last), `taken` the covered spots and `jokers` those covered by a joker
    (bit masks), `gone` the jokers out of the game. `swap_later` is the option `joker_swap`.
    Of the running turn: whose it is (`seat`), its `suit` (-1 before the first lay), stones `laid`, points `gained`,
    `barred`, the jokers in hand that came in by a swap in this turn, and `fresh`, the spots of jokers that were laid
    in it and so can't be swapped out yet. `totals` count lays at once.
    `course` is what each turn so far has scored, with its bonus and 0 for a pass: seat `first` had the first of them,
    and they go round. `fives` are the numbers in it, from 0, of the turns of five stones, and `log` has what was laid
    in each (see `turn_log`).
    """

    tables: Tables
    hands: tuple[tuple[int, ...], ...]
    bag: Bag
    totals: tuple[int, ...]
    seat: int
    taken: int = 0
    jokers: int = 0
    gone: int = 0
    suit: int = -1
    laid: int = 0
    gained: int = 0
    barred: int = 0
    fresh: int = 0
    recent: tuple[CartinoEvent, ...] = ()
    settlement: Settlement | None = None
    first: int = 0
    course: tuple[int, ...] = ()
    fives: tuple[int, ...] = ()
    swap_later: bool = True
    log: bytes = b""
