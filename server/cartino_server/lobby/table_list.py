"""The tables as seen from outside them: the list in the lobby, and one table viewed or played from a shell.

The list is sent at most once per interval, encoded once for all, and only when it changed.
"""

import asyncio
import contextvars
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final

import msgspec

from cartino_protocol.base import Seat
from cartino_protocol.commands import Act, Command, Say
from cartino_protocol.outbox import ViewKind
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ChatView, LobbyView, Mine, RoomLine, RoomView
from cartino_protocol.wire import encode, encode_raw
from cartino_server.engine.port import AnyGame, Step
from cartino_server.engine.replay import ReplayState
from cartino_server.limits import ServerConfig
from cartino_server.lobby.presence import SeatIndex
from cartino_server.lobby.table_registry import TooManyCodes
from cartino_server.table.commands import apply
from cartino_server.table.link import RateLimit, ServerLink
from cartino_server.table.state import TableState
from cartino_server.table.task import TableTask
from cartino_server.table.views import room_view

FEW: Final = 8
"""Links that the list goes out to at once."""
PAUSE: Final = 0.02
"""Seconds before it goes out to the next."""


class Lobby:
    """The lines of all rooms, oldest first, and the links in the lobby."""

    def __init__(self, every: float, people: Callable[[], int], sitting: SeatIndex) -> None:
        """`every` in seconds; `people()` is how many persons are in the house; `sitting` is up to date."""
        self._every = every
        self._people = people
        self._seat_index = sitting
        self._lines: dict[str, RoomLine] = {}
        self._listed: set[str] = set()
        self._shown: dict[ServerLink, dict[ViewKind, bytes]] = {}
        self._affected: set[str] = set()
        self._kept: dict[str, tuple[tuple[str, str], ...]] = {}
        self._due: list[ServerLink] = []
        """Those who the list that goes out now has still to go to."""
        self._frame = b""
        self._told: set[str] = set()
        """Whose own tables are different in it."""
        self._changed = False
        """Whether something is different since."""
        self._timer: asyncio.TimerHandle | None = None
        self._last = float("-inf")

    def note(self, line: RoomLine, listed: bool, persons: Iterable[str]) -> None:
        """A room is new or shows `line` now; `listed` for everybody's eyes; `persons` have or had a seat there."""
        self._lines[line.code] = line
        if listed:
            self._listed.add(line.code)
        self._affected.update(persons)
        self.touch()

    def drop(self, code: str, persons: Iterable[str]) -> None:
        """The room is no more, at which `persons` had a seat."""
        if self._lines.pop(code, None) is not None:
            self._listed.discard(code)
            self._affected.update(persons)
            self.touch()

    def line_of(self, code: str) -> RoomLine | None:
        """What the room shows; None for one that is unknown."""
        return self._lines.get(code)

    def is_over(self, code: str) -> bool:
        """Whether the last game at the room is over, and no other has begun."""
        line = self.line_of(code)
        return line is not None and line.state == "finished"

    def rooms_of(self, person: str) -> tuple[RoomLine, ...]:
        """The rooms at which `person` has a seat, oldest first."""
        mine = self._seat_index.rooms_of(person)
        return tuple(line for code, line in self._lines.items() if code in mine) if mine else ()

    def keep(self, code: str, game: str, persons: Iterable[str]) -> None:
        """A room at which `persons` have seats can't be opened, since its `game` is not installed."""
        for person in persons:
            self._kept[person] = (*self._kept.get(person, ()), (code, game))

    def mine_of(self, person: str) -> Mine:
        """The tables of `person`, with those that are kept."""
        return Mine(self.rooms_of(person), self._kept.get(person, ()))

    def seen_by(self, person: str) -> tuple[RoomLine, ...]:
        """The rooms that `person` may see listed: everybody's and their own."""
        mine = self._seat_index.rooms_of(person)
        return tuple(line for code, line in self._lines.items() if code in self._listed or code in mine)

    def enter(self, link: ServerLink) -> None:
        """`link` looks at the list, and gets it as it is now."""
        self._shown[link] = {}
        self._show(link, LobbyView, encode(self._view()))
        self._show(link, Mine, encode(self.mine_of(link.person.id)))

    def leave(self, link: ServerLink) -> None:
        """`link` looks elsewhere."""
        self._shown.pop(link, None)

    def touch(self) -> None:
        """Something in the list is different; it goes out when it is time."""
        self._changed = True
        if self._timer is None:
            loop = asyncio.get_running_loop()
            when = max(loop.time(), self._last + self._every)
            # The timer is the house's: it must not keep alive what belongs to whoever set it off.
            self._timer = loop.call_at(when, self._push, context=contextvars.Context())

    def close(self) -> None:
        """No list goes out any more."""
        if self._timer is not None:
            self._timer.cancel()

    def _push(self) -> None:
        """Send the list to a few of those who look at it, and to the others a little later."""
        loop = asyncio.get_running_loop()
        self._timer = None
        if not self._due:
            self._last, self._changed = loop.time(), False
            self._frame, self._due = encode(self._view()), list(self._shown)
            self._told, self._affected = self._affected, set()
        few, self._due = self._due[:FEW], self._due[FEW:]
        for link in few:
            if link in self._shown:
                self._show(link, LobbyView, self._frame)
                if link.person.id in self._told:
                    self._show(link, Mine, encode(self.mine_of(link.person.id)))
        if self._due:
            self._timer = loop.call_later(PAUSE, self._push)
        elif self._changed:
            self.touch()

    def _show(self, link: ServerLink, kind: ViewKind, frame: bytes) -> None:
        shown = self._shown[link]
        if shown.get(kind) != frame:
            shown[kind] = frame
            link.put_view(kind, frame)

    def _view(self) -> LobbyView:
        lines = tuple(line for code, line in self._lines.items() if code in self._listed)
        return LobbyView(lines, self._people())


class NoSuchTable(LookupError):
    """There is no open table with that code, for the reason in `refusal`."""

    def __init__(self, refusal: Refusal) -> None:
        """No table because of `refusal`."""
        super().__init__(refusal.detail)
        self.refusal = refusal


class TableBusy(Exception):
    """The table is there and can't be looked at just now, for the reason in `refusal`."""

    def __init__(self, refusal: Refusal) -> None:
        """Not now because of `refusal`."""
        super().__init__(refusal.reason)
        self.refusal = refusal


class GameSince(msgspec.Struct, frozen=True):
    """A game of the player on `seat` since a state of theirs: `view` shows that state, the first of `moments`."""

    game: AnyGame
    seat: Seat
    view: RoomView
    moments: Sequence[ReplayState]

    @property
    def moves(self) -> int:
        """How many moves were made since."""
        return len(self.moments) - 1

    def made(self, at: int, move: bytes) -> bool:
        """Whether the move at place `at` (from 0) was `move`, made for this seat."""
        before, after = self.moments[at], self.moments[at + 1]
        try:
            step = self.game.apply(before.state, self.seat, self.game.read_move(move))
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            return False
        return isinstance(step, Step) and tuple(step.lines) == tuple(after.lines)

    def waited(self, at: int) -> bool:
        """Whether the game waited for this seat before that move."""
        return self.seat in self.game.on_turn(self.moments[at].state)


class RemoteTables:
    """The tables, for those who are not at them."""

    def __init__(
        self,
        find: Callable[[str, str, int], TableTask | None],
        lobby: Lobby,
        config: Callable[[], ServerConfig],
        pace_of: Callable[[str, int], RateLimit],
    ) -> None:
        """The tables that `lobby` lists.

        `find(code, person, connection)` finds one, and raises TooManyCodes; `pace_of(person, connection)` is as at
        their terminals.
        """
        self._find = find
        self._lines_of = lobby.rooms_of
        self.mine_of = lobby.mine_of
        """The tables of a person, as their lobby is told of them."""
        self._config = config
        self._pace_of = pace_of
        self.refuses: Callable[[str, Command], Refusal | None] = lambda _person, _command: None
        """Why the host won't have somebody say a command."""
        self.no_table: Callable[[str], Refusal] = partial(Refusal, "unknown-code")
        """Why there is no open table with a code."""
        self.origin_of: Callable[[str], str] = lambda _: ""
        """Where a person came from who is at a terminal too, "" for nobody knows."""

    def tables_of(self, person: str) -> tuple[tuple[RoomLine, bool], ...]:
        """The tables where `person` sits, and whether each waits for them; those that do come first."""
        tables = []
        for line in self._lines_of(person):
            runner = self._find(line.code, person, 0)
            seat = None if runner is None else runner.room.seating.seat_of(person)
            waits = line.state == "playing" and not line.paused and seat in line.turn
            tables.append((line, waits))
        return tuple(sorted(tables, key=lambda table: not table[1]))

    async def look(self, person: str, code: str, connection: int = 0) -> tuple[RoomView, ChatView]:
        """The table and its talk as `person`, who came by `connection`, may see them: from their seat, or as everybody.

        Raises NoSuchTable, and NotNow where they typed too many wrong codes or too many wait for the table to answer.
        """
        seen: list[tuple[RoomView, ChatView]] = []

        def look(room: TableState) -> TableState:
            seat = room.seating.seat_of(person)
            seen.append((room_view(room, seat), room.chat_view(seat is None)))
            return room

        refusal = await self._ask(code, person, connection, look)
        if seen:
            return seen[0]
        if refusal is None or refusal.reason == "unknown-code":
            raise NoSuchTable(self.no_table(code))
        raise TableBusy(refusal)

    async def since(self, person: str, code: str, number: int, connection: int = 0) -> GameSince | None:
        """What became of the game since state `number`, as `person` sees it; None for no seat or no such state.

        Raises NoSuchTable, and NotNow as `look` does.
        """
        seen: list[GameSince] = []

        def look(room: TableState) -> TableState:
            seat, match = room.seating.seat_of(person), room.match
            moments = () if match is None or number >= match.number else match.moments()
            first = len(moments) - 1 - (room.number - number)
            if seat is not None and match is not None and moments and first >= 0:
                table = encode_raw(match.game.view(moments[first].state, seat))
                view = msgspec.structs.replace(room_view(room, seat), table=table, number=number)
                seen.append(GameSince(match.game, seat, view, moments[first:]))
            return room

        refusal = await self._ask(code, person, connection, look)
        if refusal is not None and refusal.reason != "unknown-code":
            raise TableBusy(refusal)
        return seen[0] if seen else None

    async def do(self, person: str, code: str, command: Act | Say, connection: int = 0) -> Refusal | None:
        """Do what `person` asks for at a table; why not, or None once it is done and saved. Raises NoSuchTable.

        They came by that `connection`, 0 for none. A move with the number 0 answers the table as it is when its turn
        comes.
        """
        pace = self._pace_of(person, connection)
        too_fast = pace.refuses(command) if pace.allows_frame() else "busy"
        if too_fast is not None:
            return Refusal(too_fast)
        refusal = self.refuses(person, command)
        if refusal is not None:
            return refusal

        origin = self.origin_of(person)

        def do(room: TableState) -> TableState | Refusal:
            if isinstance(command, Act):
                return apply(room, person, Act(command.number or room.number, command.move))
            return apply(room, person, command, self._config().chat_length, origin)

        return await self._ask(code, person, connection, do)

    async def _ask(
        self,
        code: str,
        person: str,
        connection: int,
        question: Callable[[TableState], TableState | Refusal],
    ) -> Refusal | None:
        try:
            runner = self._find(code, person, connection)
        except TooManyCodes:
            return Refusal("too-many-codes")
        if runner is None:
            raise NoSuchTable(self.no_table(code))
        if not runner.has_time:
            return Refusal("busy")
        answered: asyncio.Future[Refusal | None] = asyncio.get_running_loop().create_future()

        def hear(refusal: Refusal | None) -> None:
            # Whoever has asked may have gone meanwhile.
            if not answered.done():
                answered.set_result(refusal)

        runner.ask(question, hear)
        return await answered
