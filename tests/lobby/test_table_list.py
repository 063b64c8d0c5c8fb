"""The list of tables, names and summary, and previews: who gets them, how often, and what is in them."""

import asyncio
from collections.abc import Callable, Sequence

import msgspec
import pytest

from cartino_protocol.commands import Create, Join, Leave, Preview, Summary, Watch
from cartino_protocol.link import ViewKind
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import (
    Bye,
    Leader,
    LeadersView,
    Left,
    LobbyView,
    Mine,
    OnlineView,
    PastGame,
    PreviewView,
    SeatLine,
    SummaryView,
    TableLine,
    TableView,
    TopPlayers,
)
from cartino_server.limits import ServerConfig
from cartino_server.lobby.people.presence import SeatIndex
from cartino_server.lobby.table_list import FEW, MOST_NAMES, MOST_TOP, Lobby
from cartino_server.server import Server
from cartino_server.store.journal import MemoryJournal
from cartino_server.store.port import HistoryQuery
from cartino_server.table.link import ServerLink
from tests.support.game_server import (
    NOW,
    QUICK,
    TIME_LIMIT,
    Noting,
    World,
    a_guest,
    at_a_table,
    new_server,
)
from tests.support.race import Add

HOUR = 3600.0


def noting(link: ServerLink) -> list[ViewKind]:
    """The kinds of views that `link` is given from now on."""
    shown: list[ViewKind] = []
    give = link.put_view

    def put_view(kind: ViewKind, frame: bytes) -> None:
        shown.append(kind)
        give(kind, frame)

    link.put_view = put_view  # type: ignore[method-assign]
    return shown


def line(code: str, state: str = "open") -> TableLine:
    return TableLine(code, "race", {}, (SeatLine("ann", "human"),), 0, state)  # type: ignore[arg-type]


async def test_everybody_in_the_lobby_sees_tables_come_and_fill(server: Server) -> None:
    eve, ann, bob = [await a_guest(server, name) for name in ("eve", "ann", "bob")]
    await eve.wait(LobbyView, lambda view: view.people == 3)
    table = await ann.ask(Create("race"), TableView)
    view = await eve.wait(LobbyView, lambda view: len(view.tables) == 1)
    assert view.tables[0].seats == (SeatLine("ann", "human"), SeatLine("", "empty"))
    bob.say(Join(table.code))
    view = await eve.wait(LobbyView, lambda view: view.tables[0].state == "playing")
    assert view.tables[0].turn == (0,)
    await ann.wait(TableView, lambda view: view.state == "playing")
    await ann.act(Add(3))
    await eve.wait(LobbyView, lambda view: view.tables[0].state == "finished")
    ann.link.close()
    await eve.wait(LobbyView, lambda view: view.people == 2)


async def test_a_private_table_is_listed_to_those_who_sit_there_and_follows_what_happens(
    server: Server,
) -> None:
    ann, bob, eve = [await a_guest(server, name) for name in ("ann", "bob", "eve")]
    table = await ann.ask(Create("race", {"turns": "all"}, open=False), TableView)
    await bob.ask(Join(table.code), TableView, lambda view: view.state == "playing")
    await ann.ask(Leave(), Left)
    assert (await ann.wait(LobbyView)).tables == ()
    [line] = (await ann.wait(Mine)).tables
    assert (line.code, line.state, line.turn) == (table.code, "playing", (0, 1))
    await bob.act(Add(3))
    await ann.wait(Mine, lambda mine: mine.tables[0].state == "finished")
    assert (await eve.wait(LobbyView, lambda view: view.people == 3)).tables == ()
    assert server.services.remote_tables.tables_for("id-eve") == ()


async def test_many_changes_are_one_list(world: World, servers: Callable[[Server], Server]) -> None:
    """With an hour between two lists, one comes at the most, while who enters gets it at once."""
    server = servers(new_server(world, ServerConfig(lobby_every=HOUR)))
    eve, ann = await a_guest(server, "eve"), await a_guest(server, "ann")
    shown = noting(eve.link)
    for _ in range(5):
        await ann.ask(Create("race"), TableView)
    late = await a_guest(server, "late")
    assert len((await late.wait(LobbyView)).tables) == 5
    assert shown.count(LobbyView) <= 1


async def test_a_list_goes_out_only_when_it_reads_differently() -> None:
    ann = Noting("id-ann")
    lists: list[int] = []

    def people() -> int:
        lists.append(1)
        return 1

    async def changed(*lines: tuple[TableLine, bool, tuple[str, ...]]) -> list[ViewKind]:
        """What one list after these changes showed."""
        ann.kinds()
        before = len(lists)
        for shown, listed, persons in lines:
            lobby.note(shown, listed, sitting.note(shown.code, persons))
        lobby.touch()
        async with asyncio.timeout(TIME_LIMIT):
            while len(lists) == before:
                await asyncio.sleep(0)
        return ann.kinds()

    sitting = SeatIndex()
    lobby = Lobby(0, people, sitting)
    lobby.enter(ann)
    assert await changed((line("AAAA"), True, ("id-ann",)), (line("BBBB"), True, ())) == [LobbyView, Mine]
    assert await changed() == []
    assert await changed((line("CCCC"), False, ("id-eve",))) == []
    assert await changed((line("AAAA", "playing"), True, ())) == [LobbyView, Mine]
    assert lobby.lines.tables_of("id-ann") == ()
    lobby.drop("BBBB", ())
    lobby.drop("BBBB", ())
    assert await changed() == [LobbyView]
    lobby.leave(ann)
    assert await changed((line("DDDD"), True, ("id-ann",))) == []
    lobby.close()


async def test_a_list_goes_out_to_a_few_at_a_time() -> None:
    """What changes meanwhile reaches all of them, too, and who has left is left out."""
    lobby = Lobby(0, lambda: 1, SeatIndex())
    crowd = [Noting(f"id-{number}") for number in range(3 * FEW)]
    for each in crowd:
        lobby.enter(each)
        each.kinds()

    async def until_sent(link: Noting) -> None:
        async with asyncio.timeout(TIME_LIMIT):
            while not link.frames:
                await asyncio.sleep(0)

    lobby.note(line("AAAA"), listed=True, persons=())
    await until_sent(crowd[0])
    assert sum(bool(each.frames) for each in crowd) == FEW
    lobby.note(line("BBBB"), listed=True, persons=())
    lobby.leave(crowd[FEW])
    older, returning = crowd[0].frames[-1], crowd[FEW + 1]
    lobby.leave(returning)
    lobby.enter(returning)
    await until_sent(crowd[-1])
    crowd[-1].kinds()
    await until_sent(crowd[-1])
    last = crowd[-1].frames[-1]
    assert all(each.frames[-1] == last for each in crowd if each not in (crowd[FEW], returning))
    assert not crowd[FEW].frames
    assert last in returning.frames
    assert older not in returning.frames
    lobby.close()


def past(name: str, ended: str) -> PastGame:
    return PastGame(name, 1, "race", {}, ("ann", "bob"), (3, 1), (0,), "out", ended)


async def codes_listed(lobby: Lobby) -> list[str]:
    """The codes that somebody sees who enters now."""
    link = Noting("id-new")
    lobby.enter(link)
    lobby.leave(link)
    return [line.code for line in msgspec.msgpack.decode(dict(link.frames)[LobbyView], type=LobbyView).tables]


async def test_a_finished_table_leaves_the_list_a_minute_after_its_end() -> None:
    """Its players see it among their own, and a rematch brings it back."""
    world, seats = World(), SeatIndex()
    lobby = Lobby(0, lambda: 1, seats, clock=lambda: world.time)
    lobby.note(line("AAAA", "finished"), listed=True, persons=seats.note("AAAA", ("id-ann",)))
    lobby.note(line("BBBB", "playing"), listed=True, persons=())
    world.time = 59.9
    lobby.note(line("AAAA", "finished"), listed=True, persons=())
    assert await codes_listed(lobby) == ["AAAA", "BBBB"]
    world.time = 60.0
    assert await codes_listed(lobby) == ["BBBB"]
    assert [line.code for line in lobby.lines.seen_by("id-eve")] == ["BBBB"]
    assert [line.code for line in lobby.lines.seen_by("id-ann")] == ["AAAA", "BBBB"]
    assert [line.code for line in lobby.lines.tables_of("id-ann")] == ["AAAA"]
    lobby.note(line("AAAA", "playing"), listed=True, persons=())
    assert await codes_listed(lobby) == ["AAAA", "BBBB"]
    lobby.close()


async def test_the_list_without_it_is_sent_by_itself() -> None:
    lobby = Lobby(0, lambda: 1, SeatIndex(), listed_after=0.01)
    eve = Noting("id-eve")
    lobby.enter(eve)
    lobby.note(line("AAAA", "finished"), listed=True, persons=())
    empty = eve.frames[0]
    eve.kinds()
    async with asyncio.timeout(TIME_LIMIT):
        while empty not in eve.frames:
            await asyncio.sleep(0)
    lobby.close()


async def test_names_and_summary_go_to_those_who_ask_while_they_are_in_the_lobby(server: Server) -> None:
    ann, eve = await a_guest(server, "ann"), await a_guest(server, "eve")
    assert (await ann.ask(Summary(), OnlineView)).names == ("ann", "eve")
    assert (await ann.wait(SummaryView)) == SummaryView()
    await a_guest(server, "bob")
    assert (await ann.wait(OnlineView)).names == ("ann", "eve", "bob")
    await ann.ask(Create("race"), TableView)
    await a_guest(server, "cleo")
    await ann.ask(Leave(), Left)
    assert (await ann.wait(OnlineView)).names == ("ann", "eve", "bob", "cleo")
    await eve.wait(LobbyView, lambda view: view.people == 4)
    assert not any(isinstance(each, OnlineView | SummaryView) for each in eve.heard)


async def test_equal_names_and_summaries_are_sent_once() -> None:
    lobby = Lobby(0, lambda: 1, SeatIndex(), lambda: ("ann",))
    ann = Noting("id-ann")
    lobby.enter(ann)
    lobby.subscribe_link(ann)
    assert ann.kinds() == [LobbyView, Mine, OnlineView, SummaryView]
    lobby.note(line("AAAA"), listed=True, persons=())
    lobby.summarize(SummaryView("Café"))
    async with asyncio.timeout(TIME_LIMIT):
        while not ann.frames:
            await asyncio.sleep(0)
    assert ann.kinds() == [LobbyView, SummaryView]
    lobby.close()


async def test_of_many_people_the_first_are_named(server: Server) -> None:
    crowd = [await a_guest(server, f"p{number}") for number in range(MOST_NAMES + 2)]
    assert (await crowd[-1].ask(Summary(), OnlineView)).names == tuple(
        f"p{number}" for number in range(MOST_NAMES)
    )


class Known(MemoryJournal):
    """Has ratings, and games that ended long ago and now."""

    async def leaders(self, game: str, person: str, evaluations: frozenset[str] = frozenset()) -> LeadersView:
        people = tuple(Leader(at, at, f"p{at}", 1200 - at, 9) for at in range(1, 9))
        return LeadersView(game, people, you=None)

    async def find_finished_games(self, wanted: HistoryQuery) -> Sequence[PastGame]:
        assert (wanted.person, wanted.mine) == ("", False)
        return past("AAAA-2", NOW), past("AAAA-1", "1980-01-01T00:00:00Z")


async def test_the_summary_has_the_place_the_best_and_the_games_of_a_day(
    world: World, servers: Callable[[Server], Server]
) -> None:
    config = msgspec.structs.replace(QUICK, place="Café")
    server = servers(new_server(world, config, journal=Known()))
    eve = await a_guest(server, "eve")
    eve.say(Summary())
    seen = await eve.wait(SummaryView, lambda view: view.place)
    assert seen.place == "Café"
    assert seen.top == (TopPlayers("race", (await Known().leaders("race", "")).people[:MOST_TOP]),)
    assert seen.finished == (past("AAAA-2", NOW),)
    server.configure(msgspec.structs.replace(config, place="Club"))
    await eve.wait(SummaryView, lambda view: view.place == "Club")


async def test_a_preview_is_what_spectators_see_as_it_changes(server: Server) -> None:
    ann, _ = await at_a_table(server, "ann", "bob")
    code = ann.code
    eve, watcher = await a_guest(server, "eve"), await a_guest(server, "watcher")
    first = await eve.ask(Preview(code), PreviewView)
    assert first.table is not None
    assert (first.table.you, first.table.spectators) == (None, 0)
    await ann.act(Add(3))
    second = await eve.wait(PreviewView, lambda view: view.table is not None and view.table.number > 1)
    seen = await watcher.ask(Watch(code), TableView)
    assert second.table == msgspec.structs.replace(seen, spectators=0, watchers=())


@pytest.mark.parametrize("typed", ["K7QPK7QP", "K7QP", "", "no code"])
async def test_without_a_public_table_there_is_nothing_to_see(server: Server, typed: str) -> None:
    eve = await a_guest(server, "eve")
    eve.say(Preview(typed), Preview("ZZZZ"))
    seen = await eve.wait(PreviewView, lambda view: view.code == "ZZZZ")
    assert seen.table is None
    assert all(each.table is None for each in eve.heard if isinstance(each, PreviewView))


async def test_a_private_table_looks_like_none_even_to_its_players(server: Server) -> None:
    ann = await a_guest(server, "ann")
    table = await ann.ask(Create("race", seats=3, bots=("steady",), open=False), TableView)
    await ann.ask(Leave(), Left)
    eve = await a_guest(server, "eve")
    for guest in (ann, eve):
        assert await guest.ask(Preview(table.code), PreviewView) == PreviewView(table.code)


async def test_a_preview_ends_with_another_one_and_at_a_table(server: Server) -> None:
    ann, _ = await at_a_table(server, "ann", "bob")
    code = ann.code
    eve, cleo, dan = [await a_guest(server, name) for name in ("eve", "cleo", "dan")]
    for guest in (eve, cleo, dan):
        await guest.ask(Preview(code), PreviewView)
    eve.say(Preview())
    await cleo.ask(Create("race"), TableView)
    assert await cleo.refused(Preview(code)) == Refusal("in-room")
    await ann.act(Add(3))
    await dan.wait(PreviewView, lambda view: view.table is not None and view.table.number > 1)
    eve.link.end(Bye("shutdown"))
    cleo.link.end(Bye("shutdown"))
    assert not any(isinstance(each, PreviewView) for each in (*await eve.end(), *await cleo.end()))


async def test_a_table_that_closes_is_gone_from_the_preview(
    world: World, servers: Callable[[Server], Server]
) -> None:
    server = servers(new_server(world, msgspec.structs.replace(QUICK, unused_after=0.0)))
    ann, eve = await a_guest(server, "ann"), await a_guest(server, "eve")
    table = await ann.ask(Create("race"), TableView)
    assert (await eve.ask(Preview(table.code), PreviewView)).table is not None
    ann.say(Leave())
    await eve.wait(PreviewView, lambda view: view.table is None)


async def test_many_changes_are_one_preview(world: World, servers: Callable[[Server], Server]) -> None:
    server = servers(new_server(world, msgspec.structs.replace(QUICK, spectators_every=HOUR)))
    ann = await a_guest(server, "ann")
    table = await ann.ask(Create("race", seats=4), TableView)
    eve = await a_guest(server, "eve")
    await eve.ask(Preview(table.code), PreviewView)
    for name in ("bob", "cleo"):
        await (await a_guest(server, name)).ask(Join(table.code), TableView)
    await ann.wait(TableView, lambda view: view.seats[2].name == "cleo")
    eve.link.end(Bye("shutdown"))
    assert not any(isinstance(each, PreviewView) for each in await eve.end())
