"""The journal's interfaces for tables and lobby, and their data types.

To the journal an entry is opaque bytes in an order; only tables know what they mean. `Journal` itself stores no games:
it serves a server in the player's own process. `journal.DiskJournal` stores everything on disk.
"""

from collections.abc import Callable, Collection, Container, Mapping, Sequence
from typing import Final, Literal

import msgspec

from cartino_protocol.text import LazyMessage
from cartino_protocol.views import LeadersView, PastGame, ProfileView


class Rating(msgspec.Struct, frozen=True):
    """A skill rating: `mu` with uncertainty `sigma` after `games` games; `shown` is both as one number."""

    mu: float
    sigma: float
    games: int = 0
    shown: int = 0


RATING_SCALE: Final = 40
RATING_BASE: Final = 1000
SURE: Final = 3
"""Standard deviations: a level almost certainly lies so near to mu."""


def displayed_rating(mu: float, sigma: float) -> int:
    """Return a rating as one number: 1000 + 40 * (mu - 3 sigma), so that a new player has 1000."""
    return RATING_BASE + round(RATING_SCALE * (mu - SURE * sigma))


class SeatScore(msgspec.Struct, frozen=True):
    """The result of one seat: its points and its rank (0 won; equal ranks share).

    `person` is a person's id or `bot:NAME`. `highlights` of the seat have the game's name for each. `rating` is
    that after the game, None if the game was not rated. `margins` are a person's points beyond those of each bot.
    """

    person: str
    name: str
    points: int
    rank: int
    highlights: dict[str, int] = {}
    rating: Rating | None = None
    margins: dict[str, int] = {}


class GameScores(msgspec.Struct, frozen=True):
    """The scores of a finished game; none if it counts nowhere.

    `options` are those that tell kinds of this game apart, `listed` is as in `FinishedGame`, `day` is the day it
    ended (days since 1970). No person has two scores; of several bots of one kind none has a score. `goals_alone`: it
    is counted in everything but the goals.
    """

    place: int
    number: int
    game: str
    options: dict[str, str]
    listed: bool
    scores: tuple[SeatScore, ...] = ()
    day: int = 0
    seats: int = 0
    goals_alone: bool = False


class ProfileQuery(msgspec.Struct, frozen=True):
    """A request by `person` (an id, "" for nobody) for somebody's profile.

    The profile is that of the player numbered `player`, else of the person with the id `of`, else of the person called
    `name`. `against` (an id) or `against_name` selects the person to compare with; "" for none. `today` is in days
    since 1970; what players lose counts by one of `evaluations`.
    """

    person: str
    player: int = 0
    of: str = ""
    name: str = ""
    against: str = ""
    against_name: str = ""
    today: int = 0
    evaluations: frozenset[str] = frozenset()


DELETED_NAME: Final = "deleted player"
"""Name of a seat whose player deleted their account."""

RewriteGame = Callable[[Sequence[bytes], Sequence[int]], Sequence[bytes]]
"""Return a game's entries without the person at these seats, and one more that changes nothing.

Raises msgspec.DecodeError.
"""

GameState = Literal["open", "parked", "closed", "broken"]
"""A stored game's table is open (restored at the next start), parked (restored when its player returns), closed, or
failed (kept as it is)."""


class NotSaved(Exception):
    """A write was undone as a whole, for example because the disk is full; the next one may succeed."""


class JournalClosed(Exception):
    """The journal was closed, or it failed and can no longer be trusted."""


class FinishedGame(msgspec.Struct, frozen=True):
    """How a game ended, as lists show it.

    `seats` are the names from the record's first line, `persons` the ids in the same order ("" for a bot). If not
    `listed`, only these persons may see it.
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
    """The next entry of the game numbered `game`, and the game's state after it.

    The entry that ends play carries the `ending`; a second ending raises ValueError.
    """

    game: int
    body: bytes
    state: GameState = "open"
    ending: FinishedGame | None = None


class StoredGame(msgspec.Struct, frozen=True):
    """A game read from the journal, with all its entries in order."""

    game: int
    code: str
    bodies: tuple[bytes, ...]


class DamagedGame(msgspec.Struct, frozen=True):
    """A stored game that fails verification; `why` is a clause."""

    game: int
    code: str
    why: LazyMessage


class UncountedGame(msgspec.Struct, frozen=True):
    """A finished game that no profile counts yet, with its place in the order of endings.

    `ending` is None if it is damaged; `goals_alone` is as in `GameScores`.
    """

    place: int
    number: int
    ending: FinishedGame | None
    goals_alone: bool = False


class MissedGame(msgspec.Struct, frozen=True):
    """A finished game that somebody, who sat on `seat`, wasn't told of."""

    seat: int
    game: PastGame


class HistoryQuery(msgspec.Struct, frozen=True):
    """A filter for finished games that `person` (an id, "" for nobody) may see.

    `mine` selects the person's own games, `name` a player's, `bots` those of bots alone, which are left out otherwise,
    and `before` those that ended before the game of that number (0: all). At most `most` games, newest first.
    """

    person: str
    mine: bool = False
    name: str = ""
    before: int = 0
    most: int = 50
    bots: bool = False


class SeatLoss(msgspec.Struct, frozen=True):
    """The points that a seat's judged `turns` lost, and the `luck` of its draws in points, None if unknown."""

    lost: float
    turns: int
    luck: float | None = None


class StoredReview(msgspec.Struct, frozen=True):
    """A review to store: the kind of the game, the `evaluation` that judged, and the losses by seat."""

    game: str
    options: dict[str, str]
    evaluation: str
    body: bytes
    losses: tuple[SeatLoss, ...] = ()


class Guest(msgspec.Struct, frozen=True):
    """A guest who can return with a resume code."""

    person: str
    name: str


class GameJournal:
    """The games of a server. This one stores none.

    Every method but `number` raises JournalClosed once the journal has ended; every write raises NotSaved, and so may
    a read.
    """

    _last = 0

    def number(self, code: str) -> int:
        """Return a number for a new game at the table `code`, higher than all before; nothing is written yet."""
        self._last += 1
        return self._last

    async def write(self, writes: Sequence[NewEntry], time: float) -> None:
        """Write all of `writes` or none, and return when they are on disk.

        `time` is the server's clock (seconds), from which the next start continues.
        """

    async def find_finished_games(self, wanted: HistoryQuery) -> Sequence[PastGame]:
        """Return the finished games that match, newest first."""
        return ()

    async def load_game(self, game: int) -> StoredGame | DamagedGame | None:
        """Return a game, open or over, with all its entries; None if there is none."""
        return None

    async def endings(self, games: Sequence[int]) -> Mapping[int, FinishedGame]:
        """Return how the finished ones among `games` ended."""
        return {}

    async def parked(self) -> Sequence[int]:
        """Return the numbers of all parked games."""
        return ()

    async def discard(self, games: Sequence[int]) -> None:
        """Delete the parked ones among `games`."""

    async def latest(self, code: str) -> int | None:
        """Return the number of the newest finished game at the table `code`."""
        return None

    async def find_known_persons(self, persons: Sequence[str]) -> frozenset[str]:
        """Return those of `persons` (ids) who have finished games on several days."""
        return frozenset()

    async def played_before(self, person: str, day: int) -> bool:
        """Return whether the person (an id) finished a game before that day (since 1970)."""
        return False

    async def pruned(self) -> bool:
        """Return whether old games were removed, so that lists don't reach back to the first."""
        return False


class ProfileStore:
    """What is added up of finished games, by person. This one adds nothing up; its methods raise as `GameJournal`'s."""

    async def due(self, most: int) -> Sequence[UncountedGame]:
        """Return up to `most` finished games that no profile counts yet, in the order in which they ended."""
        return ()

    async def ratings(self, game: str, persons: Sequence[str]) -> Mapping[str, Rating]:
        """Return the ratings at `game` of those of `persons` (ids, `bot:NAME`) who have one."""
        return {}

    async def tally(self, games: Sequence[GameScores]) -> None:
        """Count finished games in their players' profiles, in the order of `due`."""

    async def profile(self, asking: ProfileQuery) -> ProfileView | None:
        """Return a player's profile as far as the asking person may see it."""
        return None

    async def leaders(self, game: str, person: str, evaluations: frozenset[str] = frozenset()) -> LeadersView:
        """Return the best players of `game`, and the rank of `person` (an id); `evaluations` as in `ProfileQuery`."""
        return LeadersView(game, ())

    async def person_called(self, name: str) -> str | None:
        """Return the id of the person who last used `name` in a finished game."""
        return None

    async def renamed(self, person: str, name: str) -> None:
        """Show the person (an id) under their new name."""

    async def missed_games_of(self, person: str, most: int) -> Sequence[MissedGame]:
        """Return the person's (an id) last finished games whose results they haven't been told, newest first."""
        return ()

    async def mark_results_seen(self, persons: tuple[str, ...], number: int) -> None:
        """Note that the persons (ids) know of their games up to the end of the game of that number."""

    async def note_expired(self, persons: tuple[str, ...], code: str) -> None:
        """Note that the persons (ids) waited in vain for others in the challenge `code`."""

    async def expired(self, person: str) -> Sequence[str]:
        """Return the codes of the person's expired challenges that they haven't been told of, oldest first."""
        return ()

    async def forget_expired(self, person: str) -> None:
        """Note that the person (an id) was told of their expired challenges."""

    async def count_games(self, person: str) -> int:
        """Return how many finished games the person (an id) played."""
        return 0


class ReviewStore:
    """The reviews of finished games. This one stores none; its methods raise as `GameJournal`'s."""

    async def keep_review(self, number: int, review: StoredReview) -> None:
        """Store the review of a finished game, instead of any before."""

    async def review(self, number: int, evaluation: str) -> bytes | None:
        """Return the body of the game's review by that evaluation; None if there is none or it is damaged."""
        return None

    async def unreviewed(self, evaluations: Collection[str], most: int) -> Sequence[int]:
        """Return those of the last `most` finished games that none of `evaluations` has reviewed, newest first.

        Games without people are left out.
        """
        return ()


class PersonalStore:
    """What is stored of people: settings, resume codes. This one keeps them in memory.

    Its methods raise as `GameJournal`'s.
    """

    def __init__(self) -> None:
        self._guests: dict[str, Guest] = {}
        self._settings: dict[str, bytes] = {}

    async def erase(self, person: str, mark: str, rewrite: RewriteGame) -> None:
        """Delete what is stored of the person, whom readers know as `mark`; `erased` completes it.

        After NotSaved part of it may be done; call it again, or the next start does (see `erasing`). `rewrite` runs in
        another thread.
        """
        self._settings.pop(person, None)

    async def erased(self, person: str) -> None:
        """Complete the deletion, after everything else about the person is gone."""
        self._settings.pop(person, None)

    async def erasing(self) -> Sequence[tuple[str, str]]:
        """Return the persons, with their marks, whose deletion has begun and not completed."""
        return ()

    async def settings(self, person: str) -> bytes:
        """Return the person's settings; b"" if there are none or they are damaged."""
        return self._settings.get(person, b"")

    async def keep_settings(self, person: str, settings: bytes) -> None:
        """Store the person's settings; b"" deletes them."""
        self._settings[person] = settings

    async def store_resume_code(self, code: str, guest: Guest, seated: Container[str] = ()) -> None:
        """Make `code` the only resume code of `guest`; on disk only its hash is kept.

        If there are too many codes, the oldest go, except those of guests in `seated` (ids; used in any thread).
        """
        self._put(guest, code)

    async def redeem_resume_code(self, code: str, fresh: str) -> Guest | None:
        """Return the guest of `code`, whose codes are then `code` and `fresh`; None if it is unknown.

        A code stays valid until its successor was used, since the guest may never have received that one.
        """
        guest = self._guests.get(code)
        if guest is not None:
            self._put(guest, code, fresh)
        return guest

    def _put(self, guest: Guest, *codes: str) -> None:
        others = {code: known for code, known in self._guests.items() if known.person != guest.person}
        self._guests = others | dict.fromkeys(codes, guest)


class Journal(GameJournal, ProfileStore, ReviewStore, PersonalStore):
    """The journal of a server: all that it stores but the people database."""
