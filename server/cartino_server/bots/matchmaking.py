"""Pair bot accounts with each other, or with the server's bot of nearest strength, and limit games of bots alone.

Nobody watches such games, and they could fill the server.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from typing import Final, Protocol

import msgspec

from cartino_engine.port import AnyGame
from cartino_protocol.commands import Create, Join, QuickPlay
from cartino_protocol.records import BOT
from cartino_protocol.refusals import Refusal
from cartino_server.rate_limit import RateLimiter, daily
from cartino_server.store.journal import Journal
from cartino_server.store.port import JournalClosed, NotSaved, Rating
from cartino_server.table.lifetime import EvictionLoss, TableHolding
from cartino_server.table.link import ServerLink
from cartino_server.table.state import TableState
from cartino_server.table.task import TableTask
from cartino_server.visitors import is_bot_person

MAX_GAMES: Final = 20
"""Games of bots alone at a time; so many don't slow down people's keys (`bench.noisy_neighbours`)."""
GAMES_EACH: Final = 5
"""Games of bots alone of an account at a time, and tables where it waits for one: as many as a connection plays."""
NETWORK_GAMES: Final = (5, 10, 15)
"""The same for all accounts of a source, and of its wider networks: an account costs nothing."""
GAMES_A_DAY: Final = 100
"""Games of bots alone that an account can begin at once, and in a day; no more of its network are stored, either."""
NETWORK_GAMES_A_DAY: Final = (200, 400, 800)
"""The same for all accounts of a source, and of its wider networks."""

OriginsOf = Callable[[str], Iterable[Sequence[str]]]
"""Return the networks of each connection of a person, the narrowest first."""


class BotTables(Protocol):
    """The open tables."""

    def holdings(self) -> Sequence[TableHolding]:
        """Return every table that isn't closing, with the networks of its opener."""

    def get(self, code: str) -> TableTask | None:
        """Return the open table with that code."""


class BotGames(msgspec.Struct, frozen=True, eq=False):
    """Counts the games of bots alone by account and network, however their seats were taken.

    `networks_around` returns the networks of a connection, `clock()` monotonic seconds.
    """

    _tables: BotTables
    _origins_of: OriginsOf
    _networks_around: Callable[[int], Sequence[str]]
    _clock: Callable[[], float]
    _begun: RateLimiter = msgspec.field(default_factory=RateLimiter)

    def refuses(self, person: str, connection: int, table: TableState | None = None) -> Refusal | None:
        """Return why `person`, who uses that connection, may not open a table or play in `table`.

        People always may, and bot accounts at a table where a person has a seat.
        """
        if not is_bot_person(person) or (table is not None and _is_with_people(table)):
            return None
        origin = self._networks_around(connection)
        begins = table is None or table.state != "playing"
        now = self._clock()
        if begins and not all(
            self._begun.has(daily("bot games", most), holder, now)
            for holder, most in _limits([person], [origin], GAMES_A_DAY, NETWORK_GAMES_A_DAY).items()
        ):
            return Refusal("bot-day", str(GAMES_A_DAY))
        held: Counter[str] = Counter()
        playing = 0
        for counted, holders in self._counted():
            if table is None or counted.code != table.code:
                held.update(holders)
                playing += counted.state == "playing"
        limits = _limits([person], [origin], GAMES_EACH, NETWORK_GAMES)
        is_full = playing >= MAX_GAMES or any(held[holder] >= most for holder, most in limits.items())
        return Refusal("too-many-rooms") if is_full else None

    def count_game(self, table: TableState) -> None:
        """Count a game that begins, if only bots play it."""
        if table.seating.is_bots_only:
            persons = table.seating.persons()
            origins = [origin for person in persons for origin in self._origins_of(person)]
            for holder, most in _limits(persons, origins, GAMES_A_DAY, NETWORK_GAMES_A_DAY).items():
                self._begun.draw(daily("bot games", most), holder, self._clock())

    def _counted(self) -> Iterator[tuple[TableState, set[str]]]:
        """Yield the tables of bots alone that aren't over with their accounts and networks.

        A table that its bots have left doesn't count, until they come back.
        """
        for holding in self._tables.holdings():
            task = self._tables.get(holding.code)
            if task is None or task.table.state == "finished" or holding.loss is not EvictionLoss.GAME:
                continue
            persons = task.table.seating.persons() or (holding.opener,)
            if all(map(is_bot_person, persons)):
                origins = (origin for person in persons for origin in self._origins_of(person))
                networks = {network for origin in origins for network in origin}
                opener = holding.origin if holding.opener in persons else ()
                yield task.table, networks.union(persons, opener)


def _limits(
    persons: Iterable[str], origins: Iterable[Sequence[str]], each: int, by_network: Sequence[int]
) -> Mapping[str, int]:
    """Return the limit of each of the persons, and of each of their networks."""
    networks = {
        network: most for origin in origins for network, most in zip(origin, by_network, strict=False)
    }
    return networks | dict.fromkeys(persons, each)


def _is_with_people(table: TableState) -> bool:
    return not all(map(is_bot_person, table.seating.persons()))


PAIRING_SECONDS: Final = 5.0
"""How long a bot waits for another account."""
_FIRST_RATING: Final = Rating(0.0, 0.0, shown=1000)

OpenTable = Callable[[ServerLink, QuickPlay, Create, Sequence[ServerLink]], bool]
"""Open a table for a link that asked, and for others; return True if it was refused, False if it is settled later."""
Refuses = Callable[[ServerLink, TableState | None], Refusal | None]
"""Return why a link may not play at a table, or at a new one (None)."""


class _Waiting(msgspec.Struct, eq=False):
    """What a waiting link asked for; `over` is set once it needn't wait any more."""

    asked: QuickPlay
    game: AnyGame
    over: asyncio.Future[None]


class Matchmaker(msgspec.Struct, frozen=True, eq=False):
    """Serves `QuickPlay` of bot accounts. One of them waits at a time for each link, and no other command of it.

    `bots_of` has the names of each game's bots, `tables` are those open now; `run` starts background work.
    """

    _games: Mapping[str, AnyGame]
    _bots_of: Mapping[str, Sequence[str]]
    _tables: Iterable[TableTask]
    _open_table: OpenTable
    _ratings: Journal
    _run: Callable[[Coroutine[None, None, None]], object]
    _refuses: Refuses
    _waiting: dict[ServerLink, _Waiting] = msgspec.field(default_factory=dict)

    def play(self, link: ServerLink, asked: QuickPlay) -> bool:
        """Find a game for a bot account, or refuse; return False if `link.serve_next()` will be called later."""
        person, game = link.person.id, self._games.get(asked.game)
        if game is None:
            link.refuse(asked, "unknown-game", asked.game)
            return True
        left = self._left_by(person, game.name)
        refusal = self._refuses(link, None if left is None else left.table)
        if refusal is not None:
            link.queue_answer(asked, refusal)
            return True
        if left is not None:
            # Nobody escapes a lost game by asking for another one.
            return left.post(link, Join(left.table.code), asked)
        other = next((one for one in self._waiting if self._fits(one, person, game)), None)
        if other is None:
            waiting = _Waiting(asked, game, asyncio.get_running_loop().create_future())
            self._waiting[link] = waiting
            self._run(self._wait(link, waiting))
            return False
        if self._open(link, asked, game, "", other):
            return True
        self.forget(other)
        return False

    def forget(self, link: ServerLink) -> None:
        """Stop looking for a game for `link`."""
        waiting = self._waiting.pop(link, None)
        if waiting is not None:
            waiting.over.set_result(None)

    def _left_by(self, person: str, game: str) -> TableTask | None:
        """Return a running game of bots alone that the account has left."""
        theirs = (task for task in self._tables if task.table.seating.seat_of(person) is not None)
        return next((task for task in theirs if _is_left(task.table, person, game)), None)

    def _fits(self, link: ServerLink, person: str, game: AnyGame) -> bool:
        return self._waiting[link].game is game and link.person.id != person

    async def _wait(self, link: ServerLink, waiting: _Waiting) -> None:
        """Open a table with a bot of the server if nobody else has come for a while."""
        await asyncio.wait((waiting.over,), timeout=PAIRING_SECONDS)
        bot = await self._nearest_bot(link.person.id, waiting.game.name)
        if waiting.over.done():
            return
        self.forget(link)
        refusal = self._refuses(link, None)
        if refusal is not None:
            link.queue_answer(waiting.asked, refusal)
            link.serve_next()
        elif self._open(link, waiting.asked, waiting.game, bot):
            link.serve_next()

    async def _nearest_bot(self, person: str, game: str) -> str:
        bots = self._bots_of[game]
        try:
            known = await self._ratings.ratings(game, [person, *(f"{BOT}{bot}" for bot in bots)])
        except (NotSaved, JournalClosed):
            known = {}
        own = known.get(person, _FIRST_RATING).shown
        return min(bots, key=lambda bot: abs(known.get(f"{BOT}{bot}", _FIRST_RATING).shown - own), default="")

    def _open(self, link: ServerLink, asked: QuickPlay, game: AnyGame, bot: str, *others: ServerLink) -> bool:
        """Open a table of `link`, the `others` and as many of `bot` as the game needs; return as `play` does."""
        bot = bot or next(iter(self._bots_of[game.name]), "")
        seats = max(2, game.seats[0])
        bots = (bot,) * (seats - 1 - len(others))
        return self._open_table(link, asked, Create(game.name, seats=seats, bots=bots, clock="30s"), others)


def _is_left(table: TableState, person: str, game: str) -> bool:
    is_running = table.state == "playing" and table.order.game.name == game and table.seating.is_bots_only
    return is_running and person not in table.attendance.present
