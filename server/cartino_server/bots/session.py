"""Play for a bot account: JSON lines on a channel, and behind them a link for the lobby and one for each table.

A line is read when the one before is done with, so a bot that hurries is served later and refused nothing. Of each
table only the newest state waits for a bot that reads slowly.
"""

import asyncio
import traceback
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from cartino_protocol import commands as wire_commands
from cartino_protocol.accounts import Invitations
from cartino_protocol.base import parse_code
from cartino_protocol.commands import Act, Command, Hello, QuickPlay
from cartino_protocol.exit_status import BROKEN_OFF, MISUSE, REFUSED
from cartino_protocol.link import Link, LinkClosed
from cartino_protocol.records import BOT_MARK
from cartino_protocol.refusals import Refusal, RefusalReason
from cartino_protocol.terminal import Terminal
from cartino_protocol.views import Answer, Bye, Left, Mine, TableView, Welcome
from cartino_protocol.wire import MAX_COMMAND_BYTES, VERSION, encode_raw
from cartino_server.bots import messages
from cartino_server.rate_limit import TokenBucket
from cartino_tui.game_port.speech import AnySpeech
from cartino_tui.i18n import ENGLISH
from cartino_tui.plain.shell import read_view
from cartino_tui.visit.farewell import server_farewell
from cartino_tui.visit.routes import ShellCommands
from cartino_tui.visit.state import ClientState

LINES_A_SECOND: Final = 2.0
"""Lines of a bot in the long run: as many bots as the server lets play leave people's keys quick."""
LINES_AT_ONCE: Final = 10.0
MAX_TABLES: Final = 5
"""Tables of a connection, as many as a person may open."""
"""Exit statuses."""

_END_OF_INPUT: Final = b"\x04"
_CLIENT: Final = "cartino-bot"
_NO_TABLE: Final = "There is no table {code}. Check the code; it may have closed."
_NAMES: Final = {Act.__name__: "move", wire_commands.Rematch.__name__: "rematch"}
"""What a bot says for a command of the protocol at a table."""


class _Place(msgspec.Struct, eq=False):
    """A link and the table that it is at, or wants to go to: `what` the bot said for it, "" for going back by itself.

    `told`: the number of the state that the bot was asked about last; `leaves`: the bot has said `leave`.
    """

    link: Link
    what: str
    code: str = ""
    table: TableView | None = None
    told: int = -1
    leaves: bool = False


class BotSession:
    """Serves one bot; a `TerminalHandler` that needs no terminal."""

    def __init__(
        self,
        terminal: Terminal,
        open_link: Callable[[], Link],
        speeches: Mapping[str, AnySpeech],
        *,
        is_bot: bool,
    ) -> None:
        """`is_bot`: the visitor is a bot account; nobody else may play so. Needs a running loop."""
        self.crash: str | None = None
        self._terminal = terminal
        self._open_link = open_link
        self._speeches = speeches
        self._is_bot = is_bot
        self._loop = asyncio.get_running_loop()
        self._group = asyncio.TaskGroup()
        self._lobby: Link | None = None
        self._places: list[_Place] = []
        self._invited: frozenset[str] = frozenset()
        self._declined: list[str] = []
        """The invitations that the bot declines and the server hasn't dropped yet."""
        self._has_returned = False
        self._typed = bytearray()
        self._bucket = TokenBucket(LINES_A_SECOND, LINES_AT_ONCE, self._loop.time())
        self._next: asyncio.TimerHandle | None = None
        self._greeted = self._ended = self._over = self._paused = False
        self._flows = asyncio.Event()
        self._flows.set()
        self._status = 0

    async def run(self) -> int:
        """Serve the bot until it or the server hangs up; return the exit status."""
        if self._over:
            return 0
        if not self._is_bot:
            self._write(messages.refused_event(Refusal("not-a-bot"), "bot"))
            return REFUSED
        try:
            async with self._group:
                self._lobby = self._open(Hello(VERSION, _CLIENT))
                self._group.create_task(self._hear_lobby(self._lobby))
        except ExceptionGroup:
            self.crash = traceback.format_exc()
            return 1
        finally:
            self._finish(self._status)
        return self._status

    # What the channel calls.

    def feed(self, data: bytes) -> None:
        """Take what the bot says."""
        if not self._over:
            self._ended = self._ended or data.endswith(_END_OF_INPUT)
            self._typed += data.removesuffix(_END_OF_INPUT)
            self._read()

    def resize(self, width: int, height: int) -> None:
        """Ignore the size."""

    def stall(self) -> None:
        """Take nothing more from the links: the channel is full."""
        self._flows.clear()

    def drained(self) -> None:
        """Take answers again."""
        self._flows.set()

    def hang_up(self) -> None:
        """End, since the channel is gone."""
        self._finish(0)

    # What the bot says.

    def _read(self) -> None:
        """Handle the lines that have come, as fast as the limit allows, and read on when none waits."""
        while self._greeted and not self._over and self._next is None:
            end = self._typed.find(b"\n", 0, MAX_COMMAND_BYTES + 1)
            if end < 0 and len(self._typed) > MAX_COMMAND_BYTES:
                self._bye("too-long", f"A line has at most {MAX_COMMAND_BYTES} bytes.", MISUSE)
            elif end < 0 and not self._ended:
                break
            elif not self._typed:
                self._finish(0)
            elif (wait := self._bucket.wait(self._loop.time(), 1)) > 0:
                self._next = self._loop.call_later(wait, self._read_on)
            else:
                self._bucket.draw(1)
                line = bytes(self._typed if end < 0 else self._typed[:end])
                del self._typed[: len(line) + 1]
                self._handle(line)
        self._pause(self._next is not None or len(self._typed) > MAX_COMMAND_BYTES)

    def _read_on(self) -> None:
        self._next = None
        self._read()

    def _pause(self, on: bool) -> None:
        if on != self._paused:
            self._paused = on
            (self._terminal.pause_reading if on else self._terminal.resume_reading)()

    def _handle(self, line: bytes) -> None:
        if not line.strip():
            return
        said = messages.read_message(line)
        match said:
            case None:
                self._refuse("malformed", "")
            case messages.Play(game=game):
                self._go("play", QuickPlay(game))
            case messages.Create():
                fields = msgspec.structs.asdict(said)
                self._go("create", wire_commands.Create(**fields))
            case messages.Join(table=table):
                self._go("join", wire_commands.Join(table), parse_code(table) or table)
            case messages.Decline(table=table):
                self._decline(parse_code(table) or table)
            case messages.Move() | messages.Rematch() | messages.Leave():
                self._at_table(said)

    def _at_table(self, said: messages.Move | messages.Rematch | messages.Leave) -> None:
        code = parse_code(said.table)
        what = type(said).__name__.lower()
        place = next((one for one in self._places if one.table is not None and one.code == code), None)
        if place is None or place.table is None or place.leaves:
            self._refuse("not-seated", what, said.table, "You aren't at that table; join it first.")
            return
        match said:
            case messages.Leave():
                place.leaves = True
                place.link.send(wire_commands.Leave())
            case messages.Rematch():
                place.link.send(wire_commands.Rematch())
            case messages.Move():
                self._move(place, place.table, said)

    def _decline(self, code: str) -> None:
        if self._lobby is None or code not in self._invited or code in self._declined:
            self._refuse("unknown-code", "decline", code, "You aren't invited to that table.")
            return
        self._declined.append(code)
        self._lobby.send(wire_commands.Decline(code))

    def _move(self, place: _Place, table: TableView, said: messages.Move) -> None:
        speech = self._speeches.get(table.game)
        move = None if speech is None else speech.move(said.move, read_view(table, speech))
        if said.number != table.number:
            self._refuse("stale", "move", table.code)
        elif move is None:
            self._refuse(
                "malformed", "move", table.code, "That isn't a move of this game; take one of `legal`."
            )
        else:
            place.link.send(Act(said.number, encode_raw(move)))

    def _go(self, what: str, command: Command, code: str = "") -> None:
        """Send `command` on a link of its own, which stays at the table that it leads to."""
        if code and any(place.code == code for place in self._places):
            self._refuse("seated", what, code)
            return
        if len(self._places) >= MAX_TABLES:
            over = (one for one in self._places if one.table is not None and one.table.state == "finished")
            oldest = next(over, None)
            if oldest is None:
                self._refuse(
                    "too-many-rooms", what, code, f"A connection plays at {MAX_TABLES} tables at most."
                )
                return
            self._drop(oldest)
        place = _Place(self._open(Hello(VERSION, _CLIENT), command), what, code)
        self._places.append(place)
        self._group.create_task(self._hear_table(place))

    def _refuse(self, reason: RefusalReason, what: str, table: str = "", sentence: str = "") -> None:
        self._write(messages.refused_event(Refusal(reason), what, table, sentence))

    # What the server says.

    async def _hear_lobby(self, link: Link) -> None:
        try:
            while True:
                await self._flows.wait()
                self._take(await link.receive())
        except LinkClosed:
            if not self._over:
                self._bye("lost", "The server is gone; connect again in a moment.", BROKEN_OFF)

    async def _hear_table(self, place: _Place) -> None:
        try:
            while True:
                await self._flows.wait()
                self._take_at(place, await place.link.receive())
        except LinkClosed:
            self._drop(place)

    def _take(self, said: Answer) -> None:
        match said:
            case Welcome() if not self._greeted:
                self._greeted = True
                self._write(messages.hello(said.name, said.games))
                self._read()
            case Mine(tables=tables) if not self._has_returned:
                # Only once: two connections of one bot must not take the seats from each other for ever.
                self._has_returned = True
                for line in tables[:MAX_TABLES]:
                    if line.state != "finished":
                        self._go("", wire_commands.Join(line.code, again=True), line.code)
            case Invitations(lines=lines):
                for each in lines:
                    if each.code not in self._invited:
                        told = {"table": each.code, "game": each.game, "from": each.name}
                        self._write(messages.event("invited", **told))
                self._invited = frozenset(each.code for each in lines)
                for code in [code for code in self._declined if code not in self._invited]:
                    self._declined.remove(code)
                    self._write(messages.event("declined", table=code))
            case Refusal() if self._declined:
                # The server answers one after another.
                self._write(messages.refused_event(said, "decline", self._declined.pop(0)))
            case Bye():
                farewell = server_farewell(said, ClientState(), ShellCommands())
                self._bye(said.why, str(farewell.sentence), BROKEN_OFF)

    def _take_at(self, place: _Place, said: Answer) -> None:
        match said:
            case TableView():
                self._show(place, said)
            case Refusal() if place.table is None:
                if place.what:
                    sentence = _NO_TABLE.format(code=place.code) if said.reason == "unknown-code" else ""
                    self._write(messages.refused_event(said, place.what, place.code, sentence))
                self._drop(place)
            case Refusal():
                place.leaves = place.leaves and said.to != wire_commands.Leave.__name__
                speech, sentence = self._speeches.get(place.table.game if place.table else ""), ""
                if said.reason == "illegal" and speech is not None:
                    sentence = speech.describe_refusal(said.detail, ENGLISH)
                what = _NAMES.get(said.to, said.to.lower())
                self._write(messages.refused_event(said, what, place.code, sentence))
            case Left():
                self._write(messages.event("left", table=place.code, reason=said.why))
                self._drop(place)

    def _show(self, place: _Place, table: TableView) -> None:
        """Tell of a game that begins, ask for a move, or tell of the end."""
        before, place.table, place.code = place.table, table, table.code
        was = None if before is None else before.state
        if was is None or (table.state == "playing" and was != "playing"):
            self._write(messages.game_event(table))
        if table.state == "playing":
            claims = () if table.claim is None else table.claim.seats
            if table.you in (*table.turn, *claims) and not table.paused and table.number != place.told:
                place.told = table.number
                self._write(messages.state_event(table, self._speeches.get(table.game)))
        elif table.state == "finished" and was != "finished":
            self._write(messages.end_event(table))
            if all(seat.kind == "bot" or seat.name.startswith(BOT_MARK) for seat in table.seats):
                # Nobody here wants a rematch: the next game is asked for.
                self._drop(place)

    # Ends.

    def _open(self, *commands: Command) -> Link:
        link = self._open_link()
        for command in commands:
            link.send(command)
        return link

    def _drop(self, place: _Place) -> None:
        place.link.close()
        if place in self._places:
            self._places.remove(place)

    def _bye(self, reason: str, sentence: str, status: int) -> None:
        self._write(messages.event("bye", reason=reason, sentence=sentence))
        self._finish(status)

    def _finish(self, status: int) -> None:
        """Close every link; `run` ends with them."""
        if self._over:
            return
        self._over, self._status = True, status
        if self._next is not None:
            self._next.cancel()
        for place in tuple(self._places):
            self._drop(place)
        if self._lobby is not None:
            self._lobby.close()
        self._typed.clear()
        self._flows.set()

    def _write(self, line: bytes) -> None:
        if not self._over:
            self._terminal.write(line)
