"""Remove data: prune old finished games, and delete a person's account.

Retention goes by rank: games of strangers go first, rated games between known people last.

Deleting an account removes the person's own rows at once and rewrites their games a few at a time. A row in `meta`
stays until all is done, so the next start continues what a crash cut short. A game keeps its moves and seats; the seat
becomes anonymous and its hashes are computed again. Bans stay, and so do reports about the person.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Final

import apsw
import msgspec

from cartino_server.limits import Retention
from cartino_server.store.migrations import SEQ_BITS
from cartino_server.store.moderation import GUEST_PREFIX
from cartino_server.store.people import NEW_PERSON_PREFIX, keys_of
from cartino_server.store.port import DELETED_NAME, FinishedGame
from cartino_server.store.queries import decode_rows, hash_finished

DAY: Final = 86_400
_NEVER: Final = 1 << 40
KNOWN_DAYS: Final = 3
"""Days on which somebody has to have finished a game to be no stranger any more: keys are made in a moment."""

STRANGERS, KNOWN, RATED = 0, 1, 2
"""The ranks, those that go first first: nobody known played, somebody did, two did in a game everybody may see."""

MAX_PLAYERS: Final = 100_000
"""People whose sums are kept: of those who played on few days the one who played longest ago goes first."""

_PACKED_BEFORE: Final = (
    "SELECT number FROM packed WHERE rank = ? AND ended < ? ORDER BY ended, number LIMIT ?"
)
_STRANGERS_FIRST: Final = f"SELECT player FROM players ORDER BY days >= {KNOWN_DAYS}, place LIMIT ?"
_LOWEST_RANKS: Final = "SELECT number FROM packed ORDER BY rank, ended, number LIMIT ?"


def retention_rank(connection: apsw.Connection, end: FinishedGame) -> int:
    """Return the rank of a game that ended so and is summed up."""
    known = known_persons(connection, end.persons)
    if len(known) > 1 and end.listed and end.winners and end.reason != "abandoned":
        return RATED
    return KNOWN if known else STRANGERS


def known_persons(connection: apsw.Connection, persons: Sequence[str]) -> frozenset[str]:
    """Return those of the `persons` (ids) who have finished games on several days."""
    query = "SELECT 1 FROM players WHERE person = ? AND days >= ?"
    asked = {person for person in persons if person and not person.startswith(GUEST_PREFIX)}
    return frozenset(one for one in asked if connection.execute(query, (one, KNOWN_DAYS)).get is not None)


def unix_time(text: str) -> int:
    """Return the moment when a game ended, in Unix seconds; one far off for what is no moment."""
    try:
        moment = datetime.fromisoformat(text)
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):
        return _NEVER


def expired_games(connection: apsw.Connection, keep: Retention, now: float, most: int) -> list[int]:
    """Return the games that `keep` lets go at `now` (Unix seconds), at most `most`."""
    spans = ((STRANGERS, keep.keep_days), (KNOWN, keep.keep_days), (RATED, keep.keep_rated_days))
    found = [
        number
        for rank, days in spans
        if days
        for (number,) in connection.execute(_PACKED_BEFORE, (rank, int(now - days * DAY), most))
    ][:most]
    if found or not keep.keep_most:
        return found
    beyond = count_packed(connection) - keep.keep_most
    return (
        [number for (number,) in connection.execute(_LOWEST_RANKS, (min(most, beyond),))]
        if beyond > 0
        else []
    )


def games_before(connection: apsw.Connection, before: int, most: int) -> list[int]:
    """Return games of any rank that ended before that moment (Unix seconds), at most `most`."""
    ranks = (STRANGERS, KNOWN, RATED)
    found = [
        number for rank in ranks for (number,) in connection.execute(_PACKED_BEFORE, (rank, before, most))
    ]
    return found[:most]


def count_expired(connection: apsw.Connection, keep: Retention, now: float) -> int:
    """Return how many games `keep` lets go at `now` (Unix seconds)."""
    query = "SELECT count(*) FROM packed WHERE rank BETWEEN ? AND ? AND ended < ?"
    old = 0
    for first, last, days in ((STRANGERS, KNOWN, keep.keep_days), (RATED, RATED, keep.keep_rated_days)):
        count = connection.execute(query, (first, last, int(now - days * DAY))).get if days else 0
        old += count if isinstance(count, int) else 0
    return max(old, count_packed(connection) - keep.keep_most) if keep.keep_most else old


def count_packed(connection: apsw.Connection) -> int:
    """Return how many packed games there are."""
    count = connection.execute("SELECT count(*) FROM packed").get
    return count if isinstance(count, int) else 0


def count_games_before(connection: apsw.Connection, before: int) -> int:
    """Return how many packed games ended before that moment (Unix seconds)."""
    query = "SELECT count(*) FROM packed WHERE rank = ? AND ended < ?"
    counts = (connection.execute(query, (rank, before)).get for rank in (STRANGERS, KNOWN, RATED))
    return sum(count for count in counts if isinstance(count, int))


def surplus_players(connection: apsw.Connection, most: int) -> list[int]:
    """Return players whose sums go, at most `most`, since there are more than MOST_PLAYERS."""
    count = connection.execute("SELECT count(*) FROM players").get
    beyond = (count if isinstance(count, int) else 0) - MAX_PLAYERS
    return (
        [number for (number,) in connection.execute(_STRANGERS_FIRST, (min(most, beyond),))]
        if beyond > 0
        else []
    )


def delete_players(connection: apsw.Connection, players: Sequence[int]) -> None:
    """Remove the sums of these players, and how others did against them."""
    run = connection.execute
    for player in players:
        for (other,) in run("SELECT DISTINCT other FROM meetings WHERE player = ?", (player,)).fetchall():
            run("DELETE FROM meetings WHERE player = ? AND other = ?", (other, player))
        for table in ("meetings", "scores", "bests", "ratings", "players"):
            run(f"DELETE FROM {table} WHERE player = ?", (player,))


def note_pruned(connection: apsw.Connection) -> None:
    """Write down that a finished game was removed: the sums can't be made anew from then on."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('pruned', x'01')")


def was_pruned(connection: apsw.Connection) -> bool:
    """Return whether a finished game was ever removed."""
    return connection.execute("SELECT 1 FROM meta WHERE key = 'pruned'").get is not None


GAMES_PER_STEP: Final = 2
"""Games that are written anew in one transaction: others' moves wait for it."""

_DELETION_KEY: Final = "erasing "
"""Before the person, in the key of that row."""

_GAMES_OF: Final = f"""
    SELECT number FROM seats WHERE person = :person
    UNION SELECT place >> {SEQ_BITS} FROM entries WHERE instr(body, :person_bytes) OR instr(body, :mark_bytes)
    ORDER BY 1
"""


def begin_deletion(connection: apsw.Connection, person: str, mark: str) -> None:
    """Delete what is the person's alone, and write down that their games are to follow.

    `mark` is how readers of what they said know them.
    """
    note_deletion(connection, person, mark)
    delete_own_rows(connection, person)


def finish_deletion(connection: apsw.Connection, person: str) -> None:
    """Nothing of the person is left, neither of what was still under way when it began."""
    delete_own_rows(connection, person)
    connection.execute("DELETE FROM meta WHERE key = ?", (f"{_DELETION_KEY}{person}",))


def unfinished_deletions(connection: apsw.Connection) -> list[tuple[str, str]]:
    """Return the persons, with their marks, whose deletion has begun and not ended."""
    query = "SELECT substr(key, length(?1) + 1), CAST(value AS TEXT) FROM meta WHERE substr(key, 1, length(?1)) = ?1"
    return decode_rows(connection.execute(query, (_DELETION_KEY,)), tuple[str, str])


def note_deletion(connection: apsw.Connection, person: str, mark: str) -> None:
    """Write down that the deletion of the person, who is `mark` to readers, has begun."""
    connection.execute(
        "INSERT OR REPLACE INTO meta VALUES (?, ?)", (f"{_DELETION_KEY}{person}", mark.encode())
    )


def games_of(connection: apsw.Connection, person: str, mark: str) -> list[int]:
    """Return the numbers of the games in which the person sat, or is named: as who said something, say."""
    named = {"person": person, "person_bytes": person.encode(), "mark_bytes": (mark or person).encode()}
    return [number for (number,) in connection.execute(_GAMES_OF, named)]


def count_games_of(connection: apsw.Connection, person: str) -> int:
    """Return how many finished games the person played."""
    count = connection.execute("SELECT count(*) FROM seats WHERE person = ? AND person <> ''", (person,)).get
    return count if isinstance(count, int) else 0


def anonymize(ending: FinishedGame, person: str) -> FinishedGame:
    """Return the ending of a game in which nobody knows who sat where the person did."""
    theirs = [each == person for each in ending.persons]
    return msgspec.structs.replace(
        ending,
        seats=tuple(DELETED_NAME if gone else name for name, gone in zip(ending.seats, theirs, strict=True)),
        persons=tuple("" if gone else each for each, gone in zip(ending.persons, theirs, strict=True)),
    )


def replace_finished(connection: apsw.Connection, number: int, ending: FinishedGame) -> None:
    """Write the ending of a game in place of the one before."""
    body = msgspec.json.encode(ending)
    connection.execute(
        "UPDATE finished SET body = ?, hash = ? WHERE number = ?", (body, hash_finished(number, body), number)
    )


def clear_seats(connection: apsw.Connection, number: int, person: str) -> None:
    """Nobody finds the game by the person any more, by id or by name."""
    connection.execute(
        "UPDATE seats SET person = '', name = '' WHERE number = ? AND person = ?", (number, person)
    )


def delete_own_rows(connection: apsw.Connection, person: str) -> None:
    """Delete the person's settings, and all that was summed up of them."""
    connection.execute("DELETE FROM settings WHERE person = ?", (person,))
    query = "SELECT player FROM players WHERE person = ?"
    for (player,) in connection.execute(query, (person,)).fetchall():
        for table in ("scores", "bests", "ratings", "meetings", "players"):
            connection.execute(f"DELETE FROM {table} WHERE player = ?", (player,))
        connection.execute("DELETE FROM meetings WHERE other = ?", (player,))


class ReportCounts(msgspec.Struct, frozen=True):
    """How much the register has of a person: the reports they made, and those about them."""

    reports_by: int
    reports_about: int


def count_reports(connection: apsw.Connection, person: str) -> ReportCounts:
    """Return how much there is of the person of that id."""
    query = "SELECT ifnull(sum(reporter = ?1), 0), ifnull(sum(person = ?1), 0) FROM reports"
    [(by, about)] = decode_rows(connection.execute(query, (person,)), tuple[int, int])
    return ReportCounts(by, about)


def delete_person(connection: apsw.Connection, person: str, fresh: Callable[[], str]) -> tuple[str, ...]:
    """Delete the person's name, keys, ignored people and reports; return the fingerprints of the keys.

    Bans and mutes stay, and reports about the person until the host closes them. Each key is somebody new from now
    on. Where another person is named by a key, who must not come by it, it stays as that of `fresh()`: random hex.
    """
    keys = keys_of(connection, person)
    connection.execute("DELETE FROM keys WHERE person = ?", (person,))
    for key in keys:
        if key.fingerprint != person and any(
            known.fingerprint != key.fingerprint for known in keys_of(connection, key.fingerprint)
        ):
            connection.execute(
                "INSERT INTO keys (fingerprint, person, added, used) VALUES (?, ?, 0, 0)",
                (key.fingerprint, f"{NEW_PERSON_PREFIX}{fresh()}"),
            )
    connection.execute("DELETE FROM names WHERE person = ?", (person,))
    connection.execute("DELETE FROM ignores WHERE person = ?", (person,))
    connection.execute("DELETE FROM reports WHERE reporter = ?", (person,))
    return tuple(key.fingerprint for key in keys)
