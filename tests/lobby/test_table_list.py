"""The list of tables: who gets it, how often, and what is in it."""

import asyncio
from collections.abc import Callable

from cartino_protocol.commands import Create, Join, Leave
from cartino_protocol.link import ViewKind
from cartino_protocol.views import Left, LobbyView, Mine, SeatLine, TableLine, TableView
from cartino_server.limits import ServerConfig
from cartino_server.lobby.people.presence import SeatIndex
from cartino_server.lobby.table_list import FEW, Lobby
from cartino_server.server import Server
from cartino_server.table.link import ServerLink
from tests.support.game_server import TIME_LIMIT, Noting, World, a_guest, new_server
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


async def test_a_private_table_is_listed_to_those_who_sit_there(server: Server) -> None:
    ann, eve = await a_guest(server, "ann"), await a_guest(server, "eve")
    table = await ann.ask(Create("race", seats=3, bots=("steady",), open=False), TableView)
    bob = await a_guest(server, "bob")
    await bob.ask(Join(table.code), TableView)
    await ann.ask(Leave(), Left)
    assert (await ann.wait(LobbyView)).tables == ()
    assert [line.code for line in (await ann.wait(Mine)).tables] == [table.code]
    assert (await eve.wait(LobbyView, lambda view: view.people == 3)).tables == ()
    assert server.services.remote_tables.tables_for("id-eve") == ()


async def test_one_s_own_tables_follow_what_happens_there(server: Server) -> None:
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    table = await ann.ask(Create("race", {"turns": "all"}), TableView)
    await bob.ask(Join(table.code), TableView, lambda view: view.state == "playing")
    await ann.ask(Leave(), Left)
    line = (await ann.wait(Mine)).tables[0]
    assert (line.state, line.turn) == ("playing", (0, 1))
    await bob.act(Add(3))
    await ann.wait(Mine, lambda mine: mine.tables[0].state == "finished")


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
