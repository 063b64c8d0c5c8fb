"""Limit the games of bots alone: nobody watches them, and they could fill the server."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, Protocol

from cartino_protocol.refusals import Refusal
from cartino_server.rate_limit import RateLimiter, daily
from cartino_server.table.lifetime import EvictionLoss, TableHolding
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


class BotGames:
    """Counts the games of bots alone by account and network, however their seats were taken."""

    def __init__(
        self,
        tables: BotTables,
        origins_of: OriginsOf,
        networks_around: Callable[[int], Sequence[str]],
        clock: Callable[[], float],
    ) -> None:
        """`networks_around` returns the networks of a connection, `clock()` monotonic seconds."""
        self._tables = tables
        self._origins_of = origins_of
        self._networks_around = networks_around
        self._clock = clock
        self._begun = RateLimiter()

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
