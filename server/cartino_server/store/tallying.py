"""Summing up finished games, each once and in one order: the same games in that order always come to the same sums.

Nothing here is written with a move: a game that ends only gets its place (`Ledger`), and is summed up after that.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import apsw
import msgspec

from cartino_server.store.port import Due
from cartino_server.store.pruning import was_pruned
from cartino_server.store.queries import ending, finished, read_rows
from cartino_server.store.standing import Rating, Score, Tally

FORMAT: Final = 2
"""One more whenever the same games come to other sums, as by another way to rate: then all are summed up anew."""

BOT: Final = "bot:"
"""What a bot's id begins with, and no person's."""

SUMS: Final = ("players", "scores", "bests", "meetings", "ratings")

_PUT_SCORE: Final = """
    INSERT INTO scores VALUES (?1, ?2, ?3, ?4, 1, ?5, ?6)
    ON CONFLICT DO UPDATE SET games = games + 1, wins = wins + ?5, points = points + ?6
"""
_PUT_BEST: Final = """
    INSERT INTO bests VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
    ON CONFLICT DO UPDATE SET value = ?6, number = ?7 WHERE value < ?6
"""
_PUT_MEETING: Final = """
    INSERT INTO meetings VALUES (?1, ?2, ?3, ?4, 1, ?5, ?6)
    ON CONFLICT DO UPDATE SET games = games + 1, ahead = ahead + ?5, behind = behind + ?6
"""
# What somebody is called at a private table is nobody else's business: no name from there takes the place of a public
# one, and none has a key, by which it could be found.
_RENAME: Final = """
    UPDATE players SET name = ?2, key = ?3, place = ?4 WHERE person = ?1 AND (?5 OR key = '') RETURNING player
"""

_COUNT_DAY: Final = "UPDATE players SET days = days + 1, day = ?2 WHERE player = ?1 AND day < ?2"


def place(connection: apsw.Connection, number: int) -> None:
    """The game has come to its end: it is the next to be summed up."""
    connection.execute("INSERT INTO tally (number, done) VALUES (?, 0)", (number,))


def place_all(connection: apsw.Connection, places: Mapping[int, int]) -> None:
    """Place all finished games anew: as `places` has them, or where it lacks one, in the order of when they ended."""
    numbers = finished(connection)
    if not all(number in places for number in numbers):
        ends = {number: ending(connection, number) for number in numbers}
        numbers.sort(key=lambda number: (end.ended if (end := ends[number]) else "", places.get(number, 0)))
    else:
        numbers.sort(key=lambda number: places[number])
    connection.execute("DELETE FROM tally")
    for number in numbers:
        place(connection, number)


def due(connection: apsw.Connection, most: int) -> Sequence[Due]:
    """The first games that are still to be summed up, at most `most`."""
    query = "SELECT place, number FROM tally WHERE NOT done ORDER BY place LIMIT ?"
    rows = read_rows(connection.execute(query, (most,)), tuple[int, int])
    return tuple(Due(place, number, ending(connection, number)) for place, number in rows)


def ratings(connection: apsw.Connection, game: str, persons: Sequence[str]) -> Mapping[str, Rating]:
    """The ratings at `game` of those of the `persons` (ids) who have one."""
    query = """
        SELECT mu, sigma, ratings.games, shown FROM ratings JOIN players USING (player)
        WHERE person = ? AND game = ?
    """
    found: dict[str, Rating] = {}
    for person in persons:
        for row in read_rows(connection.execute(query, (person, game)), tuple[float, float, int, int]):
            found[person] = Rating(*row)
    return found


def tally(connection: apsw.Connection, game: Tally) -> None:
    """Sum up a game; one that is summed up already is let be."""
    connection.execute("UPDATE tally SET done = 1 WHERE number = ? AND NOT done", (game.number,))
    if not connection.changes():
        return
    game = _of_those_who_stay(connection, game)
    options = write_options(game.options)
    numbers = [_player(connection, game, score) for score in game.scores]
    for player in numbers:
        connection.execute(_COUNT_DAY, (player, game.day))
    for player, score in zip(numbers, game.scores, strict=True):
        kind = (player, game.game, options, game.listed)
        connection.execute(_PUT_SCORE, (*kind, score.rank == 0, score.points))
        for fact, value in score.bests.items():
            connection.execute(_PUT_BEST, (*kind, fact, value, game.number))
        for other, met in zip(numbers, game.scores, strict=True):
            if other != player:
                ahead, behind = score.rank < met.rank, score.rank > met.rank
                connection.execute(_PUT_MEETING, (player, other, game.game, game.listed, ahead, behind))
        if score.rating is not None:
            rating, bot = score.rating, score.person.startswith(BOT)
            connection.execute(
                "INSERT OR REPLACE INTO ratings VALUES (?, ?, ?, ?, ?, ?, ?)",
                (player, game.game, bot, rating.games, rating.mu, rating.sigma, rating.shown),
            )


def _of_those_who_stay(connection: apsw.Connection, game: Tally) -> Tally:
    """Return the sums without those of people who have deleted their account since the game was read."""
    seated = {
        (person, name)
        for person, name in connection.execute(
            "SELECT person, name FROM seats WHERE number = ?", (game.number,)
        )
    }
    if ("", "") not in seated:
        return game
    known = {person for person, _ in seated}
    stay = tuple(score for score in game.scores if score.person.startswith(BOT) or score.person in known)
    return msgspec.structs.replace(game, scores=stay)


def agree(connection: apsw.Connection) -> None:
    """Forget sums of another format: they are made anew, as far as all games are there."""
    found = connection.execute("SELECT value FROM meta WHERE key = 'tally'").get
    if found != b"%d" % FORMAT:
        reset(connection)


def reset(connection: apsw.Connection) -> None:
    """Forget all sums, in a transaction of its own or the one that runs: the games are summed up again, in order.

    Where finished games were pruned, the sums are all that is left of those, and stay.
    """
    with connection:
        if not was_pruned(connection):
            for table in SUMS:
                connection.execute(f"DELETE FROM {table}")
            connection.execute("UPDATE tally SET done = 0 WHERE done")
        connection.execute("INSERT OR REPLACE INTO meta VALUES ('tally', ?)", (b"%d" % FORMAT,))


def write_options(options: Mapping[str, str]) -> str:
    """Options as they stand in the sums: the same ones always read the same."""
    return msgspec.json.encode(dict(sorted(options.items()))).decode()


def _player(connection: apsw.Connection, game: Tally, score: Score) -> int:
    """The player's number, who is called as in this game from now on if everybody may see it."""
    # A bot's name is no secret anywhere.
    key = score.name.casefold() if game.listed or score.person.startswith(BOT) else ""
    run = connection.execute
    rows = run(_RENAME, (score.person, score.name, key, game.place, game.listed)).fetchall()
    rows = (
        rows
        or run("SELECT player FROM players WHERE person = ?", (score.person,)).fetchall()
        or run(
            "INSERT INTO players (person, name, key, place) VALUES (?, ?, ?, ?) RETURNING player",
            (score.person, score.name, key, game.place),
        ).fetchall()
    )
    [(player,)] = read_rows(rows, tuple[int])
    return player
