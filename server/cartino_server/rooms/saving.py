"""One table's way into the journal: what is new of it since the last entry, as the next one."""

from collections.abc import Callable, Mapping

import msgspec

from cartino_protocol.notices import News
from cartino_protocol.records import EndLine, GameLine, write_line
from cartino_server.metering.figures import GAMES_NOT_KEPT
from cartino_server.rooms.facts import Entry, Facts, write_entry
from cartino_server.rooms.in_hand import InHand
from cartino_server.rooms.play import Play
from cartino_server.rooms.quota import Quota
from cartino_server.rooms.room import Room
from cartino_server.rooms.waiting import Waiting
from cartino_server.store.port import Ending, Journal, State, Write


class Saved(msgspec.Struct, frozen=True):
    """What the journal has of a table: the number of its game there, and how far its entries go.

    `lines` counts those of `play`; `said` is the number of the last line of chat; `kept` is what players have in hand.
    """

    game: int
    facts: Facts | None = None
    play: Play | None = None
    lines: int = 0
    said: int = 0
    waiting: Waiting | None = None
    kept: Mapping[str, bytes] = {}


class Saver:
    """Writes what is new at `room`. A round is a game of its own in the journal, with the chat so far."""

    def __init__(
        self,
        room: Room,
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
        self.in_hand = InHand({} if saved is None else saved.kept)
        """What players have in hand, which is saved with all the rest."""
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
            or now.kept != before.kept
        )

    async def save(self, state: State = "open") -> None:
        """Write what is new; afterwards the game is in `state`.

        Raises NotSaved, with everything still new, and JournalDead.
        """
        before, writes = self.saved, []
        if before.facts is not None and before.facts.round != self._room.rounds.count:
            number = 0 if before.play is None else before.play.number
            last = Entry(self._clock(), number)
            writes.append(Write(before.game, write_entry(last), "closed"))
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
        writes.append(Write(before.game, body, state, ending if is_kept else None))
        await self._journal.write(writes, self._clock())
        self.saved, self._next = after, None
        if ending is not None:
            self._note(holders, is_kept=is_kept)

    async def _holders(self, ending: Ending) -> frozenset[str]:
        """Return who a game that ended so counts for in the quota. Raises NotSaved, JournalDead."""
        known = await self._journal.known(ending.persons)
        return self._quota.holders(known, set(ending.persons) - known - {""}, self._source())

    def _note(self, holders: frozenset[str], *, is_kept: bool) -> None:
        """A game has ended, and its end is saved."""
        if is_kept:
            self._quota.count(holders)
        else:
            GAMES_NOT_KEPT.add()
            self._room.announce(News("not-kept"))

    def _entry(self, before: Saved, after: Saved) -> Entry:
        first = before.lines if after.play is before.play else 0
        lines = () if after.play is None else after.play.lines[first : after.lines]
        return Entry(
            at=self._clock(),
            number=self._room.number,
            facts=after.facts if after.facts != before.facts else None,
            lines=tuple(msgspec.Raw(write_line(line)) for line in lines),
            said=self._room.talk.words(before.said),
            waiting=after.waiting if after.waiting != before.waiting else None,
            kept={person: memo for person, memo in after.kept.items() if memo != before.kept.get(person)},
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
            self.in_hand.memos,
        )

    def _facts(self) -> Facts:
        room, rounds = self._room, self._room.rounds
        chairs, owner = room.seating.mark()
        return Facts(
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

    def _ending(self, after: Saved) -> Ending | None:
        if after.play is None or after.play.result is None:
            return None
        head, end = after.play.lines[0], after.play.lines[-1]
        assert isinstance(head, GameLine)
        assert isinstance(end, EndLine)
        return Ending(
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
