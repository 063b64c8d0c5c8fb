"""Write what is new at a table to the journal, within the daily quota of kept games, and count it.

Keys cost nothing, so people without a history share the quota of the network they come from.
"""

from collections import Counter
from collections.abc import Callable, Collection
from typing import Final

import msgspec

from cartino_protocol.notices import News
from cartino_protocol.records import EndLine, GameLine, write_line
from cartino_server.metrics.definitions import (
    GAMES_ENDED,
    GAMES_NOT_STORED,
    GAMES_STARTED,
    MOVES,
    REGISTRY,
)
from cartino_server.store.port import FinishedGame, GameState, Journal, NewEntry
from cartino_server.table.entries import JournalEntry, TableFacts, write_entry
from cartino_server.table.match import Match
from cartino_server.table.state import TableState

_FROM: Final = "from "
"""Before a network, among the ids of persons."""


class Quota:
    """Counts the finished games of a day (UTC) by those who may have some kept: their holders."""

    def __init__(self, most: Callable[[], int], now: Callable[[], int]) -> None:
        """Each holder may have `most()` a day, 0 for any number; `now` gives Unix seconds."""
        self._most = most
        self._now = now
        self._day = 0
        self._kept: Counter[str] = Counter()

    def holders(self, known: Collection[str], strangers: Collection[str], source: str) -> frozenset[str]:
        """Return who a game counts for: each known person, and the `source` of its strangers; "" counts nowhere.

        A game without people is their table's opener's.
        """
        if source and (strangers or not known):
            return frozenset((*known, _FROM + source))
        return frozenset(known)

    def admits(self, holders: Collection[str]) -> bool:
        """Return whether one more game of theirs is kept: one of them has not had all of theirs."""
        self._begin_day()
        most = self._most()
        return not (most and holders) or any(self._kept[holder] < most for holder in holders)

    def count(self, holders: Collection[str]) -> None:
        """Note that a game of theirs is kept."""
        self._begin_day()
        self._kept.update(holders)

    def _begin_day(self) -> None:
        day = self._now() // 86_400
        if day != self._day:
            self._day = day
            self._kept.clear()


class Saver:
    """Writes what is new at a table. A round is a game of its own in the journal, with the chat so far."""

    def __init__(
        self,
        code: str,
        journal: Journal,
        clock: Callable[[], float],
        saved: TableState | None = None,
        game: int = 0,
        quota: Quota | None = None,
        source: Callable[[], str] = str,
    ) -> None:
        """For the table `code`; `saved` is what the journal has of it already, as the game of that number.

        Finished games beyond `quota` are not kept; `source()` is where the opener came from, "" where it doesn't count.
        """
        self.saved = saved
        self.game = game or journal.number(code)
        """The number of the table's game in the journal."""
        self._code = code
        self._journal = journal
        self._clock = clock
        self._quota = quota or Quota(int, int)
        self._source = source
        self._next: int | None = None

    async def save(self, table: TableState, end: GameState | None = None) -> TableState:
        """Write what is new at `table`, if anything is; with `end` its game is in that state afterwards.

        Returns the table, with a notice where its game is beyond the quota. Raises NotSaved, with everything still
        new, and JournalClosed.
        """
        before, game, writes = self.saved, self.game, list[NewEntry]()
        entry = diff(before, table, self._clock())
        if entry is None and end is None:
            return table
        if before is not None and before.round != table.round:
            last = JournalEntry(self._clock(), 0 if before.match is None else before.match.number)
            writes.append(NewEntry(game, write_entry(last), "closed"))
            # A number that could not be used is still good when this is tried again.
            self._next = game = self._next or self._journal.number(self._code)
        entry = entry or JournalEntry(self._clock(), table.number)
        ending = _ending(table) if entry.lines else None
        holders = frozenset[str]() if ending is None else await self._holders(ending)
        is_kept = self._quota.admits(holders)
        writes.append(NewEntry(game, write_entry(entry), end or "open", ending if is_kept else None))
        await self._journal.write(writes, self._clock())
        self.saved, self.game, self._next = table, game, None
        if REGISTRY.on:
            _count(before, table)
        if ending is None:
            return table
        if is_kept:
            self._quota.count(holders)
            return table
        GAMES_NOT_STORED.add()
        return table.announce(News("not-kept"))

    async def _holders(self, ending: FinishedGame) -> frozenset[str]:
        """Return who a game that ended so counts for in the quota. Raises NotSaved, JournalClosed."""
        known = await self._journal.known(ending.persons)
        return self._quota.holders(known, set(ending.persons) - known - {""}, self._source())


def diff(before: TableState | None, after: TableState, at: float) -> JournalEntry | None:
    """Return the entry that leads from `before` to `after` at the server's time `at`; None where nothing is new.

    A new round is written whole, but for the record of the game before it.
    """
    new = before is None or before.round != after.round
    match, said, lines = after.match, 0, 0
    waiting = facts = None
    if before is not None and match is not None and _is_same(before.match, match):
        lines = len(before.match.lines) if before.match is not None else 0
    if before is not None and not new:
        said = before.chat.last_word
        facts = facts_of(before)
        waiting = None if before.match is None else before.match.waiting.lasting
    facts_now, waiting_now = facts_of(after), None if match is None else match.waiting.lasting
    entry = JournalEntry(
        at=at,
        number=after.number,
        facts=None if facts_now == facts else facts_now,
        lines=() if match is None else tuple(msgspec.Raw(write_line(line)) for line in match.lines[lines:]),
        said=after.chat.words(said) if after.chat.last_word != said else (),
        waiting=None if waiting_now == waiting else waiting_now,
    )
    return entry if entry.facts or entry.lines or entry.said or entry.waiting else None


def _is_same(before: Match | None, after: Match | None) -> bool:
    return before is not None and after is not None and before.first == after.first


def facts_of(table: TableState) -> TableFacts:
    """Return what entries hold of `table` beside its record, chat and clocks."""
    return TableFacts(
        code=table.code,
        game=table.order.game.name,
        ordered=table.order.options,
        options=dict(table.options),
        chairs=table.seating.chairs,
        owner=table.seating.owner_id,
        opener=table.opener,
        open=table.order.open,
        patience=table.order.patience,
        state=table.state,
        round=table.round,
        seed=table.seeds[0].hex(),
        next_seed=table.seeds[1].hex(),
    )


def _ending(table: TableState) -> FinishedGame | None:
    match = table.match
    if match is None or match.result is None:
        return None
    head, end = match.lines[0], match.lines[-1]
    assert isinstance(head, GameLine)
    assert isinstance(end, EndLine)
    return FinishedGame(
        code=table.code,
        game=head.game,
        options=head.options,
        seats=head.seats,
        persons=tuple(chair.person for chair in table.seating.chairs),
        totals=end.totals,
        winners=end.winners,
        reason=end.reason,
        ended=end.ended,
        # A game that nobody has begun is not listed for others.
        listed=table.order.open and (end.reason != "abandoned" or match.made > 0),
    )


def _count(before: TableState | None, after: TableState) -> None:
    """Count in the metrics what happened between two saved states."""
    match, name = after.match, after.order.game.name
    if match is None:
        return
    old = before.match if before is not None and _is_same(before.match, match) else None
    if old is None:
        GAMES_STARTED.add(name)
    elif match.number > old.number:
        MOVES.add(name, by=match.number - old.number)
    if match.result is not None and (old is None or old.result is None):
        GAMES_ENDED.add(name, match.result.reason)
