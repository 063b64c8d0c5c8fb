"""What a shared deal is: its game, seed, opponents and times; the days of the dailies."""

import hmac
from datetime import UTC, date, datetime
from typing import Final

import msgspec

from cartino_engine.chance import commitment
from cartino_engine.port import AnyGame
from cartino_server.store.personal_data import DAY
from cartino_server.table.seating import PRACTICE_SUFFIX, Order, SharedDeal
from cartino_server.table.time_control import TimeControl

FIRST_DAY: Final = date(2026, 1, 1).toordinal() - date(1970, 1, 1).toordinal()
"""The day (since 1970) of the dailies with the number 1, on every server."""
DUPLICATE_SECONDS: Final = 7 * DAY
"""For how long a duplicate match can be played."""
TIME_LIMIT: Final = TimeControl("none", "never")
"""No clock and no substitute: an attempt waits for its player until the deal closes."""


class Deal(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A deal that several people play, each once: the person at seat 0, `bots` at the others.

    `name` is the code by which a duplicate match is joined. `options` are all of the game's; `closes` is Unix time;
    `seed` is hex; `day` counts days since 1970, 0 for a duplicate match. `practice`: the daily of people who aren't
    ranked yet.
    """

    name: str
    game: str
    options: dict[str, str]
    bots: tuple[str, ...]
    closes: int
    seed: str
    day: int = 0
    practice: bool = False

    @property
    def shared(self) -> SharedDeal:
        """What its tables know of it."""
        return SharedDeal(self.name, self.closes, self.day > 0)

    @property
    def commitment(self) -> str:
        """The hash of its seed."""
        return commitment(bytes.fromhex(self.seed))

    @property
    def number(self) -> int:
        """The number of a daily, from 1."""
        return number_of(self.day) if self.day else 0

    def order(self, game: AnyGame) -> Order:
        """Return the private table of one attempt."""
        return Order(game, self.options, 1 + len(self.bots), self.bots, False, TIME_LIMIT, deal=self.shared)


def day_of(now: int) -> int:
    """Return the day (UTC, since 1970) of a Unix time."""
    return now // DAY


def number_of(day: int) -> int:
    """Return the number of that day's dailies."""
    return day - FIRST_DAY + 1


def date_of(day: int) -> str:
    """Return the day as "2026-01-31"."""
    return datetime.fromtimestamp(day * DAY, UTC).strftime("%Y-%m-%d")


def read_date(text: str) -> int | None:
    """Return the day of "2026-01-31"; None for anything else."""
    try:
        return date.fromisoformat(text).toordinal() - date(1970, 1, 1).toordinal()
    except ValueError:
        return None


def daily_name(game: str, day: int, *, practice: bool = False) -> str:
    """Return the name of a daily: "cartino-2026-01-31", for practice "cartino-2026-01-31-practice"."""
    return f"{game}-{date_of(day)}{PRACTICE_SUFFIX * practice}"


def day_of_name(name: str, game: str) -> int | None:
    """Return the day of the daily of `game` with that name; None for any other deal."""
    prefix = f"{game}-"
    return (
        read_date(name.removeprefix(prefix).removesuffix(PRACTICE_SUFFIX))
        if name.startswith(prefix)
        else None
    )


def daily_seed(secret: bytes, name: str) -> bytes:
    """Return the seed of the daily with that name, which can't be computed without the server's `secret`."""
    return hmac.digest(secret, name.encode(), "sha256")


def daily_deal(secret: bytes, game: AnyGame, bot: str, day: int, *, practice: bool = False) -> Deal:
    """Return that day's daily of `game`: two players, or the least that it takes, the others played by `bot`."""
    options = {option.name: option.default for option in game.options} | dict(game.comparable)
    bots = (bot,) * (max(2, game.seats[0]) - 1)
    name = daily_name(game.name, day, practice=practice)
    seed = daily_seed(secret, name).hex()
    return Deal(name, game.name, options, bots, (day + 1) * DAY, seed, day, practice)
