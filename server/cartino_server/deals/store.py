"""Deals, attempts and leagues in the people database. Functions run in its thread, in one transaction each.

A person has one attempt at a deal. When they delete their account it stays without their name, under an id by which
only the server's secret can tell that they have played this deal.
"""

import hmac
from collections.abc import Sequence
from math import ceil
from typing import Final, Literal, NamedTuple

import apsw
import msgspec

from cartino_protocol.deals import TurnPoints
from cartino_server.deals.deal import Deal
from cartino_server.deals.limits import MAX_ATTEMPTS
from cartino_server.store.database import scalar
from cartino_server.store.port import DELETED_NAME

DEALS_SECRET: Final = "deals"
"""Name of the secret from which the dailies' seeds are derived."""
NOT_FINISHED: Final = -1
"""`Attempt.ended` of one whose deal closed before it was over, as the second release noted it."""


class Attempt(msgspec.Struct, frozen=True):
    """A person's attempt at the deal `deal`: the game `number` of the journal, at the table `code`.

    `begun` and `ended` are Unix times, `ended` 0 until it is played, or NOT_FINISHED. `total` is set at its
    end, `lost` and `turns` when it is judged. `ranked`: the person finished a game before the day.
    """

    deal: str
    person: str
    name: str
    code: str
    number: int
    begun: int
    ranked: bool = True
    ended: int = 0
    total: int | None = None
    lost: float | None = None
    turns: tuple[TurnPoints, ...] = ()


class StoredLeague(msgspec.Struct, frozen=True):
    """A league: a stored query over the dailies of `game` from the day `first` to the day `last` (since 1970)."""

    name: str
    game: str
    first: int
    last: int

    @property
    def days(self) -> int:
        """How many days it has."""
        return self.last - self.first + 1

    def days_over(self, today: int) -> int:
        """Return how many of its days are over; the best half of them counts."""
        return max(0, min(self.days, today - self.first))

    def state(self, today: int) -> Literal["coming", "running", "over"]:
        """Return whether the day `today` is before, among or after its days."""
        return "coming" if today < self.first else "running" if today <= self.last else "over"

    def order(self, today: int) -> tuple[int, int, str]:
        """Return what leagues are listed by: those that run, are over, and come; each the newest first."""
        states = ("running", "over", "coming")
        return states.index(self.state(today)), -self.first, self.name


class LeagueScore(msgspec.Struct, frozen=True):
    """What a person lost on their `days` best days of a league, of `played` days; `name` as in their newest attempt."""

    person: str
    name: str
    days: int
    lost: float
    played: int


_GONE: Final = "gone:"
"""Begins the ids of people who deleted their accounts."""
_EXPIRED: Final = "ended <= 0 AND deal IN (SELECT name FROM deals WHERE closes < ?)"
_COLUMNS: Final = "deal, person, name, code, number, begun, ranked, ended, total, lost, turns"
_decoder = msgspec.json.Decoder(Deal)
_turns = msgspec.json.Decoder(tuple[TurnPoints, ...])


def put_deal(connection: apsw.Connection, deal: Deal, *, opener: str = "", known: bool = True) -> None:
    """Store a new deal; `opener` is the person who opened it as a duplicate match, `known` as in `begin_attempt`."""
    connection.execute(
        "INSERT OR REPLACE INTO deals (name, game, day, closes, body, opener, known) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (deal.name, deal.game, deal.day, deal.closes, msgspec.json.encode(deal), opener, int(known)),
    )


def close_deal(connection: apsw.Connection, deal: Deal) -> None:
    """Store when a deal closes."""
    connection.execute(
        "UPDATE deals SET closes = ?, body = ? WHERE name = ?",
        (deal.closes, msgspec.json.encode(deal), deal.name),
    )


def read_deal(connection: apsw.Connection, name: str) -> Deal | None:
    """Return the deal of that name."""
    return next(iter(_deals(connection, "name = ?", name)), None)


def open_deals(connection: apsw.Connection, now: int) -> list[Deal]:
    """Return the deals that close after `now`."""
    return _deals(connection, "closes > ?", now)


def deal_of_table(connection: apsw.Connection, code: str) -> Deal | None:
    """Return the deal of which the table `code` is an attempt."""
    where = "name IN (SELECT deal FROM attempts WHERE code = ?) ORDER BY closes DESC"
    return next(iter(_deals(connection, where, code)), None)


def own_deal_of_table(connection: apsw.Connection, code: str, person: str) -> Deal | None:
    """Return the deal of which the table `code` is an attempt of the person."""
    where = "name IN (SELECT deal FROM attempts WHERE code = ? AND person = ?)"
    return next(iter(_deals(connection, where, code, person)), None)


def _deals(connection: apsw.Connection, where: str, *values: object) -> list[Deal]:
    rows = connection.execute(f"SELECT body FROM deals WHERE {where}", values)
    return [_decoder.decode(body) for (body,) in rows if isinstance(body, bytes)]


def begin_attempt(connection: apsw.Connection, deal: Deal, attempt: Attempt, *, known: bool = True) -> None:
    """Store an attempt that begins, or begins again because nothing was dealt; and its deal with the first one.

    `known`: the person finished a game on an earlier day.
    """
    if read_deal(connection, deal.name) is None:
        put_deal(connection, deal, opener="" if deal.day else attempt.person, known=known)
    connection.execute(
        "INSERT INTO attempts (deal, person, name, code, number, begun, ranked) VALUES (?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (deal, person) DO UPDATE SET code = excluded.code, number = excluded.number",
        (
            attempt.deal,
            attempt.person,
            attempt.name,
            attempt.code,
            attempt.number,
            attempt.begun,
            int(attempt.ranked),
        ),
    )


def end_attempt(connection: apsw.Connection, deal: str, person: str, ended: int, total: int | None) -> bool:
    """Note that an attempt is over, once; return whether it wasn't before."""
    connection.execute(
        "UPDATE attempts SET ended = ?, total = ? WHERE deal = ? AND person = ? AND ended = 0",
        (ended, total, deal, person),
    )
    return connection.changes() > 0


def score_attempt(
    connection: apsw.Connection, deal: str, number: int, lost: float, turns: Sequence[TurnPoints]
) -> None:
    """Store what the judge says about the attempt that is the journal's game `number`."""
    connection.execute(
        "UPDATE attempts SET lost = ?, turns = ? WHERE deal = ? AND number = ?",
        (lost, msgspec.json.encode(turns).decode(), deal, number),
    )


def read_attempt(connection: apsw.Connection, deal: str, persons: Sequence[str]) -> Attempt | None:
    """Return the attempt at `deal` of the first of `persons`, ids of the same one, that has any."""
    for person in persons:
        for attempt in _attempts(connection, "deal = ? AND person = ?", deal, person):
            return attempt
    return None


def place_of(connection: apsw.Connection, attempt: Attempt, *, by_total: bool = False) -> int:
    """Return the place of an attempt among the ranked ones, as `results.placed` has it; 0 if it has none."""
    if not attempt.ranked or (attempt.lost is None and not by_total):
        return 0
    better = "total > :total"
    if not by_total:
        better = "lost IS NOT NULL AND (lost < :lost OR (lost = :lost AND total > :total))"
    query = f"SELECT count(*) FROM attempts WHERE deal = :deal AND ended > 0 AND ranked AND {better}"
    values = {"deal": attempt.deal, "lost": attempt.lost, "total": attempt.total}
    return 1 + int(connection.execute(query, values).get or 0)


def attempts_at(connection: apsw.Connection, deal: str, most: int, *, played: bool = False) -> list[Attempt]:
    """Return at most `most` attempts at the deal, the best first; then unfinished ones, unless only `played` ones."""
    order = "ranked DESC, lost IS NULL, lost, total DESC, begun, number LIMIT ?"
    found = _attempts(connection, f"deal = ? AND ended > 0 ORDER BY {order}", deal, most)
    if not played:
        # Of these there may be many: they stay in the order of the index.
        found += _attempts(connection, "deal = ? AND ended <= 0 LIMIT ?", deal, most - len(found))
    return found


def count_attempts(connection: apsw.Connection, deal: str) -> int:
    """Return how many attempts at the deal there are."""
    return scalar(connection, "SELECT count(*) FROM attempts WHERE deal = ?", (deal,))


def all_played(connection: apsw.Connection, deal: str) -> bool:
    """Return whether two or more have begun the deal, and all of them have played it."""
    unfinished = "SELECT 1 FROM attempts WHERE deal = ? AND ended = 0"
    few = "SELECT count(*) FROM (SELECT 1 FROM attempts WHERE deal = ? LIMIT 2)"
    return connection.execute(unfinished, (deal,)).get is None and scalar(connection, few, (deal,)) == 2


def attempts_of(connection: apsw.Connection, person: str) -> list[Attempt]:
    """Return all attempts of the person."""
    return _attempts(connection, "person = ?", person)


def unfinished_of(connection: apsw.Connection, person: str) -> list[Attempt]:
    """Return the person's attempts that are not over."""
    return _attempts(connection, "person = ? AND ended = 0", person)


def unjudged_attempts(connection: apsw.Connection, since: int) -> list[Attempt]:
    """Return the attempts that ended after `since` (Unix seconds) and aren't judged."""
    return _attempts(connection, "ended > ? AND ended > 0 AND lost IS NULL", since)


def unfinished_after(connection: apsw.Connection, last: tuple[str, str], most: int) -> list[Attempt]:
    """Return up to `most` unfinished attempts after that of the deal and person `last`, in their order."""
    where = "ended = 0 AND (deal, person) > (?, ?) ORDER BY deal, person LIMIT ?"
    return _attempts(connection, where, *last, most)


def attempt_numbers(connection: apsw.Connection) -> frozenset[int]:
    """Return the journal's numbers of all unfinished attempts."""
    return frozenset(
        number for (number,) in connection.execute("SELECT number FROM attempts WHERE ended <= 0")
    )


def open_matches_of(connection: apsw.Connection, opener: str, now: int) -> list[int]:
    """Return when the open duplicate matches that the person opened close (Unix seconds), the first one first."""
    query = "SELECT closes FROM deals WHERE opener = ? AND opener <> '' AND closes > ? ORDER BY closes"
    return [int(closes) for (closes,) in connection.execute(query, (opener, now))]


def count_duplicates(connection: apsw.Connection, person: str, since: int) -> int:
    """Return how many attempts at duplicate matches the person has begun since then (Unix seconds)."""
    query = """
        SELECT count(*) FROM attempts JOIN deals ON deals.name = attempts.deal
        WHERE attempts.person = ? AND attempts.begun >= ? AND deals.day = 0
    """
    return scalar(connection, query, (person, since))


class OpenMatch(NamedTuple):
    """An open duplicate match, and how many have played it."""

    name: str
    opener: str
    played: int


def open_matches(connection: apsw.Connection, now: int) -> list[OpenMatch]:
    """Return the open duplicate matches; those that unknown people opened come first, then the oldest."""
    query = """
        SELECT name, opener, (SELECT count(*) FROM attempts WHERE deal = deals.name AND ended > 0)
        FROM deals WHERE closes > ? AND day = 0 ORDER BY known, closes
    """
    rows = connection.execute(query, (now,)).fetchall()
    return [OpenMatch(*row) for row in msgspec.convert(rows, list[tuple[str, str, int]])]


def players_of_matches(connection: apsw.Connection, now: int) -> list[tuple[str, str]]:
    """Return who has played open duplicate matches, as pairs of match and person."""
    query = """
        SELECT deal, person FROM deals JOIN attempts ON deal = deals.name
        WHERE closes > ? AND day = 0 AND ended > 0
    """
    return msgspec.convert(connection.execute(query, (now,)).fetchall(), list[tuple[str, str]])


def unfinished_games(connection: apsw.Connection, deal: str) -> list[int]:
    """Return the journal's numbers of the unfinished attempts at the deal."""
    return [attempt.number for attempt in _attempts(connection, "deal = ? AND ended <= 0", deal)]


def expired_attempts(connection: apsw.Connection, before: int, most: int) -> list[Attempt]:
    """Return up to `most` unfinished attempts at deals that closed before that moment (Unix seconds)."""
    return _attempts(connection, f"{_EXPIRED} LIMIT ?", before, most)


def count_expired_attempts(connection: apsw.Connection, before: int) -> int:
    """Return how many unfinished attempts there are at deals that closed before that moment (Unix seconds)."""
    return scalar(connection, f"SELECT count(*) FROM attempts WHERE {_EXPIRED}", (before,))


def surplus_attempts(connection: apsw.Connection, now: int, most: int) -> list[Attempt]:
    """Return up to `most` finished attempts above `MAX_ATTEMPTS`: those without a rank, then at the oldest deals."""
    beyond = scalar(connection, "SELECT count(*) FROM attempts") - MAX_ATTEMPTS
    if beyond <= 0:
        return []
    columns = ", ".join(f"attempts.{column}" for column in Attempt.__struct_fields__)
    query = f"""
        SELECT {columns} FROM attempts JOIN deals ON deals.name = attempts.deal WHERE deals.closes < ?
        ORDER BY deals.day > 0 AND attempts.ranked, deals.closes LIMIT ?
    """
    return [_attempt(row) for row in connection.execute(query, (now, min(most, beyond))).fetchall()]


def delete_attempts(connection: apsw.Connection, attempts: Sequence[Attempt]) -> None:
    """Delete attempts."""
    keys = [(attempt.deal, attempt.person) for attempt in attempts]
    connection.executemany("DELETE FROM attempts WHERE deal = ? AND person = ?", keys)


def delete_deal(connection: apsw.Connection, name: str) -> None:
    """Delete a deal with all its attempts."""
    connection.execute("DELETE FROM attempts WHERE deal = ?", (name,))
    connection.execute("DELETE FROM deals WHERE name = ?", (name,))


def delete_empty_deals(connection: apsw.Connection, before: int) -> None:
    """Delete the deals that closed before that moment (Unix seconds) and have no attempts."""
    connection.execute(
        "DELETE FROM deals WHERE closes < ? AND NOT EXISTS (SELECT 1 FROM attempts WHERE deal = deals.name)",
        (before,),
    )


def _attempts(connection: apsw.Connection, where: str, *values: object) -> list[Attempt]:
    query = f"SELECT {_COLUMNS} FROM attempts WHERE {where}"
    return [_attempt(row) for row in connection.execute(query, values).fetchall()]


def _attempt(row: tuple[object, ...]) -> Attempt:
    *columns, turns = row
    try:
        read = _turns.decode(str(turns))
    except msgspec.DecodeError:
        # What the judge said can be asked again.
        read = ()
    names = Attempt.__struct_fields__
    return msgspec.convert({**dict(zip(names, columns, strict=False)), "turns": read}, Attempt, strict=False)


def erase_attempts(connection: apsw.Connection, person: str, secret: bytes) -> None:
    """Remove the person, who deleted their account, from their attempts; the attempts stay."""
    for attempt in attempts_of(connection, person):
        connection.execute(
            "UPDATE OR IGNORE attempts SET person = ?, name = ? WHERE deal = ? AND person = ?",
            (deleted_id(secret, attempt.deal, person), DELETED_NAME, attempt.deal, person),
        )
    connection.execute("DELETE FROM attempts WHERE person = ?", (person,))
    connection.execute("UPDATE deals SET opener = '' WHERE opener = ?", (person,))


def deleted_id(secret: bytes, deal: str, person: str) -> str:
    """Return the id of somebody who played `deal` and deleted their account."""
    return f"{_GONE}{hmac.digest(secret, f'{deal} {person}'.encode(), 'sha256').hex()}"


def put_league(connection: apsw.Connection, league: StoredLeague) -> bool:
    """Store a new league; return whether its name was free, in capitals or not."""
    if any(each.name.casefold() == league.name.casefold() for each in leagues(connection)):
        return False
    connection.execute(
        "INSERT INTO leagues (name, game, first, last) VALUES (?, ?, ?, ?)",
        (league.name, league.game, league.first, league.last),
    )
    return True


def drop_league(connection: apsw.Connection, name: str) -> bool:
    """Delete a league, whose days stay; return whether there was one."""
    connection.execute("DELETE FROM leagues WHERE name = ?", (name,))
    return connection.changes() > 0


def leagues(connection: apsw.Connection) -> list[StoredLeague]:
    """Return all leagues."""
    rows = connection.execute("SELECT name, game, first, last FROM leagues").fetchall()
    return [StoredLeague(*row) for row in msgspec.convert(rows, list[tuple[str, str, int, int]])]


def league_scores(connection: apsw.Connection, league: StoredLeague, today: int) -> list[LeagueScore]:
    """Return the scores in a league before the day `today`, from the judged, ranked attempts at its dailies.

    Attempts of deleted accounts are left out: which belong together is unknown.
    """
    # The name is that of the row with the highest `begun`.
    query = """
        SELECT person, name, sum(best), total(lost) FILTER (WHERE best), count(*), max(begun) FROM (
            SELECT attempts.*, row_number() OVER (PARTITION BY person ORDER BY lost) <= ? AS best
            FROM deals JOIN attempts ON attempts.deal = deals.name
            WHERE game = ? AND day BETWEEN ? AND ? AND day < ? AND ended > 0 AND ranked
                AND lost IS NOT NULL AND substr(person, 1, ?) <> ?
        ) GROUP BY person
    """
    counted = ceil(league.days_over(today) / 2)
    values = (counted, league.game, league.first, league.last, today, len(_GONE), _GONE)
    rows = connection.execute(query, values).fetchall()
    return [
        LeagueScore(*row[:-1]) for row in msgspec.convert(rows, list[tuple[str, str, int, float, int, int]])
    ]
