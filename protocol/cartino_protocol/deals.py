"""Shared deals: daily games, duplicate matches and leagues. The commands, and the views that answer them.

Everybody plays a shared deal once, at a table of their own. Until it closes, nobody sees more of it than they played.
"""

from typing import Annotated, Literal

import msgspec

from cartino_protocol.base import Message, Part, Row, Seat
from cartino_protocol.refusals import RefusalReason

ShortName = Annotated[str, msgspec.Meta(max_length=64)]


class PlayDaily(Message, frozen=True):
    """Begin today's daily of `game`, or go on with it; "" is the server's first game."""

    game: ShortName = ""


class Today(Message, frozen=True):
    """Say in `TodayView` how one stands with today's daily of the server's first game."""


class TodayView(Message, frozen=True):
    """The answer to `Today`: today's daily, and the person's attempt at it; `number` 0 where there is none.

    Sent again when a new day begins.

    `place`, `total` and `lost` as in `AttemptLine`, `practice` as in `DealView`.
    """

    game: str = ""
    number: int = 0
    state: Literal["", "playing", "played"] = ""
    place: int = 0
    total: int = 0
    lost: float | None = None
    practice: bool = False


class Daily(Message, frozen=True):
    """Show the daily of `game` with that `number`, 0 for today's; "" is the server's first game."""

    game: ShortName = ""
    number: Annotated[int, msgspec.Meta(ge=0, lt=10**6)] = 0


class Duplicate(Message, frozen=True):
    """Show the duplicate match with that `code`, or the deal that is played at the person's table of that code."""

    code: ShortName


class League(Message, frozen=True):
    """Show the standings of the league `name`; "" is one that runs now, else one that is over, else a coming one."""

    name: ShortName = ""


class TurnPoints(Row, frozen=True):
    """A turn: the points `made`, and those `lost` compared with the best one, as the game's judge expects."""

    made: int
    lost: float


class AttemptLine(Part, frozen=True):
    """One person's attempt at a deal.

    `place`: from 1, 0 without one; `ranked`: they finished a game before the day; `total` once played, `lost` once
    judged; `game`: the name of the game, to replay it once the deal is closed; `you`: it is the reader's.
    """

    name: str
    state: Literal["playing", "played", "unfinished"]
    place: int = 0
    ranked: bool = True
    total: int | None = None
    lost: float | None = None
    turns: tuple[TurnPoints, ...] = ()
    game: str = ""
    you: bool = False


class NextDeal(Row, frozen=True):
    """The SHA-256 (hex) of a coming day's seed, and of that for practice, published before the `day` ("2026-01-31")."""

    day: str
    commitment: str
    practice: str = ""


class DealView(Message, frozen=True):
    """The answer to `Daily` and `Duplicate`.

    * `number`, `day`: of a daily, from 1, and "2026-01-31"; `code`: of a duplicate match
    * `options`, `seats`, `bots`: what everybody plays; the person's seat is `seat`
    * `closes`: RFC 3339 UTC; `is_open`: it can be played; `seed`: "" until it is closed
    * `own`: the person's attempt; `players`: how many began; `rows`: theirs, as far as the person may see them
    * `streak`, `longest`: days in a row on which the person played the daily, up to now and ever
    * `coming`: the next days' seed hashes
    * `practice`: the daily of people who had finished no game before the day; it is another deal, without ranks
    * `barred`: why the person may not begin an attempt, "" if they may or have
    * `by_total`: the highest total wins, since no bot judges the turns of this game
    """

    game: str
    options: dict[str, str]
    bots: tuple[str, ...]
    closes: str
    is_open: bool
    commitment: str
    number: int = 0
    day: str = ""
    code: str = ""
    seat: Seat = 0
    seed: str = ""
    own: AttemptLine | None = None
    players: int = 0
    rows: tuple[AttemptLine, ...] = ()
    streak: int = 0
    longest: int = 0
    coming: tuple[NextDeal, ...] = ()
    barred: RefusalReason | Literal[""] = ""
    practice: bool = False
    by_total: bool = False


class Standing(Row, frozen=True):
    """A player of a league: place, name, the days that count, the points lost on them, and the days played.

    `you`: it is the reader.
    """

    place: int
    name: str
    days: int
    lost: float
    played: int
    you: bool = False


class LeagueView(Message, frozen=True):
    """The answer to `League`: the best `counted` of the `over` days that are over, of the days from `first` to `last`.

    `name` is "" where there is no league; `leagues` are the names of all: those that run, those that are over, those
    that come, each the one that began last first.
    """

    name: str
    game: str = ""
    first: str = ""
    last: str = ""
    days: int = 0
    over: int = 0
    counted: int = 0
    rows: tuple[Standing, ...] = ()
    leagues: tuple[str, ...] = ()
    state: Literal["coming", "running", "over"] = "running"


DealQuery = Daily | Duplicate | League
