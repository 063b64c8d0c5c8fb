"""Plays a game in a real server before somebody who looks on in every way there is, and keeps what they are sent."""

import asyncio
import contextvars
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Literal

import msgspec
import pytest
from structlog.testing import capture_logs

from cartino_protocol import wire
from cartino_protocol.base import Seat
from cartino_protocol.commands import Course, Create, Hello, History, Join, Replay, Watch
from cartino_protocol.terminal import TerminalFacts, TerminalHandler
from cartino_protocol.views import TableView
from cartino_protocol.wire import frame_bytes
from cartino_server.app.command_handler import LocalBackend
from cartino_server.app.metrics_http import render_metrics
from cartino_server.app.requests import ServerRequestHandler
from cartino_server.limits import SessionLimits
from cartino_server.metrics import registry
from cartino_server.metrics.definitions import REGISTRY
from cartino_server.server import Server
from cartino_server.ssh.subsystem import Subsystem
from cartino_server.visitors import Visitor
from tests.support.game_server import Guest, World, a_guest, new_server
from tests.support.hasty import HastyLoop, by_its_clock
from tests.support.journal import MemoryJournal
from tests.support.twins import Order, Twins

Way = Literal["wire", "screen", "lines", "told", "json", "lobby"]
"""The native client's line, the app on a terminal, the server in lines, what is told to who only listens, the lobby."""

TO_SIT: Final[tuple[Way, ...]] = ("wire", "screen", "lines")
TO_LISTEN: Final[tuple[Way, ...]] = ("told", "json")
TO_WATCH: Final[tuple[Way, ...]] = (*TO_SIT, *TO_LISTEN, "lobby")
ASKED: Final = (
    "show {code}",
    "show {code} --json",
    "games",
    "games --json",
    "games --mine --json",
    "export {code}",
    "export {code}-1",
    "profile p0 --json",
    "top",
    "help move",
)
"""What is asked behind `ssh host` as well."""
STILL: Final = 3.0
"""Seconds after which nothing moves any more. They pass at once."""
KEYS: Final = (b"1", b"\x1b[C", b"\x1b[B", b"2", b"h", b"\x1b[A", b"w", b"?", b"q", b"\t")
"""Pressed at the table, one a move: what is drawn then shows no more than it may, either. None of them moves."""

Sent = dict[str, bytes]
"""What came by each way since the last move."""


class Terminal:
    """Keeps what it is sent, and says where its cursor is."""

    limits = SessionLimits()

    def __init__(self, term: str, *, is_terminal: bool = True) -> None:
        self.facts = TerminalFacts(term, 120, 40, {}, is_terminal)
        self.sent = bytearray()
        self.face: TerminalHandler | None = None

    def write(self, data: bytes) -> None:
        self.sent += data
        if b"\x1b[6n" in data and self.face is not None:
            asyncio.get_running_loop().call_soon(self.face.feed, b"\x1b[1;3R")

    def pause_reading(self) -> None:
        """Nothing is typed fast here."""

    def resume_reading(self) -> None:
        """Nothing is typed fast here."""


class Onlooker:
    """Somebody called `name` who came to the table `code` by `way`, to sit down there or to watch."""

    def __init__(self, host: LocalBackend, name: str, way: Way, code: str, *, sits: bool) -> None:
        """Come."""
        self.way = way
        visitor = Visitor("1", f"id-{name}", name, False)
        verb = "join" if sits else "watch"
        words = {
            "wire": [],
            "screen": [verb, code],
            "lines": ["plain", verb, code],
            "told": ["watch", code, "--lines"],
            "json": ["watch", code, "--lines", "--json"],
            "lobby": [],
        }[way]
        is_screen = way in {"screen", "lobby"}
        self.terminal = Terminal("xterm-256color" if is_screen else "dumb", is_terminal=is_screen)
        if way == "wire":
            self._face: TerminalHandler = Subsystem(self.terminal, host.open_link(visitor))
            for command in (Hello(wire.VERSION), Join(code) if sits else Watch(code)):
                self._face.feed(frame_bytes(wire.encode(command)))
        else:
            self._face = ServerRequestHandler(host).handler(visitor, self.terminal, words)
        self.terminal.face = self._face
        loop = asyncio.get_running_loop()
        self._running = loop.create_task(self._face.run(), context=contextvars.Context())

    def press(self, number: int, code: str) -> None:
        """Press a key at the table `code`, the one of that number, or ask what a program can ask."""
        if self.way == "screen":
            self._face.feed(KEYS[number % len(KEYS)])
        elif self.way == "lobby" and number == 1:
            # Down: past the offer of lessons, which hides the tables.
            self._face.feed(b"\x1b[B")
        elif self.way == "wire":
            game = f"{code}-1"
            for command in (Replay(game, number), Course(game), History("all"))[number % 4 :][:1]:
                self._face.feed(frame_bytes(wire.encode(command)))

    def took(self) -> bytes:
        """What was sent since the last time."""
        assert not self._running.done(), f"{self.way} has ended: {self._face.crash}"
        taken = bytes(self.terminal.sent)
        self.terminal.sent.clear()
        return taken

    async def leave(self) -> None:
        """Hang up."""
        self._face.hang_up()
        await self._running
        assert self._face.crash is None, self._face.crash


def looked_on(game: Twins, order: Order, ways: tuple[Way, ...], moves: int | None = None) -> list[Sent]:
    """All that is sent to the audience of `game`, of which so many `moves` are played, dealt in `order`."""
    with asyncio.Runner(loop_factory=HastyLoop) as task, _logs() as logs, _metered():
        loop = task.get_loop()
        assert isinstance(loop, HastyLoop)
        with by_its_clock(loop):
            sent = task.run(_played(game, order, ways, game.words[:moves], logs))
        assert not loop.faults, loop.faults
        return sent


@contextmanager
def _logs() -> Iterator[Callable[[], bytes]]:
    """What is logged, as JSON lines."""
    with capture_logs() as kept:

        def took() -> bytes:
            taken = b"".join(msgspec.json.encode(entry, enc_hook=repr) + b"\n" for entry in kept)
            kept.clear()
            return taken

        yield took


@contextmanager
def _metered() -> Iterator[None]:
    """Somebody watches the server; whatever it does takes no time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "perf_counter", lambda: 1.0)
        REGISTRY.begin()
        try:
            yield
        finally:
            REGISTRY.end()


async def _seated(
    game: Twins, server: Server, host: LocalBackend, ways: tuple[Way, ...]
) -> tuple[str, list[Onlooker], list[Guest]]:
    """A table at which all sit: its code, those who look on by `ways`, and the others."""
    onlookers: list[Onlooker] = []
    code = ""
    guests: list[Guest] = []
    for seat in range(game.seats):
        if seat == game.audience:
            if set(ways) <= set(TO_LISTEN):
                guest = await a_guest(server, f"p{seat}")
                await guest.ask(Join(code), TableView)
                guest.link.close()
            onlookers += [Onlooker(host, f"p{seat}", way, code, sits=True) for way in ways]
        else:
            guest = await a_guest(server, f"p{seat}")
            guests.append(guest)
            if seat:
                guest.say(Join(code))
            else:
                name = game.rigged(game.orders[0]).name
                create = Create(name, dict(game.options), game.seats, absence="never")
                code = (await guest.ask(create, TableView)).code
                if game.audience is None:
                    onlookers += [Onlooker(host, f"eve{way}", way, code, sits=False) for way in ways]
        await asyncio.sleep(STILL)
    return code, onlookers, guests


async def _played(
    game: Twins,
    order: Order,
    ways: tuple[Way, ...],
    words: tuple[tuple[Seat, str], ...],
    logs: Callable[[], bytes],
) -> list[Sent]:
    world = World()
    rules = game.rigged(order)
    server = new_server(world, games={rules.name: rules}, bots={}, journal=MemoryJournal())
    host = LocalBackend(server, "ssh -t host")
    code, onlookers, guests = await _seated(game, server, host, ways)
    asker = Visitor("2", "id-eve" if game.audience is None else f"id-p{game.audience}", "eve", False)

    async def sent(number: int) -> Sent:
        await asyncio.sleep(STILL)
        taken: Sent = {each.way: each.took() for each in onlookers}
        for asked in ASKED if number % 5 == 0 else ASKED[:2]:
            reply = await host.run_command(asker, asked.format(code=code).split())
            taken[asked.replace(" {code}", "")] = msgspec.json.encode(reply)
            if asked == ASKED[-1]:
                taken["metrics"] = render_metrics(REGISTRY.families, REGISTRY.read())
        taken["logs"] = logs()
        world.time += 1
        return taken

    found = [await sent(0)]
    for number, (seat, word) in enumerate(words, 1):
        mover = Visitor("3", f"id-p{seat}", f"p{seat}", False)
        asked = [["move", code, word]]
        if number % 7 == 0:
            asked.append(["chat", code, "good", "luck"])
        for each in asked:
            reply = await host.run_command(mover, each)
            assert reply.status == 0, reply
        for onlooker in onlookers:
            onlooker.press(number, code)
        found.append(await sent(number))
    for onlooker in onlookers:
        await onlooker.leave()
    for guest in guests:
        guest.link.close()
    await server.close()
    return found


def differences(one: list[Sent], two: list[Sent]) -> dict[str, int]:
    """By which ways something else was sent, and at which move that began."""
    found: dict[str, int] = {}
    for number, (here, there) in enumerate(zip(one, two, strict=True)):
        for way in here.keys() | there.keys():
            if here.get(way) != there.get(way):
                found.setdefault(way, number)
    return found


def by(game: Twins) -> list[tuple[Way, ...]]:
    """The ways by which its audience looks on, those at once together: a seat is at one terminal only."""
    if game.audience is None:
        return [TO_WATCH]
    # Who only listens can't sit down: they have done so before, and the game has begun with it.
    ways = (*TO_SIT, *TO_LISTEN) if game.audience == game.seats - 1 else TO_SIT
    return [(way,) for way in ways]
