"""The journal's interface for tables and lobby, its data types, and `NullJournal`, which stores no games.

To the journal an entry is opaque bytes in an order; only tables know what they mean. `journal.DiskJournal` stores
entries on disk. `NullJournal` is for a server in the player's own process, and for tests.
"""

from collections.abc import Callable, Container, Mapping, Sequence
from typing import Final, Literal, Protocol

import msgspec

from cartino_protocol.text import LazyMessage
from cartino_protocol.views import LeadersView, PastGame, ProfileView


class Rating(msgspec.Struct, frozen=True):
    """How well somebody plays: `mu` give or take `sigma`, after so many `games`; `shown` is that in one number."""

    mu: float
    sigma: float
    games: int = 0
    shown: int = 0


class SeatScore(msgspec.Struct, frozen=True):
    """What one seat made of a game: who sat there, the total, the rank (0: won; equal ones share it).

    `person` is an id, a bot's `bot:NAME`. `bests` are the most it made of something, by the game's word for it;
    `rating` is the one after the game, None where the game changed none.
    """

    person: str
    name: str
    points: int
    rank: int
    bests: dict[str, int] = {}
    rating: Rating | None = None


class GameScores(msgspec.Struct, frozen=True):
    """A game to be summed up: `options` are those by which its games are told apart; no `scores`: it counts nowhere.

    `listed` as in `Ending`. The scores are of different persons: of several bots of a kind none has one. `day` is when
    it ended, in days since 1970.
    """

    place: int
    number: int
    game: str
    options: dict[str, str]
    listed: bool
    scores: tuple[SeatScore, ...] = ()
    day: int = 0


class ProfileQuery(msgspec.Struct, frozen=True):
    """Whose sums somebody asks for: `person` is who asks ("" for nobody).

    The player with the number `player`, else the one of the id `of`, else the one called `name`. `against` is an id,
    or else a name, of whom to compare them with; "" for nobody.
    """

    person: str
    player: int = 0
    of: str = ""
    name: str = ""
    against: str = ""
    against_name: str = ""


DELETED_NAME: Final = "deleted player"
"""The name on seats whose player has deleted their account."""

RewriteGame = Callable[[Sequence[bytes], Sequence[int]], Sequence[bytes]]
"""Returns a game's entries without the person whose seats are given, and one more that says nothing new.

Raises msgspec.DecodeError.
"""

GameState = Literal["open", "closed", "broken"]
"""A game in the journal: its table is open (it is rebuilt at the next start), closed, or broke (kept as it is)."""


class NotSaved(Exception):
    """Nothing of what was to be written is on disk, and the journal goes on: the disk was full, say."""


class JournalClosed(Exception):
    """The journal has ended: it was closed, or it can't be trusted any more (the system lost what it had taken)."""


class FinishedGame(msgspec.Struct, frozen=True):
    """What lists show of a game that is over, and who may see it there.

    `seats` are the names as in the record's first line, `persons` the ids ("" for a bot) in the same order;
    `listed` is whether everybody may see it, or only its persons.
    """

    code: str
    game: str
    options: dict[str, str]
    seats: tuple[str, ...]
    persons: tuple[str, ...]
    totals: tuple[int, ...]
    winners: tuple[int, ...]
    reason: str
    ended: str
    listed: bool


class NewEntry(msgspec.Struct, frozen=True):
    """One entry of the game numbered `game`, the next in its order; `state` is the game's from then on.

    `ending` comes once, with the entry that ended the play; a second one is the caller's fault, a ValueError.
    """

    game: int
    body: bytes
    state: GameState = "open"
    ending: FinishedGame | None = None


class StoredGame(msgspec.Struct, frozen=True):
    """A game as it was found in the journal: its number, its table's code, and all its entries in order."""

    game: int
    code: str
    bodies: tuple[bytes, ...]


class DamagedGame(msgspec.Struct, frozen=True):
    """A game in the journal that is not what was written: `why` is a clause for a sentence."""

    game: int
    code: str
    why: LazyMessage


class UncountedGame(msgspec.Struct, frozen=True):
    """A finished game that stands in no sum yet: its place in the order in which games are summed up, and its end.

    `ending` is None where what was written of it is damaged.
    """

    place: int
    number: int
    ending: FinishedGame | None


class HistoryQuery(msgspec.Struct, frozen=True):
    """Which finished games: those that `person` (an id, "" for nobody) may see, of the player `name` if not "".

    `mine`: only those that `person` played. `before`: only those that ended before the game of that number, 0 for
    all. At most `most`, the last that ended first.
    """

    person: str
    mine: bool = False
    name: str = ""
    before: int = 0
    most: int = 50


class Guest(msgspec.Struct, frozen=True):
    """A guest whom a word brings back."""

    person: str
    name: str


class Journal(Protocol):
    """Where a house keeps what must outlive it. Every call but `number` raises JournalDead once it has ended.

    What only reads raises NotSaved too, where the system can't read just now.
    """

    def number(self, code: str) -> int:
        """A number for a new game at the table `code`, higher than every one before; nothing is written yet.

        No other game gets it, also when nothing is ever written with it.
        """

    async def write(self, writes: Sequence[NewEntry], time: float) -> None:
        """Write all of `writes` or nothing, and return when they are on disk for good. Raises NotSaved.

        `time` is the house's clock (seconds) at this moment, which the next start goes on from.
        """

    async def past(self, wanted: HistoryQuery) -> Sequence[PastGame]:
        """The finished games that are `wanted`, newest first."""

    async def kept(self, game: int) -> StoredGame | DamagedGame | None:
        """All that was written of the game, open or over; None where there is no such game."""

    async def latest(self, code: str) -> int | None:
        """The number of the newest game that came to its end at a table `code`; None where there is none."""

    async def known(self, persons: Sequence[str]) -> frozenset[str]:
        """Those of the `persons` (ids) who have finished games on several days, and so are no strangers."""

    async def pruned(self) -> bool:
        """Whether finished games were removed, so that lists don't go back to the first one."""

    async def due(self, most: int) -> Sequence[UncountedGame]:
        """The first finished games that stand in no sum yet, at most `most`, in the order in which they ended."""

    async def ratings(self, game: str, persons: Sequence[str]) -> Mapping[str, Rating]:
        """The ratings at `game` of those of the `persons` (ids, a bot's `bot:NAME`) who have one."""

    async def tally(self, games: Sequence[GameScores]) -> None:
        """Sum up finished games, in the order in which they were due. Raises NotSaved."""

    async def profile(self, asking: ProfileQuery) -> ProfileView | None:
        """The sums of a player, as far as whoever asks may see them; None where there are none."""

    async def leaders(self, game: str, person: str) -> LeadersView:
        """The best at `game`, and the place of `person` (an id)."""

    async def person_called(self, name: str) -> str | None:
        """The id of the person who last went by `name` in a finished game; None for nobody."""

    async def count_games(self, person: str) -> int:
        """Return how many finished games the person of that id played."""

    async def erase(self, person: str, mark: str, rewrite: Callable[..., Sequence[bytes]]) -> None:
        """Delete what is kept of the person, who is `mark` to readers; `erased` is to follow.

        Raises NotSaved with some of it done: then it is done by another call, or at the next start (see `erasing`).
        `rewrite` is an `erasing.Rewrite`, called in another thread.
        """

    async def erased(self, person: str) -> None:
        """All else that was known of the person is deleted, too: it is done. Raises NotSaved."""

    async def erasing(self) -> Sequence[tuple[str, str]]:
        """Return the persons, with their marks, whose deletion has begun and not ended."""

    async def settings(self, person: str) -> bytes:
        """What the person of that id has chosen; b"" for nothing, or where it isn't what was written."""

    async def keep_settings(self, person: str, settings: bytes) -> None:
        """From now on the person has chosen `settings`; b"" forgets them. Raises NotSaved.

        A guest's are forgotten with the guest's word. Where there are too many, those of people go first who have
        never played a game to its end.
        """

    async def store_resume_code(self, word: str, guest: Guest, seated: Container[str] = ()) -> None:
        """From now on `word`, and no other, brings `guest` back. Only a hash of it is kept. Raises NotSaved.

        Where there are too many, the oldest words go, but none of those who are `seated` (ids, asked in any thread).
        """

    async def redeem_resume_code(self, word: str, fresh: str) -> Guest | None:
        """Whom `word` brings back; from now on `word` and `fresh` do, and no others. None for an unknown one.

        A word is dead once the one after it has been used: until then nobody has surely seen that one. Raises
        NotSaved.
        """


class NullJournal:
    """Takes everything and forgets it, but for the words of guests who are here. Implements `port.Journal`."""

    def __init__(self) -> None:
        """Nothing was ever written."""
        self._last = 0
        self._guests: dict[str, Guest] = {}
        self._settings: dict[str, bytes] = {}

    def number(self, code: str) -> int:
        """See Journal."""
        self._last += 1
        return self._last

    async def write(self, writes: Sequence[NewEntry], time: float) -> None:
        """See Journal."""

    async def past(self, wanted: HistoryQuery) -> Sequence[PastGame]:
        """See Journal: none."""
        return ()

    async def kept(self, game: int) -> StoredGame | DamagedGame | None:
        """See Journal: nothing."""
        return None

    async def latest(self, code: str) -> int | None:
        """See Journal: none."""
        return None

    async def known(self, persons: Sequence[str]) -> frozenset[str]:
        """See Journal: nobody."""
        return frozenset()

    async def pruned(self) -> bool:
        """See Journal: none were."""
        return False

    async def due(self, most: int) -> Sequence[UncountedGame]:
        """See Journal: none."""
        return ()

    async def ratings(self, game: str, persons: Sequence[str]) -> Mapping[str, Rating]:
        """See Journal: none."""
        return {}

    async def tally(self, games: Sequence[GameScores]) -> None:
        """See Journal."""

    async def profile(self, asking: ProfileQuery) -> ProfileView | None:
        """See Journal: none."""
        return None

    async def leaders(self, game: str, person: str) -> LeadersView:
        """See Journal: nobody."""
        return LeadersView(game, ())

    async def person_called(self, name: str) -> str | None:
        """See Journal: nobody."""
        return None

    async def count_games(self, person: str) -> int:
        """See Journal: none."""
        return 0

    async def erase(self, person: str, mark: str, rewrite: Callable[..., Sequence[bytes]]) -> None:
        """See Journal."""
        self._settings.pop(person, None)

    async def erased(self, person: str) -> None:
        """See Journal."""
        self._settings.pop(person, None)

    async def erasing(self) -> Sequence[tuple[str, str]]:
        """See Journal: nobody's."""
        return ()

    async def settings(self, person: str) -> bytes:
        """See Journal."""
        return self._settings.get(person, b"")

    async def keep_settings(self, person: str, settings: bytes) -> None:
        """See Journal."""
        self._settings[person] = settings

    async def store_resume_code(self, word: str, guest: Guest, seated: Container[str] = ()) -> None:
        """See Journal."""
        self._put(guest, word)

    async def redeem_resume_code(self, word: str, fresh: str) -> Guest | None:
        """See Journal."""
        guest = self._guests.get(word)
        if guest is not None:
            self._put(guest, word, fresh)
        return guest

    def _put(self, guest: Guest, *words: str) -> None:
        others = {word: known for word, known in self._guests.items() if known.person != guest.person}
        self._guests = others | dict.fromkeys(words, guest)
