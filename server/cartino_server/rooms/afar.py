"""What people do at a table without being there: look at it, move, say something, from any shell.

Nobody comes or goes by it: the seat stays at whatever terminal it is at. Each of these is a job of the room's own
task, so what is shown was saved, and what is done is saved before it is answered.
"""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

import msgspec

from cartino_protocol.commands import Act, Command, Say
from cartino_protocol.ids import Seat
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ChatView, RoomLine, RoomView
from cartino_protocol.wire import raw
from cartino_server.engine.port import AnyGame, Step
from cartino_server.engine.replay import Moment
from cartino_server.rooms.answering import answer
from cartino_server.rooms.codes import TooManyCodes
from cartino_server.rooms.config import HouseConfig
from cartino_server.rooms.lobby import Lobby
from cartino_server.rooms.pace import Measure
from cartino_server.rooms.room import Room
from cartino_server.rooms.runner import RoomRunner
from cartino_server.rooms.show import room_view


class NoSuchTable(LookupError):
    """There is no open table with that code, for the reason in `refusal`."""

    def __init__(self, refusal: Refusal) -> None:
        """No table because of `refusal`."""
        super().__init__(refusal.detail)
        self.refusal = refusal


class NotNow(Exception):
    """The table is there and can't be looked at just now, for the reason in `refusal`."""

    def __init__(self, refusal: Refusal) -> None:
        """Not now because of `refusal`."""
        super().__init__(refusal.reason)
        self.refusal = refusal


class Since(msgspec.Struct, frozen=True):
    """A game of the player on `seat` since a state of theirs: `view` shows that state, the first of `moments`."""

    game: AnyGame
    seat: Seat
    view: RoomView
    moments: Sequence[Moment]

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


class Afar:
    """The tables, for those who are not at them."""

    def __init__(
        self,
        find: Callable[[str, str, int], RoomRunner | None],
        lobby: Lobby,
        config: Callable[[], HouseConfig],
        pace_of: Callable[[str, int], Measure],
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

        def look(room: Room) -> Refusal | None:
            seat = room.seating.seat_of(person)
            seen.append((room_view(room, seat), room.chat(seat is None)))
            return None

        refusal = await self._ask(code, person, connection, look)
        if seen:
            return seen[0]
        if refusal is None or refusal.reason == "unknown-code":
            raise NoSuchTable(self.no_table(code))
        raise NotNow(refusal)

    async def since(self, person: str, code: str, number: int, connection: int = 0) -> Since | None:
        """What became of the game since state `number`, as `person` sees it; None for no seat or no such state.

        Raises NoSuchTable, and NotNow as `look` does.
        """
        seen: list[Since] = []

        def look(room: Room) -> Refusal | None:
            seat, play = room.seating.seat_of(person), room.play
            moments = () if play is None or number >= play.number else play.moments()
            first = len(moments) - 1 - (room.number - number)
            if seat is not None and play is not None and moments and first >= 0:
                table = raw(play.game.view(moments[first].state, seat))
                view = msgspec.structs.replace(room_view(room, seat), table=table, number=number)
                seen.append(Since(play.game, seat, view, moments[first:]))
            return None

        refusal = await self._ask(code, person, connection, look)
        if refusal is not None and refusal.reason != "unknown-code":
            raise NotNow(refusal)
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

        def do(room: Room) -> Refusal | None:
            if isinstance(command, Act):
                return answer(room, person, Act(command.number or room.number, command.move))
            return answer(room, person, command, self._config().chat_length, origin)

        return await self._ask(code, person, connection, do)

    async def _ask(
        self, code: str, person: str, connection: int, question: Callable[[Room], Refusal | None]
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
