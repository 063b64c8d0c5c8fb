"""Goals: each person's games against each bot, by kind of game and number of seats, and their days in a row."""

from typing import Final

import apsw
import msgspec

from cartino_protocol.views import Goal
from cartino_server.store.port import GameScores, SeatScore
from cartino_server.store.queries import decode_rows

_PUT_GOAL: Final = """
    INSERT INTO goals VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, ?7, ?8, ?9, ?10)
    ON CONFLICT DO UPDATE SET games = games + 1, wins = wins + ?7, margin = max(margin, ?8), best = max(best, ?10)
"""
_PUT_DAY: Final = """
    UPDATE players SET streak_from = CASE WHEN ?2 > streak_to + 1 THEN ?2 ELSE streak_from END,
        streak_to = max(streak_to, ?2)
    WHERE player = ?1
"""
_GOALS: Final = """
    SELECT game, options, seats, bot, sum(games), sum(wins), max(margin), fact, max(best) FROM goals
    WHERE player = ? AND listed >= ? GROUP BY game, options, seats, bot
    ORDER BY game, options, seats, sum(games) DESC, bot
"""
_STREAK: Final = "SELECT streak_to - streak_from + 1 FROM players WHERE player = ? AND streak_to >= ?"


def count_goals(
    connection: apsw.Connection, game: GameScores, options: str, player: int, score: SeatScore
) -> None:
    """Count a game for the person numbered `player`, who has `score` in it."""
    connection.execute(_PUT_DAY, (player, game.day))
    fact, best = next(iter(score.highlights.items()), ("", 0))
    for bot, margin in score.margins.items():
        kind = (player, bot, game.game, options, game.seats, game.listed)
        connection.execute(_PUT_GOAL, (*kind, score.rank == 0, margin, fact, best))


def read_goals(connection: apsw.Connection, player: int, listed: bool) -> tuple[Goal, ...]:
    """Return the player's goals, those from public games alone if `listed`."""
    rows = decode_rows(
        connection.execute(_GOALS, (player, listed)), tuple[str, str, int, str, int, int, int, str, int]
    )
    return tuple(
        Goal(
            row[0], msgspec.json.decode(row[1], type=dict[str, str]), row[2], row[3], row[4], row[5], *row[6:]
        )
        for row in rows
    )


def read_streak(connection: apsw.Connection, player: int, today: int) -> int:
    """Return on how many days in a row, up to today or yesterday, the player has finished a game."""
    found = connection.execute(_STREAK, (player, today - 1)).get
    return found if isinstance(found, int) else 0
