"""How long an empty table stays open, and which table is evicted when there are too many. No I/O.

The person or network that holds the most tables loses one first; a game between people is never evicted.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from enum import IntEnum
from typing import Final

import msgspec

from cartino_server.limits import ServerConfig
from cartino_server.table.seating import Chair
from cartino_server.table.state import TableState
from cartino_server.visitors import is_bot_person


def seconds_until_closed(table: TableState, config: ServerConfig) -> float | None:
    """Return for how many seconds an empty table stays open; None forever, for a correspondence game or a challenge.

    A running game waits only for people with a key, and longer if it is paused.
    """
    if table.is_kept_challenge:
        # Its seats become free in time.
        return None
    if table.match is None:
        return min(config.empty_after, config.unused_after)
    if table.state != "playing":
        # The next game of bots is at another table.
        return 0.0 if table.seating.is_bots_only else config.empty_after
    if not any(_is_kept_for(chair) for chair in table.seating.chairs):
        return config.empty_after
    if table.is_sealed:
        # It is only put away.
        return config.empty_after
    if table.is_paused:
        return max(config.paused_after, config.unfinished_after)
    return None if table.order.time_control.by_correspondence else config.unfinished_after


def _is_kept_for(chair: Chair) -> bool:
    return bool(chair.person) and not chair.guest and not is_bot_person(chair.person)


NETWORK_FACTORS: Final = (1, 2, 4)
"""How many times the tables of one source it and the networks around it may hold, the narrowest first."""


class EvictionLoss(IntEnum):
    """What is lost if an empty table closes now, least first: GAME is also for tables with people, and never evicted.

    NOTHING: the game is over. DEAL: no person has made a move. OWN_GAME: the opener's alone, against bots, or a
    challenge.
    """

    NOTHING = 0
    DEAL = 1
    OWN_GAME = 2
    GAME = 3


class TableHolding(msgspec.Struct, frozen=True):
    """A table that counts for its `opener` (a `guest` has no key) and for the networks that they came from (`origin`).

    `origin` has the narrowest network first; it is () after a restart until the opener returns, and where networks
    don't count. `moves`: those of people in the running game.
    """

    code: str
    opener: str
    origin: tuple[str, ...]
    loss: EvictionLoss
    guest: bool = False
    moves: int = 0


def loss_of(table: TableState, *, is_wanted: bool) -> EvictionLoss:
    """Return what is lost if the table closes now; `is_wanted`: somebody is there or about to come."""
    if is_wanted:
        return EvictionLoss.GAME
    if table.state == "finished" or table.is_sealed:
        return EvictionLoss.NOTHING
    if table.is_kept_challenge:
        return EvictionLoss.OWN_GAME
    if table.running is None or not table.running.made:
        return EvictionLoss.DEAL
    return EvictionLoss.GAME if is_missed(table) else EvictionLoss.OWN_GAME


def is_missed(table: TableState) -> bool:
    """Return whether anybody but its opener has a seat at the table, bots aside."""
    return any(person != table.opener and not is_bot_person(person) for person in table.seating.persons())


class TableCounts:
    """How many of the tables each person and each network hold; a wider network may hold several times as many."""

    def __init__(self, tables: Iterable[TableHolding]) -> None:
        """Count `tables`."""
        self._held: Counter[str] = Counter()
        for table in tables:
            self._held.update((table.opener, *table.origin))

    def highest_count(self, opener: str, origin: Sequence[str], more: int = 0) -> float:
        """Return the most that the person or a network they came from holds, with `more` tables."""
        networks = zip(origin, NETWORK_FACTORS, strict=False)
        return max(
            [self._held[opener] + more, *((self._held[each] + more) / width for each, width in networks)]
        )

    def full(self, origin: Sequence[str], most: int) -> frozenset[str]:
        """Return the networks that hold as many tables as they may, `most` for the narrowest."""
        networks = zip(origin, NETWORK_FACTORS, strict=False)
        return frozenset(each for each, width in networks if self._held[each] >= width * most)


def table_to_evict(
    tables: Collection[TableHolding], opener: str = "", origin: Sequence[str] = ()
) -> TableHolding | None:
    """Return the table to evict for a new one of `opener`, who comes from `origin`; None for none.

    A game that somebody played is evicted only for people who will then hold no more than its own: nobody can push
    others out by opening many tables. `tables` are in the order in which they were opened.
    """
    counts = TableCounts(tables)
    theirs = counts.highest_count(opener, origin, more=1)
    may_go = [
        table
        for table in tables
        if table.loss <= EvictionLoss.DEAL
        or (
            table.loss is EvictionLoss.OWN_GAME and theirs <= counts.highest_count(table.opener, table.origin)
        )
    ]
    return _least_loss(may_go, counts)


def table_to_evict_of_network(
    tables: Collection[TableHolding], origin: Sequence[str], most: int
) -> TableHolding | None:
    """Return the table to evict for one more from `origin`, whose networks may have no more; None for none.

    A game that somebody played with their key stays; a guest's would end soon anyway.
    """
    counts = TableCounts(tables)
    full = counts.full(origin, most)
    may_go = [
        table
        for table in tables
        if full.issubset(table.origin)
        and (table.loss <= EvictionLoss.DEAL or (table.loss is EvictionLoss.OWN_GAME and table.guest))
    ]
    return _least_loss(may_go, counts)


def _least_loss(may_go: Sequence[TableHolding], counts: TableCounts) -> TableHolding | None:
    """Return the least loss of `may_go`; of equals the newest opener's oldest table, so that a flood evicts its own."""
    newest = {table.opener: at for at, table in enumerate(may_go)}

    def order(table: TableHolding) -> tuple[int, float, int, bool, int]:
        held = counts.highest_count(table.opener, table.origin)
        return table.loss, -held, table.moves, not table.guest, -newest[table.opener]

    return min(may_go, key=order, default=None)
