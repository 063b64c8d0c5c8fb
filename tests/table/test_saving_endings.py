"""What becomes of a game in the journal: open as long as it can go on, ended once, and never without its record."""

from structlog.testing import capture_logs

from cartino_protocol.commands import Create, Join, Rematch
from cartino_protocol.records import EndLine
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Bye, TableView
from cartino_server.server import Server
from cartino_server.store.port import NotSaved
from tests.support.game_server import Guest, a_guest
from tests.support.journal import MemoryJournal, record_in
from tests.support.race import Add, Race


async def two_at_a_table(server: Server, goal: str) -> tuple[Guest, Guest]:
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    table = await ann.ask(Create("race", {"goal": goal}), TableView)
    await bob.ask(Join(table.code), TableView)
    await ann.wait(TableView, lambda view: view.state == "playing")
    return ann, bob


async def test_a_game_that_runs_as_the_server_closes_stays_open(
    server: Server, journal: MemoryJournal
) -> None:
    ann, bob = await two_at_a_table(server, "9")
    await ann.act(Add(2))
    await bob.wait(TableView, lambda view: view.turn == (1,))
    await server.close()
    assert (await bob.end())[-1] == Bye("shutdown")
    (game,) = journal.games.values()
    assert (game.code, game.state, game.ending) == ("AAAA", "open", None)
    assert [line.__class__.__name__ for line in record_in(game, Race())] == [
        "GameLine",
        "CardLine",
        "CardLine",
        "AddLine",
    ]
    written = len(journal.writes)
    await server.close()
    assert len(journal.writes) == written


async def test_a_game_that_is_over_ends_once(server: Server, journal: MemoryJournal) -> None:
    ann, _ = await two_at_a_table(server, "3")
    await ann.act(Add(3))
    over = await ann.wait(TableView, lambda view: view.state == "finished")
    (game,) = journal.games.values()
    assert game.state == "open", "there may be another game at the table"
    await server.close()
    (ending,) = [write.ending for writes in journal.writes for write in writes if write.ending is not None]
    assert (ending.seats, ending.persons, ending.totals, ending.winners, ending.reason) == (
        ("ann", "bob"),
        ("id-ann", "id-bob"),
        (3, 0),
        (0,),
        "points",
    )
    end = record_in(game, Race())[-1]
    assert isinstance(end, EndLine)
    assert (end.reason, end.seed) == ("points", over.seed)


async def test_an_open_table_has_no_record(server: Server, journal: MemoryJournal) -> None:
    ann = await a_guest(server, "ann")
    await ann.ask(Create("race"), TableView)
    await server.close()
    (game,) = journal.games.values()
    assert (game.state, game.ending, record_in(game, Race())) == ("open", None, [])


async def test_a_move_that_can_not_be_saved_ends_no_game_and_the_table_goes_on(
    server: Server, journal: MemoryJournal
) -> None:
    ann, bob = await two_at_a_table(server, "3")
    journal.fail = NotSaved("the disk is full")
    with capture_logs() as logs:
        await ann.act(Add(3))
        assert await ann.hears_no("Act") == Refusal("not-saved")
    assert [(line["event"], line["table"], line["log_level"]) for line in logs] == [
        ("not_saved", "AAAA", "warning")
    ]
    journal.fail = None
    await ann.act(Add(3))
    for guest in (ann, bob):
        await guest.wait(TableView, lambda view: view.state == "finished")
        guest.say(Rematch())
    await bob.wait(TableView, lambda view: view.state == "playing")
    assert [(game.state, game.ending is not None) for game in journal.games.values()] == [
        ("closed", True),
        ("open", False),
    ]


async def test_the_server_closes_when_nothing_can_be_saved(server: Server, journal: MemoryJournal) -> None:
    _, bob = await two_at_a_table(server, "9")
    (game,) = journal.games.values()
    before = list(game.bodies)
    journal.fail = NotSaved("the disk is full")
    with capture_logs() as logs:
        await server.close()
    assert (await bob.end())[-1] == Bye("shutdown")
    assert [(line["event"], line["table"], line["end"]) for line in logs] == [
        ("end_not_saved", "AAAA", "left open")
    ]
    assert (game.bodies, game.state) == (before, "open")
