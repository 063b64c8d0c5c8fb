"""What the lobby shows: the list of tables, a summary of the server, and previews of tables.

The list is sent at most once per interval, encoded once for all, and only when it changed. With it go the names of the
people online and the summary (the best players, today's games), to the links that asked for them.
"""

import asyncio
import contextvars
import time
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Final

import msgspec
import structlog

from cartino_protocol.base import parse_code
from cartino_protocol.commands import Leaders
from cartino_protocol.link import ViewKind
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import (
    LobbyView,
    Mine,
    OnlineView,
    PreviewView,
    SummaryView,
    TableLine,
    TopPlayers,
)
from cartino_protocol.wire import encode
from cartino_server.environment import Ports
from cartino_server.lobby.background_tasks import BackgroundTasks, RepeatedTask
from cartino_server.lobby.finished.history import GameHistory
from cartino_server.lobby.finished.ratings import Profiles
from cartino_server.lobby.people.presence import SeatIndex
from cartino_server.lobby.table_registry import TableRegistry
from cartino_server.metrics.error_summaries import summarize_error
from cartino_server.store.port import HistoryQuery
from cartino_server.table.link import ServerLink
from cartino_server.table.task import TableTask
from cartino_server.table.views import SpectatorQueue, table_view

FEW: Final = 8
"""Links that the list is sent to at once."""
PAUSE: Final = 0.02
"""Seconds before it is sent to the next ones."""
LobbyFrames = dict[ViewKind, bytes]
"""Encoded views by their kind."""
_MORE: Final[frozenset[ViewKind]] = frozenset({OnlineView, SummaryView})
"""What only followers are sent."""


class TableLines(msgspec.Struct, eq=False):
    """The lines of all tables, oldest first, and which of them are in the list.

    Call `aged` when a finished table leaves the list, `listed_after` seconds of `clock` after its game.
    """

    _seat_index: SeatIndex
    _listed_after: float
    _clock: Callable[[], float]
    _aged: Callable[[], None]
    _lines: dict[str, TableLine] = msgspec.field(default_factory=dict)
    _ended: dict[str, float] = msgspec.field(default_factory=dict)
    """When the game of each finished table ended."""
    _aging: asyncio.TimerHandle | None = None
    """Runs until the next finished table leaves the list."""
    _listed: set[str] = msgspec.field(default_factory=set)
    _kept: dict[str, tuple[tuple[str, str], ...]] = msgspec.field(default_factory=dict)
    """Tables whose game is missing (code, game), by seated person."""

    def put(self, line: TableLine, listed: bool) -> None:
        """Add or replace the line of a table, for everyone if `listed`."""
        self._lines[line.code] = line
        (self._listed.add if listed else self._listed.discard)(line.code)
        if line.state != "finished":
            self._ended.pop(line.code, None)
        elif line.code not in self._ended:
            self._ended[line.code] = self._clock()
            self._age()

    def drop(self, code: str) -> bool:
        """Remove a closed table; return whether it was there."""
        self._listed.discard(code)
        self._ended.pop(code, None)
        return self._lines.pop(code, None) is not None

    def line_of(self, code: str) -> TableLine | None:
        """Return the table's line."""
        return self._lines.get(code)

    def public(self) -> tuple[TableLine, ...]:
        """Return the tables of the list that everyone is sent."""
        return tuple(line for code, line in self._lines.items() if self._is_listed(code))

    def is_over(self, code: str) -> bool:
        """Return whether the table's last game is over."""
        line = self.line_of(code)
        return line is not None and line.state == "finished"

    def tables_of(self, person: str) -> tuple[TableLine, ...]:
        """Return the tables at which `person` has a seat, oldest first."""
        mine = self._seat_index.tables_of(person)
        return tuple(line for code, line in self._lines.items() if code in mine) if mine else ()

    def keep(self, code: str, game: str, persons: Iterable[str]) -> None:
        """Show `persons` that their table can't be opened, since its `game` is not installed."""
        for person in persons:
            self._kept[person] = (*self._kept.get(person, ()), (code, game))

    def mine_of(self, person: str) -> Mine:
        """Return the tables of `person`, with those whose game is missing."""
        return Mine(self.tables_of(person), self._kept.get(person, ()))

    def seen_by(self, person: str) -> tuple[TableLine, ...]:
        """Return the public tables and those of `person`, oldest first."""
        mine = self._seat_index.tables_of(person)
        return tuple(line for code, line in self._lines.items() if code in mine or self._is_listed(code))

    def close(self) -> None:
        """Stop the timer."""
        if self._aging is not None:
            self._aging.cancel()

    def _age(self) -> None:
        """Send the list without the finished tables that were in it for long enough, and again for the next one."""
        now = self._clock()
        left = [ended + self._listed_after - now for ended in self._ended.values()]
        if self._aging is not None:
            self._aging.cancel()
        if any(seconds <= 0 for seconds in left):
            self._aged()
        due = [seconds for seconds in left if seconds > 0]
        self._aging = None
        if due:
            loop = asyncio.get_running_loop()
            self._aging = loop.call_later(min(due), self._age, context=contextvars.Context())

    def _is_listed(self, code: str) -> bool:
        ended = self._ended.get(code)
        return code in self._listed and (ended is None or self._clock() < ended + self._listed_after)


class Lobby:
    """Sends the list of tables to the links in the lobby."""

    def __init__(
        self,
        every: float,
        people: Callable[[], int],
        seats: SeatIndex,
        names: Callable[[], tuple[str, ...]] = tuple,
        listed_after: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Send the list every `every` seconds at most; `people()` counts the people online, `names()` names them.

        A public table leaves the list `listed_after` seconds of `clock` after its game ended.
        """
        self._every = every
        self._people = people
        self._names = names
        self.lines = TableLines(seats, listed_after, clock, self.touch)
        self._summary = SummaryView()
        self._followers: set[ServerLink] = set()
        """The links that asked for names and summary, in the lobby or not."""
        self._shown: dict[ServerLink, dict[ViewKind, bytes]] = {}
        """The frames that each link was sent last."""
        self._affected: set[str] = set()
        """People whose own tables changed since the last list."""
        self._round: tuple[LobbyFrames, set[str], list[ServerLink]] = {}, set(), []
        """The list being sent, the people whose own tables changed, and the links still to send it to."""
        self._changed = False
        self._timer: asyncio.TimerHandle | None = None
        self._last = float("-inf")

    def note(self, line: TableLine, listed: bool, persons: Iterable[str]) -> None:
        """Show the line of a new or changed table, to everyone if `listed`; `persons` have or had a seat there."""
        self.lines.put(line, listed)
        self._affected.update(persons)
        self.touch()

    def drop(self, code: str, persons: Iterable[str]) -> None:
        """Remove a closed table, at which `persons` had a seat."""
        if self.lines.drop(code):
            self._affected.update(persons)
            self.touch()

    def enter(self, link: ServerLink) -> None:
        """Send the list to `link` now and whenever it changes."""
        self._shown[link] = {}
        self._show(link, {LobbyView: encode(self._view())})
        self._show(link, {Mine: encode(self.lines.mine_of(link.person.id))})
        self._show_more(link)

    def subscribe_link(self, link: ServerLink) -> None:
        """Send `link` names and summary, too, while it is in the lobby."""
        self._followers.add(link)
        self._show_more(link)

    def summarize(self, summary: SummaryView) -> None:
        """Send `summary` to the followers with the next list."""
        self._summary = summary
        self.touch()

    def forget(self, link: ServerLink) -> None:
        """Forget a link that ended."""
        self.leave(link)
        self._followers.discard(link)

    def leave(self, link: ServerLink) -> None:
        """Stop sending the list to `link`, also the older one of a round under way if it comes back meanwhile."""
        self._shown.pop(link, None)
        frames, persons, due = self._round
        self._round = frames, persons, [each for each in due if each is not link]

    def touch(self) -> None:
        """Send the list when the interval is over."""
        self._changed = True
        if self._timer is None:
            loop = asyncio.get_running_loop()
            when = max(loop.time(), self._last + self._every)
            # An empty context: the timer must not keep the caller's objects alive.
            self._timer = loop.call_at(when, self._push, context=contextvars.Context())

    def close(self) -> None:
        """Stop sending lists."""
        self.lines.close()
        if self._timer is not None:
            self._timer.cancel()

    def _push(self) -> None:
        """Send the list to a few links, and to the others a little later."""
        loop = asyncio.get_running_loop()
        self._timer = None
        frames, persons, due = self._round
        if not due:
            self._last, self._changed = loop.time(), False
            frames, persons, due = {LobbyView: encode(self._view())}, self._affected, list(self._shown)
            if self._followers:
                frames |= self._more()
            self._affected = set()
        self._round = (frames, persons, due[FEW:]) if due[FEW:] else ({}, set(), [])
        for link in due[:FEW]:
            if link in self._shown:
                self._show(link, frames)
                if link.person.id in persons:
                    self._show(link, {Mine: encode(self.lines.mine_of(link.person.id))})
        if due[FEW:]:
            self._timer = loop.call_later(PAUSE, self._push)
        elif self._changed:
            self.touch()

    def _show(self, link: ServerLink, frames: LobbyFrames) -> None:
        """Send those of `frames` that `link` doesn't have and wants."""
        shown = self._shown[link]
        for kind, frame in frames.items():
            if shown.get(kind) != frame and (kind not in _MORE or link in self._followers):
                shown[kind] = frame
                link.put_view(kind, frame)

    def _show_more(self, link: ServerLink) -> None:
        if link in self._shown and link in self._followers:
            self._show(link, self._more())

    def _more(self) -> LobbyFrames:
        return {OnlineView: encode(OnlineView(self._names())), SummaryView: encode(self._summary)}

    def _view(self) -> LobbyView:
        return LobbyView(self.lines.public(), self._people())


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


class Previews(msgspec.Struct, eq=False):
    """Shows links in the lobby a public table as spectators see it, without their being there.

    Show a table every `every()` seconds at most.
    """

    _tables: TableRegistry
    _every: Callable[[], float]
    _watched: dict[ServerLink, str] = msgspec.field(default_factory=dict)
    _queue: SpectatorQueue = msgspec.field(default_factory=SpectatorQueue)
    _changed: set[str] = msgspec.field(default_factory=set)
    _timer: asyncio.TimerHandle | None = None

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
