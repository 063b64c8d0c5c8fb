"""A server on fake ports, and guests who wait for what they are shown."""

import asyncio
import itertools
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import msgspec

from cartino_engine.bots import Bot
from cartino_engine.port import AnyGame
from cartino_protocol import wire
from cartino_protocol.commands import Act, Command, Create, Hello, Join, tag_of
from cartino_protocol.link import LinkClosed, ViewKind
from cartino_protocol.notices import Notice
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Answer, ChatView, TableView, Welcome
from cartino_server.environment import AuthorMarks, Ports
from cartino_server.limits import ServerConfig
from cartino_server.lobby.people.connections import ActiveConnection, Connections
from cartino_server.lobby.rate_limit import RateLimits
from cartino_server.server import Server
from cartino_server.store.journal import Journal, MemoryJournal
from cartino_server.store.moderation import BanList
from cartino_server.store.people import PeopleDatabase
from cartino_server.table.link import Person, ServerLink
from tests.support.race import Broken, Cheat, Race, Steady

A = TypeVar("A")
TIME_LIMIT = 20
NOW = "2026-01-01T12:00:00Z"


class World:
    """Ports that repeat themselves: seeds count up, codes are AAAA, AAAB, … and time stands still but for `skip`."""

    def __init__(self) -> None:
        self.time = 0.0
        self._seeds = itertools.count()
        self._codes = map("".join, itertools.product("ABCDEFGH", repeat=4))

    def entropy(self, count: int) -> bytes:
        return next(self._seeds).to_bytes(count, "big")

    def skip(self, seconds: float) -> None:
        """So much time has passed at once: for the server, and for the timers of the running loop."""
        loop = asyncio.get_running_loop()
        before = loop.time
        loop.time = lambda: before() + seconds  # type: ignore[method-assign]
        self.time += seconds

    def ports(self) -> Ports:
        return Ports(
            entropy=self.entropy,
            now=lambda: NOW,
            clock=lambda: self.time,
            random_code=lambda letters: next(self._codes).ljust(letters, "A"),
            authors=AuthorMarks(b"world"),
        )


QUICK = ServerConfig(
    bot_pause=0, lobby_every=0, spectators_every=0, burst=10_000, chat_lines=10_000, seats_burst=10_000
)


def race_bots() -> dict[tuple[str, str], Bot]:
    return {(bot.game, bot.name): bot for bot in (Steady(), Broken(), Cheat())}


def new_server(
    world: World,
    config: ServerConfig = QUICK,
    games: Mapping[str, AnyGame] | None = None,
    bots: Mapping[tuple[str, str], Bot] | None = None,
    journal: Journal | None = None,
    people_db: PeopleDatabase | None = None,
    bans: BanList | None = None,
    connections: Connections | None = None,
) -> Server:
    """A server of races unless told otherwise."""
    return Server(
        games or {"race": Race()},
        race_bots() if bots is None else bots,
        config,
        world.ports(),
        journal or MemoryJournal(),
        people_db=people_db,
        bans=bans,
        connections=Connections() if connections is None else connections,
    )


def connect(server: Server, source: str, *connections: int) -> None:
    """Log connections in from the address `source`, or move them there."""
    for number in connections:
        server.services.connections.remove(number)
        server.services.connections.add(ActiveConnection(number, source, f"person {number}", "", "", "", 0.0))


class Guest:
    """Somebody with a link: says things, and waits for what must come. `table` is the newest view of a table."""

    def __init__(self, link: ServerLink) -> None:
        self.link = link
        self.heard: list[Answer] = []
        self.table: TableView | None = None

    @property
    def code(self) -> str:
        """The code of the table that they have seen last."""
        assert self.table is not None
        return self.table.code

    def say(self, *commands: Command) -> None:
        for command in commands:
            self.link.send(command)

    async def next(self) -> Answer:
        async with asyncio.timeout(TIME_LIMIT):
            answer = await self.link.receive()
        self.heard.append(answer)
        if isinstance(answer, TableView):
            self.table = answer
        return answer

    async def wait(self, kind: type[A], check: Callable[[A], object] = lambda _: True) -> A:
        """The first answer of `kind`, of those not yet read, that passes `check`."""
        while True:
            answer = await self.next()
            if isinstance(answer, kind) and check(answer):
                return answer

    async def ask(self, command: Command, kind: type[A], check: Callable[[A], object] = lambda _: True) -> A:
        """Say `command` and wait."""
        self.say(command)
        return await self.wait(kind, check)

    async def refused(self, command: Command) -> Refusal:
        """Say `command` and wait for its refusal, which has to be this one's; without its name."""
        self.say(command)
        return await self.hears_no(tag_of(command))

    async def hears_no(self, to: str) -> Refusal:
        """Wait for the refusal of the command named `to`, which has been said; without its name."""
        refusal = await self.wait(Refusal)
        assert refusal.to == to
        return msgspec.structs.replace(refusal, to="")

    async def act(self, move: msgspec.Struct, number: int | None = None) -> None:
        """A move on the newest table this guest has seen."""
        assert self.table is not None
        self.say(Act(self.table.number if number is None else number, wire.encode_raw(move)))

    async def end(self) -> list[Answer]:
        """All that comes until the link is closed."""
        rest: list[Answer] = []
        try:
            while True:
                rest.append(await self.next())
        except LinkClosed:
            return rest


async def a_guest(server: Server, name: str, *, person: str = "", guest: bool = False) -> Guest:
    """Somebody who has come in and been welcomed."""
    arrived = Guest(server.open_link(Person(person or f"id-{name}", name, guest)))
    await arrived.ask(Hello(wire.VERSION), Welcome)
    return arrived


async def at_a_table(server: Server, *names: str, create: Create | None = None) -> list[Guest]:
    """The first creates the table, of a race unless told otherwise, the others join; each has seen it playing."""
    guests = [await a_guest(server, name) for name in names]
    table = await guests[0].ask(create or Create("race"), TableView)
    for guest in guests[1:]:
        guest.say(Join(table.code))
    for guest in guests:
        await guest.wait(TableView, lambda view: view.state == "playing")
    return guests


def decoded_view(view: TableView) -> dict[str, Any]:
    """The game's own view, without its type."""
    decoded: dict[str, Any] = msgspec.msgpack.decode(view.game_view)
    return decoded


def texts(chat: ChatView) -> list[str]:
    """What a chat says, notices in English among the lines."""
    return [str(each.news.words()) if isinstance(each, Notice) else each.text for each in chat.talk]


class NoModeration:
    """Where commands are lost."""

    def serve_command(self, link: ServerLink, command: Command | None) -> bool:
        return True

    def remove_link(self, link: ServerLink) -> None:
        pass


class Noting(ServerLink):
    """Keeps every frame that it is given."""

    def __init__(self, person: str) -> None:
        super().__init__(
            Person(person, person),
            NoModeration(),
            lambda _: RateLimits(ServerConfig(), lambda: 0.0).limits_of("ann"),
            1,
            1,
        )
        self.frames: list[tuple[ViewKind, bytes]] = []

    def put_view(self, kind: ViewKind, frame: bytes) -> None:
        self.frames.append((kind, frame))

    def kinds(self) -> list[ViewKind]:
        kinds = [kind for kind, _ in self.frames]
        self.frames.clear()
        return kinds
