"""Where door and house meet: a visit leaves no link behind, however early it ends."""

import asyncio
import contextvars
import json
from collections.abc import Sequence
from typing import Any

import pytest

from cartino_protocol.terminal import TerminalFacts
from cartino_protocol.views import PastGame, RoomLine
from cartino_server.entry import visit
from cartino_server.entry.errors import MISUSE
from cartino_server.entry.past import MOST
from cartino_server.entry.reception import HouseReception, intent_of
from cartino_server.rooms.house import House, NoRecord, UnknownRoom
from cartino_server.ssh.ports import Face, Reply, Visitor
from cartino_server.store.port import JournalDead
from cartino_tui.driver.notice import Notice
from cartino_tui.intent import Intent, ToLobby, ToNewTable, ToSeat, ToTable

ANN = Visitor(id="1", person="SHA256:ann", name="ann", guest=False)


class Paper:
    """A terminal that says where its cursor is, and keeps what it is sent."""

    def __init__(self, term: str = "xterm-256color") -> None:
        self.facts = TerminalFacts(term, 80, 24)
        self.sent = bytearray()
        self.face: Face | None = None

    def write(self, data: bytes) -> None:
        self.sent += data
        if b"\x1b[6n" in data and self.face is not None:
            asyncio.get_running_loop().call_soon(self.face.feed, b"\x1b[1;3R")

    def pause_reading(self) -> None:
        """Nothing is typed fast here."""

    def resume_reading(self) -> None:
        """Nothing is typed fast here."""


class Visit:
    """A face of the house, and what became of it."""

    def __init__(self, house: House, *words: str) -> None:
        self.house = house
        self.paper = Paper()
        self.face = self.paper.face = HouseReception(house).face(ANN, self.paper, words)

    @property
    def links(self) -> int:
        return len(self.house._links)

    def begin(self) -> asyncio.Task[int]:
        return asyncio.get_running_loop().create_task(self.face.run(), context=contextvars.Context())

    async def shows(self, text: bytes) -> None:
        async with asyncio.timeout(30):
            while text not in self.paper.sent:
                await asyncio.sleep(0.005)


@pytest.fixture
def house() -> House:
    return House()


async def test_a_visit_has_a_link_while_it_lasts(house: House) -> None:
    visiting = Visit(house)
    assert visiting.links == 0, "a face that never runs leaves nothing"
    running = visiting.begin()
    await visiting.shows(b"ann")
    assert visiting.links == 1
    visiting.face.feed(b"q")
    assert await asyncio.wait_for(running, 30) == 0
    assert visiting.links == 0


@pytest.mark.parametrize("turns", [0, 1, 2, 3, 4, 5, 6, 8, 12, 20, 40, 80])
@pytest.mark.parametrize("way", ["hang up", "cancel"])
async def test_a_visit_that_ends_early_leaves_no_link(house: House, way: str, turns: int) -> None:
    visiting = Visit(house)
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
    await house.close()


async def test_a_visitor_who_has_gone_before_it_begins(house: House) -> None:
    visiting = Visit(house)
    visiting.face.hang_up()
    assert await visiting.begin() == 0
    assert visiting.links == 0


async def test_an_app_that_can_not_be_made_leaves_no_link(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr(visit, "HouseApp", broken)
    visiting = Visit(house)
    assert await asyncio.wait_for(visiting.begin(), 30) == 1
    assert "boom" in (visiting.face.crash or "")
    assert visiting.links == 0


async def test_what_can_not_draw_gets_a_sentence_and_no_link(house: House) -> None:
    paper = Paper("dumb")
    face = HouseReception(house).face(ANN, paper, [])
    assert isinstance(face, Notice)
    assert await face.run() == MISUSE
    assert paper.sent.startswith(b"This terminal (TERM=dumb) can't show a table")
    assert len(house._links) == 0


@pytest.mark.parametrize(
    ("words", "intent"),
    [
        ("", ToLobby()),
        ("join k7qp", ToTable("K7QP")),
        ("watch K7QP", ToTable("K7QP", watch=True)),
        (
            "new --clock 60s --absence 10m --bots 1",
            ToNewTable("cartino", {"edition": "1974"}, 2, ("greedy",), open=True, clock="60s", absence="10m"),
        ),
        ("back quiet-otter", ToSeat("quiet-otter")),
    ],
)
def test_words_lead_somewhere(words: str, intent: Intent) -> None:
    assert intent_of(words.split()) == intent


class ToldHouse(House):
    """A house whose past is one game, and which keeps what it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[object] = []

    def rooms_for(self, person: str) -> tuple[RoomLine, ...]:
        self.asked.append(person)
        return ()

    async def past(
        self, person: str, mine: bool = False, name: str = "", before: int = 0, most: int = 50
    ) -> Sequence[PastGame]:
        self.asked.append((person, mine, name, before, most))
        return (PastGame("K7QP-3", 3, "cartino", {}, ("ann",), (1,), (0,), "out", "2026-01-01T00:00:00Z"),)

    async def record_of(self, name: str) -> bytes:
        self.asked.append(name)
        match name:
            case "K7QP-3":
                return b"the record\n"
            case "AB2C":
                raise NoRecord(name)
            case "DEAD":
                raise JournalDead
            case _:
                raise UnknownRoom(name)


async def answer(house: House, words: str) -> Reply:
    return await HouseReception(house).answer(ANN, words.split())


async def test_the_past_is_told_as_it_is_asked_for() -> None:
    house = ToldHouse()
    told = await answer(house, "games --finished --mine --player bob --before K7QP-9 --json")
    assert [game["name"] for game in json.loads(told.stdout)] == ["K7QP-3"]
    assert (await answer(house, "games --finished")).stdout.startswith("K7QP-3")
    assert (await answer(house, "games")).stdout.startswith("No tables yet")
    assert house.asked == [
        (ANN.person, True, "bob", 9, MOST),
        (ANN.person, False, "", 0, MOST),
        ANN.person,
    ]


async def test_records_are_handed_out_by_code_and_by_name() -> None:
    house = ToldHouse()
    assert await answer(house, "export k7qp-3") == Reply(stdout="the record\n")
    assert await answer(house, "export ZZZZ") == Reply(
        stderr="There is no table and no finished game ZZZZ; "
        "`ssh HOST games` and `ssh HOST games --finished` list them.\n",
        status=1,
    )
    assert (await answer(house, "export AB2C")).stderr.startswith("Nothing has been dealt at AB2C yet")
    assert (await answer(house, "export DEAD")).stderr.startswith("The house has lost its journal")
    assert house.asked == ["K7QP-3", "ZZZZ", "AB2C", "DEAD"]


async def test_a_game_that_is_set_aside_is_not_said_to_be_none() -> None:
    house = ToldHouse()
    house.set_aside = frozenset({"AB3C"})
    told = Reply(
        stderr="That game was damaged and is set aside; ask whoever keeps this house.\n",
        status=1,
    )
    assert await answer(house, "export ab3c") == told
    assert await answer(house, "export AB3C-7") == told
    assert (await answer(house, "export AB4C-7")).stderr.startswith("There is no table")


async def test_what_needs_a_terminal_says_so() -> None:
    assert HouseReception(House()).wants_terminal(["back", "quiet-otter"])
    assert not HouseReception(House()).wants_terminal(["back"])
    told = await answer(House(), "back quiet-otter")
    assert (told.stdout, told.status) == ("", 1)
    assert "quiet-otter" not in told.stderr
