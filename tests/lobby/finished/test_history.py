"""Games that are over can be listed, read and stepped through; those that run are nobody's business."""

import pytest

from cartino_engine.replay import read_record, verify
from cartino_protocol.base import game_name
from cartino_protocol.commands import Create, History, Join, PlayOn, Replay, Review
from cartino_protocol.exit_status import FAILURE
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import HistoryView, ReplayView, TableView
from cartino_server.app.command_handler import LocalBackend
from cartino_server.lobby.finished.history import GameHistory, RecordRefused
from cartino_server.lobby.remote_tables import UnknownTable
from cartino_server.server import Server
from cartino_server.visitors import Visitor
from tests.support.game_server import Guest, a_guest, decoded_view
from tests.support.journal import MemoryJournal
from tests.support.race import Add, Race

GAMES = {"race": Race()}


async def played(server: Server, journal: MemoryJournal, *, listed: bool = True, over: bool = True) -> str:
    """The name of a game of ann and bob, which ann won at once if it is over."""
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    code = (await ann.ask(Create("race", open=listed), TableView)).code
    await bob.ask(Join(code), TableView)
    await ann.wait(TableView, lambda view: view.state == "playing")
    if over:
        await ann.act(Add(3))
        await ann.wait(TableView, lambda view: view.state == "finished")
    return game_name(code, max(journal.games))


async def names(guest: Guest, of: History) -> list[str]:
    """What is in the list."""
    return [game.name for game in (await guest.ask(of, HistoryView)).games]


async def test_everybody_sees_what_was_listed(server: Server, journal: MemoryJournal) -> None:
    name = await played(server, journal)
    eve = await a_guest(server, "eve")
    (game,) = (await eve.ask(History("all"), HistoryView)).games
    assert (game.name, game.seats, game.totals, game.winners) == (name, ("ann", "bob"), (3, 0), (0,))
    assert await names(eve, History("mine")) == []
    assert await names(eve, History("player", "BOB")) == [name]
    assert await names(eve, History("player", "eve")) == []


async def test_whoever_sits_at_the_table_reads_the_game_that_is_over_by_its_code(
    server: Server, journal: MemoryJournal
) -> None:
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    code = (await ann.ask(Create("race", open=False), TableView)).code
    await bob.ask(Join(code), TableView)
    await ann.wait(TableView, lambda view: view.state == "playing")
    assert (await ann.refused(Replay(code))).reason == "no-past-game", "it isn't over"
    await ann.act(Add(3))
    await ann.wait(TableView, lambda view: view.state == "finished")
    name = game_name(code, max(journal.games))
    assert (await ann.ask(Replay(code), ReplayView)).game == name
    assert await ann.refused(Review(code)) == Refusal("no-review", name), "its only turn ended it"


async def test_a_private_game_is_its_players_own(server: Server, journal: MemoryJournal) -> None:
    name = await played(server, journal, listed=False)
    for who, seen in (("ann", [name]), ("bob", [name]), ("eve", [])):
        guest = await a_guest(server, who)
        assert await names(guest, History("all")) == seen
        assert await names(guest, History("mine")) == seen
        assert await names(guest, History("player", "ann")) == seen


async def test_a_list_says_whether_there_is_more(server: Server, journal: MemoryJournal) -> None:
    all_names = [await played(server, journal) for _ in range(4)]
    archive = GameHistory(journal, GAMES)
    eve = await a_guest(server, "eve")
    view = await eve.ask(History("all"), HistoryView)
    assert ([game.name for game in view.games], view.more) == (all_names[::-1], False)
    before = view.games[1].number
    later = await archive.history("id-eve", History("all", before=before))
    assert [game.name for game in later.games] == all_names[1::-1]


async def test_a_game_is_stepped_through_by_its_name(server: Server, journal: MemoryJournal) -> None:
    name = await played(server, journal)
    eve = await a_guest(server, "eve")
    deal = await eve.ask(Replay(name), ReplayView)
    assert (deal.step, deal.steps, decoded_view(deal.table)["totals"]) == (0, 1, [0, 0])
    end = await eve.ask(Replay(name.lower(), 999), ReplayView)
    assert (end.step, decoded_view(end.table)["totals"]) == (1, [3, 0])


async def test_a_game_that_is_pruned_while_somebody_looks_at_it_is_told_to_be_gone(
    server: Server, journal: MemoryJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cartino_server.lobby.finished.history._CACHED_REPLAYS", 1)
    name, other = await played(server, journal), await played(server, journal)
    eve = await a_guest(server, "eve")
    assert not (await eve.ask(History("all"), HistoryView)).pruned
    await eve.ask(Replay(name), ReplayView)
    journal.prune(int(name.partition("-")[2]))
    assert (await eve.ask(Replay(name, 1), ReplayView)).step == 1, "what somebody looks at stays in memory"
    await eve.ask(Replay(other), ReplayView)
    refusal = await eve.refused(Replay(name))
    assert refusal.sentence() == f"There is no finished game {name} here, or it is no longer kept."
    view = await eve.ask(History("all"), HistoryView)
    assert ([game.name for game in view.games], view.pruned) == ([other], True)


async def test_a_running_game_is_not_there(server: Server, journal: MemoryJournal) -> None:
    name = await played(server, journal, over=False)
    eve = await a_guest(server, "eve")
    assert await names(eve, History("all")) == []
    assert await eve.refused(Replay(name)) == Refusal("no-past-game", name)
    with pytest.raises(UnknownTable):
        await server.services.remote_tables.record_of(name)


@pytest.mark.parametrize("name", ["", "K7QP", "ZZZZ-1", "AAAA-99", "AAAA-0", "nonsense", "AAAA-1-1"])
async def test_what_is_no_game_is_said_to_be_none(server: Server, journal: MemoryJournal, name: str) -> None:
    await played(server, journal)
    eve = await a_guest(server, "eve")
    assert (await eve.refused(Replay(name))).reason == "no-past-game"


async def test_a_record_can_be_verified(server: Server, journal: MemoryJournal) -> None:
    name = await played(server, journal)
    archive = GameHistory(journal, GAMES)
    record = await archive.record(name)
    assert verify(read_record(record, GAMES)).winners == (0,)
    assert await archive.newest(name.partition("-")[0]) == record
    assert await server.services.remote_tables.record_of(name) == record


async def test_a_damaged_record_is_set_aside_on_every_face(server: Server, journal: MemoryJournal) -> None:
    name = await played(server, journal)
    journal.games[max(journal.games)].bodies[0] = b"damaged"
    eve = await a_guest(server, "eve")
    for command in (Replay(name), Review(name), PlayOn(name, 0)):
        assert await eve.refused(command) == Refusal("set-aside"), command
    for words in (f"export {name}", f"review {name}"):
        reply = await LocalBackend(server).run_command(
            Visitor("1", "id-eve", "eve", guest=False), words.split()
        )
        sentence = "That game is damaged and was set aside. Ask the host.\n"
        assert (reply.stderr, reply.status) == (sentence, FAILURE), words


async def test_a_game_that_the_server_does_not_know_is_missing(
    server: Server, journal: MemoryJournal
) -> None:
    name = await played(server, journal)
    with pytest.raises(RecordRefused) as refused:
        await GameHistory(journal, {}).record(name)
    assert refused.value.refusal == Refusal("game-missing", "race")
