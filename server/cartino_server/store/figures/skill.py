"""What each player, person or bot, lost by decisions in their last reviewed games of each kind, and how sure that is.

Kinds differ in the game, its options and the number of seats. Only public games that were played to their end count,
and only reviews by one version of an evaluation.
"""

from collections.abc import Collection, Sequence
from math import sqrt
from statistics import fmean, stdev
from typing import Final

import apsw
import msgspec

from cartino_protocol.views import RatingRange, Skill
from cartino_server.store.port import RATING_BASE, RATING_SCALE, SURE, displayed_rating
from cartino_server.store.queries import decode_rows

LAST_GAMES: Final = 40
"""Games that count: two players 5 points apart separate in about so many."""
_Z: Final = 1.96
"""Standard deviations on each side that hold 95% of a normal distribution."""
_FEW: Final = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26)
"""The same of Student's t distribution with 1, 2, ... degrees of freedom."""

_PUT: Final = """
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
_DROP: Final = f"""
    DELETE FROM skill WHERE player = ?1 AND game = ?2 AND options = ?3 AND seats = ?4
    AND (evaluation <> ?5 OR (place, seat) NOT IN (
        SELECT place, seat FROM skill
        WHERE player = ?1 AND game = ?2 AND options = ?3 AND seats = ?4 AND evaluation = ?5
        ORDER BY place DESC, seat DESC LIMIT {LAST_GAMES}
    ))
"""
_LOST: Final = (
    "SELECT game, options, seats, evaluation, lost FROM skill WHERE player = ? ORDER BY game, options, seats"
)


def count_losses(connection: apsw.Connection, number: int) -> None:
    """Count what the players of a finished game lost, if it is counted and reviewed already."""
    rows = connection.execute(_PUT, (number,)).fetchall()
    for kind in dict.fromkeys(decode_rows(rows, tuple[int, str, str, int, str])):
        connection.execute(_DROP, kind)


def read_skill(connection: apsw.Connection, player: int, evaluations: Collection[str]) -> tuple[Skill, ...]:
    """Return what the player loses a game, by kind of game, as one of `evaluations` judged; most games first."""
    kinds: dict[tuple[str, str, int], list[float]] = {}
    rows = decode_rows(connection.execute(_LOST, (player,)), tuple[str, str, int, str, float])
    for game, options, seats, evaluation, lost in rows:
        if evaluation in evaluations:
            kinds.setdefault((game, options, seats), []).append(lost)
    found = [
        Skill(
            game,
            msgspec.json.decode(options, type=dict[str, str]),
            seats,
            len(lost),
            round(fmean(lost), 1),
            _half_interval(lost),
        )
        for (game, options, seats), lost in kinds.items()
    ]
    return tuple(sorted(found, key=lambda skill: -skill.games))


def rating_range(mu: float, sigma: float) -> RatingRange:
    """Return between which ratings a player's level lies with 99.7% certainty; the lower one is that shown."""
    highest = RATING_BASE + round(RATING_SCALE * (mu + SURE * sigma))
    return RatingRange(displayed_rating(mu, sigma), highest)


def _half_interval(values: Sequence[float]) -> float | None:
    """Return half of the mean's 95% interval (Student's t); None for a single value."""
    free = len(values) - 1
    if free < 1:
        return None
    t = _FEW[free - 1] if free <= len(_FEW) else _Z + (_Z**3 + _Z) / (4 * free)
    return round(t * stdev(values) / sqrt(len(values)), 1)
