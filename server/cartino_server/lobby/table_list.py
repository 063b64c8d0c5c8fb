"""The tables as seen from outside them: the list in the lobby, and one table viewed or played from a shell.

The list is sent at most once per interval, encoded once for all, and only when it changed. With it go the names of the
people online and a summary of the server, to the links that asked for them.
"""

import asyncio
import contextlib
import contextvars
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeVar

import msgspec

from cartino_protocol.base import Seat, parse_code
from cartino_protocol.commands import Act, Say, Stand
from cartino_protocol.link import ViewKind
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ChatView, LobbyView, Mine, OnlineView, RoomLine, RoomView, SummaryView
from cartino_protocol.wire import encode, encode_raw
from cartino_server.correspondence.missed import MissedNews
from cartino_server.engine.port import AnyGame, Step
from cartino_server.engine.replay import ReplayState
from cartino_server.lobby.history import NoSuchGame, Sealed
from cartino_server.lobby.moderation import Moderation
from cartino_server.lobby.presence import SeatIndex
from cartino_server.lobby.queries import Queries
from cartino_server.lobby.rate_limit import PersonLimit, RateLimits
from cartino_server.store.port import JournalClosed, NotSaved
from cartino_server.table.link import ServerLink
from cartino_server.table.participants import apply
from cartino_server.table.state import TableState
from cartino_server.table.task import TableTask
from cartino_server.table.views import room_view

T = TypeVar("T")

FEW: Final = 8
"""Links that the list is sent to at once."""
PAUSE: Final = 0.02
"""Seconds before it is sent to the next ones."""
LobbyFrames = dict[ViewKind, bytes]
"""Encoded views by their kind."""
_MORE: Final[frozenset[ViewKind]] = frozenset({OnlineView, SummaryView})
"""What only followers are sent."""


class TableLines:
    """The lines of all tables, oldest first, and which of them are in the list."""

    def __init__(
        self,
        seats: SeatIndex,
        listed_after: float,
        clock: Callable[[], float],
        aged: Callable[[], None],
    ) -> None:
        """Call `aged` when a finished table leaves the list, `listed_after` seconds of `clock` after its game."""
        self._seat_index = seats
        self._listed_after = listed_after
        self._clock = clock
        self._aged = aged
        self._lines: dict[str, RoomLine] = {}
        self._ended: dict[str, float] = {}
        """When the game of each finished table ended."""
        self._aging: asyncio.TimerHandle | None = None
        """Runs until the next finished table leaves the list."""
        self._listed: set[str] = set()
        self._kept: dict[str, tuple[tuple[str, str], ...]] = {}
        """Tables whose game is missing (code, game), by seated person."""

    def put(self, line: RoomLine, listed: bool) -> None:
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

    def line_of(self, code: str) -> RoomLine | None:
        """Return the table's line."""
        return self._lines.get(code)

    def public(self) -> tuple[RoomLine, ...]:
        """Return the tables of the list that everyone is sent."""
        return tuple(line for code, line in self._lines.items() if self._is_listed(code))

    def is_over(self, code: str) -> bool:
        """Return whether the table's last game is over."""
        line = self.line_of(code)
        return line is not None and line.state == "finished"

    def rooms_of(self, person: str) -> tuple[RoomLine, ...]:
        """Return the tables at which `person` has a seat, oldest first."""
        mine = self._seat_index.rooms_of(person)
        return tuple(line for code, line in self._lines.items() if code in mine) if mine else ()

    def keep(self, code: str, game: str, persons: Iterable[str]) -> None:
        """Show `persons` that their table can't be opened, since its `game` is not installed."""
        for person in persons:
            self._kept[person] = (*self._kept.get(person, ()), (code, game))

    def mine_of(self, person: str) -> Mine:
        """Return the tables of `person`, with those whose game is missing."""
        return Mine(self.rooms_of(person), self._kept.get(person, ()))

    def seen_by(self, person: str) -> tuple[RoomLine, ...]:
        """Return the public tables and those of `person`, oldest first."""
        mine = self._seat_index.rooms_of(person)
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

    def note(self, line: RoomLine, listed: bool, persons: Iterable[str]) -> None:
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

    def follow(self, link: ServerLink) -> None:
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
        self._round = frames, persons, due[FEW:]
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


class UnknownTable(KeyError):
    """There is no table with that code, and no game of that name."""


class NoRecord(LookupError):
    """Nothing was dealt at that table yet."""


class TableRefusal(Exception):
    """A table can't be viewed or played; `refusal` says why."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.reason)
        self.refusal = refusal


class NoSuchTable(TableRefusal):
    """There is no open table with that code."""


class TableBusy(TableRefusal):
    """The table can't be viewed now."""


class TooManyCodes(Exception):
    """Too many wrong codes came from that network; wait before trying another."""


class GameSince(msgspec.Struct, frozen=True):
    """A game of the player on `seat` since an earlier state: `view` shows that state, the first of `moments`."""

    game: AnyGame
    seat: Seat
    view: RoomView
    moments: Sequence[ReplayState]

    @property
    def moves(self) -> int:
        """The number of moves made since."""
        return len(self.moments) - 1

    def made(self, at: int, move: bytes) -> bool:
        """Return whether the move number `at` (from 0) was `move`, made for this seat."""
        before, after = self.moments[at], self.moments[at + 1]
        try:
            step = self.game.apply(before.state, self.seat, self.game.read_move(move))
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            return False
        return isinstance(step, Step) and tuple(step.lines) == tuple(after.lines)

    def waited(self, at: int) -> bool:
        """Return whether it was this seat's turn before that move."""
        return self.seat in self.game.on_turn(self.moments[at].state)


class RemoteTables:
    """The tables for people who are not at them: found by code, viewed, played and exported.

    Wrong codes are counted per network, so that private tables can't be found by trying.
    """

    def __init__(
        self,
        table_list: Lobby,
        queries: Queries,
        moderation: Moderation,
        rate_limits: RateLimits,
        missed_news: MissedNews,
    ) -> None:
        self._missed_news = missed_news
        self.mine_of = table_list.lines.mine_of
        self.rooms_for = table_list.lines.seen_by
        self._lines_of = table_list.lines.rooms_of
        self._queries = queries
        self._moderation = moderation
        self._registry = moderation.registry
        self._rate_limits = rate_limits

    def find(self, typed: str, person: str, connection: int = 0) -> TableTask | None:
        """Return the table that `person` means by a typed code. Raises TooManyCodes."""
        runner = self._registry.get(parse_code(typed))
        if runner is not None and (runner.room.order.open or self._is_expected(person, runner.room.code)):
            return runner
        limit = self._limit(person, connection)
        if runner is None:
            limit.count_wrong_code()
        return runner

    def _is_expected(self, person: str, code: str) -> bool:
        """Return whether the person has a seat at the table or is invited to it."""
        invited = self._queries.invitations.sender(person, code) is not None
        return invited or code in self._moderation.presence.seats.rooms_of(person)

    def _limit(self, person: str, connection: int) -> PersonLimit:
        """Return the person's limits, if they may name something that isn't listed. Raises TooManyCodes."""
        limit = self._rate_limits.of(person, connection)
        if not limit.may_try_code():
            raise TooManyCodes
        return limit

    async def record_of(self, name: str, person: str = "", connection: int = 0) -> bytes:
        """Return a game's record as JSON Lines; a running game's without what is hidden from `person`.

        `name` is a table's code, for its game or else the newest one played there, or a game's own name. Whoever
        knows a private table's code may read it, as they may watch it. Raises UnknownTable, NoRecord, Sealed,
        TooManyCodes.
        """
        code = parse_code(name)
        runner = self._registry.get(code)
        if runner is None:
            self._limit(person, connection)
        else:
            self.find(name, person, connection)
            if sealed := runner.room.seal:
                raise Sealed(sealed)
            record = runner.record(person)
            if record is not None:
                return record
        history = self._queries.history
        try:
            return await (history.record(name) if code is None else history.newest(code))
        except NoSuchGame:
            if runner is not None:
                raise NoRecord(name) from None
            self._rate_limits.of(person, connection).count_wrong_code()
            raise UnknownTable(name) from None

    def tables_of(self, person: str) -> tuple[tuple[RoomLine, bool], ...]:
        """Return the tables of `person`, with whether it is their turn; those come first."""
        tables = []
        for line in self._lines_of(person):
            runner = self._registry.get(line.code)
            seat = None if runner is None else runner.room.seating.seat_of(person)
            waits = line.state == "playing" and not line.paused and seat in line.turn
            tables.append((line, waits))
        return tuple(sorted(tables, key=lambda table: not table[1]))

    async def look(self, person: str, code: str, connection: int = 0) -> tuple[RoomView, ChatView]:
        """Return the table and its chat as `person` may see them, from their seat or as a spectator.

        Raises NoSuchTable, and TableBusy after too many wrong codes or when too many commands wait there.
        """

        def look(room: TableState) -> tuple[RoomView, ChatView]:
            seat = room.seating.seat_of(person)
            return room_view(room, seat), room.chat_view(seat is None)

        return await self._read(code, person, connection, look)

    async def saw_end(self, person: str, code: str) -> None:
        """Note that the person was told of the end of the game at a table."""
        runner = self._registry.get(code)
        if runner is not None:
            # Failing that, they are told once more.
            with contextlib.suppress(NotSaved, JournalClosed):
                await self._missed_news.told_of(person, runner.room.code, runner.game)

    async def since(self, person: str, code: str, number: int, connection: int = 0) -> GameSince | None:
        """Return the game since state `number` as `person` sees it; None without a seat or such a state.

        Raises NoSuchTable and TableBusy as `look` does.
        """

        def look(room: TableState) -> GameSince | None:
            seat, match = room.seating.seat_of(person), room.match
            if seat is None or match is None or number >= match.number:
                return None
            moments = match.moments()
            first = len(moments) - 1 - (room.number - number)
            if not moments or first < 0:
                return None
            table = encode_raw(match.game.view(moments[first].state, seat))
            view = msgspec.structs.replace(room_view(room, seat), table=table, number=number)
            return GameSince(match.game, seat, view, moments[first:])

        return await self._read(code, person, connection, look)

    async def do(
        self, person: str, code: str, command: Act | Say | Stand, connection: int = 0
    ) -> Refusal | None:
        """Apply `command` at a table; return why not, or None once it is saved. Raises NoSuchTable.

        A move with the number 0 answers the table's state at that moment.
        """
        pace = self._rate_limits.of(person, connection)
        too_fast = pace.refuses(command) if pace.allows_frame() else "busy"
        if too_fast is not None:
            return Refusal(too_fast)
        refusal = self._moderation.refuses(person, command)
        if refusal is not None:
            return refusal
        origin = self._moderation.presence.origin_of(person)

        def do(room: TableState) -> TableState | Refusal:
            if isinstance(command, Act):
                return apply(room, person, Act(command.number or room.number, command.move))
            return apply(room, person, command, self._registry.config.chat_length, origin)

        return await self.ask(code, person, connection, do)

    async def _read(self, code: str, person: str, connection: int, read: Callable[[TableState], T]) -> T:
        """Return what `read` finds at a table. Raises NoSuchTable, TableBusy."""
        found: list[T] = []

        def question(room: TableState) -> TableState:
            found.append(read(room))
            return room

        refusal = await self.ask(code, person, connection, question)
        if found:
            return found[0]
        if refusal is None or refusal.reason == "unknown-code":
            raise NoSuchTable(self._registry.no_table(code))
        raise TableBusy(refusal)

    async def ask(
        self, code: str, person: str, connection: int, question: Callable[[TableState], TableState | Refusal]
    ) -> Refusal | None:
        """Commit what `question` makes of a table; return a refusal, or None once it is saved. Raises NoSuchTable."""
        try:
            runner = self.find(code, person, connection)
        except TooManyCodes:
            return Refusal("too-many-codes")
        if runner is None:
            raise NoSuchTable(self._registry.no_table(code))
        if sealed := runner.room.sealed_for(person):
            return sealed
        if not runner.has_time:
            return Refusal("busy")
        answered: asyncio.Future[Refusal | None] = asyncio.get_running_loop().create_future()

        def settle(refusal: Refusal | None) -> None:
            # The caller may have gone meanwhile.
            if not answered.done():
                answered.set_result(refusal)

        runner.ask(question, settle)
        return await answered
