"""Tables viewed, played and exported from a shell, by people who are not at them."""

import contextlib
from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from cartino_engine.port import AnyGame, Step
from cartino_engine.replay import ReplayState
from cartino_protocol.base import DECODE_ERRORS, Seat, parse_code
from cartino_protocol.commands import Act, Say, Stand
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ChatView, TableLine, TableView
from cartino_protocol.wire import encode_raw
from cartino_server.lobby.finished.game_events import MissedNews
from cartino_server.lobby.finished.history import NoSuchGame, RecordRefused
from cartino_server.lobby.moderation import Moderation
from cartino_server.lobby.people.presence import PresenceRegistry
from cartino_server.lobby.queries import Queries
from cartino_server.lobby.rate_limit import PersonLimit, RateLimits
from cartino_server.lobby.table_list import Lobby
from cartino_server.lobby.table_registry import TableRegistry
from cartino_server.store.port import JournalClosed, NotSaved
from cartino_server.table.participants import apply
from cartino_server.table.state import TableState
from cartino_server.table.task import TableTask
from cartino_server.table.views import table_view

T = TypeVar("T")


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
    view: TableView
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
        except DECODE_ERRORS:
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
        presence: PresenceRegistry,
        registry: TableRegistry,
        moderation: Moderation,
        table_list: Lobby,
        queries: Queries,
        rate_limits: RateLimits,
        missed_news: MissedNews,
        is_match: Callable[[str], bool],
    ) -> None:
        """`is_match` returns whether a code is that of a duplicate match, which has a table for each player."""
        self._is_match = is_match
        self._missed_news = missed_news
        self.mine_of = table_list.lines.mine_of
        self.tables_for = table_list.lines.seen_by
        self._lines_of = table_list.lines.tables_of
        self._queries = queries
        self._presence = presence
        self._registry = registry
        self._moderation = moderation
        self._rate_limits = rate_limits

    def find(self, typed: str, person: str, connection: int = 0) -> TableTask | None:
        """Return the table that `person` means by a typed code. Raises TooManyCodes."""
        task = self._registry.get(parse_code(typed))
        if task is not None and (task.table.order.open or self._is_expected(person, task.table.code)):
            return task
        limit = self._limit(person, connection)
        if task is None:
            limit.count_wrong_code()
        return task

    def _is_expected(self, person: str, code: str) -> bool:
        """Return whether the person has a seat at the table or is invited to it."""
        invited = self._queries.invitations.sender(person, code) is not None
        return invited or code in self._presence.seats.tables_of(person)

    def _limit(self, person: str, connection: int) -> PersonLimit:
        """Return the person's limits, if they may name something that isn't listed. Raises TooManyCodes."""
        limit = self._rate_limits.limits_of(person, connection)
        if not limit.may_try_code():
            raise TooManyCodes
        return limit

    async def record_of(self, name: str, person: str = "", connection: int = 0) -> bytes:
        """Return a game's record as JSON Lines; a running game's without what is hidden from `person`.

        `name` is a table's code, for its game or else the newest one played there, or a game's own name. Whoever
        knows a private table's code may read it, as they may watch it. Raises UnknownTable, NoRecord,
        RecordRefused, TooManyCodes.
        """
        code = parse_code(name)
        task = self._registry.get(code)
        if task is None:
            self._limit(person, connection)
        else:
            self.find(name, person, connection)
            if sealed := task.table.seal:
                raise RecordRefused(sealed)
            record = task.record(person)
            if record is not None:
                return record
        history = self._queries.history
        try:
            return await (history.record(name) if code is None else history.newest(code))
        except NoSuchGame:
            if task is not None:
                raise NoRecord(name) from None
            self._rate_limits.limits_of(person, connection).count_wrong_code()
            raise UnknownTable(name) from None

    def tables_of(self, person: str) -> tuple[tuple[TableLine, bool], ...]:
        """Return the tables of `person`, with whether it is their turn; those come first."""
        tables = []
        for line in self._lines_of(person):
            task = self._registry.get(line.code)
            seat = None if task is None else task.table.seating.seat_of(person)
            waits = line.state == "playing" and not line.paused and seat in line.turn
            tables.append((line, waits))
        return tuple(sorted(tables, key=lambda table: not table[1]))

    async def look(self, person: str, code: str, connection: int = 0) -> tuple[TableView, ChatView]:
        """Return the table and its chat as `person` may see them, from their seat or as a spectator.

        Raises NoSuchTable, and TableBusy after too many wrong codes or when too many commands wait there.
        """

        def look(table: TableState) -> tuple[TableView, ChatView]:
            seat = table.seating.seat_of(person)
            return table_view(table, seat), table.chat_view(seat is None)

        return await self._read(code, person, connection, look)

    async def saw_end(self, person: str, code: str) -> None:
        """Note that the person was told of the end of the game at a table."""
        task = self._registry.get(code)
        if task is not None:
            # Failing that, they are told once more.
            with contextlib.suppress(NotSaved, JournalClosed):
                await self._missed_news.told_of(person, task.table.code, task.game)

    async def since(self, person: str, code: str, number: int, connection: int = 0) -> GameSince | None:
        """Return the game since state `number` as `person` sees it; None without a seat or such a state.

        Raises NoSuchTable and TableBusy as `look` does.
        """

        def look(table: TableState) -> GameSince | None:
            seat, match = table.seating.seat_of(person), table.match
            if seat is None or match is None or number >= match.number:
                return None
            moments = match.moments()
            first = len(moments) - 1 - (table.number - number)
            if not moments or first < 0:
                return None
            seen = encode_raw(match.game.view(moments[first].state, seat))
            view = msgspec.structs.replace(table_view(table, seat), game_view=seen, number=number)
            return GameSince(match.game, seat, view, moments[first:])

        return await self._read(code, person, connection, look)

    async def do(
        self, person: str, code: str, command: Act | Say | Stand, connection: int = 0
    ) -> Refusal | None:
        """Apply `command` at a table; return why not, or None once it is saved. Raises NoSuchTable.

        A move with the number 0 answers the table's state at that moment.
        """
        pace = self._rate_limits.limits_of(person, connection)
        too_fast = pace.refuses(command) if pace.allows_frame() else "busy"
        if too_fast is not None:
            return Refusal(too_fast)
        refusal = self._moderation.refuses(person, command, connection)
        if refusal is not None:
            return refusal
        origin = self._presence.origin_of(person)

        def do(table: TableState) -> TableState | Refusal:
            if isinstance(command, Act):
                return apply(table, person, Act(command.number or table.number, command.move))
            return apply(table, person, command, self._registry.config.chat_length, origin)

        return await self.ask(code, person, connection, do)

    async def _read(self, code: str, person: str, connection: int, read: Callable[[TableState], T]) -> T:
        """Return what `read` finds at a table. Raises NoSuchTable, TableBusy."""
        found: list[T] = []

        def question(table: TableState) -> TableState:
            found.append(read(table))
            return table

        refusal = await self.ask(code, person, connection, question)
        if found:
            return found[0]
        if refusal is None or refusal.reason == "unknown-code":
            raise NoSuchTable(self._no_table(code))
        raise TableBusy(refusal)

    def _no_table(self, code: str) -> Refusal:
        """Return why there is no table with that code."""
        known = parse_code(code) or ""
        return Refusal("duplicate-code", known) if self._is_match(known) else self._registry.no_table(code)

    async def ask(
        self, code: str, person: str, connection: int, question: Callable[[TableState], TableState | Refusal]
    ) -> Refusal | None:
        """Commit what `question` makes of a table; return a refusal, or None once it is saved. Raises NoSuchTable."""
        try:
            task = self.find(code, person, connection)
        except TooManyCodes:
            return Refusal("too-many-codes")
        if task is None:
            raise NoSuchTable(self._no_table(code))
        if sealed := task.table.sealed_for(person):
            return sealed
        if not task.has_time:
            return Refusal("busy")
        return await task.ask(question)
