"""What tables and lobby give to the journal and get from it, and the journal's errors.

To the journal an entry is opaque bytes in an order; only tables know what they mean.
"""

from collections.abc import Callable, Sequence
from typing import Final, Literal

import msgspec

from cartino_protocol.text import LazyMessage
from cartino_protocol.views import PastGame


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
    ended (days since 1970). No person has two scores; of several bots of one kind none has a score.
    """

    place: int
    number: int
    game: str
    options: dict[str, str]
    listed: bool
    scores: tuple[SeatScore, ...] = ()
    day: int = 0
    seats: int = 0


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

    `ending` is None if it is damaged.
    """

    place: int
    number: int
    ending: FinishedGame | None


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
