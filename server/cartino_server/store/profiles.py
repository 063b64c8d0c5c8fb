"""What is told of people out of the sums. Of games at private tables only those hear who played in them."""

from collections.abc import Iterator
from typing import Final

import apsw
import msgspec

from cartino_protocol.ids import name_game
from cartino_protocol.views import Best, Leader, LeadersView, Meeting, ProfileView, RatingLine, ScoreLine
from cartino_server.store.queries import read_rows
from cartino_server.store.standing import Asking
from cartino_server.store.tallying import BOT

MOST_LEADERS: Final = 50
FARTHEST: Final = 1000
"""Places are counted so far down; whoever is below has none."""

_SCORES: Final = """
    SELECT game, options, sum(games), sum(wins), sum(points) FROM scores WHERE player = ? AND listed >= ?
    GROUP BY game, options ORDER BY sum(games) DESC, game, options
"""
# The one column beside max() that is not summed is of the row that has the maximum.
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
    SELECT player, name, shown, games FROM ratings JOIN players USING (player)
    WHERE game = ? AND bot = ? ORDER BY shown DESC, player LIMIT ?
"""


class _Player(msgspec.Struct, frozen=True):
    """Somebody who has played; the `key` is "" where no game of theirs is one that everybody may see."""

    player: int
    person: str
    name: str
    key: str


def profile(connection: apsw.Connection, asking: Asking) -> ProfileView | None:
    """The sums of whom somebody asks for; None where there is nobody of whom they may see any."""
    for found in _meant(connection, asking.player, asking.of, asking.name):
        seen = _profile(connection, asking, found)
        if seen is not None:
            return seen
    return None


def leaders(connection: apsw.Connection, game: str, person: str) -> LeadersView:
    """The best at `game`, and the place of `person` (an id)."""
    people, bots = (_board(connection, game, bot) for bot in (False, True))
    found = _find(connection, 0, person, "")
    you = None
    if found is not None:
        own = next((line for line in _ratings(connection, found.player) if line.game == game), None)
        if own is not None:
            you = Leader(own.place, found.player, found.name, own.rating, own.games)
    return LeadersView(game, people, bots, you)


def person_called(connection: apsw.Connection, name: str) -> str | None:
    """The id of the person who last went by `name` in a game that everybody may see; None for nobody, or a bot."""
    found = _find(connection, 0, "", name)
    return None if found is None or found.person.startswith(BOT) else found.person


def _profile(connection: apsw.Connection, asking: Asking, found: _Player) -> ProfileView | None:
    """What the asker may see of `found`; None for nothing at all."""
    own = _is(found, asking.person)
    scores = _scores(connection, found.player, not own)
    other, met = _compared(connection, asking, found)
    if not (scores or met or own):
        return None
    told = own or found.key != ""
    if not told and asking.player:
        # Numbers are given of those alone who may be seen by everybody: no others can be counted up.
        return None
    return ProfileView(
        # Who was met at private tables alone is told by the name that the asker knows: others may have known another.
        name=(found.name if told else asking.name).removeprefix(BOT),
        player=found.player if told else 0,
        bot=found.person.startswith(BOT),
        you=own,
        scores=scores,
        ratings=_ratings(connection, found.player),
        against=other.removeprefix(BOT),
        meetings=met,
    )


def _compared(connection: apsw.Connection, asking: Asking, found: _Player) -> tuple[str, tuple[Meeting, ...]]:
    """With whom `found` is compared, and how they did, as far as the asker may know of that one."""
    for other in _meant(connection, 0, asking.against, asking.against_name):
        if other.player == found.player:
            continue
        asked_by_one = _is(found, asking.person) or _is(other, asking.person)
        rows = connection.execute(_MEETINGS, (found.player, other.player, not asked_by_one))
        met = tuple(Meeting(*row) for row in read_rows(rows, tuple[str, int, int, int]))
        if other.key or _is(other, asking.person):
            return other.name, met
        if met:
            return asking.against_name, met
    return "", ()


def _meant(connection: apsw.Connection, player: int, person: str, name: str) -> Iterator[_Player]:
    """Who may be meant by a number, else by an id and then by a name.

    Whoever has the name now may have played where the asker saw nothing, or not at all: then it is who had it before.
    """
    if player:
        found = [_find(connection, player, "", "")]
    else:
        found = [_find(connection, 0, person, ""), _find(connection, 0, "", name)]
    yield from dict.fromkeys(one for one in found if one is not None)


def _find(connection: apsw.Connection, player: int, person: str, name: str) -> _Player | None:
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
    return next((_Player(*row) for row in read_rows(rows, tuple[int, str, str, str])), None)


def _is(found: _Player, person: str) -> bool:
    return person != "" and found.person == person


def _scores(connection: apsw.Connection, player: int, listed: bool) -> tuple[ScoreLine, ...]:
    lines = []
    rows = read_rows(connection.execute(_SCORES, (player, listed)), tuple[str, str, int, int, int])
    for game, options, games, wins, points in rows:
        bests = read_rows(connection.execute(_BESTS, (player, listed, game, options)), tuple[str, int, int])
        lines.append(
            ScoreLine(
                game=game,
                options=msgspec.json.decode(options, type=dict[str, str]),
                games=games,
                wins=wins,
                mean=points / games,
                bests=tuple(Best(fact, value, _name(connection, number)) for fact, value, number in bests),
            )
        )
    return tuple(lines)


def _name(connection: apsw.Connection, number: int) -> str:
    code = connection.execute("SELECT code FROM finished WHERE number = ?", (number,)).get
    return name_game(code, number) if isinstance(code, str) else ""


def _ratings(connection: apsw.Connection, player: int) -> tuple[RatingLine, ...]:
    query = "SELECT game, shown, games, bot FROM ratings WHERE player = ? ORDER BY games DESC, game"
    rows = read_rows(connection.execute(query, (player,)), tuple[str, int, int, int])
    lines = []
    for game, shown, games, bot in rows:
        better = len(connection.execute(_BETTER, (game, bot, shown, FARTHEST)).fetchall())
        lines.append(RatingLine(game, shown, games, better + 1 if better < FARTHEST else 0))
    return tuple(lines)


def _board(connection: apsw.Connection, game: str, bot: bool) -> tuple[Leader, ...]:
    """The best of one kind; equal ratings share a place."""
    rows = read_rows(connection.execute(_BOARD, (game, bot, MOST_LEADERS)), tuple[int, str, int, int])
    board: list[Leader] = []
    for at, (player, name, shown, games) in enumerate(rows, 1):
        place = board[-1].place if board and board[-1].rating == shown else at
        board.append(Leader(place, player, name.removeprefix(BOT), shown, games))
    return tuple(board)
