"""Sum up finished games into scores, ratings and head-to-head results, and answer profile and leaderboard queries.

Each game counts once, in the order in which games ended, so the same games always give the same sums. Moves never wait
for it: a game that ends only gets its place in that order. Games at private tables count only for those who played in
them.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import apsw
import msgspec

from cartino_protocol.base import game_name
from cartino_protocol.records import BOT
from cartino_protocol.views import (
    HeadToHead,
    Highlight,
    Leader,
    LeadersView,
    ProfileView,
    RatingLine,
    ScoreLine,
    Skill,
)
from cartino_server.store.figures.goals import count_goals, read_goals, read_streak
from cartino_server.store.figures.missed import note_all_told
from cartino_server.store.figures.skill import count_losses, rating_range, read_skill
from cartino_server.store.personal_data import was_pruned
from cartino_server.store.port import GameScores, ProfileQuery, Rating, SeatScore, UncountedGame
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
# A name used at a private table is not public: it replaces no public name, and has no key by which it could be found.
_RENAME: Final = """
    UPDATE players SET name = ?2, key = ?3, place = ?4 WHERE person = ?1 AND (?5 OR key = '') RETURNING player
"""

_RENAME_AT_ONCE: Final = """
    UPDATE players SET name = ?2, key = CASE key WHEN '' THEN '' ELSE ?3 END WHERE person = ?1
"""
_COUNT_DAY: Final = "UPDATE players SET days = days + 1, day = ?2 WHERE player = ?1 AND day < ?2"


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
