"""How long finished games are kept: the settings, a game's rank, and which games go next."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

import apsw
import msgspec

from cartino_server.store.port import Ending
from cartino_server.store.register.reports import GUEST

DAY: Final = 86_400
_FAR_OFF: Final = 1 << 40
KNOWN_DAYS: Final = 3
"""Days on which somebody has to have finished a game to be no stranger any more: keys are made in a moment."""

STRANGERS, KNOWN, RATED = 0, 1, 2
"""The ranks, those that go first first: nobody known played, somebody did, two did in a game everybody may see."""

MOST_PLAYERS: Final = 100_000
"""People whose sums are kept: of those who played on few days the one who played longest ago goes first."""

_OLDER: Final = "SELECT number FROM packed WHERE rank = ? AND ended < ? ORDER BY ended, number LIMIT ?"
_STRANGERS: Final = f"SELECT player FROM players ORDER BY days >= {KNOWN_DAYS}, place LIMIT ?"
_FIRST: Final = "SELECT number FROM packed ORDER BY rank, ended, number LIMIT ?"


class Retention(msgspec.Struct, frozen=True):
    """How long finished games are kept: for `days`, rated ones between known people for `rated_days`; 0 is for good.

    At most `most` in all, 0 for any number; then strangers' games go first and rated ones last, each the oldest first.
    """

    days: float = 365
    rated_days: float = 0
    most: int = 200_000


def rank_of(connection: apsw.Connection, end: Ending) -> int:
    """Return the rank of a game that ended so and is summed up."""
    known = known_of(connection, end.persons)
    if len(known) > 1 and end.listed and end.winners and end.reason != "abandoned":
        return RATED
    return KNOWN if known else STRANGERS


def known_of(connection: apsw.Connection, persons: Sequence[str]) -> frozenset[str]:
    """Return those of the `persons` (ids) who have finished games on several days."""
    query = "SELECT 1 FROM players WHERE person = ? AND days >= ?"
    asked = {person for person in persons if person and not person.startswith(GUEST)}
    return frozenset(one for one in asked if connection.execute(query, (one, KNOWN_DAYS)).get is not None)


def ended_at(text: str) -> int:
    """Return the moment when a game ended, in Unix seconds; one far off for what is no moment."""
    try:
        moment = datetime.fromisoformat(text)
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):
        return _FAR_OFF


def prunable(connection: apsw.Connection, keep: Retention, now: float, most: int) -> list[int]:
    """Return the games that `keep` lets go at `now` (Unix seconds), at most `most`."""
    spans = ((STRANGERS, keep.days), (KNOWN, keep.days), (RATED, keep.rated_days))
    found = [
        number
        for rank, days in spans
        if days
        for (number,) in connection.execute(_OLDER, (rank, int(now - days * DAY), most))
    ][:most]
    if found or not keep.most:
        return found
    beyond = count_packed(connection) - keep.most
    return [number for (number,) in connection.execute(_FIRST, (min(most, beyond),))] if beyond > 0 else []


def older(connection: apsw.Connection, before: int, most: int) -> list[int]:
    """Return games of any rank that ended before that moment (Unix seconds), at most `most`."""
    ranks = (STRANGERS, KNOWN, RATED)
    found = [number for rank in ranks for (number,) in connection.execute(_OLDER, (rank, before, most))]
    return found[:most]


def count_prunable(connection: apsw.Connection, keep: Retention, now: float) -> int:
    """Return how many games `keep` lets go at `now` (Unix seconds)."""
    query = "SELECT count(*) FROM packed WHERE rank BETWEEN ? AND ? AND ended < ?"
    old = 0
    for first, last, days in ((STRANGERS, KNOWN, keep.days), (RATED, RATED, keep.rated_days)):
        count = connection.execute(query, (first, last, int(now - days * DAY))).get if days else 0
        old += count if isinstance(count, int) else 0
    return max(old, count_packed(connection) - keep.most) if keep.most else old


def count_packed(connection: apsw.Connection) -> int:
    """Return how many packed games there are."""
    count = connection.execute("SELECT count(*) FROM packed").get
    return count if isinstance(count, int) else 0


def count_older(connection: apsw.Connection, before: int) -> int:
    """Return how many packed games ended before that moment (Unix seconds)."""
    query = "SELECT count(*) FROM packed WHERE rank = ? AND ended < ?"
    counts = (connection.execute(query, (rank, before)).get for rank in (STRANGERS, KNOWN, RATED))
    return sum(count for count in counts if isinstance(count, int))


def players_beyond(connection: apsw.Connection, most: int) -> list[int]:
    """Return players whose sums go, at most `most`, since there are more than MOST_PLAYERS."""
    count = connection.execute("SELECT count(*) FROM players").get
    beyond = (count if isinstance(count, int) else 0) - MOST_PLAYERS
    return (
        [number for (number,) in connection.execute(_STRANGERS, (min(most, beyond),))] if beyond > 0 else []
    )


def forget_players(connection: apsw.Connection, players: Sequence[int]) -> None:
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
