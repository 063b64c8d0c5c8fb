"""Sum up finished games into scores, ratings, head-to-head results, goals against bots, and points lost.

Each game counts once, in the order in which games ended, so the same games always give the same sums. Moves never wait
for it: a game that ends only gets its place in that order. Games at private tables count only for those who played in
them, and not in what players lose; there only games that were played to their end count, for each kind of game, by one
version of an evaluation.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import apsw
import msgspec

from cartino_protocol.records import BOT
from cartino_server.store.figures.missed import note_all_told
from cartino_server.store.personal_data import was_pruned
from cartino_server.store.port import GameScores, SeatScore, UncountedGame
from cartino_server.store.queries import decode_rows, finished_numbers, read_finished
from cartino_server.visitors import is_bot

SUMS_FORMAT: Final = 2
"""Raise this when the same games give other sums, so that all are counted again."""
SUM_TABLES: Final = ("players", "scores", "bests", "meetings", "ratings", "goals", "skill")
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
_PUT_GOAL: Final = """
    INSERT INTO goals VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, ?7, ?8, ?9, ?10)
    ON CONFLICT DO UPDATE SET games = games + 1, wins = wins + ?7, margin = max(margin, ?8), best = max(best, ?10)
"""
_PUT_DAY: Final = """
    UPDATE players SET streak_from = CASE WHEN ?2 > streak_to + 1 THEN ?2 ELSE streak_from END,
        streak_to = max(streak_to, ?2)
    WHERE player = ?1
"""
LAST_GAMES: Final = 40
"""Games that count: two players 5 points apart separate in about so many."""
# A name used at a private table is not public: it replaces no public name, and has no key by which it could be found.
_RENAME: Final = """
    UPDATE players SET name = ?2, key = ?3, place = ?4 WHERE person = ?1 AND (?5 OR key = '') RETURNING player
"""
_RENAME_AT_ONCE: Final = """
    UPDATE players SET name = ?2, key = CASE key WHEN '' THEN '' ELSE ?3 END WHERE person = ?1
"""
_COUNT_DAY: Final = "UPDATE players SET days = days + 1, day = ?2 WHERE player = ?1 AND day < ?2"
_PUT_SKILL: Final = """
    INSERT OR REPLACE INTO skill
    SELECT players.player, reviews.game, reviews.options,
        (SELECT count(*) FROM seats WHERE number = ?1), tally.place, losses.seat, reviews.evaluation, losses.lost
    FROM losses JOIN reviews USING (number) JOIN finished USING (number) JOIN tally USING (number)
    JOIN seats ON seats.number = losses.number AND seats.seat = losses.seat
    JOIN players ON players.person = CASE WHEN seats.person <> '' THEN seats.person ELSE seats.name END
    WHERE losses.number = ?1 AND finished.listed AND losses.turns > 0
    AND CASE WHEN json_valid(CAST(finished.body AS TEXT))
        THEN json_extract(CAST(finished.body AS TEXT), '$.reason') <> 'abandoned' END
    RETURNING player, game, options, seats, evaluation
"""
_DROP_SKILL: Final = f"""
    DELETE FROM skill WHERE player = ?1 AND game = ?2 AND options = ?3 AND seats = ?4
    AND (evaluation <> ?5 OR (place, seat) NOT IN (
        SELECT place, seat FROM skill
        WHERE player = ?1 AND game = ?2 AND options = ?3 AND seats = ?4 AND evaluation = ?5
        ORDER BY place DESC, seat DESC LIMIT {LAST_GAMES}
    ))
"""


def rename_player(connection: apsw.Connection, person: str, name: str) -> None:
    """Call a person by their new name; others find them by it if they knew the old one."""
    connection.execute(_RENAME_AT_ONCE, (person, name, name.casefold()))


def queue_game(connection: apsw.Connection, number: int) -> None:
    """Queue a finished game to be counted."""
    connection.execute("INSERT INTO tally (number, done) VALUES (?, 0)", (number,))


def requeue_games(connection: apsw.Connection, places: Mapping[int, int]) -> None:
    """Queue all finished games again: by `places`, or if one is missing there, by when they ended."""
    numbers = finished_numbers(connection)
    ended: dict[int, str] = {}
    if not all(number in places for number in numbers):
        ends = {number: read_finished(connection, number) for number in numbers}
        ended = {number: end.ended for number, end in ends.items() if end}
    numbers.sort(key=lambda number: (ended.get(number, ""), places.get(number, 0)))
    connection.execute("DELETE FROM tally")
    for number in numbers:
        queue_game(connection, number)
    note_all_told(connection)


def uncounted_games(connection: apsw.Connection, most: int) -> Sequence[UncountedGame]:
    """Return the first `most` games that are not counted yet."""
    query = "SELECT place, number FROM tally WHERE NOT done ORDER BY place LIMIT ?"
    rows = decode_rows(connection.execute(query, (most,)), tuple[int, int])
    return tuple(UncountedGame(place, number, read_finished(connection, number)) for place, number in rows)


def count_games(connection: apsw.Connection, games: Sequence[GameScores]) -> None:
    """Count finished games, unless they are counted already."""
    for game in games:
        _count_game(connection, game)


def _count_game(connection: apsw.Connection, game: GameScores) -> None:
    connection.execute("UPDATE tally SET done = 1 WHERE number = ? AND NOT done", (game.number,))
    if not connection.changes():
        return
    game = _without_deleted(connection, game)
    options = encode_options(game.options)
    numbers = [_player_number(connection, game, score) for score in game.scores]
    for player in numbers:
        connection.execute(_COUNT_DAY, (player, game.day))
    for player, score in zip(numbers, game.scores, strict=True):
        kind = (player, game.game, options, game.listed)
        connection.execute(_PUT_SCORE, (*kind, score.rank == 0, score.points))
        count_goals(connection, game, options, player, score)
        for fact, value in score.highlights.items():
            connection.execute(_PUT_BEST, (*kind, fact, value, game.number))
        for other, met in zip(numbers, game.scores, strict=True):
            if other != player:
                ahead, behind = score.rank < met.rank, score.rank > met.rank
                connection.execute(_PUT_MEETING, (player, other, game.game, game.listed, ahead, behind))
        if score.rating is not None:
            rating, bot = score.rating, is_bot(score.person)
            connection.execute(
                "INSERT OR REPLACE INTO ratings VALUES (?, ?, ?, ?, ?, ?, ?)",
                (player, game.game, bot, rating.games, rating.mu, rating.sigma, rating.shown),
            )
    count_losses(connection, game.number)


def count_goals(
    connection: apsw.Connection, game: GameScores, options: str, player: int, score: SeatScore
) -> None:
    """Count a game for the person numbered `player`, who has `score` in it."""
    connection.execute(_PUT_DAY, (player, game.day))
    fact, best = next(iter(score.highlights.items()), ("", 0))
    for bot, margin in score.margins.items():
        kind = (player, bot, game.game, options, game.seats, game.listed)
        connection.execute(_PUT_GOAL, (*kind, score.rank == 0, margin, fact, best))


def _without_deleted(connection: apsw.Connection, game: GameScores) -> GameScores:
    """Remove scores of persons who deleted their account since the game was read."""
    query = "SELECT person, name FROM seats WHERE number = ?"
    seated = set(decode_rows(connection.execute(query, (game.number,)), tuple[str, str]))
    if ("", "") not in seated:
        return game
    known = {person for person, _ in seated}
    stay = tuple(score for score in game.scores if score.person.startswith(BOT) or score.person in known)
    return msgspec.structs.replace(game, scores=stay)


def reset_outdated_sums(connection: apsw.Connection) -> None:
    """Reset sums of an older format."""
    found = connection.execute("SELECT value FROM meta WHERE key = 'tally'").get
    if found != b"%d" % SUMS_FORMAT:
        reset_sums(connection)


def reset_sums(connection: apsw.Connection) -> None:
    """Delete all sums, so that the games are counted again in order.

    After pruning, the sums can't be rebuilt and stay.
    """
    with connection:
        if not was_pruned(connection):
            for table in SUM_TABLES:
                connection.execute(f"DELETE FROM {table}")
            connection.execute("UPDATE tally SET done = 0 WHERE done")
            note_all_told(connection)
        connection.execute("INSERT OR REPLACE INTO meta VALUES ('tally', ?)", (b"%d" % SUMS_FORMAT,))


def encode_options(options: Mapping[str, str]) -> str:
    """Encode options; equal options give equal text."""
    return msgspec.json.encode(dict(sorted(options.items()))).decode()


def _player_number(connection: apsw.Connection, game: GameScores, score: SeatScore) -> int:
    """Return the player's number; update their name from a listed game."""
    # A bot's name is public.
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
    [(player,)] = decode_rows(rows, tuple[int])
    return player


def count_losses(connection: apsw.Connection, number: int) -> None:
    """Count what the players of a finished game lost, if it is counted and reviewed already."""
    rows = connection.execute(_PUT_SKILL, (number,)).fetchall()
    for kind in dict.fromkeys(decode_rows(rows, tuple[int, str, str, int, str])):
        connection.execute(_DROP_SKILL, kind)
