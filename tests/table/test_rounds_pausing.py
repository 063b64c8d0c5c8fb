"""A game stops when all players who are there want it, and goes on when they do."""

from cartino_protocol.commands import Create, Join, Leave, Pause, Watch
from cartino_protocol.views import Left, TableView
from cartino_server.server import Server
from tests.support.game_server import Guest, World, a_guest
from tests.support.journal import MemoryJournal
from tests.support.lasting import ServerKeeper, hush, killed, lasting
from tests.support.race import Add
from tests.support.scene import turns, waiting_for_nothing


async def two(server: Server) -> tuple[Guest, Guest, str]:
    """Ann and bob in a running game with a clock; ann is on turn."""
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    code = (await ann.ask(Create("race", {"goal": "9"}, clock="30s", absence="30s"), TableView)).code
    await bob.ask(Join(code), TableView)
    await ann.wait(TableView, lambda view: view.state == "playing")
    return ann, bob, code


async def paused(server: Server) -> tuple[Guest, Guest, str]:
    """The same, after both wanted it to stop."""
    ann, bob, code = await two(server)
    for guest in (ann, bob):
        await guest.ask(Pause(True), TableView, lambda view: view.votes or view.paused)
    await ann.wait(TableView, lambda view: view.paused)
    return ann, bob, code


async def test_one_player_s_wish_is_seen_and_does_nothing(server: Server) -> None:
    ann, bob, _ = await two(server)
    ann.say(Pause(True))
    view = await bob.wait(TableView, lambda view: view.votes)
    assert (view.votes, view.paused) == ((0,), False)
    await ann.act(Add(1), view.number)
    await ann.wait(TableView, lambda view: view.number == 2)


async def test_it_can_be_taken_back(server: Server) -> None:
    ann, bob, _ = await two(server)
    await ann.ask(Pause(True), TableView, lambda view: view.votes == (0,))
    await ann.ask(Pause(False), TableView, lambda view: view.votes == ())
    assert not (await bob.ask(Pause(True), TableView, lambda view: view.votes == (1,))).paused


async def test_while_it_is_paused_nobody_moves_and_no_time_runs(server: Server, world: World) -> None:
    ann, bob, code = await paused(server)
    world.skip(1000)
    await turns()
    await hush(ann)
    await waiting_for_nothing(ann)
    await ann.act(Add(1))
    assert (await ann.hears_no("Act")).reason == "paused"
    view = await bob.ask(Watch(code), TableView)
    assert (view.turn, view.seats[0].left, view.votes) == ((0,), 30.0, ())


async def test_it_goes_on_when_both_want_that(server: Server, world: World) -> None:
    ann, bob, _ = await paused(server)
    world.skip(1000)
    view = await ann.ask(Pause(False), TableView, lambda view: view.votes)
    assert (view.votes, view.paused) == ((0,), True)
    view = await bob.ask(Pause(False), TableView, lambda view: not view.paused)
    assert view.seats[0].left == 30.0
    await ann.act(Add(1))
    await ann.wait(TableView, lambda view: view.turn == (1,))


async def test_who_goes_leaves_it_to_those_who_stay(server: Server) -> None:
    ann, bob, _ = await two(server)
    await ann.ask(Pause(True), TableView, lambda view: view.votes == (0,))
    await bob.ask(Leave(), Left)
    assert (await ann.wait(TableView, lambda view: view.paused)).votes == ()


async def test_a_spectator_and_a_bot_have_no_say(server: Server) -> None:
    ann = await a_guest(server, "ann")
    code = (await ann.ask(Create("race", {"goal": "9"}, bots=("steady",)), TableView)).code
    eve = await a_guest(server, "eve")
    await eve.ask(Watch(code), TableView)
    assert (await eve.refused(Pause(True))).reason == "not-seated"
    view = await ann.ask(Pause(True), TableView, lambda view: view.paused)
    assert [seat.substitute for seat in view.seats] == ["", ""]


async def test_a_bot_on_turn_goes_on_with_the_game(server: Server, world: World) -> None:
    ann = await a_guest(server, "ann")
    await ann.ask(Create("race", {"goal": "9"}, bots=("steady",)), TableView)
    await ann.ask(Pause(True), TableView, lambda view: view.paused)
    await ann.ask(Pause(False), TableView, lambda view: not view.paused)
    await ann.act(Add(1))
    await ann.wait(TableView, lambda view: view.number == 3)


async def test_it_stays_paused_when_the_server_is_killed(
    servers: ServerKeeper, world: World, journal: MemoryJournal
) -> None:
    _, _, code = await paused(lasting(servers, world, journal))
    server = lasting(servers, world, killed(journal))
    assert server.services.remote_tables.tables_for("id-ann")[0].paused
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    assert (await ann.ask(Join(code), TableView)).paused
    await bob.ask(Join(code), TableView)
    world.skip(1000)
    for guest in (ann, bob):
        guest.say(Pause(False))
    view = await ann.wait(TableView, lambda view: not view.paused)
    assert view.seats[0].left == 30.0


async def test_while_it_is_paused_nobody_is_missed(server: Server, world: World) -> None:
    ann, bob, _ = await paused(server)
    bob.link.close()
    await ann.wait(TableView, lambda view: not view.seats[1].here)
    world.skip(1000)
    await turns()
    await hush(ann)
    await waiting_for_nothing(ann)
