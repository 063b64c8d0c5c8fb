"""Which table gives way where too many are open: what would be lost with it, and how much its people hold. Pure.

Nobody can be told from somebody with a thousand new keys but by where they come from; so whoever holds much loses
first, and never what others would miss.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from enum import IntEnum
from typing import Final

import msgspec

WIDTHS: Final = (1, 2, 4)
"""How many sources' measures a source itself has, and the networks around it, the narrowest first."""


class Loss(IntEnum):
    """What is lost with a table that closes now, the least first."""

    NOTHING = 0
    """Nobody is there, and the game is over."""
    DEAL = 1
    """Nobody is there, and no person has made a move."""
    OWN_GAME = 2
    """Nobody is there; a game in which only whoever opened the table plays, against bots."""
    GAME = 3
    """Somebody is there, or people play with each other: such a table never gives way."""


class Holding(msgspec.Struct, frozen=True):
    """A table as one of those that its `opener` holds, who came from `origin`: the networks, the narrowest first.

    Where from is not known of tables that an earlier house opened, until their openers come again, and doesn't count
    where whoever keeps the house says so: () then. `guest`: they have no key. `moves`: those that people made in the
    game there.
    """

    code: str
    opener: str
    origin: tuple[str, ...]
    loss: Loss
    guest: bool = False
    moves: int = 0


class Burden:
    """How much each person and each network hold of a house's tables, in measures: a wider network has several."""

    def __init__(self, tables: Iterable[Holding]) -> None:
        """That of `tables`."""
        self._held: Counter[str] = Counter()
        for table in tables:
            self._held.update((table.opener, *table.origin))

    def of(self, opener: str, origin: Sequence[str], more: int = 0) -> float:
        """The most that the person or a network they came from holds, if there were so many `more`."""
        around = ((self._held[each] + more) / width for each, width in zip(origin, WIDTHS, strict=False))
        return max((self._held[opener] + more, *around))

    def full(self, origin: Sequence[str], most: int) -> frozenset[str]:
        """Those of the networks from which as many tables were opened as may be, `most` from the narrowest."""
        around = zip(origin, WIDTHS, strict=False)
        return frozenset(each for each, width in around if self._held[each] >= width * most)


def first_to_go(tables: Collection[Holding], opener: str = "", origin: Sequence[str] = ()) -> Holding | None:
    """The table that gives way for one that `opener` is to open, who comes from `origin`; None for none.

    A game that somebody played goes only for people who will hold no more than its own do: so nobody plays others
    out of the house, by however many tables. `tables` are in the order in which they were opened.
    """
    burden = Burden(tables)
    theirs = burden.of(opener, origin, more=1)
    may_go = [
        table
        for table in tables
        if table.loss <= Loss.DEAL
        or (table.loss is Loss.OWN_GAME and theirs <= burden.of(table.opener, table.origin))
    ]
    return _first(may_go, burden)


def first_of_source(tables: Collection[Holding], origin: Sequence[str], most: int) -> Holding | None:
    """The table that gives way for one more from `origin`, whose networks may have no more; None for none.

    Neighbours don't lose a game that they played with their key for that; one of a guest's would go soon anyway.
    """
    burden = Burden(tables)
    full = burden.full(origin, most)
    may_go = [
        table
        for table in tables
        if full.issubset(table.origin)
        and (table.loss <= Loss.DEAL or (table.loss is Loss.OWN_GAME and table.guest))
    ]
    return _first(may_go, burden)


def _first(may_go: Sequence[Holding], burden: Burden) -> Holding | None:
    """The first of `may_go`, which are in the order in which they were opened; None where there is none.

    Of equals somebody who has just come loses first, so that a flood takes its own: each their oldest table.
    """
    newest = {table.opener: at for at, table in enumerate(may_go)}

    def order(table: Holding) -> tuple[int, float, int, bool, int]:
        held = burden.of(table.opener, table.origin)
        return table.loss, -held, table.moves, not table.guest, -newest[table.opener]

    return min(may_go, key=order, default=None)
