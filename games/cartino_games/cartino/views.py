"""A Cartino table as one audience sees it: everything the table screen draws, so that no rule lives there."""

from functools import lru_cache
from typing import Literal

from cartino_games.cartino.board import BOARDS, Edition
from cartino_protocol.base import Part, Row

FREE, STONE, TAKEN_BY_JOKER = ".", "#", "*"
"""What a spot holds, one character a spot in `CartinoView.board`."""


class Score(Part, frozen=True):
    """A seat's score: the total, its chips of 20 and the track's field (0: off the track), stones in hand."""

    total: int
    chips: int
    field: int
    stones: int


CLOSED = "."
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class LayOption(Row, frozen=True):
    """A lay that is legal now and the points it scores; the bonus for five is not in them."""

    stone: str
    spot: str
    points: int


class Reach(Row, frozen=True):
    """Where a stone may be laid now: one character a spot in spot order, as in `CartinoView.board`.

    A dot where it may not, else the points that it scores there: a digit, from ten on a letter (a is 10). So a
    joker that may go anywhere is no more than a board on the line.
    """

    stone: str
    spots: str


def reach(stone: str, points: dict[int, int], spots: int) -> Reach:
    """Return the reach of `stone` on a board of so many `spots`: its points by the number of the spot."""
    marks = (_DIGITS[points[spot]] if spot in points else CLOSED for spot in range(spots))
    return Reach(stone, "".join(marks))


EventKind = Literal["lay", "swap", "five", "turn", "pass", "out"]


class CartinoEvent(Row, frozen=True):
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
    (rank order by suits, jokers last), `reach` (of each stone that may be laid), `can_end` and `barred` (jokers in
    hand that may not be laid this turn) are the owner's alone. `recent` are the last events, oldest first. `gone`
    jokers are out of the game. When the game is over, `hands` shows every hand, and `bonus` and `penalty` the
    settlement a seat; `course` is then what each turn had brought, with its bonus and 0 for a pass (seat `first` had
    the first one, and they go round), and `fives` the numbers in it, from 0, of the turns of five stones. `log` has
    what was laid in every closed turn (see `turn_log`).
    `swap_later`: a joker can't be swapped out in the turn in which it is laid.
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
    reach: tuple[Reach, ...] = ()
    can_end: bool = False
    barred: int = 0
    recent: tuple[CartinoEvent, ...] = ()
    hands: tuple[tuple[str, ...], ...] = ()
    bonus: tuple[int, ...] = ()
    penalty: tuple[int, ...] = ()
    first: int = 0
    course: tuple[int, ...] = ()
    fives: tuple[int, ...] = ()
    swap_later: bool = True
    log: bytes = b""

    @property
    def lays(self) -> tuple[LayOption, ...]:
        """Every legal lay, by stone and spot."""
        return tuple(lay for each in self.reach for lay in self.lays_of(each.stone))

    def lays_of(self, stone: str) -> tuple[LayOption, ...]:
        """Return the legal lays of the stone of that name."""
        return tuple(lay for each in self.reach if each.stone == stone for lay in _lays(self.edition, each))


@lru_cache(maxsize=64)
def _lays(edition: Edition, reach: Reach) -> tuple[LayOption, ...]:
    """Return the lays that `reach` stands for: every key and every drawing asks for them."""
    names = BOARDS[edition].spots
    return tuple(
        LayOption(reach.stone, name, _DIGITS.index(mark))
        for name, mark in zip(names, reach.spots, strict=False)
        if mark in _DIGITS
    )
