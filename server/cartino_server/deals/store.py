"""Deals, attempts and leagues in the people database. Functions run in its thread, in one transaction each.

A person has one attempt at a deal. When they delete their account it stays without their name, under an id by which
only the server's secret can tell that they have played this deal.
"""

import hmac
from collections.abc import Iterable, Sequence
from typing import Final, Literal

import apsw
import msgspec

from cartino_protocol.deals import TurnPoints
from cartino_server.deals.deal import Deal
from cartino_server.store.port import DELETED_NAME

DEALS_SECRET: Final = "deals"
"""Name of the secret from which the dailies' seeds are derived."""
NOT_FINISHED: Final = -1
"""`Attempt.ended` of one whose deal closed before it was over."""
MAX_ARRIVALS: Final = 200_000
"""Persons whose first day is known; beyond it the oldest tenth is forgotten."""


class Attempt(msgspec.Struct, frozen=True):
    """A person's attempt at the deal `deal`: the game `number` of the journal, at the table `code`.

    `begun` and `ended` are Unix times, `ended` 0 while it can be played and NOT_FINISHED later. `total` is set at its
    end, `lost` and `turns` when it is judged. `ranked`: the person was known before the day.
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
    """A league over the dailies of `game` from the day `first` to the day `last` (since 1970)."""

    name: str
    game: str
    first: int
    last: int

    def state(self, today: int) -> Literal["coming", "running", "over"]:
        """Return whether the day `today` is before, among or after its days."""
        return "coming" if today < self.first else "running" if today <= self.last else "over"

    def order(self, today: int) -> tuple[int, int, str]:
        """Return what leagues are listed by: those that run, are over, and come; each the newest first."""
        states = ("running", "over", "coming")
        return states.index(self.state(today)), -self.first, self.name


_GONE: Final = "gone:"
"""Begins the ids of people who deleted their accounts."""
_COLUMNS: Final = "deal, person, name, code, number, begun, ranked, ended, total, lost, turns"
_deals = msgspec.json.Decoder(Deal)
_turns = msgspec.json.Decoder(tuple[TurnPoints, ...])


def put_deal(connection: apsw.Connection, deal: Deal) -> None:
    """Store `deal`, in place of what is stored of it."""
    connection.execute(
        "INSERT OR REPLACE INTO deals (name, game, day, closes, body) VALUES (?, ?, ?, ?, ?)",
        (deal.name, deal.game, deal.day, deal.closes, msgspec.json.encode(deal)),
    )


def read_deal(connection: apsw.Connection, name: str) -> Deal | None:
    """Return the deal of that name."""
    found = _read_deals(connection.execute("SELECT body FROM deals WHERE name = ?", (name,)))
    return found[0] if found else None


def open_deals(connection: apsw.Connection, now: int) -> list[Deal]:
    """Return the deals that close after `now`."""
    return _read_deals(connection.execute("SELECT body FROM deals WHERE closes > ?", (now,)))


def _read_deals(rows: Iterable[tuple[object, ...]]) -> list[Deal]:
    return [_deals.decode(body) for (body,) in rows if isinstance(body, bytes)]


def begin_attempt(connection: apsw.Connection, deal: Deal, attempt: Attempt) -> None:
    """Store an attempt that begins, or begins again because nothing was dealt; and its deal with the first one."""
    if read_deal(connection, deal.name) is None:
        put_deal(connection, deal)
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


def place_of(connection: apsw.Connection, attempt: Attempt) -> int:
    """Return the place of an attempt among the ranked ones, as `results.placed` has it; 0 if it has none."""
    if not attempt.ranked or attempt.lost is None:
        return 0
    better = """
        SELECT count(*) FROM attempts WHERE deal = ? AND ended > 0 AND ranked AND lost IS NOT NULL
        AND (lost < ? OR (lost = ? AND total > ?))
    """
    values = (attempt.deal, attempt.lost, attempt.lost, attempt.total)
    return 1 + int(connection.execute(better, values).get or 0)


def attempts_at(connection: apsw.Connection, deal: str) -> list[Attempt]:
    """Return all attempts at the deal, in the order in which they began."""
    return sorted(_attempts(connection, "deal = ?", deal), key=lambda each: (each.begun, each.number))


def attempts_of(connection: apsw.Connection, person: str) -> list[Attempt]:
    """Return all attempts of the person."""
    return _attempts(connection, "person = ?", person)


def pending_attempts(connection: apsw.Connection) -> list[Attempt]:
    """Return the attempts that are not over, or not judged."""
    return _attempts(connection, "ended >= 0 AND lost IS NULL")


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
    connection.execute("DELETE FROM arrivals WHERE person = ?", (person,))


def deleted_id(secret: bytes, deal: str, person: str) -> str:
    """Return the id of somebody who played `deal` and deleted their account."""
    return f"{_GONE}{hmac.digest(secret, f'{deal} {person}'.encode(), 'sha256').hex()}"


def note_arrival(connection: apsw.Connection, person: str, day: int) -> None:
    """Note the day on which the person came first."""
    connection.execute("INSERT OR IGNORE INTO arrivals (person, day) VALUES (?, ?)", (person, day))
    if connection.changes() and connection.last_insert_rowid() % 1000 == 0:
        connection.execute(
            "DELETE FROM arrivals WHERE id <= (SELECT max(id) FROM arrivals) - ?", (MAX_ARRIVALS,)
        )


def was_known(connection: apsw.Connection, person: str, day: int) -> bool:
    """Return whether the person had come before that day."""
    found = connection.execute("SELECT 1 FROM arrivals WHERE person = ? AND day < ?", (person, day)).get
    return found is not None


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


def league_attempts(
    connection: apsw.Connection, league: StoredLeague, before: int
) -> list[tuple[int, Attempt]]:
    """Return the judged, ranked attempts at the dailies of the league before the day `before`, with their days.

    Attempts of deleted accounts are left out: which belong together is unknown.
    """
    query = "SELECT day, name FROM deals WHERE game = ? AND day BETWEEN ? AND ? AND day < ?"
    rows = connection.execute(query, (league.game, league.first, league.last, before)).fetchall()
    return [
        (day, attempt)
        for day, name in msgspec.convert(rows, list[tuple[int, str]])
        for attempt in attempts_at(connection, name)
        if attempt.ranked and attempt.lost is not None and not attempt.person.startswith(_GONE)
    ]
