"""One task a room: commands in, views out, bots moved, and the room closed when it is empty or broken."""

import asyncio
import contextvars
from collections.abc import Callable, Mapping
from functools import partial
from typing import Literal, Protocol

import structlog

from cartino_protocol.commands import (
    Act,
    Command,
    Cut,
    Join,
    Leave,
    QuickPlay,
    Rematch,
    Say,
    Sit,
    Stand,
    Start,
    Watch,
)
from cartino_protocol.ids import read_code
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Left, RoomLine
from cartino_server.bots.port import Bot
from cartino_server.rooms.config import HouseConfig
from cartino_server.rooms.driving import BotDriver
from cartino_server.rooms.feed import Feed
from cartino_server.rooms.ports import Ports, bot_chance
from cartino_server.rooms.room import Room
from cartino_server.rooms.seat import HouseLink
from cartino_server.rooms.show import room_line
from cartino_server.rooms.thinking import Thinker, Thought

_log = structlog.get_logger(__name__)

Job = Callable[[], None]


class Keeper(Protocol):
    """What a room's task needs of the house."""

    def name_of(self, link: HouseLink) -> str:
        """What the link's person is called."""

    def is_here(self, person: str) -> bool:
        """Whether the person of that id has a link, at whatever table or none."""

    def route(self, link: HouseLink, command: Command) -> bool:
        """Serve a command that is not this room's; False where `link.settled()` will be called when it is done."""

    def entered(self, link: HouseLink, runner: "RoomRunner") -> None:
        """The link stands in this room now, and nowhere else."""

    def went_home(self, link: HouseLink, left: Left) -> None:
        """The link is back in the lobby."""

    def changed(self, runner: "RoomRunner", line: RoomLine) -> None:
        """Lists of rooms show `line` for this room from now on."""

    def closed(self, runner: "RoomRunner") -> None:
        """This room is no more."""


class RoomRunner:
    """Runs `room`. Only its task touches the room, so nothing that a command does is ever half done.

    The queue is bounded by what can be in it: one command a link, a departure a link, a move a bot.
    """

    def __init__(
        self, room: Room, bots: Mapping[str, Bot], config: HouseConfig, ports: Ports, keeper: Keeper
    ) -> None:
        """`bots` are those of the room's game, by name."""
        self.room = room
        self._feed = Feed()
        self._config = config
        self._ports = ports
        self._keeper = keeper
        self._queue: asyncio.Queue[Job] = asyncio.Queue()
        thinker = Thinker(bots, partial(bot_chance, ports), self._heard)
        self._driver = BotDriver(room, thinker, config.bot_pause)
        self._guests: set[str] = set()
        self._kept = 0
        self._why: Literal["closed", "broken"] | None = None
        self._gone = False
        self._patience: asyncio.TimerHandle | None = None
        self._waits: float | None = None

    def post(self, link: HouseLink, command: Command) -> bool:
        """Queue a command of `link`; True where it is done already, refused because too many wait."""
        if self._queue.qsize() >= self._config.queue:
            link.refuse(command, "busy")
            return True
        self._queue.put_nowait(partial(self._serve, link, command))
        return False

    def forget(self, link: HouseLink) -> None:
        """The link has ended or stands elsewhere: it gets nothing more from here."""
        self._feed.remove(link)
        self._queue.put_nowait(partial(self._departed, link.person.id))

    def look_again(self) -> None:
        """Somebody who sits here is gone from the house, which may be the last of this table."""
        self._queue.put_nowait(_nothing)

    def rename(self, person: str, name: str) -> None:
        """A person who sits or stands here is called `name` now."""
        self._queue.put_nowait(partial(self._renamed, person, name))

    async def run(self) -> None:
        """Serve until the room is closed. Whatever the engine raises ends this room and no other.

        When cancelled, the record of a running game still gets its end and is kept.
        """
        try:
            self._after()
            while self._why is None:
                job = await self._queue.get()
                job()
                self._after()
                # A table with much to do lets the others have their turn.
                await asyncio.sleep(0)
        except Exception:
            _log.exception("room_broken", code=self.room.code, game=self.room.game.name)
            self._why = "broken"
        finally:
            self._stop_patience()
            self._driver.stop()
            self._end_record()
        self._close(self._why)

    def _serve(self, link: HouseLink, command: Command) -> None:
        if link.closed:
            return
        done = True
        try:
            if not self._gone and (link in self._feed.links or self._leads_here(command)):
                done = self._answer(link, command)
            else:
                done = self._keeper.route(link, command)
        finally:
            if done:
                link.settled()

    def _leads_here(self, command: Command) -> bool:
        match command:
            case QuickPlay():
                return True
            case Join(code=code) | Watch(code=code):
                return read_code(code) == self.room.code
            case _:
                return False

    def _answer(self, link: HouseLink, command: Command) -> bool:
        if isinstance(command, QuickPlay) and link in self._feed.links and self.room.state != "open":
            # The house has a table for them that is not this one; at an open table they are right already.
            return self._keeper.route(link, command)
        if isinstance(command, Join | Watch | QuickPlay):
            return (
                self._enter(link, command) if self._leads_here(command) else self._keeper.route(link, command)
            )
        if isinstance(command, Leave):
            self._let_go(link)
            return True
        person = link.person.id
        refusal: Refusal | None
        match command:
            case Act(number=number, move=move):
                refusal = self.room.act(person, number, bytes(move))
            case Say(text=text):
                refusal = self.room.say(person, text)
            case Cut(text=text):
                refusal = self.room.cut(person, text)
            case Sit(seat=seat):
                refusal = self.room.sit(person, seat)
            case Stand():
                refusal = self.room.stand(person)
            case Start():
                refusal = self.room.start(person)
            case Rematch():
                refusal = self.room.rematch(person)
            case _:
                return self._keeper.route(link, command)
        if refusal is not None:
            link.refuse(command, refusal.reason, refusal.detail)
        return True

    def _enter(self, link: HouseLink, command: Join | Watch | QuickPlay) -> bool:
        person, name = link.person.id, self._keeper.name_of(link)
        try:
            refusal = (
                self.room.watch(person, name) if isinstance(command, Watch) else self.room.join(person, name)
            )
        except Exception:
            # Who takes the last seat of a table that breaks at the deal is told so like everybody at it.
            self._admit(link)
            raise
        if refusal is None:
            self._admit(link)
        elif isinstance(command, QuickPlay):
            # Somebody was quicker to the last seat: on to the next table.
            return self._keeper.route(link, command)
        else:
            link.refuse(command, refusal.reason, refusal.detail)
        return True

    def _admit(self, link: HouseLink) -> None:
        if link.person.guest:
            self._guests.add(link.person.id)
        self._feed.admit(link)
        self._keeper.entered(link, self)

    def _let_go(self, link: HouseLink) -> None:
        self._feed.remove(link)
        self._departed(link.person.id)
        self._keeper.went_home(link, Left("left", self.room.code))

    def _departed(self, person: str) -> None:
        if not self._gone and not self._feed.holds(person):
            self.room.leave(person)

    def _renamed(self, person: str, name: str) -> None:
        if not self._gone:
            self.room.rename(person, name)

    def _heard(self, thought: Thought) -> None:
        self._queue.put_nowait(partial(self._bot_acts, thought))

    def _bot_acts(self, thought: Thought) -> None:
        if not self._gone:
            self._driver.act(thought)

    def _after(self) -> None:
        if self._feed.is_behind(self.room):
            self._keeper.changed(self, room_line(self.room))
        self._feed.send(self.room)
        self._keep_record()
        self._driver.wake()
        self._mind_emptiness()

    def _keep_record(self) -> None:
        play = self.room.play
        if play is not None and play.result is not None and play.number != self._kept:
            self._kept = play.number
            try:
                self._ports.keep(self.room.code, tuple(play.lines))
            except Exception:
                # The game was played all the same, and its players may want another.
                _log.exception("record_not_kept", code=self.room.code)

    def _mind_emptiness(self) -> None:
        waits = None if self._feed.links else self._time_left()
        if waits == self._waits:
            return
        self._stop_patience()
        self._waits = waits
        if waits is not None:
            self._patience = asyncio.get_running_loop().call_later(
                waits, self._queue.put_nowait, self._give_up, context=contextvars.Context()
            )

    def _time_left(self) -> float:
        """How many seconds this room, at which nobody is, waits for somebody."""
        play, players = self.room.play, self.room.seating.persons()
        if play is None:
            return min(self._config.empty_after, self._config.unused_after)
        self._guests.intersection_update(players)
        if self.room.state == "playing" and not any(map(self._may_return, players)):
            return 0
        return self._config.empty_after

    def _may_return(self, person: str) -> bool:
        # A guest is somebody else with the next connection.
        return person not in self._guests or self._keeper.is_here(person)

    def _give_up(self) -> None:
        if not self._feed.links:
            self._why = "closed"

    def _stop_patience(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _close(self, why: Literal["closed", "broken"] | None) -> None:
        self._gone = True
        self._keeper.closed(self)
        for link in tuple(self._feed.links):
            self._keeper.went_home(link, Left(why or "closed", self.room.code))
        # Who was on the way in, or had more to say here, is served as somebody in the lobby.
        while not self._queue.empty():
            self._queue.get_nowait()()

    def _end_record(self) -> None:
        try:
            self.room.abandon()
            self._keep_record()
        except Exception:
            _log.exception("record_lost", code=self.room.code)


def _nothing() -> None:
    """A job that only has the room looked after."""
