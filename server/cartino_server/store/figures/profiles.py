"""Answer profile and leaderboard queries from the sums, as far as the asking person may see them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from math import sqrt
from statistics import fmean, stdev
from typing import Final

import apsw
import msgspec

from cartino_protocol.base import game_name
from cartino_protocol.records import BOT
from cartino_protocol.views import (
    Goal,
    HeadToHead,
    Highlight,
    Leader,
    LeadersView,
    ProfileView,
    RatingLine,
    RatingRange,
    ScoreLine,
    Skill,
)
from cartino_server.store.port import RATING_BASE, RATING_SCALE, SURE, ProfileQuery, Rating, displayed_rating
from cartino_server.store.queries import decode_rows
from cartino_server.visitors import is_bot

MAX_LEADERS: Final = 50
LAST_PLACE_COUNTED: Final = 1000
"""Ranks are counted this far; lower players have none."""
_SCORES: Final = """
    SELECT game, options, sum(games), sum(wins), sum(points) FROM scores WHERE player = ? AND listed >= ?
    GROUP BY game, options ORDER BY sum(games) DESC, game, options
"""
# SQLite takes the bare column `number` from the row with the maximum.
_BESTS: Final = """
    SELECT fact, max(value), number FROM bests
    WHERE player = ? AND listed >= ? AND game = ? AND options = ? GROUP BY fact ORDER BY fact
"""
_MEETINGS: Final = """
    SELECT game, sum(games), sum(ahead), sum(behind) FROM meetings
    WHERE player = ? AND other = ? AND listed >= ? GROUP BY game ORDER BY sum(games) DESC, game
"""
_BETTER: Final = "SELECT 1 FROM ratings WHERE game = ? AND bot = ? AND shown > ? LIMIT ?"
_BOARD: Final = """
    SELECT player, name, shown, games, mu, sigma FROM ratings JOIN players USING (player)
    WHERE game = ? AND bot = ? ORDER BY shown DESC, player LIMIT ?
"""
_GOALS: Final = """
    SELECT game, options, seats, bot, sum(games), sum(wins), max(margin), fact, max(best) FROM goals
    WHERE player = ? AND listed >= ? GROUP BY game, options, seats, bot
    ORDER BY game, options, seats, sum(games) DESC, bot
"""
_STREAK: Final = "SELECT streak_to - streak_from + 1 FROM players WHERE player = ? AND streak_to >= ?"
_LOST: Final = (
    "SELECT game, options, seats, evaluation, lost FROM skill WHERE player = ? ORDER BY game, options, seats"
)
_Z: Final = 1.96
"""Standard deviations on each side that hold 95% of a normal distribution."""
_FEW: Final = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26)
"""The same of Student's t distribution with 1, 2, ... degrees of freedom."""


class _Player(msgspec.Struct, frozen=True):
    """A player; the `key` is "" without a listed game."""

    player: int
    person: str
    name: str
    key: str

    def is_person(self, person: str) -> bool:
        return person != "" and self.person == person


def read_profile(connection: apsw.Connection, asking: ProfileQuery) -> ProfileView | None:
    """Return the first matching profile of which the asking person may see anything."""
    for found in _candidates(connection, asking.player, asking.of, asking.name):
        seen = _visible_profile(connection, asking, found)
        if seen is not None:
            return seen
    return None


def read_leaders(
    connection: apsw.Connection, game: str, person: str, evaluations: frozenset[str] = frozenset()
) -> LeadersView:
    """Return the best players of `game`, and the rank of `person` (an id); `evaluations` as in `ProfileQuery`."""
    people, bots = (_leaderboard(connection, game, bot, evaluations) for bot in (False, True))
    found = _find_player(connection, 0, person, "")
    you = None
    if found is not None:
        own = next((line for line in _rating_lines(connection, found.player) if line.game == game), None)
        if own is not None:
            skill = _skill_at(connection, found.player, game, evaluations)
            you = Leader(own.place, found.player, found.name, own.rating, own.games, own.range, skill)
    return LeadersView(game, people, bots, you)


def read_ratings(connection: apsw.Connection, game: str, persons: Sequence[str]) -> Mapping[str, Rating]:
    """Return the ratings at `game` of those of `persons` (ids) who have one."""
    query = """
        SELECT mu, sigma, ratings.games, shown FROM ratings JOIN players USING (player)
        WHERE person = ? AND game = ?
    """
    found: dict[str, Rating] = {}
    for person in persons:
        for row in decode_rows(connection.execute(query, (person, game)), tuple[float, float, int, int]):
            found[person] = Rating(*row)
    return found


def person_called(connection: apsw.Connection, name: str) -> str | None:
    """Return the id of the person, not bot, who last used `name` in a listed game."""
    found = _find_player(connection, 0, "", name)
    return None if found is None or found.person.startswith(BOT) else found.person


def _visible_profile(connection: apsw.Connection, asking: ProfileQuery, found: _Player) -> ProfileView | None:
    own = found.is_person(asking.person)
    scores = _score_lines(connection, found.player, not own)
    other, met = _head_to_head(connection, asking, found)
    if not (scores or met or own):
        return None
    told = own or found.key != ""
    if not told and asking.player:
        # Only public players have a number, so others can't be found by trying numbers.
        return None
    return ProfileView(
        # A player met only at private tables is shown under the name that the asking person knows.
        name=(found.name if told else asking.name).removeprefix(BOT),
        player=found.player if told else 0,
        bot=is_bot(found.person),
        you=own,
        scores=scores,
        ratings=_rating_lines(connection, found.player),
        against=other.removeprefix(BOT),
        head_to_head=met,
        skill=read_skill(connection, found.player, asking.evaluations),
        goals=read_goals(connection, found.player, not own),
        # Games at private tables count, too.
        streak=read_streak(connection, found.player, asking.today) if own else 0,
    )


def _head_to_head(
    connection: apsw.Connection, asking: ProfileQuery, found: _Player
) -> tuple[str, tuple[HeadToHead, ...]]:
    """Return the name of the player to compare with, and the results that the asking person may see."""
    for other in _candidates(connection, 0, asking.against, asking.against_name):
        if other.player == found.player:
            continue
        asked_by_one = found.is_person(asking.person) or other.is_person(asking.person)
        rows = connection.execute(_MEETINGS, (found.player, other.player, not asked_by_one))
        met = tuple(HeadToHead(*row) for row in decode_rows(rows, tuple[str, int, int, int]))
        if other.key or other.is_person(asking.person):
            return other.name, met
        if met:
            return asking.against_name, met
    return "", ()


def _candidates(connection: apsw.Connection, player: int, person: str, name: str) -> Iterator[_Player]:
    """Yield the players meant by a number, else by an id and then by a name.

    The current owner of a name may have nothing to show; then its former owner is meant.
    """
    if player:
        found = [_find_player(connection, player, "", "")]
    else:
        found = [_find_player(connection, 0, person, ""), _find_player(connection, 0, "", name)]
    yield from dict.fromkeys(one for one in found if one is not None)


def _find_player(connection: apsw.Connection, player: int, person: str, name: str) -> _Player | None:
    query = "SELECT player, person, name, key FROM players"
    if player:
        rows = connection.execute(f"{query} WHERE player = ?", (player,))
    elif person:
        rows = connection.execute(f"{query} WHERE person = ?", (person,))
    elif name:
        newest = f"{query} WHERE key = ? ORDER BY place DESC LIMIT 1"
        rows = connection.execute(newest, (name.casefold(),))
    else:
        return None
    return next((_Player(*row) for row in decode_rows(rows, tuple[int, str, str, str])), None)


def _score_lines(connection: apsw.Connection, player: int, listed: bool) -> tuple[ScoreLine, ...]:
    lines = []
    rows = decode_rows(connection.execute(_SCORES, (player, listed)), tuple[str, str, int, int, int])
    for game, options, games, wins, points in rows:
        highlights = decode_rows(
            connection.execute(_BESTS, (player, listed, game, options)), tuple[str, int, int]
        )
        lines.append(
            ScoreLine(
                game=game,
                options=msgspec.json.decode(options, type=dict[str, str]),
                games=games,
                wins=wins,
                mean=points / games,
                highlights=tuple(
                    Highlight(fact, value, _game_name(connection, number))
                    for fact, value, number in highlights
                ),
            )
        )
    return tuple(lines)


def _game_name(connection: apsw.Connection, number: int) -> str:
    code = connection.execute("SELECT code FROM finished WHERE number = ?", (number,)).get
    return game_name(code, number) if isinstance(code, str) else ""


def _rating_lines(connection: apsw.Connection, player: int) -> tuple[RatingLine, ...]:
    query = (
        "SELECT game, shown, games, bot, mu, sigma FROM ratings WHERE player = ? ORDER BY games DESC, game"
    )
    rows = decode_rows(connection.execute(query, (player,)), tuple[str, int, int, int, float, float])
    lines = []
    for game, shown, games, bot, mu, sigma in rows:
        better = len(connection.execute(_BETTER, (game, bot, shown, LAST_PLACE_COUNTED)).fetchall())
        place = better + 1 if better < LAST_PLACE_COUNTED else 0
        lines.append(RatingLine(game, shown, games, place, rating_range(mu, sigma)))
    return tuple(lines)


def _leaderboard(
    connection: apsw.Connection, game: str, bot: bool, evaluations: frozenset[str]
) -> tuple[Leader, ...]:
    """Return the best persons or bots; equal ratings share a rank."""
    rows = decode_rows(
        connection.execute(_BOARD, (game, bot, MAX_LEADERS)), tuple[int, str, int, int, float, float]
    )
    board: list[Leader] = []
    for at, (player, name, shown, games, mu, sigma) in enumerate(rows, 1):
        place = board[-1].place if board and board[-1].rating == shown else at
        skill = _skill_at(connection, player, game, evaluations)
        range = rating_range(mu, sigma)
        board.append(Leader(place, player, name.removeprefix(BOT), shown, games, range, skill))
    return tuple(board)


def _skill_at(
    connection: apsw.Connection, player: int, game: str, evaluations: frozenset[str]
) -> tuple[Skill, ...]:
    return tuple(each for each in read_skill(connection, player, evaluations) if each.game == game)


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
