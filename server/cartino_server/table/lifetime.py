"""How long an empty table stays open, and which table is evicted when there are too many. No I/O.

Whoever holds the most tables loses one first, counted by person and by network; a game between people is never
evicted.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from enum import IntEnum
from typing import Final

import msgspec

from cartino_server.limits import ServerConfig
from cartino_server.table.state import TableState


def seconds_until_closed(room: TableState, config: ServerConfig) -> float | None:
    """Return for how many seconds an empty table stays open; None for ever.

    A running game waits for players with a key, a paused one longer; one by correspondence ends with nobody there.
    """
    if room.match is None:
        return min(config.empty_after, config.unused_after)
    if room.state != "playing":
        return config.empty_after
    if not any(chair.person and not chair.guest for chair in room.seating.chairs):
        return config.empty_after
    if room.is_paused:
        return max(config.paused_after, config.unfinished_after)
    return None if room.order.patience.by_correspondence else config.unfinished_after


NETWORK_FACTORS: Final = (1, 2, 4)
"""How many sources' measures a source itself has, and the networks around it, the narrowest first."""


class EvictionLoss(IntEnum):
    """What is lost with a table that closes now, the least first."""

    NOTHING = 0
    """Nobody is there, and the game is over."""
    DEAL = 1
    """Nobody is there, and no person has made a move."""
    OWN_GAME = 2
    """Nobody is there; a game of the table's opener alone against bots."""
    GAME = 3
    """Somebody is there, or people play with each other: such a table never gives way."""


class TableHolding(msgspec.Struct, frozen=True):
    """A table as one of those that its `opener` holds, who came from `origin`: the networks, the narrowest first.

    `origin` is () for tables opened before the last restart until their openers come again, and where networks don't
    count. `guest`: they have no key. `moves`: those that people made in the
    game there.
    """

    code: str
    opener: str
    origin: tuple[str, ...]
    loss: EvictionLoss
    guest: bool = False
    moves: int = 0


class TableCounts:
    """How many of the tables each person and each network hold; a wider network may hold several times as many."""

    def __init__(self, tables: Iterable[TableHolding]) -> None:
        """That of `tables`."""
        self._held: Counter[str] = Counter()
        for table in tables:
            self._held.update((table.opener, *table.origin))

    def of(self, opener: str, origin: Sequence[str], more: int = 0) -> float:
        """The most that the person or a network they came from holds, if there were so many `more`."""
        around = (
            (self._held[each] + more) / width for each, width in zip(origin, NETWORK_FACTORS, strict=False)
        )
        return max((self._held[opener] + more, *around))

    def full(self, origin: Sequence[str], most: int) -> frozenset[str]:
        """Those of the networks from which as many tables were opened as may be, `most` from the narrowest."""
        around = zip(origin, NETWORK_FACTORS, strict=False)
        return frozenset(each for each, width in around if self._held[each] >= width * most)


def table_to_evict(
    tables: Collection[TableHolding], opener: str = "", origin: Sequence[str] = ()
) -> TableHolding | None:
    """Return the table to evict for a new one of `opener`, who comes from `origin`; None for none.

    A game that somebody played is evicted only for people who will then hold no more than its own: nobody can push
    others out by opening many tables. `tables` are in the order in which they were opened.
    """
    burden = TableCounts(tables)
    theirs = burden.of(opener, origin, more=1)
    may_go = [
        table
        for table in tables
        if table.loss <= EvictionLoss.DEAL
        or (table.loss is EvictionLoss.OWN_GAME and theirs <= burden.of(table.opener, table.origin))
    ]
    return _least_loss(may_go, burden)


def table_to_evict_of_network(
    tables: Collection[TableHolding], origin: Sequence[str], most: int
) -> TableHolding | None:
    """Return the table to evict for one more from `origin`, whose networks may have no more; None for none.

    A game that somebody played with their key stays; a guest's would end soon anyway.
    """
    burden = TableCounts(tables)
    full = burden.full(origin, most)
    may_go = [
        table
        for table in tables
        if full.issubset(table.origin)
        and (table.loss <= EvictionLoss.DEAL or (table.loss is EvictionLoss.OWN_GAME and table.guest))
    ]
    return _least_loss(may_go, burden)


def _least_loss(may_go: Sequence[TableHolding], burden: TableCounts) -> TableHolding | None:
    """Return the table of `may_go`, oldest first, with which least is lost; None where there is none.

    Of equals the newest opener loses first, each their oldest table, so that a flood evicts its own.
    """
    newest = {table.opener: at for at, table in enumerate(may_go)}

    def order(table: TableHolding) -> tuple[int, float, int, bool, int]:
        held = burden.of(table.opener, table.origin)
        return table.loss, -held, table.moves, not table.guest, -newest[table.opener]

    return min(may_go, key=order, default=None)
