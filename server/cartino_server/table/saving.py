"""The journal entries of a table, and the saver that writes them within the daily quota of kept games.

An entry is JSON: the difference from the entries before it. Fields are only ever added, with a default; that includes
ChatLine, Chair, TimeControl, TurnTiming, TurnClock and Substitutes. `tests/golden/journal-entries-*` must stay
readable. Deleting an account rewrites entries without the person's name; moves, draws and cuts stay, so the record
still proves the shuffle.
"""

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Final

import msgspec
import structlog
from msgspec.structs import replace

from cartino_protocol.base import TableStatus
from cartino_protocol.notices import News
from cartino_protocol.records import EndLine, GameLine, NoteLine, write_line
from cartino_protocol.views import ChatLine
from cartino_server.metrics.definitions import GAMES_ENDED, GAMES_NOT_STORED, GAMES_STARTED, MOVES, REGISTRY
from cartino_server.metrics.error_summaries import summarize_error
from cartino_server.rate_limit import Policy, RateLimiter, daily
from cartino_server.store.journal import Journal
from cartino_server.store.port import (
    FinishedGame,
    GameState,
    JournalClosed,
    NewEntry,
    NotSaved,
    RewriteGame,
)
from cartino_server.table.match import Match
from cartino_server.table.rounds import abandon
from cartino_server.table.seating import Chair, SharedDeal, deleted_chair, without_name
from cartino_server.table.state import TableState
from cartino_server.table.time_control import TimeControl, TurnTiming

FORMAT: Final = 3
"""Rises whenever an earlier release could not read what is written, as where a field is added."""


class TableFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A table without its game's record: written whole whenever any of it changes.

    `ordered` and `options` are the options as ordered and as in the round that is shown; `chairs` in seat order;
    `owner` and `opener` are ids of persons; `seed` and `next_seed` are hex, and secret while the game runs. Votes are
    not saved, because nobody is at the table after a restart. `deal`: the table is an attempt at a shared deal.
    """

    code: str
    game: str
    ordered: dict[str, str]
    options: dict[str, str]
    chairs: tuple[Chair, ...]
    owner: str
    opener: str
    open: bool
    time_control: TimeControl = msgspec.field(name="patience")
    state: TableStatus
    round: int
    seed: str
    next_seed: str
    hints: bool = False
    deal: SharedDeal | None = None


class JournalEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One entry: what is new since the one before, as far as it is not None or empty.

    `at` is the server's time in seconds, `number` the number of the state; `lines` are lines of the game's record,
    `said` what people said. `kept` is read from journals of earlier releases and ignored.
    """

    at: float
    number: int
    facts: TableFacts | None = None
    lines: tuple[msgspec.Raw, ...] = ()
    said: tuple[ChatLine, ...] = ()
    waiting: TurnTiming | None = None
    kept: dict[str, bytes] = {}


_log = structlog.get_logger(__name__)
_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(JournalEntry)


def write_entry(entry: JournalEntry) -> bytes:
    """Encode `entry` for the journal."""
    return _encoder.encode(entry)


def read_entry(body: bytes) -> JournalEntry:
    """Decode an entry. Raises msgspec.DecodeError."""
    return _decoder.decode(body)


_named_line: Final = msgspec.json.Decoder(GameLine | NoteLine)
_NAMED_TYPES: Final = (b'{"type":"game"', b'{"type":"note"')


def rewrite_without_person(person: str, mark: str) -> RewriteGame:
    """Return the function that removes the person of that id, whose author mark is `mark`, from games."""
    return partial(_entries_without, person=person, mark=mark)


def _entries_without(bodies: Sequence[bytes], seats: Sequence[int], *, person: str, mark: str) -> list[bytes]:
    """Return the entries without the person, who has `seats`; see `RewriteGame`."""
    entry = JournalEntry(0, 0)
    chairs: tuple[Chair, ...] = ()
    written = []
    for body in bodies:
        entry = read_entry(body)
        facts = entry.facts
        if facts is not None:
            chairs = facts.chairs
            facts = replace(
                facts,
                chairs=tuple(deleted_chair(chair) if chair.person == person else chair for chair in chairs),
                owner="" if facts.owner == person else facts.owner,
                opener="" if facts.opener == person else facts.opener,
            )
        # Before a deal seats still change.
        gone = {*seats, *(seat for seat, chair in enumerate(chairs) if chair.person == person)}
        without = replace(
            entry,
            facts=facts,
            lines=tuple(_line_without(line, gone) for line in entry.lines),
            said=tuple(line for line in entry.said if not mark or line.who != mark),
            kept={who: selection for who, selection in entry.kept.items() if who != person},
        )
        written.append(write_entry(without))
    return [*written, write_entry(JournalEntry(at=entry.at, number=entry.number))]


def _line_without(line: msgspec.Raw, seats: Collection[int]) -> msgspec.Raw:
    text = bytes(line)
    if not text.startswith(_NAMED_TYPES):
        return line
    return msgspec.Raw(write_line(without_name(_named_line.decode(text), seats)))


_NETWORK: Final = "from "
"""Prefix of a network among the ids of persons."""


class Quota:
    """Counts the finished games of their holders, each of whom may have some kept a day.

    Keys cost nothing, so people without a history share the quota of the network they come from.
    """

    def __init__(self, most: Callable[[], int], clock: Callable[[], float]) -> None:
        """Each holder may have `most()` at once and in a day, 0 for any number; `clock` is monotonic."""
        self._most = most
        self._clock = clock
        self._kept = RateLimiter()

    def holders(self, known: Collection[str], strangers: Collection[str], source: str) -> frozenset[str]:
        """Return who a game counts for: known persons, and the `source` ("": none) of strangers or of bots alone."""
        if source and (strangers or not known):
            return frozenset((*known, _NETWORK + source))
        return frozenset(known)

    def admits(self, holders: Collection[str]) -> bool:
        """Return whether one more game of theirs is kept: the quota of one of them isn't used up."""
        if not (self._most() and holders):
            return True
        return any(self._kept.has(self._policy, holder, self._clock()) for holder in holders)

    def count(self, holders: Collection[str]) -> None:
        """Note that a game of theirs is kept."""
        for holder in holders if self._most() else ():
            self._kept.draw(self._policy, holder, self._clock())

    @property
    def _policy(self) -> Policy:
        return daily("games", self._most())


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
        """The value that was saved last; None where none could be, so that the table doesn't exist."""
        self.game = game or journal.number(code)
        """The number of the table's game in the journal."""
        self._code = code
        self._journal = journal
        self._clock = clock
        self._quota = quota or Quota(int, float)
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
        holders, is_kept = frozenset[str](), False
        if ending is not None:
            known = await self._journal.find_known_persons(ending.persons)
            holders = self._quota.holders(known, set(ending.persons) - known - {""}, self._source())
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


class SavedTable:
    """The newest value of a table, `table`: the saved one, or one that stands though it could not be saved."""

    def __init__(self, table: TableState, saver: Saver, not_saved: Callable[[], object]) -> None:
        """Call `not_saved()` when a value could not be saved."""
        self.table = table
        self.saver = saver
        self._not_saved = not_saved

    def note(self, note: str) -> None:
        """Add a note to the record of a running game, saved with the next value."""
        if self.table.running is not None:
            self.table = self.table.with_match(self.table.running.note(note))

    async def commit(self, new: TableState, *, stands: bool = False) -> bool:
        """Save `new` and make it the table; return False where that failed, and it is the table only if it `stands`."""
        try:
            self.table = await self.saver.save(new)
        except NotSaved as error:
            _log.warning("not_saved", table=self.table.code, why=str(error))
            if stands:
                self.table = new
            self._not_saved()
            return False
        return True

    async def close(self, end: GameState) -> None:
        """Save the table for the last time. Raises JournalClosed; any other failure leaves what was saved before."""
        if self.saver.saved is None:
            return
        try:
            ended = abandon(self.table) if end == "closed" else self.table
            self.table = await self.saver.save(ended, end)
        except JournalClosed:
            raise
        except Exception as error:
            # At the next start the table is what it was when it could last be saved.
            _log.error("end_not_saved", table=self.table.code, end=end, where=summarize_error(error))


def diff(before: TableState | None, after: TableState, at: float) -> JournalEntry | None:
    """Return the entry that leads from `before` to `after` at the server's time `at`; None where nothing is new.

    A new round is written whole, but for the record of the game before it.
    """
    match = after.match
    old = None if match is None else _earlier(before, match)
    said, facts, waiting = 0, None, None
    if before is not None and before.round == after.round:
        said = before.chat.last_word
        facts = facts_of(before)
        waiting = None if before.match is None else before.match.timing.turn.lasting
    facts_now, waiting_now = facts_of(after), None if match is None else match.timing.turn.lasting
    lines = () if match is None else match.lines[0 if old is None else len(old.lines) :]
    entry = JournalEntry(
        at=at,
        number=after.number,
        facts=None if facts_now == facts else facts_now,
        lines=tuple(msgspec.Raw(write_line(line)) for line in lines),
        said=after.chat.words(said) if after.chat.last_word != said else (),
        waiting=None if waiting_now == waiting else waiting_now,
    )
    return entry if entry.facts or entry.lines or entry.said or entry.waiting else None


def _earlier(before: TableState | None, match: Match) -> Match | None:
    """Return the game `match` as it was at `before`; None if it was dealt since."""
    old = None if before is None else before.match
    return old if old is not None and old.first == match.first else None


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
        time_control=table.order.time_control,
        hints=table.order.hints,
        state=table.state,
        round=table.round,
        seed=table.seeds[0].hex(),
        next_seed=table.seeds[1].hex(),
        deal=table.order.deal,
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
    old = _earlier(before, match)
    if old is None:
        GAMES_STARTED.add(name)
    elif match.number > old.number:
        MOVES.add(name, by=match.number - old.number)
    if match.result is not None and (old is None or old.result is None):
        GAMES_ENDED.add(name, match.result.reason)
