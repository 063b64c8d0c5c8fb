"""The house: every link, every room, and the way between them.

All of it runs on one event loop, so nothing here needs a lock. A command of a link in a room goes through that
room's queue; what is not the room's business (a name, another table) comes back to `route`.
"""

import asyncio
from collections.abc import Mapping
from typing import assert_never

from cartino_protocol.commands import (
    Act,
    Command,
    Create,
    Cut,
    Hello,
    Join,
    Leave,
    QuickPlay,
    Rematch,
    Rename,
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
from cartino_server.engine.port import AnyGame
from cartino_server.engine.registry import GAMES, info
from cartino_server.rooms.bucket import TokenBucket
from cartino_server.rooms.config import HouseConfig
from cartino_server.rooms.lobby import Lobby
from cartino_server.rooms.names import clean_name
from cartino_server.rooms.opening import Order, order_of, quick_order
from cartino_server.rooms.people import People, Person
from cartino_server.rooms.ports import Ports
from cartino_server.rooms.room import Room
from cartino_server.rooms.runner import RoomRunner
from cartino_server.rooms.seat import HouseLink

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
        self._people: People[HouseLink] = People()
        self._links: dict[HouseLink, None] = {}
        self._places: dict[HouseLink, RoomRunner | None] = {}
        self._runners: dict[str, RoomRunner] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._lobby = Lobby(self._config.lobby_every, self._people.__len__)
        self._closed = False

    def open_link(self, person: Person) -> HouseLink:
        """A link of `person`, whose first command has to be Hello. In a house that is closed it ends at once."""
        config = self._config
        bucket = TokenBucket(config.burst, config.rate, self._ports.clock)
        link = HouseLink(person, self, bucket, config.inbox, config.refusals)
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
        """Tell everybody that the server goes down, and end all rooms. What waits can still be read."""
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
            link.refuse("malformed")
            return True
        if isinstance(command, Hello):
            self._greet(link, command)
            return True
        if link not in self._places:
            link.refuse("hello-first")
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
        self._people.depart(link.person, link)
        if not self._closed:
            self._lobby.touch()

    # What rooms ask for (see runner.Keeper).

    def name_of(self, link: HouseLink) -> str:
        """See Keeper."""
        return self._people.name(link.person.id)

    def route(self, link: HouseLink, command: Command) -> bool:
        """See Keeper."""
        match command:
            case Rename(name=name):
                self._rename(link, name)
            case Create():
                return self._open_room(link, order_of(command, self._games, self._bots))
            case QuickPlay():
                return self._quick_play(link)
            case Join(code=code) | Watch(code=code):
                runner = self._runners.get(read_code(code) or "")
                if runner is not None:
                    return runner.post(link, command)
                link.refuse("unknown-code", code)
            case Hello():
                self._greet(link, command)
            case Leave() | Sit() | Stand() | Start() | Cut() | Act() | Say() | Rematch():
                link.refuse("not-in-room")
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

    def went_home(self, link: HouseLink, left: Left) -> None:
        """See Keeper."""
        self._places[link] = None
        link.put(left)
        self._lobby.enter(link)

    def changed(self, runner: RoomRunner, line: RoomLine) -> None:
        """See Keeper."""
        self._lobby.note(line, runner.room.open_to_all, runner.room.seating.persons())

    def closed(self, runner: RoomRunner) -> None:
        """See Keeper."""
        code = runner.room.code
        del self._runners[code], self._tasks[code]
        self._lobby.drop(code)

    def _greet(self, link: HouseLink, hello: Hello) -> None:
        if hello.version != VERSION:
            link.refuse("version")
            link.end(Bye("version"))
            return
        new = link not in self._places
        self._people.arrive(link.person, link)
        self._welcome(link)
        if new:
            self._places[link] = None
            self._lobby.enter(link)
            self._lobby.touch()

    def _welcome(self, link: HouseLink) -> None:
        games = tuple(info(game) for game in self._games.values())
        bots = tuple(sorted({name for _, name in self._bots}))
        link.put(Welcome(VERSION, self.name_of(link), link.person.guest, games, bots))

    def _rename(self, link: HouseLink, wish: str) -> None:
        person, name = link.person.id, clean_name(wish)
        if name is None:
            link.refuse("bad-name")
        elif not self._people.is_free(name, person):
            link.refuse("name-taken", name)
        else:
            self._people.rename(person, name)
            links = self._people.links(person)
            for each in links:
                self._welcome(each)
            standing = {place.room.code for each in links if (place := self._places.get(each)) is not None}
            for code in standing.union(line.code for line in self._lobby.rooms_of(person)):
                self._runners[code].rename(person, name)

    def _quick_play(self, link: HouseLink) -> bool:
        for runner in self._runners.values():
            room = runner.room
            if (
                room.open_to_all
                and room.state == "open"
                and room.present
                and room.seating.first_free() is not None
            ):
                return runner.post(link, QuickPlay())
        return self._open_room(link, quick_order(self._games, self._bots))

    def _open_room(self, link: HouseLink, order: Order | Refusal) -> bool:
        if isinstance(order, Refusal):
            link.refuse(order.reason, order.detail)
            return True
        code = self._free_code() if len(self._runners) < self._config.most_rooms else None
        if code is None:
            link.refuse("too-many-rooms")
            return True
        game, ports = order.game, self._ports
        room = Room(code, game, order.options, order.seats, order.bots, order.open, ports.entropy, ports.now)
        bots = {name: bot for (of, name), bot in self._bots.items() if of == game.name}
        runner = self._runners[code] = RoomRunner(room, bots, self._config, ports, self)
        # Its creator is the first in the queue, and so sits down on seat 0.
        done = runner.post(link, Join(code))
        self._tasks[code] = asyncio.create_task(runner.run(), name=f"room {code}")
        return done

    def _free_code(self) -> str | None:
        codes = (self._ports.random_code() for _ in range(_TRIES))
        return next((code for code in codes if code not in self._runners), None)
