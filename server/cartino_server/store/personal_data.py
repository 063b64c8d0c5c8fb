"""What the journal stores for a person beside games (resume codes of guests, settings), and how data is removed.

Above a maximum the oldest rows go, those of strangers first. Excess rows are deleted in batches, since finding them
reads many rows.

Old finished games are pruned by rank: games of strangers go first, rated games between known people last.

Deleting an account removes the person's own rows at once and rewrites their games a few at a time. A row in `meta`
stays until all is done, so the next start continues what a crash cut short. A game keeps its moves and seats; the seat
becomes anonymous and its hashes are computed again. Bans stay, and so do reports about the person.
"""

import hashlib
from collections.abc import Callable, Container, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import Final, Literal

import apsw
import msgspec

from cartino_server.limits import Retention
from cartino_server.store.database import scalar
from cartino_server.store.migrations import SEQ_BITS
from cartino_server.store.moderation import GUEST_PREFIX
from cartino_server.store.people import NEW_PERSON_PREFIX, keys_of
from cartino_server.store.port import DELETED_NAME, FinishedGame, Guest
from cartino_server.store.queries import decode_rows, hash_finished, select_numbers
from cartino_server.visitors import BOT_PERSON_PREFIX, is_bot_person

DAY: Final = 86_400
_NEVER: Final = 1 << 40
KNOWN_DAYS: Final = 3
"""Days with finished games that make a person known: keys are made in a moment."""

STRANGERS, KNOWN, RATED = 0, 1, 2
"""Ranks, pruned in this order: only strangers, somebody known, several known in a listed game."""

MAX_PLAYERS: Final = 100_000
"""Profiles to keep; strangers who played longest ago are deleted first."""

_STRANGERS_FIRST: Final = f"SELECT player FROM players ORDER BY days >= {KNOWN_DAYS}, place LIMIT ?"
_LOWEST_RANKS: Final = "SELECT number FROM packed ORDER BY rank, ended, number LIMIT ?"


def retention_rank(connection: apsw.Connection, end: FinishedGame) -> int:
    """Return the rank of a game that ended so."""
    known = known_persons(connection, end.persons)
    if len(known) > 1 and end.listed and end.winners and end.reason != "abandoned":
        return RATED
    return KNOWN if known else STRANGERS


def known_persons(connection: apsw.Connection, persons: Sequence[str]) -> frozenset[str]:
    """Return those of `persons` (ids) who have finished games on several days; a bot account plays by itself."""
    query = "SELECT 1 FROM players WHERE person = ? AND days >= ?"
    unknown = (GUEST_PREFIX, BOT_PERSON_PREFIX)
    asked = {person for person in persons if person and not person.startswith(unknown)}
    return frozenset(one for one in asked if connection.execute(query, (one, KNOWN_DAYS)).get is not None)


def played_before(connection: apsw.Connection, person: str, day: int) -> bool:
    """Return whether the person finished a game before that day (since 1970)."""
    query = "SELECT 1 FROM players WHERE person = ? AND days > (day >= ?)"
    return connection.execute(query, (person, day)).get is not None


def end_seconds(text: str) -> int:
    """Return a game's end in Unix seconds; far in the future if it is invalid."""
    try:
        moment = datetime.fromisoformat(text)
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):
        return _NEVER


def retention_ends(keep: Retention, now: float) -> dict[int, int]:
    """Return by rank the moment (Unix seconds) before which games are past their retention at `now`."""
    days = {STRANGERS: keep.keep_days, KNOWN: keep.keep_days, RATED: keep.keep_rated_days}
    return {rank: int(now - some * DAY) for rank, some in days.items() if some}


def all_ranks(before: int) -> dict[int, int]:
    """Return the ends of retention if all games that ended `before` that moment (Unix seconds) are to go."""
    return dict.fromkeys((STRANGERS, KNOWN, RATED), before)


def count_expired(connection: apsw.Connection, ends: Mapping[int, int], keep_most: int = 0) -> int:
    """Return how many packed games ended before `ends`, by rank, or are more than `keep_most` (0: no limit)."""
    query = "SELECT count(*) FROM packed WHERE rank = ? AND ended < ?"
    old = sum(scalar(connection, query, end) for end in ends.items())
    return max(old, count_packed(connection) - keep_most) if keep_most else old


def expired_games(
    connection: apsw.Connection, ends: Mapping[int, int], keep_most: int, most: int
) -> list[int]:
    """Return up to `most` of those games, the lowest rank first."""
    query = "SELECT number FROM packed WHERE rank = ? AND ended < ? ORDER BY ended, number LIMIT ?"
    found = [n for end in ends.items() for n in select_numbers(connection, query, (*end, most))][:most]
    beyond = count_packed(connection) - keep_most
    if found or not keep_most or beyond <= 0:
        return found
    return select_numbers(connection, _LOWEST_RANKS, (min(most, beyond),))


def count_packed(connection: apsw.Connection) -> int:
    """Return how many packed games there are."""
    return scalar(connection, "SELECT count(*) FROM packed")


def surplus_players(connection: apsw.Connection, most: int) -> list[int]:
    """Return up to `most` players above `MAX_PLAYERS`, strangers first."""
    beyond = scalar(connection, "SELECT count(*) FROM players") - MAX_PLAYERS
    return select_numbers(connection, _STRANGERS_FIRST, (min(most, beyond),)) if beyond > 0 else []


def delete_players(connection: apsw.Connection, players: Sequence[int]) -> None:
    """Delete the profiles of these players."""
    run = connection.execute
    for player in players:
        for (other,) in run("SELECT DISTINCT other FROM meetings WHERE player = ?", (player,)).fetchall():
            run("DELETE FROM meetings WHERE player = ? AND other = ?", (other, player))
        for table in ("meetings", "scores", "bests", "ratings", "goals", "skill", "players"):
            run(f"DELETE FROM {table} WHERE player = ?", (player,))


def note_pruned(connection: apsw.Connection) -> None:
    """Note that a game was pruned: profiles can't be rebuilt any more."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('pruned', x'01')")


def was_pruned(connection: apsw.Connection) -> bool:
    """Return whether a game was ever pruned."""
    return connection.execute("SELECT 1 FROM meta WHERE key = 'pruned'").get is not None


GAMES_PER_STEP: Final = 2
"""Games to rewrite in one transaction, for which moves wait."""

_DELETION_KEY: Final = "erasing "
"""Prefix of the deletion's key in `meta`."""

_GAMES_OF: Final = f"""
    SELECT number FROM seats WHERE person = :person
    UNION SELECT place >> {SEQ_BITS} FROM entries WHERE instr(body, :person_bytes) OR instr(body, :mark_bytes)
    ORDER BY 1
"""


def begin_deletion(connection: apsw.Connection, person: str, mark: str) -> None:
    """Delete the person's own rows, and note that their games follow; readers know the person as `mark`."""
    note_deletion(connection, person, mark)
    delete_own_rows(connection, person)


def finish_deletion(connection: apsw.Connection, person: str) -> None:
    """Delete rows written meanwhile, and the note."""
    delete_own_rows(connection, person)
    connection.execute("DELETE FROM meta WHERE key = ?", (f"{_DELETION_KEY}{person}",))


def unfinished_deletions(connection: apsw.Connection) -> list[tuple[str, str]]:
    """Return persons and marks whose deletion has begun and not finished."""
    query = "SELECT substr(key, length(?1) + 1), CAST(value AS TEXT) FROM meta WHERE substr(key, 1, length(?1)) = ?1"
    return decode_rows(connection.execute(query, (_DELETION_KEY,)), tuple[str, str])


def note_deletion(connection: apsw.Connection, person: str, mark: str) -> None:
    """Note that the deletion of the person has begun."""
    connection.execute(
        "INSERT OR REPLACE INTO meta VALUES (?, ?)", (f"{_DELETION_KEY}{person}", mark.encode())
    )


def games_of(connection: apsw.Connection, person: str, mark: str) -> list[int]:
    """Return the games in which the person sat, spoke or is named."""
    named = {"person": person, "person_bytes": person.encode(), "mark_bytes": (mark or person).encode()}
    return [number for (number,) in connection.execute(_GAMES_OF, named)]


def count_games_of(connection: apsw.Connection, person: str) -> int:
    """Return how many finished games the person played."""
    return scalar(connection, "SELECT count(*) FROM seats WHERE person = ? AND person <> ''", (person,))


def anonymize_seats(
    connection: apsw.Connection, number: int, ending: FinishedGame | None, person: str
) -> None:
    """Make the person's seats anonymous in the stored `ending` of a game, and in its index rows."""
    run = connection.execute
    if ending is not None:
        theirs = [each == person for each in ending.persons]
        seats = tuple(DELETED_NAME if own else name for name, own in zip(ending.seats, theirs, strict=True))
        persons = tuple("" if own else each for each, own in zip(ending.persons, theirs, strict=True))
        body = msgspec.json.encode(msgspec.structs.replace(ending, seats=seats, persons=persons))
        row = (body, hash_finished(number, body), number)
        run("UPDATE finished SET body = ?, hash = ? WHERE number = ?", row)
    run("UPDATE seats SET person = '', name = '' WHERE number = ? AND person = ?", (number, person))


def delete_own_rows(connection: apsw.Connection, person: str) -> None:
    """Delete the person's settings, profile and news."""
    connection.execute("DELETE FROM settings WHERE person = ?", (person,))
    connection.execute("DELETE FROM expired WHERE person = ?", (person,))
    player = scalar(connection, "SELECT player FROM players WHERE person = ?", (person,))
    delete_players(connection, [player])
    connection.execute("DELETE FROM meetings WHERE other = ?", (player,))


class ReportCounts(msgspec.Struct, frozen=True):
    """How many reports a person made, and how many are about them."""

    reports_by: int
    reports_about: int


def count_reports(connection: apsw.Connection, person: str) -> ReportCounts:
    """Count the reports by and about a person."""
    query = "SELECT ifnull(sum(reporter = ?1), 0), ifnull(sum(person = ?1), 0) FROM reports"
    [(by, about)] = decode_rows(connection.execute(query, (person,)), tuple[int, int])
    return ReportCounts(by, about)


def delete_person(connection: apsw.Connection, person: str, fresh: Callable[[], str]) -> tuple[str, ...]:
    """Delete a person's name, keys, ignored persons and reports; return the keys' fingerprints.

    Bans, mutes and reports about the person stay. Each key signs in as a new person; a key that is another person's id
    gets a new id from `fresh()` (random hex), so that it can't sign in as them. The key of a bot account becomes that
    of another one.
    """
    prefix = BOT_PERSON_PREFIX if is_bot_person(person) else NEW_PERSON_PREFIX
    keys = keys_of(connection, person)
    connection.execute("DELETE FROM keys WHERE person = ?", (person,))
    for key in keys:
        is_other = key.fingerprint != person and any(
            known.fingerprint != key.fingerprint for known in keys_of(connection, key.fingerprint)
        )
        if is_other or is_bot_person(person):
            connection.execute(
                "INSERT INTO keys (fingerprint, person, added, used) VALUES (?, ?, 0, 0)",
                (key.fingerprint, f"{prefix}{fresh()}"),
            )
    connection.execute("DELETE FROM names WHERE person = ?", (person,))
    connection.execute("DELETE FROM ignores WHERE person = ?", (person,))
    connection.execute("DELETE FROM reports WHERE reporter = ?", (person,))
    return tuple(key.fingerprint for key in keys)


MAX_GUESTS = 100_000
"""Resume codes to keep; those of guests without a seat are deleted first."""
MAX_SETTINGS = 100_000
"""Persons whose settings to keep."""
TRIM_BATCH = 100
"""Insertions between two deletions."""

_STRANGERS_SETTINGS = """
    SELECT id FROM settings WHERE NOT EXISTS (SELECT 1 FROM players WHERE players.person = settings.person)
    ORDER BY id LIMIT ?
"""


def store_resume_code(
    connection: apsw.Connection, code: str, guest: Guest, seated: Container[str] = ()
) -> None:
    """Make `code` the only resume code of `guest`; delete old codes of guests not in `seated`."""
    put_resume_code(connection, _hash_resume_code(code), None, guest)
    oldest = connection.execute(
        "SELECT id, person FROM guests WHERE person <> ? ORDER BY id", (guest.person,)
    )
    gone = ((row,) for row, person in oldest if person not in seated)
    rows = list(islice(gone, _excess(connection, "guests", MAX_GUESTS)))
    connection.executemany("DELETE FROM guests WHERE id = ?", rows)


def redeem_resume_code(connection: apsw.Connection, code: str, fresh: str) -> Guest | None:
    """Return the guest of `code`, whose codes are then `code` and `fresh`."""
    found = connection.execute(
        "UPDATE guests SET word = ?1, next = ?2 WHERE word = ?1 OR next = ?1 RETURNING person, name",
        (_hash_resume_code(code), _hash_resume_code(fresh)),
    )
    return next((Guest(str(person), str(name)) for person, name in found.fetchall()), None)


def put_resume_code(connection: apsw.Connection, code: bytes, following: bytes | None, guest: Guest) -> None:
    """Store the hashes of a code and, once it was used, of its successor."""
    connection.execute("DELETE FROM guests WHERE person = ?1 OR word = ?2 OR next = ?2", (guest.person, code))
    connection.execute(
        "INSERT INTO guests (word, next, person, name) VALUES (?, ?, ?, ?)",
        (code, following, guest.person, guest.name),
    )


def _hash_resume_code(code: str) -> bytes:
    # A code is random enough to need no salt.
    return hashlib.sha256(code.encode()).digest()


def put_settings(connection: apsw.Connection, person: str, settings: bytes) -> None:
    """Store the settings of `person` with a hash; b"" deletes them."""
    run = connection.execute
    run("DELETE FROM settings WHERE person = ?", (person,))
    if not settings:
        return
    row = (person, settings, hash_settings(person, settings))
    run("INSERT INTO settings (person, body, hash) VALUES (?, ?, ?)", row)
    excess = _excess(connection, "settings", MAX_SETTINGS)
    if excess:
        run(f"DELETE FROM settings WHERE id IN ({_STRANGERS_SETTINGS})", (excess,))
        rest = "DELETE FROM settings WHERE id IN (SELECT id FROM settings ORDER BY id LIMIT ?)"
        run(rest, (excess - connection.changes(),))


def read_settings(connection: apsw.Connection, person: str) -> bytes:
    """Return the person's settings; b"" if missing or damaged."""
    for body, digest in connection.execute("SELECT body, hash FROM settings WHERE person = ?", (person,)):
        if isinstance(body, bytes) and digest == hash_settings(person, body):
            return body
    return b""


def hash_settings(person: str, body: bytes) -> bytes:
    """Return the hash of stored settings."""
    return hashlib.sha256(b"settings\0" + person.encode() + b"\0" + body).digest()


def _excess(connection: apsw.Connection, table: Literal["guests", "settings"], most: int) -> int:
    """Return how many rows above `most` the table has, at one insertion in `TRIM_BATCH`; else 0."""
    if connection.last_insert_rowid() % TRIM_BATCH:
        return 0
    return max(0, scalar(connection, f"SELECT count(*) FROM {table}") - most)
