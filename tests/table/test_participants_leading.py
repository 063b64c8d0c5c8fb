"""A review that the people at a table look at together: the table says which step the leader shows."""

from cartino_protocol.commands import Create, Join, Lead, Leave, Rematch, Watch
from cartino_protocol.notices import News
from cartino_protocol.views import ChatView, LedReview, TableView
from cartino_server.server import Server
from tests.support.game_server import Guest, World, a_guest, new_server
from tests.support.race import Add


async def over(server: Server) -> tuple[Guest, Guest, Guest]:
    """Two players at a table whose game is over, and a spectator."""
    ann, bob, eve = [await a_guest(server, name) for name in ("ann", "bob", "eve")]
    code = (await ann.ask(Create("race", seats=2), TableView)).code
    await bob.ask(Join(code), TableView, lambda table: table.state == "playing")
    await eve.ask(Watch(code), TableView)
    await ann.wait(TableView, lambda table: table.state == "playing")
    assert (await ann.refused(Lead(1))).reason == "not-finished"
    await ann.act(Add(3))
    for guest in (ann, bob, eve):
        await guest.wait(TableView, lambda table: table.state == "finished")
    return ann, bob, eve


async def led(guest: Guest, shown: LedReview | None) -> None:
    await guest.wait(TableView, lambda table: table.led == shown)


async def test_everybody_sees_the_step_of_the_last_who_led() -> None:
    server = new_server(World())
    ann, bob, eve = await over(server)
    ann.say(Lead(3))
    await led(bob, LedReview(0, 3))
    await led(eve, LedReview(0, 3))
    chat = await bob.wait(ChatView, lambda chat: any(each.news.word == "leads" for each in chat.notices))
    assert chat.notices[-1].news == News("leads", "ann")
    ann.say(Lead(5))
    await led(bob, LedReview(0, 5))
    bob.say(Lead(1))
    await led(ann, LedReview(1, 1))
    await led(bob, LedReview(1, 1))
    ann.say(Lead())
    assert (await eve.refused(Lead(2))).reason == "not-seated"
    assert bob.table is not None
    assert bob.table.led == LedReview(1, 1), "who no longer leads ends nothing"
    bob.say(Lead())
    await led(ann, None)
    await server.close()


async def test_who_leaves_leads_no_longer() -> None:
    server = new_server(World())
    ann, bob, _ = await over(server)
    ann.say(Lead(3))
    await led(bob, LedReview(0, 3))
    ann.say(Leave())
    await led(bob, None)
    await server.close()


async def test_a_rematch_ends_the_review() -> None:
    server = new_server(World())
    ann, bob, _ = await over(server)
    ann.say(Lead(3), Rematch())
    bob.say(Rematch())
    table = await bob.wait(TableView, lambda table: table.state == "playing")
    assert table.led is None
    await ann.wait(TableView, lambda table: table.state == "playing")
    await server.close()
