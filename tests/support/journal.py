"""A journal that a test can look into, hold up, and let fail."""

import asyncio
from collections.abc import Callable, Collection, Container, Mapping, Sequence

import msgspec

from cartino_engine.port import AnyGame
from cartino_protocol.base import game_name
from cartino_protocol.records import LineReader, RecordLine
from cartino_protocol.views import LeadersView, PastGame, ProfileView
from cartino_server.store.figures import reviews
from cartino_server.store.figures.missed import expired_challenges, forget_expired, note_expired
from cartino_server.store.personal_data import anonymize, known_persons
from cartino_server.store.port import (
    DamagedGame,
    FinishedGame,
    GameScores,
    GameState,
    Guest,
    HistoryQuery,
    Journal,
    JournalClosed,
    MissedGame,
    NewEntry,
    NotSaved,
    ProfileQuery,
    Rating,
    StoredGame,
    StoredReview,
    UncountedGame,
)
from cartino_server.table.restoring import record_lines
from tests.support.sums import Sums

TIME_LIMIT = 20


class Written(msgspec.Struct):
    """One game as it is on this disk: its table's code, its entries, its state, and how it ended."""

    code: str
    bodies: list[bytes] = []
    state: GameState = "open"
    ending: FinishedGame | None = None


class MemoryJournal(Journal):
    """A journal in memory. `fail` is raised by whatever writes; `dead` by every call.

    It is stricter than the disk: what can't be right (an entry of a closed game, a second ending) is a ValueError.
    """

    def __init__(self) -> None:
        """Nothing was ever written, and the gate is open."""
        super().__init__()
        self.games: dict[int, Written] = {}
        self.writes: list[tuple[NewEntry, ...]] = []
        """What was written at once, in order."""
        self.guests: dict[str, Guest] = {}
        """The guests by the words that bring them back: one that was used, and the one after it."""
        self.sums = Sums()
        self.sums_fail: NotSaved | None = None
        """What is raised where games are summed up."""
        self.sums_tried = 0
        """How often that was begun."""
        self.reviewed = 0
        """How many reviews were stored."""
        self.chosen: dict[str, bytes] = {}
        """What people have chosen for themselves, by their ids."""
        self.going: dict[str, str] = {}
        """The marks of people whose deletion has begun, by their ids."""
        self.time = 0.0
        self.fail: NotSaved | None = None
        self.dead: JournalClosed | None = None
        self.tried = 0
        """How many writes were begun, of entries and of words."""
        self.held = 0
        """How many of them wait at the gate."""
        self._codes: dict[int, str] = {}
        self._is_pruned = False
        self._gate = asyncio.Event()
        self._gate.set()
        self._moved = asyncio.Condition()

    # What a test does.

    def prune(self, number: int) -> None:
        """The game is no longer kept."""
        del self.games[number]
        self._is_pruned = True

    def hold(self) -> None:
        """Whatever is written from now on waits at the gate."""
        self._gate.clear()

    def release(self) -> None:
        """The gate is open: what waits is written, or fails."""
        self._gate.set()

    async def until(self, check: Callable[["MemoryJournal"], object]) -> None:
        """Wait until `check` holds; it is asked whenever a write begins, is done, or has failed."""
        async with asyncio.timeout(TIME_LIMIT), self._moved:
            await self._moved.wait_for(lambda: check(self))

    def table(self, code: str) -> Written:
        """The newest game that was written of the table `code`. Raises StopIteration."""
        return next(game for game in reversed(self.games.values()) if game.code == code)

    def copy(self) -> "MemoryJournal":
        """Another one, with what is on this one just now."""
        other = MemoryJournal()
        other.games = {number: msgspec.structs.replace(game) for number, game in self.games.items()}
        for game in other.games.values():
            game.bodies = list(game.bodies)
        for number, written in other.games.items():
            if written.ending is not None:
                other.sums.end(number, written.ending)
        other.guests, other.time, other._codes = dict(self.guests), self.time, dict(self._codes)
        other.chosen = dict(self.chosen)
        return other

    def unfinished(self) -> tuple[StoredGame, ...]:
        """What a server finds at its next start: the games whose tables are open."""
        return tuple(
            StoredGame(number, game.code, tuple(game.bodies))
            for number, game in self.games.items()
            if game.state == "open"
        )

    # What a server asks for.

    def number(self, code: str) -> int:
        self._codes[len(self._codes) + 1] = code
        return len(self._codes)

    async def write(self, writes: Sequence[NewEntry], time: float) -> None:
        await self._begin()
        try:
            self._check_failure()
            for write in writes:
                self._check(write)
            for write in writes:
                self._add(write)
            self.writes.append(tuple(writes))
            self.time = max(self.time, time)
        finally:
            await self._tell()

    async def find_finished_games(self, wanted: HistoryQuery) -> Sequence[PastGame]:
        self._check_death()
        found = [
            _past(number, game.ending)
            for number, game in sorted(self.games.items(), reverse=True)
            if game.ending is not None and _fits(wanted, number, game.ending)
        ]
        return found[: wanted.most]

    async def load_game(self, game: int) -> StoredGame | DamagedGame | None:
        self._check_death()
        written = self.games.get(game)
        return None if written is None else StoredGame(game, written.code, tuple(written.bodies))

    async def latest(self, code: str) -> int | None:
        self._check_death()
        over = [number for number, game in self.games.items() if game.ending and game.code == code]
        return max(over, default=None)

    async def find_known_persons(self, persons: Sequence[str]) -> frozenset[str]:
        return known_persons(self.sums.connection, persons)

    async def pruned(self) -> bool:
        return self._is_pruned

    async def due(self, most: int) -> Sequence[UncountedGame]:
        self._check_death()
        return self.sums.due(most)

    async def ratings(self, game: str, persons: Sequence[str]) -> Mapping[str, Rating]:
        self._check_death()
        return self.sums.ratings(game, persons)

    async def tally(self, games: Sequence[GameScores]) -> None:
        """See Journal. It waits at no gate, so that a test's writes are those of its tables."""
        self._check_failure()
        self.sums_tried += 1
        await self._tell()
        if self.sums_fail is not None:
            raise self.sums_fail
        self.sums.tally(games)
        await self._tell()

    async def profile(self, asking: ProfileQuery) -> ProfileView | None:
        self._check_death()
        return self.sums.profile(asking)

    async def missed_games_of(self, person: str, most: int) -> Sequence[MissedGame]:
        self._check_death()
        return self.sums.missed(person, most)

    async def renamed(self, person: str, name: str) -> None:
        self._check_death()
        self.sums.renamed(person, name)

    async def mark_results_seen(self, persons: tuple[str, ...], number: int) -> None:
        self._check_death()
        self.sums.told(persons, number)
        await self._tell()

    async def note_expired(self, persons: tuple[str, ...], code: str) -> None:
        self._check_death()
        note_expired(self.sums.connection, persons, code)
        await self._tell()

    async def expired(self, person: str) -> Sequence[str]:
        self._check_death()
        return expired_challenges(self.sums.connection, person)

    async def forget_expired(self, person: str) -> None:
        self._check_death()
        forget_expired(self.sums.connection, person)
        await self._tell()

    async def leaders(self, game: str, person: str, evaluations: frozenset[str] = frozenset()) -> LeadersView:
        self._check_death()
        return self.sums.leaders(game, person, evaluations)

    async def person_called(self, name: str) -> str | None:
        self._check_death()
        return self.sums.person_called(name)

    async def keep_review(self, number: int, review: StoredReview) -> None:
        self._check_failure()
        reviews.put_review(self.sums.connection, number, review)
        self.reviewed += 1
        await self._tell()

    async def review(self, number: int, evaluation: str) -> bytes | None:
        self._check_death()
        return reviews.read_review(self.sums.connection, number, evaluation)

    async def unreviewed(self, evaluations: Collection[str], most: int) -> Sequence[int]:
        self._check_death()
        return reviews.unreviewed_games(self.sums.connection, evaluations, most)

    async def count_games(self, person: str) -> int:
        return sum(game.ending is not None and person in game.ending.persons for game in self.games.values())

    async def erase(self, person: str, mark: str, rewrite: Callable[..., Sequence[bytes]]) -> None:
        """See Journal. What is summed up stays."""
        await self._begin()
        try:
            self._check_failure()
            self.going[person] = mark
            self.chosen.pop(person, None)
            for game in self.games.values():
                persons = () if game.ending is None else game.ending.persons
                game.bodies = list(
                    rewrite(game.bodies, [seat for seat, each in enumerate(persons) if each == person])
                )
                game.ending = None if game.ending is None else anonymize(game.ending, person)
        finally:
            await self._tell()

    async def erased(self, person: str) -> None:
        self._check_failure()
        self.going.pop(person, None)

    async def erasing(self) -> Sequence[tuple[str, str]]:
        return tuple(self.going.items())

    async def settings(self, person: str) -> bytes:
        self._check_death()
        return self.chosen.get(person, b"")

    async def keep_settings(self, person: str, settings: bytes) -> None:
        await self._begin()
        try:
            self._check_failure()
            self.chosen[person] = settings
        finally:
            await self._tell()

    async def store_resume_code(self, word: str, guest: Guest, seated: Container[str] = ()) -> None:
        await self._begin()
        try:
            self._check_failure()
            self._put_words(guest, word)
        finally:
            await self._tell()

    async def redeem_resume_code(self, word: str, fresh: str) -> Guest | None:
        await self._begin()
        try:
            self._check_failure()
            guest = self.guests.get(word)
            if guest is not None:
                self._put_words(guest, word, fresh)
            return guest
        finally:
            await self._tell()

    def _put_words(self, guest: Guest, *words: str) -> None:
        others = {word: known for word, known in self.guests.items() if known.person != guest.person}
        self.guests = others | dict.fromkeys(words, guest)

    async def _begin(self) -> None:
        self._check_death()
        self.tried += 1
        self.held += 1
        try:
            await self._tell()
            await self._gate.wait()
        finally:
            self.held -= 1

    async def _tell(self) -> None:
        async with self._moved:
            self._moved.notify_all()

    def _check_death(self) -> None:
        if self.dead is not None:
            raise self.dead

    def _check_failure(self) -> None:
        self._check_death()
        if self.fail is not None:
            raise self.fail

    def _check(self, write: NewEntry) -> None:
        if write.game not in self._codes:
            raise ValueError(f"game {write.game} was never numbered here")
        game = self.games.get(write.game)
        if game is not None and game.state != "open":
            raise ValueError(f"game {write.game} is {game.state} and takes no more entries")
        if game is not None and game.ending is not None and write.ending is not None:
            raise ValueError(f"game {write.game} ended before")

    def _add(self, write: NewEntry) -> None:
        game = self.games.setdefault(write.game, Written(self._codes[write.game]))
        game.bodies.append(write.body)
        game.state = write.state
        game.ending = write.ending or game.ending
        if write.ending is not None:
            self.sums.end(write.game, write.ending)


def record_in(game: Written, rules: AnyGame) -> list[RecordLine]:
    """The record's lines that were written of a game of `rules`."""
    reader = LineReader(rules.lines)
    return [reader.read(line) for line in record_lines(game.bodies).splitlines()]


def _fits(wanted: HistoryQuery, number: int, ending: FinishedGame) -> bool:
    played = wanted.person != "" and wanted.person in ending.persons
    names = {name.casefold() for name in ending.seats}
    return (
        (played if wanted.mine else ending.listed or played)
        and (not wanted.name or wanted.name.casefold() in names)
        and (not wanted.before or number < wanted.before)
    )


def _past(number: int, ending: FinishedGame) -> PastGame:
    return PastGame(
        name=game_name(ending.code, number),
        number=number,
        game=ending.game,
        options=ending.options,
        seats=ending.seats,
        totals=ending.totals,
        winners=ending.winners,
        reason=ending.reason,
        ended=ending.ended,
    )
