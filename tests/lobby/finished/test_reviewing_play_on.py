"""From any turn of a finished game one may play on against bots, at a private table that counts for nothing."""

from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

import pytest

from cartino_engine.replay import GameRecord, read_record, verify
from cartino_games.cartino.bots.levels import CartinoGreedy
from cartino_protocol.commands import Act, History, Join, PlayOn, Profile, Rematch, Replay
from cartino_protocol.records import EndLine, NoteLine, RecordLine
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import HistoryView, ProfileView, ReplayView, TableView
from cartino_protocol.wire import encode_raw
from cartino_server.server import Server
from cartino_server.store.journal import DiskJournal
from cartino_server.store.port import StoredGame
from cartino_server.table.match import is_played_on
from tests.fuzz.decoders.records import abandoned
from tests.support.cartino import random_record
from tests.support.data import make_data
from tests.support.game_server import QUICK, Guest, a_guest
from tests.support.games import BOTS, GAMES
from tests.support.journals import opened

RECORD, FOUR = random_record(7), random_record(8, "1969", 4, cut="mine")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    games = [("K7QP", RECORD), ("AB2C", abandoned(random_record(1))), ("DDDD", FOUR)]
    return make_data(tmp_path / "data", games)


@pytest.fixture
async def journal(data: Path) -> AsyncIterator[DiskJournal]:
    async with opened(data, entries=9) as found:
        yield found.journal


@pytest.fixture
async def server(journal: DiskJournal) -> AsyncIterator[Server]:
    server = Server(GAMES, BOTS, config=QUICK, journal=journal)
    yield server
    await server.close()


async def played_out(guest: Guest) -> TableView:
    """The guest makes greedy moves to the end."""
    while True:
        table = guest.table
        assert table is not None
        if table.state == "finished":
            return table
        if table.you in table.turn:
            move = CartinoGreedy().choose(bytes(table.game_view), Random(0))
            guest.say(Act(table.number, encode_raw(move)))
        number = table.number
        await guest.wait(TableView, lambda view, number=number: view.number > number)  # type: ignore[misc]


async def stored(server: Server, code: str) -> GameRecord:
    return read_record(await server.services.queries.history.newest(code), GAMES)


@pytest.mark.parametrize(("name", "step", "record"), [("K7QP-1", 12, RECORD), ("DDDD-3", 31, FOUR)])
async def test_it_goes_on_from_there_to_an_end_that_verifies(
    server: Server, name: str, step: int, record: list[RecordLine]
) -> None:
    ann = await a_guest(server, "ann")
    there = await ann.ask(Replay(name, step), ReplayView)
    (seat,) = there.table.turn
    table = await ann.ask(PlayOn(name, step), TableView)
    assert (table.state, table.you, table.turn, table.open) == ("playing", seat, (seat,), False)
    assert table.game_view == there.table.game_view
    assert [chair.kind for chair in table.seats] == [
        "human" if each == seat else "bot" for each in range(len(table.seats))
    ]
    await played_out(ann)
    told = await stored(server, table.code)
    end = verify(told)
    assert isinstance(record[-1], EndLine)
    assert end.seed == record[-1].seed
    assert told.head.seats[seat] == "ann"
    assert {told.head.seats[each] for each in range(len(table.seats)) if each != seat} == {"bot:careful"}
    assert told.lines[1 : there.line] == tuple(record[1 : there.line])
    assert told.lines[there.line] == NoteLine(f"played on from {name}")
    assert is_played_on(told.lines)


async def test_it_counts_for_nobody_but_its_player_finds_it(server: Server, journal: DiskJournal) -> None:
    ann, eve = await a_guest(server, "ann"), await a_guest(server, "eve")
    table = await ann.ask(PlayOn("K7QP-1", 12), TableView)
    await played_out(ann)
    while await journal.due(1):
        await ann.ask(History("mine"), HistoryView)
    assert (await ann.ask(Profile(), ProfileView)).scores == ()
    assert [game.name.split("-")[0] for game in (await ann.ask(History("mine"), HistoryView)).games] == [
        table.code
    ]
    assert all(
        game.name.split("-")[0] != table.code for game in (await eve.ask(History("all"), HistoryView)).games
    )


async def test_it_survives_a_server_that_is_killed(data: Path) -> None:
    async with opened(data, entries=9) as found:
        server = Server(GAMES, BOTS, config=QUICK, journal=found.journal)
        ann = await a_guest(server, "ann")
        table = await ann.ask(PlayOn("K7QP-1", 12), TableView)
        # What is in the journal now is all that a server gets after a kill.
        kept = await found.journal.load_game(4)
        await server.close()
    async with opened(data, entries=9) as found:
        assert found.damaged == ()
        (game,) = found.kept
        assert isinstance(kept, StoredGame)
        assert (game.code, game.bodies[: len(kept.bodies)]) == (table.code, kept.bodies)
        server = Server(GAMES, BOTS, config=QUICK, journal=found.journal)
        assert server.recover(found.kept) == ()
        ann = await a_guest(server, "ann")
        again = await ann.ask(Join(table.code), TableView)
        assert (again.state, again.you, again.game_view) == ("playing", table.you, table.game_view)
        await played_out(ann)
        verify(await stored(server, table.code))
        await server.close()


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (PlayOn("ZZZZ-9", 1), Refusal("no-past-game", "ZZZZ-9")),
        (PlayOn("K7QP-1", 99_999), Refusal("over-there")),
        (PlayOn("", 0), Refusal("no-past-game", "")),
    ],
)
async def test_what_can_t_be_played_on_is_refused_with_one_sentence(
    server: Server, command: PlayOn, why: Refusal
) -> None:
    ann = await a_guest(server, "ann")
    assert await ann.refused(command) == why
    assert (await ann.ask(Replay("K7QP-1", 1), ReplayView)).step == 1, "the link goes on"


async def test_a_running_game_can_t_be_played_on(server: Server) -> None:
    ann = await a_guest(server, "ann")
    table = await ann.ask(PlayOn("K7QP-1", 12), TableView)
    eve = await a_guest(server, "eve")
    assert (await eve.refused(PlayOn(table.code, 3))).reason == "no-past-game"


async def test_a_rematch_there_has_a_seed_of_its_own(server: Server) -> None:
    ann = await a_guest(server, "ann")
    await ann.ask(PlayOn("K7QP-1", 12), TableView)
    over = await played_out(ann)
    assert over.next_commitment != over.commitment
    table = await ann.ask(Rematch(), TableView, lambda view: view.state == "playing")
    assert table.commitment == over.next_commitment
