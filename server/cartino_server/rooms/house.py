"""The house: every link, every room, and the way between them.

All of it runs on one event loop, so nothing here needs a lock. A command of a link in a room goes through that
room's queue; what is not the room's business (a name, another table) comes back to `route`.
"""

import asyncio
import contextvars
from collections.abc import Mapping
from typing import assert_never

from cartino_protocol.commands import (
    Act,
    Back,
    Command,
    Create,
    Cut,
    Hello,
    History,
    Join,
    Keep,
    Leave,
    Pause,
    QuickPlay,
    Rematch,
    Rename,
    Replay,
    Say,
    Sit,
    Stand,
    Start,
    Watch,
)
from cartino_protocol.ids import read_code
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Bye, Left, RoomLine, Welcome
from cartino_protocol.wire import VERSION, WireError, decode_command
from cartino_server.bots.port import Bot
from cartino_server.bots.registry import BOTS
from cartino_server.engine.chance import SEED_BYTES, commitment
from cartino_server.engine.port import AnyGame
from cartino_server.engine.registry import GAMES, info
from cartino_server.rooms.config import HouseConfig
from cartino_server.rooms.lobby import Lobby
from cartino_server.rooms.names import clean_name
from cartino_server.rooms.opening import Order, order_of, quick_order
from cartino_server.rooms.pace import Pace
from cartino_server.rooms.people import People, Person
from cartino_server.rooms.ports import Ports
from cartino_server.rooms.room import Room
from cartino_server.rooms.runner import RoomRunner
from cartino_server.rooms.seat import HouseLink
from cartino_server.rooms.sitting import Sitting

_TRIES = 100
"""Codes drawn before the house is called full; at a cap far below the number of codes, the first is free."""


class UnknownRoom(KeyError):
    """There is no room with that code."""


class NoRecord(LookupError):
    """Nothing was dealt in that room yet."""


class House:
    """Where links are opened. Construct it and use it on one running event loop."""

    def __init__(
        self,
        games: Mapping[str, AnyGame] = GAMES,
        bots: Mapping[tuple[str, str], Bot] = BOTS,
        config: HouseConfig | None = None,
        ports: Ports | None = None,
    ) -> None:
        """`games` by name, the first being quick play's; `bots` by the names of their game and their own."""
        self._games = games
        self._bots = bots
        self._config = config or HouseConfig()
        self._ports = ports or Ports()
        self._sitting = Sitting()
        self._people: People[HouseLink] = People(self._sitting)
        self._links: dict[HouseLink, None] = {}
        self._places: dict[HouseLink, RoomRunner | None] = {}
        self._seeds: dict[HouseLink, bytes] = {}
        self._runners: dict[str, RoomRunner] = {}
        self._openers: dict[str, str] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._lobby = Lobby(self._config.lobby_every, self._people.__len__, self._sitting)
        self._closed = False

    def open_link(self, person: Person) -> HouseLink:
        """A link of `person`, whose first command has to be Hello. In a house that is closed it ends at once."""
        config = self._config
        link = HouseLink(person, self, Pace(config, self._ports.clock), config.inbox, config.refusals)
        self._links[link] = None
        if self._closed:
            link.end(Bye("shutdown"))
        return link

    def rooms_for(self, person: str) -> tuple[RoomLine, ...]:
        """The rooms that the person of that id may see listed: everybody's and their own, oldest first."""
        return self._lobby.seen_by(person)

    def record_of(self, code: str) -> bytes:
        """The record of the room's game as JSON Lines, a running one's without its secrets.

        Who knows a private room's code may read it, as they may watch it. Raises UnknownRoom, NoRecord.
        """
        runner = self._runners.get(read_code(code) or "")
        if runner is None:
            raise UnknownRoom(code)
        if runner.room.play is None:
            raise NoRecord(runner.room.code)
        return runner.room.play.export()

    async def close(self) -> None:
        """Tell everybody that the server goes down, and end all rooms. What waits can still be read.

        Running games are abandoned and their records kept.
        """
        self._closed = True
        self._lobby.close()
        tasks = tuple(self._tasks.values())
        for task in tasks:
            task.cancel()
        for link in tuple(self._links):
            link.end(Bye("shutdown"))
        await asyncio.gather(*tasks, return_exceptions=True)

    # What links ask for (see seat.Desk).

    def take(self, link: HouseLink, frame: bytes) -> bool:
        """See Desk."""
        try:
            command = decode_command(frame)
        except WireError:
            link.refuse(None, "malformed")
            return True
        if isinstance(command, Hello):
            self._greet(link, command)
            return True
        if link not in self._places:
            link.refuse(command, "hello-first")
            return True
        if not link.pace.allows(command):
            link.refuse(command, "busy")
            return True
        place = self._places[link]
        return self.route(link, command) if place is None else place.post(link, command)

    def gone(self, link: HouseLink) -> None:
        """See Desk."""
        self._links.pop(link, None)
        self._lobby.leave(link)
        if link not in self._places:
            return
        place = self._places.pop(link)
        if place is not None:
            place.forget(link)
        del self._seeds[link]
        self._people.depart(link.person, link)
        for code in self._sitting.rooms_of(link.person.id):
            self._runners[code].look_again()
        if not self._closed:
            self._lobby.touch()

    # What rooms ask for (see runner.Keeper).

    def name_of(self, link: HouseLink) -> str:
        """See Keeper."""
        return self._people.name(link.person.id)

    def is_here(self, person: str) -> bool:
        """See Keeper."""
        return self._people.is_here(person)

    def route(self, link: HouseLink, command: Command) -> bool:
        """See Keeper."""
        match command:
            case Rename():
                self._rename(link, command)
            case Create():
                return self._open_room(link, command, order_of(command, self._games, self._bots))
            case QuickPlay():
                return self._quick_play(link, command)
            case Join(code=code) | Watch(code=code):
                runner = self._runners.get(read_code(code) or "")
                if runner is not None:
                    return runner.post(link, command)
                link.refuse(command, "unknown-code", code)
            case Hello():
                self._greet(link, command)
            case Leave() | Sit() | Stand() | Start() | Cut() | Act() | Say() | Rematch() | Pause() | Keep():
                link.refuse(command, "not-in-room")
            case Back() | History() | Replay():
                link.refuse(command, "malformed")
            case _:
                assert_never(command)
        return True

    def entered(self, link: HouseLink, runner: RoomRunner) -> None:
        """See Keeper."""
        before = self._places[link]
        self._places[link] = runner
        self._lobby.leave(link)
        if before is not None and before is not runner:
            before.forget(link)
            link.leave_room()

    def went_home(self, link: HouseLink, left: Left) -> None:
        """See Keeper."""
        self._places[link] = None
        link.put(left)
        self._lobby.enter(link)

    def changed(self, runner: RoomRunner, line: RoomLine) -> None:
        """See Keeper."""
        room = runner.room
        self._lobby.note(line, room.open_to_all, self._seated(room.code, room.seating.persons()))

    def closed(self, runner: RoomRunner) -> None:
        """See Keeper."""
        code = runner.room.code
        del self._runners[code], self._tasks[code], self._openers[code]
        self._lobby.drop(code, self._seated(code, ()))

    def _seated(self, code: str, persons: tuple[str, ...]) -> tuple[str, ...]:
        """Those who have or had a seat in a room, where `persons` have them now."""
        concerned = self._sitting.note(code, persons)
        for person in concerned:
            self._people.release(person)
        return concerned

    def _greet(self, link: HouseLink, hello: Hello) -> None:
        if hello.version != VERSION:
            link.refuse(hello, "version")
            link.end(Bye("version"))
            return
        new = link not in self._places
        self._people.arrive(link.person, link)
        if new:
            self._seeds[link] = self._ports.entropy(SEED_BYTES)
        self._welcome(link)
        if new:
            self._places[link] = None
            self._lobby.enter(link)
            self._lobby.touch()

    def _welcome(self, link: HouseLink) -> None:
        games = tuple(
            info(game, tuple(bot for of, bot in self._bots if of == game.name))
            for game in self._games.values()
        )
        promise = commitment(self._seeds[link])
        link.put(Welcome(VERSION, self.name_of(link), link.person.guest, games, promise))

    def _rename(self, link: HouseLink, command: Rename) -> None:
        person, name = link.person.id, clean_name(command.name)
        if name is None:
            link.refuse(command, "bad-name")
        elif not self._people.is_free(name, person):
            link.refuse(command, "name-taken", name)
        else:
            self._people.rename(person, name)
            links = self._people.links(person)
            for each in links:
                self._welcome(each)
            standing = {place.room.code for each in links if (place := self._places.get(each)) is not None}
            for code in standing.union(self._sitting.rooms_of(person)):
                self._runners[code].rename(person, name)

    def _quick_play(self, link: HouseLink, command: QuickPlay) -> bool:
        for runner in self._runners.values():
            room = runner.room
            if (
                room.open_to_all
                and room.state == "open"
                and room.present
                and room.seating.first_free() is not None
            ):
                return runner.post(link, command)
        return self._open_room(link, command, quick_order(self._games, self._bots))

    def _open_room(self, link: HouseLink, command: Create | QuickPlay, order: Order | Refusal) -> bool:
        if isinstance(order, Refusal):
            link.refuse(command, order.reason, order.detail)
            return True
        code = self._free_code(link.person.id)
        if code is None:
            link.refuse(command, "too-many-rooms")
            return True
        runner = self._runners[code] = self._runner(code, order, self._redeem(link))
        self._openers[code] = link.person.id
        # Its creator is the first in the queue, and so sits down on seat 0.
        done = runner.post(link, Join(code))
        # The room outlives its creator's session, so it takes nothing of its context along.
        self._tasks[code] = asyncio.create_task(
            runner.run(), name=f"room {code}", context=contextvars.Context()
        )
        return done

    def _runner(self, code: str, order: Order, seed: bytes) -> RoomRunner:
        game, ports = order.game, self._ports
        room = Room(
            code, game, order.options, order.seats, order.bots, order.open, seed, ports.entropy, ports.now
        )
        bots = {name: bot for (of, name), bot in self._bots.items() if of == game.name}
        return RoomRunner(room, bots, self._config, ports, self)

    def _redeem(self, link: HouseLink) -> bytes:
        """The seed that `link` was promised, for its table; it is promised the next one."""
        seed = self._seeds[link]
        self._seeds[link] = self._ports.entropy(SEED_BYTES)
        self._welcome(link)
        return seed

    def _free_code(self, person: str) -> str | None:
        """A code for a new room of `person`'s; None where they, or all together, have too many."""
        if len(self._runners) >= self._config.most_rooms:
            return None
        if sum(opener == person for opener in self._openers.values()) >= self._config.rooms_each:
            return None
        codes = (self._ports.random_code() for _ in range(_TRIES))
        return next((code for code in codes if code not in self._runners), None)
