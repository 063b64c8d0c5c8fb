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
    COMMAND_TO_COMMIT,
    GAMES_ENDED,
    GAMES_NOT_STORED,
    GAMES_STARTED,
    MOVES,
    REGISTRY,
)
from cartino_server.store.port import FinishedGame, GameState, Journal, NewEntry
from cartino_server.table.commands import Job, Outcome
from cartino_server.table.entries import JournalEntry, TableFacts, write_entry
from cartino_server.table.play import Play
from cartino_server.table.state import TableState
from cartino_server.table.time_control import TurnTiming

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


class Saved(msgspec.Struct, frozen=True):
    """What the journal has of a table: the number of its game there, and how far its entries go.

    `lines` counts those of `play`; `said` is the number of the last line of chat.
    """

    game: int
    facts: TableFacts | None = None
    play: Play | None = None
    lines: int = 0
    said: int = 0
    waiting: TurnTiming | None = None


class Saver:
    """Writes what is new at `room`. A round is a game of its own in the journal, with the chat so far."""

    def __init__(
        self,
        room: TableState,
        opener: str,
        journal: Journal,
        clock: Callable[[], float],
        saved: Saved | None = None,
        quota: Quota | None = None,
        source: Callable[[], str] = str,
    ) -> None:
        """For the table that the person `opener` opened; `saved` is what the journal has of it already.

        Finished games beyond `quota` are not kept; `source()` is where the opener came from, "" where it doesn't count.
        """
        self.opener = opener
        self.saved = saved or Saved(journal.number(room.code))
        self._room = room
        self._journal = journal
        self._clock = clock
        self._quota = quota or Quota(int, int)
        self._source = source
        self._next: int | None = None

    @property
    def is_behind(self) -> bool:
        """Whether anything is new."""
        now, before = self._now(self.saved.game), self.saved
        return (
            now.facts != before.facts
            or now.play is not before.play
            or now.lines != before.lines
            or now.said != before.said
            or now.waiting != before.waiting
        )

    async def save(self, state: GameState = "open") -> None:
        """Write what is new; afterwards the game is in `state`.

        Raises NotSaved, with everything still new, and JournalDead.
        """
        before, writes = self.saved, []
        if before.facts is not None and before.facts.round != self._room.rounds.count:
            number = 0 if before.play is None else before.play.number
            last = JournalEntry(self._clock(), number)
            writes.append(NewEntry(before.game, write_entry(last), "closed"))
            # A number that could not be used is still good when this is tried again.
            self._next = self._next or self._journal.number(self._room.code)
            # The old game's play is no news in the new one, even while it still stands on the table.
            before = Saved(self._next, play=before.play, lines=before.lines)
        after = self._now(before.game)
        body = write_entry(self._entry(before, after))
        ended = after.lines != before.lines or after.play is not before.play
        ending = self._ending(after) if ended else None
        holders = frozenset[str]() if ending is None else await self._holders(ending)
        is_kept = self._quota.admits(holders)
        writes.append(NewEntry(before.game, body, state, ending if is_kept else None))
        await self._journal.write(writes, self._clock())
        self.saved, self._next = after, None
        if ending is not None:
            self._note(holders, is_kept=is_kept)

    async def _holders(self, ending: FinishedGame) -> frozenset[str]:
        """Return who a game that ended so counts for in the quota. Raises NotSaved, JournalDead."""
        known = await self._journal.known(ending.persons)
        return self._quota.holders(known, set(ending.persons) - known - {""}, self._source())

    def _note(self, holders: frozenset[str], *, is_kept: bool) -> None:
        """A game has ended, and its end is saved."""
        if is_kept:
            self._quota.count(holders)
        else:
            GAMES_NOT_STORED.add()
            self._room.announce(News("not-kept"))

    def _entry(self, before: Saved, after: Saved) -> JournalEntry:
        first = before.lines if after.play is before.play else 0
        lines = () if after.play is None else after.play.lines[first : after.lines]
        return JournalEntry(
            at=self._clock(),
            number=self._room.number,
            facts=after.facts if after.facts != before.facts else None,
            lines=tuple(msgspec.Raw(write_line(line)) for line in lines),
            said=self._room.talk.words(before.said),
            waiting=after.waiting if after.waiting != before.waiting else None,
        )

    def _now(self, game: int) -> Saved:
        room, match = self._room, self._room.rounds.match
        return Saved(
            game,
            self._facts(),
            room.play,
            0 if room.play is None else len(room.play.lines),
            room.talk.last_word,
            None if match is None else match.waiting.lasting,
        )

    def _facts(self) -> TableFacts:
        room, rounds = self._room, self._room.rounds
        chairs, owner = room.seating.mark()
        return TableFacts(
            code=room.code,
            game=room.order.game.name,
            ordered=room.order.options,
            options=rounds.options,
            chairs=chairs,
            owner=owner,
            opener=self.opener,
            open=room.order.open,
            patience=room.order.patience,
            state=room.state,
            round=rounds.count,
            seed=rounds.seeds[0].hex(),
            next_seed=rounds.seeds[1].hex(),
        )

    def _ending(self, after: Saved) -> FinishedGame | None:
        if after.play is None or after.play.result is None:
            return None
        head, end = after.play.lines[0], after.play.lines[-1]
        assert isinstance(head, GameLine)
        assert isinstance(end, EndLine)
        return FinishedGame(
            code=self._room.code,
            game=head.game,
            options=head.options,
            seats=head.seats,
            persons=tuple(chair.person for chair in self._room.seating.chairs),
            totals=end.totals,
            winners=end.winners,
            reason=end.reason,
            ended=end.ended,
            # What nobody has begun is no game for others to read of.
            listed=self._room.order.open and (end.reason != "abandoned" or after.play.made > 0),
        )


def timed(job: Job) -> Job:
    """`job`, whose time runs from now until what it changed is saved; what changes nothing is not timed."""
    begun = COMMAND_TO_COMMIT.begin()
    if not begun:
        return job

    def served() -> Outcome | None:
        outcome = job()
        if outcome is None or outcome.then is None or outcome.undone is None:
            return outcome
        then = outcome.then

        def told() -> object:
            COMMAND_TO_COMMIT.end(begun)
            return then()

        return msgspec.structs.replace(outcome, then=told)

    return served


class TableMetrics:
    """Compares a table with how it was when it was last saved."""

    def __init__(self, room: TableState) -> None:
        """What has happened at `room` until now is not counted."""
        self._room = room
        self._note()

    def saved(self) -> None:
        """The table is saved as it stands."""
        if REGISTRY.on:
            self._count()
            self._note()

    def _count(self) -> None:
        play, name = self._room.play, self._room.order.game.name
        if play is None:
            return
        if play is not self._play:
            GAMES_STARTED.add(name)
        elif play.number > self._number:
            MOVES.add(name, by=play.number - self._number)
        if play.result is not None and (play is not self._play or not self._over):
            GAMES_ENDED.add(name, play.result.reason)

    def _note(self) -> None:
        self._play = play = self._room.play
        self._number = 0 if play is None else play.number
        self._over = play is not None and play.result is not None
