"""What the lobby shows besides the list: the best players, today's games, and tables as spectators see them."""

import asyncio
import contextvars
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Final

import msgspec
import structlog

from cartino_protocol.base import parse_code
from cartino_protocol.commands import Leaders
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import PreviewView, SummaryView, TopPlayers
from cartino_protocol.wire import encode
from cartino_server.lobby.background_tasks import BackgroundTasks, RepeatedTask
from cartino_server.lobby.finished.history import GameHistory
from cartino_server.lobby.finished.ratings import Profiles
from cartino_server.lobby.table_registry import TableRegistry
from cartino_server.metrics.error_summaries import summarize_error
from cartino_server.store.port import HistoryQuery
from cartino_server.table.environment import Ports
from cartino_server.table.link import ServerLink
from cartino_server.table.task import TableTask
from cartino_server.table.views import SpectatorQueue, table_view

MOST_TOP: Final = 5
"""Players of a game in the summary."""
MOST_FINISHED: Final = 12
"""Finished games in it."""
MOST_NAMES: Final = 60
"""People online whose names are sent."""
DAY: Final = timedelta(hours=24)
OLD: Final = 600.0
"""Seconds after which a summary is made again for somebody who comes: games have left the last 24 hours."""

_log = structlog.get_logger(__name__)


class Summaries:
    """Keeps the summary of the server up to date, in the background."""

    def __init__(
        self,
        history: GameHistory,
        profiles: Profiles,
        games: Iterable[str],
        place: Callable[[], str],
        ports: Ports,
        background: BackgroundTasks,
        tell: Callable[[SummaryView], None],
    ) -> None:
        """Call `tell` with each new summary; `place()` is the server's name."""
        self._history = history
        self._profiles = profiles
        self._games = tuple(games)
        self._place = place
        self._ports = ports
        self._tell = tell
        self._made = float("-inf")
        self._task = RepeatedTask(background, self._work)

    def refresh_summary(self) -> None:
        """Make the summary again if it is old."""
        if self._ports.clock() - self._made >= OLD:
            self.wake()

    def wake(self) -> None:
        """Make the summary again: a game is over, ratings have changed, or the place has another name."""
        self._task.wake()

    async def _work(self) -> None:
        self._made = self._ports.clock()
        self._tell(await self._summary())

    async def _summary(self) -> SummaryView:
        top = []
        for game in self._games:
            found = await self._profiles.leaders("", Leaders(game))
            if not isinstance(found, Refusal) and found.people:
                # All in the lobby are sent these: without what they don't show.
                best = (
                    msgspec.structs.replace(each, range=None, skill=()) for each in found.people[:MOST_TOP]
                )
                top.append(TopPlayers(game, tuple(best)))
        past = await self._history.find_finished_games(HistoryQuery("", most=MOST_FINISHED))
        since = datetime.fromisoformat(self._ports.now()) - DAY
        finished = tuple(game for game in past if datetime.fromisoformat(game.ended) > since)
        return SummaryView(self._place(), tuple(top), finished)


class Previews:
    """Shows links in the lobby a public table as spectators see it, without their being there."""

    def __init__(self, tables: TableRegistry, every: Callable[[], float]) -> None:
        """Show a table every `every()` seconds at most."""
        self._tables = tables
        self._every = every
        self._watched: dict[ServerLink, str] = {}
        self._queue = SpectatorQueue()
        self._changed: set[str] = set()
        self._timer: asyncio.TimerHandle | None = None

    def show(self, link: ServerLink, typed: str) -> None:
        """Show `link` the table that was `typed`, from now on, instead of another one; "" for none."""
        self.stop(link)
        code = parse_code(typed)
        if code is None:
            return
        if self._public(code) is not None:
            self._watched[link] = code
        # A private table looks like none, so nobody learns that a code is good.
        link.put_view(PreviewView, self._frame(code))

    def stop(self, link: ServerLink) -> None:
        """Show `link` no table any more."""
        self._watched.pop(link, None)
        self._queue.forget(link)

    def schedule_update(self, code: str) -> None:
        """Show a table that changed to those who look at it, in a while."""
        if code not in self._watched.values():
            return
        self._changed.add(code)
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(self._every(), self._push, context=contextvars.Context())

    def close(self) -> None:
        """Show nothing any more."""
        self._watched.clear()
        if self._timer is not None:
            self._timer.cancel()

    def _push(self) -> None:
        self._timer, changed, self._changed = None, self._changed, set()
        for code in changed:
            links = [link for link, watched in self._watched.items() if watched == code]
            if links:
                self._queue.show(links, {PreviewView: self._frame(code)})

    def _public(self, code: str) -> TableTask | None:
        task = self._tables.get(code)
        return task if task is not None and task.table.order.open else None

    def _frame(self, code: str) -> bytes:
        task = self._public(code)
        try:
            return encode(PreviewView(code, None if task is None else table_view(task.table, None)))
        except Exception as error:
            # A game that fails for spectators must not end anything but the view of it.
            _log.error("preview_failed", table=code, where=summarize_error(error))
            return encode(PreviewView(code))
