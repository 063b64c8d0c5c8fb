"""Pair bot accounts that ask for a game with each other, or after a while with the server's bot of nearest strength."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from typing import Final

import msgspec

from cartino_engine.port import AnyGame
from cartino_protocol.commands import Create, Join, QuickPlay
from cartino_protocol.records import BOT
from cartino_protocol.refusals import Refusal
from cartino_server.store.port import JournalClosed, NotSaved, ProfileStore, Rating
from cartino_server.table.link import ServerLink
from cartino_server.table.state import TableState
from cartino_server.table.task import TableTask

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


class Matchmaker:
    """Serves `QuickPlay` of bot accounts. One of them waits at a time for each link, and no other command of it."""

    def __init__(
        self,
        games: Mapping[str, AnyGame],
        bots_of: Mapping[str, Sequence[str]],
        tables: Iterable[TableTask],
        open_table: OpenTable,
        ratings: ProfileStore,
        run: Callable[[Coroutine[None, None, None]], object],
        refuses: Refuses,
    ) -> None:
        """`bots_of` has the names of each game's bots, `tables` are those open now; `run` starts background work."""
        self._games = games
        self._bots_of = bots_of
        self._tables = tables
        self._open_table = open_table
        self._ratings = ratings
        self._run = run
        self._refuses = refuses
        self._waiting: dict[ServerLink, _Waiting] = {}

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
