"""What is told of people out of the sums. Of games at private tables only those hear who played in them."""

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
    player: int
    person: str
    name: str


def profile(connection: apsw.Connection, asking: Asking) -> ProfileView | None:
    """The sums of whom somebody asks for; None where there is nobody of whom they may see any."""
    found = _one_of(connection, asking.player, asking.of, asking.name)
    if found is None:
        return None
    own = _is(found, asking.person)
    scores = _scores(connection, found.player, not own)
    other = None
    if asking.against or asking.against_name:
        other = _one_of(connection, 0, asking.against, asking.against_name)
    if other is not None and other.player == found.player:
        other = None
    met: tuple[Meeting, ...] = ()
    if other is not None:
        everything = own or _is(other, asking.person)
        rows = connection.execute(_MEETINGS, (found.player, other.player, not everything))
        met = tuple(Meeting(*row) for row in read_rows(rows, tuple[str, int, int, int]))
    if not (scores or met or own):
        return None
    return ProfileView(
        name=found.name.removeprefix(BOT),
        player=found.player,
        bot=found.person.startswith(BOT),
        you=own,
        scores=scores,
        ratings=_ratings(connection, found.player),
        against="" if other is None else other.name.removeprefix(BOT),
        meetings=met,
    )


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


def _one_of(connection: apsw.Connection, player: int, person: str, name: str) -> _Player | None:
    """The player meant by a number, else by an id, else by a name: a guest may be called as somebody who was here."""
    if player or not person:
        return _find(connection, player, "", name) if player or name else None
    return _find(connection, 0, person, "") or (_find(connection, 0, "", name) if name else None)


def _find(connection: apsw.Connection, player: int, person: str, name: str) -> _Player | None:
    query = "SELECT player, person, name FROM players"
    if player:
        rows = connection.execute(f"{query} WHERE player = ?", (player,))
    elif person:
        rows = connection.execute(f"{query} WHERE person = ?", (person,))
    else:
        newest = f"{query} WHERE key = ? ORDER BY place DESC LIMIT 1"
        rows = connection.execute(newest, (name.casefold(),))
    return next((_Player(*row) for row in read_rows(rows, tuple[int, str, str])), None)


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
