"""SSH requests become sessions with links, here or in a worker; none stays behind."""

import asyncio
import contextvars
from typing import Any

import pytest

from cartino_protocol.commands import Back, Create, Join, Watch
from cartino_protocol.terminal import TerminalFacts, TerminalHandler
from cartino_server.app import requests
from cartino_server.app.command_handler import LocalBackend
from cartino_server.app.requests import ServerRequestHandler
from cartino_server.commands.ssh_commands import parse_ssh_command
from cartino_server.limits import SessionLimits
from cartino_server.server import Server
from cartino_server.visitors import Visitor
from cartino_tui.plain.line_handler import PlainHandler
from cartino_tui.terminal.scheduling import SourceUsage, scheduler_for_loop
from cartino_tui.visit.routes import StartRoute
from tests.support.cartino import all_options
from tests.support.games import BOTS, GAMES

ANN = Visitor(id="1", person="SHA256:ann", name="ann", guest=False, source="203.0.113.1")


class Paper:
    """A terminal that says where its cursor is, and keeps what it is sent."""

    def __init__(self, term: str = "xterm-256color") -> None:
        self.facts = TerminalFacts(term, 80, 24)
        self.limits = SessionLimits()
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


class Visit:
    """A face of the server, and what became of it."""

    def __init__(self, server: Server, *words: str) -> None:
        self.server = server
        self.paper = Paper()
        self.face = self.paper.face = ServerRequestHandler(LocalBackend(server)).handler(
            ANN, self.paper, words
        )

    @property
    def links(self) -> int:
        return len(self.server.services.presence.links)

    def begin(self) -> asyncio.Task[int]:
        return asyncio.get_running_loop().create_task(self.face.run(), context=contextvars.Context())

    async def shows(self, text: bytes) -> None:
        async with asyncio.timeout(30):
            while text not in self.paper.sent:
                await asyncio.sleep(0.005)


@pytest.fixture
def server() -> Server:
    return Server(GAMES, BOTS)


async def test_a_visit_has_a_link_while_it_lasts(server: Server) -> None:
    visiting = Visit(server)
    assert visiting.links == 0, "a face that never runs leaves nothing"
    running = visiting.begin()
    await visiting.shows(b"ann")
    assert visiting.links == 1
    visiting.face.feed(b"q")
    assert await asyncio.wait_for(running, 30) == 0
    assert visiting.links == 0


@pytest.mark.parametrize("words", [(), ("plain",)], ids=["screen", "lines"])
async def test_what_is_typed_counts_for_where_the_visitor_comes_from(
    server: Server, words: tuple[str, ...]
) -> None:
    turns = scheduler_for_loop()
    source, other = turns.source(ANN.source), turns.source("203.0.113.2")
    visiting = Visit(server, *words)
    running = visiting.begin()
    await visiting.shows(b"ann")
    # What is used comes back by the clock, however little of it this process got.
    source.bucket.hold(turns.now)

    def used(usage: SourceUsage) -> float:
        return usage.had - usage.bucket.left

    before, untouched = used(source), used(other)
    visiting.face.feed(b"h" if not words else b"help\n")
    async with asyncio.timeout(30):
        while used(source) <= before:
            await asyncio.sleep(0.005)
    assert used(other) == untouched
    visiting.face.hang_up()
    await asyncio.wait_for(running, 30)


@pytest.mark.parametrize("turns", [0, 1, 2, 3, 4, 5, 6, 8, 12, 20, 40, 80])
@pytest.mark.parametrize("way", ["hang up", "cancel"])
async def test_a_visit_that_ends_early_leaves_no_link(server: Server, way: str, turns: int) -> None:
    visiting = Visit(server)
    running = visiting.begin()
    for _ in range(turns):
        await asyncio.sleep(0)
    if way == "cancel":
        running.cancel()
    else:
        visiting.face.hang_up()
    async with asyncio.timeout(30):
        await asyncio.gather(running, return_exceptions=True)
    assert visiting.links == 0
    await server.close()


async def test_a_visitor_who_has_gone_before_it_begins(server: Server) -> None:
    visiting = Visit(server)
    visiting.face.hang_up()
    assert await visiting.begin() == 0
    assert visiting.links == 0


async def test_an_app_that_can_not_be_made_leaves_no_link(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr(requests, "CartinoApp", broken)
    visiting = Visit(server)
    assert await asyncio.wait_for(visiting.begin(), 30) == 1
    assert "boom" in (visiting.face.crash or "")
    assert visiting.links == 0


async def test_what_can_not_draw_is_met_in_lines(server: Server) -> None:
    paper = Paper("dumb")
    face = ServerRequestHandler(LocalBackend(server)).handler(ANN, paper, [])
    assert isinstance(face, PlainHandler)
    running = asyncio.create_task(face.run())
    async with asyncio.timeout(30):
        while b"0: quit\r\n" not in paper.sent:
            await asyncio.sleep(0.005)
    face.feed(b"0\ryes\r")
    assert await asyncio.wait_for(running, 30) == 0
    assert b"\x1b" not in paper.sent
    assert len(server.services.presence.links) == 0


@pytest.mark.parametrize(
    ("words", "intent"),
    [
        ("join k7qp", Join("K7QP")),
        ("watch K7QP", Watch("K7QP")),
        (
            "new --clock 60s --absence 10m --bots 1",
            Create("cartino", all_options("1974"), 2, ("greedy",), open=True, clock="60s", absence="10m"),
        ),
        ("back quiet-otter", Back("quiet-otter")),
    ],
)
def test_words_lead_somewhere(words: str, intent: StartRoute) -> None:
    assert parse_ssh_command(words.split()) == intent


async def test_what_needs_no_terminal_is_asked_of_the_host() -> None:
    reception = ServerRequestHandler(LocalBackend(Server(GAMES, BOTS)))
    assert (await reception.run_command(ANN, ["games"])).stdout.startswith("No tables yet")


@pytest.mark.parametrize(
    ("words", "way"),
    [
        ("", "screen"),
        ("back quiet-otter", "screen"),
        ("back", "answer"),
        ("games", "answer"),
        ("dance", "answer"),
        ("plain", "lines"),
        ("plain join K7QP", "lines"),
        ("plain dance", "answer"),
        ("plain join", "answer"),
        ("watch K7QP", "screen"),
        ("watch K7QP --lines --json", "lines"),
        ("watch K7QP --json", "answer"),
        ("show K7QP", "answer"),
        ("daily", "either"),
        ("daily --json", "answer"),
        ("plain daily", "lines"),
        ("league", "answer"),
    ],
)
def test_words_are_met_by_what_they_need(words: str, way: str) -> None:
    assert ServerRequestHandler(LocalBackend(Server(GAMES, BOTS))).mode(words.split()) == way
