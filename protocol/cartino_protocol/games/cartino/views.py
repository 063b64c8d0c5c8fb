"""A Cartino table as one audience sees it: everything the table screen draws, so that no rule lives there."""

from typing import Literal

from cartino_protocol.base import Part, Row
from cartino_protocol.games.cartino.board import Edition

FREE, STONE, TAKEN_BY_JOKER = ".", "#", "*"
"""What a spot holds, one character a spot in `CartinoView.board`."""


class Score(Part, frozen=True):
    """A seat's score: the total, its chips of 20 and the track's field (0: off the track), stones in hand."""

    total: int
    chips: int
    field: int
    stones: int


class LayOption(Row, frozen=True):
    """A lay that is legal now and the points it brings; the bonus for five is not in them."""

    stone: str
    spot: str
    points: int


EventKind = Literal["lay", "swap", "five", "turn", "pass", "out"]


class Event(Row, frozen=True):
    """Something that happened at the table.

    lay, swap: `stone` on `spot` for `points` (swap: a joker was taken out); five: the bonus `points`;
    turn: a turn closed, `points` are all it brought; pass: nothing could be laid; out: `points` for going out.
    """

    kind: EventKind
    seat: int
    stone: str = ""
    spot: str = ""
    points: int = 0


class CartinoView(Part, frozen=True):
    """The table. `board` has one character a spot in spot order (see `board`).

    `on_turn`, `suit` (the turn's, "" before its first lay), `laid` (stones this turn) are everybody's; `hand`
    (rank order by suits, jokers last), `lays`, `can_end` and `barred` (jokers in hand that may not be laid this
    turn) are the owner's alone. `recent` are the last events, oldest first. `gone` jokers are out of the game.
    When the game is over, `hands` shows every hand, and `bonus` and `penalty` the settlement a seat.
    """

    edition: Edition
    board: str
    scores: tuple[Score, ...]
    bag: int
    on_turn: int | None
    suit: str = ""
    laid: int = 0
    gone: int = 0
    hand: tuple[str, ...] = ()
    lays: tuple[LayOption, ...] = ()
    can_end: bool = False
    barred: int = 0
    recent: tuple[Event, ...] = ()
    hands: tuple[tuple[str, ...], ...] = ()
    bonus: tuple[int, ...] = ()
    penalty: tuple[int, ...] = ()
