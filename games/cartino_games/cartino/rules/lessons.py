"""Cartino's lessons: the six figures of the sheet, then a turn, five stones, the joker, and the end.

Each starts from its own reachable position; the texts are in `cartino/lesson_words.py`.
"""

from typing import Final

from cartino_engine.port import LessonScript, LessonTask
from cartino_games.cartino.moves import EndTurn, Lay, Move
from cartino_games.cartino.rules.bag import bag_of
from cartino_games.cartino.rules.state import CartinoState
from cartino_games.cartino.rules.tables import TABLES

_OPTIONS: Final = {"edition": "1974", "joker_swap": "later", "bag": "one"}
_OTHERS: Final = ("Alex",)
"""The game is by Alex Randolph."""

# What the one at the other side of the table holds, and what is drawn, where it comes to neither.
_HAND = "8H JH 9C 10D 7C"
_BAG = "7C 10H JD 9D QC 8S"


def _at(
    hand: str,
    *,
    other: str = _HAND,
    bag: str = _BAG,
    stones: str = "",
    jokers: str = "",
    totals: tuple[int, int] = (0, 0),
) -> CartinoState:
    """Return a table with the pupil on turn; hands and bag are names of stones, `stones` and `jokers` of spots."""
    tables = TABLES["1974"]
    number, spot = tables.board.stone_number, tables.board.spot_number
    covered = sum(1 << spot[name] for name in jokers.split())
    return CartinoState(
        tables=tables,
        hands=tuple(tuple(sorted(number[name] for name in names.split())) for names in (hand, other)),
        bag=bag_of(number[name] for name in bag.split()),
        totals=totals,
        seat=0,
        taken=covered | sum(1 << spot[name] for name in stones.split()),
        jokers=covered,
    )


def _lays(*lays: str) -> tuple[Move, ...]:
    """Return the moves, each written `STONE@SPOT`, or `SPOT` for that spot's own stone."""
    parts = (text.rpartition("@") for text in lays)
    return tuple(Lay(stone or spot[:-1], spot) for stone, _, spot in parts)


def _lesson(name: str, start: CartinoState, *tasks: LessonTask[Move]) -> LessonScript[CartinoState, Move]:
    return LessonScript(name, _OPTIONS, start, tasks, _OTHERS)


_ANY_HEART = LessonTask(_lays(*(f"{rank}H{half}" for rank in ("10", "J", "Q", "K", "A") for half in "ul")))

LESSONS: Final[tuple[LessonScript[CartinoState, Move], ...]] = (
    # Figure 1: a stone that touches nothing.
    _lesson("first", _at("7D 9H 7S KS JC"), LessonTask(_lays("KSu", "KSl"))),
    # Figure 2: the cells touch, the stones are not level; then the other king, which is.
    _lesson("level", _at("8D 7H 7S KS KS", stones="QSl"), LessonTask(_lays("KSu")), LessonTask(_lays("KSl"))),
    # Figures 3 and 4: the same two stones the one way and the other.
    _lesson("value", _at("10D 9H 7S KS JC", stones="8Sl"), LessonTask(_lays("KSu"))),
    _lesson("order", _at("10D 9H 7S 8S JC", stones="KSu"), LessonTask(_lays("8Sl"))),
    # Figure 5: four stones touched. The total passes 20.
    _lesson(
        "four", _at("10D 9H 7S KS JC", stones="ASl QSl KSu KDu", totals=(8, 5)), LessonTask(_lays("KSl"))
    ),
    # Figure 6: three stones in one turn. It is ended by hand, and the other one answers.
    _lesson(
        "turn",
        _at("8D 10S QS KS AS", other="8H AH 9C 10D 7C"),
        LessonTask(_lays("ASu")),
        LessonTask(_lays("KSu")),
        LessonTask(_lays("QSu")),
        LessonTask((EndTurn(),), tuple((1, move) for move in (*_lays("AHu"), EndTurn()))),
    ),
    _lesson("five", _at("10H JH QH KH AH", other="8D 9D 8C 9C 10C", stones="ASu"), *(_ANY_HEART,) * 5),
    # The cursor begins at the king of hearts, which is worth more: the joker has to be moved from there.
    _lesson(
        "joker", _at("7D 9H 8C AC *", stones="QCu KHu"), LessonTask(_lays("*@KCu")), LessonTask(_lays("ACu"))
    ),
    _lesson("swap", _at("7D 10H AH 8S JC", stones="KHu ASu", jokers="AHu"), LessonTask(_lays("AHu"))),
    _lesson(
        "end",
        _at("QD", other="JC *", bag="", stones="KDu ADl", totals=(31, 36)),
        LessonTask(_lays("QDu", "QDl")),
    ),
)
"""In the order in which they are taught."""
