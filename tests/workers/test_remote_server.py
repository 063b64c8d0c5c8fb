"""A server across a socket: whoever plays through a worker plays as if they were in the server."""

import asyncio
from typing import get_args

import pytest

from cartino_protocol import wire
from cartino_protocol.commands import Create, Hello, Join, Leave, Say, Watch
from cartino_protocol.link import FrameLink, LinkClosed
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Answer, Bye, ChatView, Left, LobbyView, TableView, Welcome
from cartino_protocol.wire import BadFrame
from cartino_server.visitors import Reply
from cartino_server.workers.messages import AnswerFrame, LinkOpened, answer_code
from cartino_server.workers.remote_server import ServerLost
from tests.support.crossing import caller, crossing, enter, hear, until
from tests.support.game_server import World, a_guest, new_server


async def test_who_comes_through_a_worker_plays_with_who_is_at_home(world: World) -> None:
    server = new_server(world)
    async with crossing(server) as made:
        ann = await enter(made.far, "ann", Create("race"))
        code = (await hear(ann, TableView)).code
        bob = await a_guest(server, "bob")
        bob.say(Join(code))
        table = await hear(ann, TableView, lambda view: view.state == "playing")
        assert [seat.name for seat in table.seats] == ["ann", "bob"]
        bob.say(Say("hello"))
        await hear(ann, ChatView, lambda chat: "hello" in [line.text for line in chat.lines])
        ann.send(Leave())
        assert (await hear(ann, Left)).code == code
        await server.close()
        assert await hear(ann, Bye) == Bye("shutdown")
        with pytest.raises(LinkClosed):
            await ann.receive()


async def test_a_crowd_is_shown_a_table_by_one_message(world: World) -> None:
    server = new_server(world)
    async with crossing(server) as made:
        ann = await a_guest(server, "ann")
        code = (await ann.ask(Create("race"), TableView)).code
        crowd = [await enter(made.far, f"eve{number}", Watch(code)) for number in range(40)]
        for eve in crowd:
            await hear(eve, TableView)
        await hear(crowd[0], TableView, lambda view: view.spectators == len(crowd))
        made.shown.clear()
        ann.say(Say("once for all"))
        for eve in crowd:
            await hear(eve, ChatView, lambda chat: "once for all" in [line.text for line in chat.lines])
        chats = [
            each
            for each in made.shown
            if isinstance(each, AnswerFrame) and each.kind == answer_code(ChatView)
        ]
        # The server shows a crowd in portions, so that players go between; each portion is one message.
        assert sum(len(each.links) for each in chats) == len(crowd)
        assert len(chats) <= 4
        await server.close()


async def test_who_hangs_up_is_gone_at_home(world: World) -> None:
    server = new_server(world)
    async with crossing(server) as made:
        ann = await enter(made.far, "ann")
        ann.close()
        ann.close()
        ann.send(Leave())
        with pytest.raises(LinkClosed):
            await ann.receive()
        await until(lambda: made.home.links[0].closed)
        await server.close()


async def test_a_worker_that_dies_cuts_its_people_off_and_they_come_back_to_their_seats(world: World) -> None:
    server = new_server(world)
    bob = await a_guest(server, "bob")
    async with crossing(server) as made:
        ann = await enter(made.far, "ann", Create("race"))
        code = (await hear(ann, TableView)).code
        bob.say(Join(code))
        await bob.wait(TableView, lambda view: view.state == "playing")
        made.proxy.close()
        assert all(link.closed for link in made.home.links)
        await bob.wait(TableView, lambda view: not view.seats[0].here)
    async with crossing(server) as made:
        again = made.far.open_link(caller("ann"))
        again.send(Hello(wire.VERSION))
        assert (await hear(again, Welcome)).back == code
        await server.close()


async def test_a_server_that_dies_ends_every_link_and_question(world: World) -> None:
    server = new_server(world)
    async with crossing(server) as made:
        ann = await enter(made.far, "ann")
        asking = asyncio.create_task(made.far.ask(caller("ann"), ("wait",)))
        await asyncio.sleep(0)
        made.far.lose()
        with pytest.raises(LinkClosed):
            await hear(ann, Bye)
        with pytest.raises(ServerLost):
            await asking
        with pytest.raises(ServerLost):
            await made.far.ask(caller("ann"), ("games",))
        with pytest.raises(LinkClosed):
            await made.far.open_link(caller("bob")).receive()
        await server.close()


async def test_a_question_is_answered_and_one_that_nobody_waits_for_is_withdrawn(world: World) -> None:
    server = new_server(world)
    async with crossing(server) as made:
        assert await made.far.ask(caller("ann"), ("games", "now")) == Reply("ann said games now", "?", 3)
        asking = asyncio.create_task(made.far.ask(caller("ann"), ("wait",)))
        await until(lambda: made.home.asked == 2)
        asking.cancel()
        await until(lambda: made.home.withdrawn)
        await server.close()


async def test_of_what_a_slow_reader_has_not_read_only_the_newest_waits(world: World) -> None:
    server = new_server(world)
    async with crossing(server) as made:
        ann = await enter(made.far, "ann")
        (link,) = made.home.links
        for people in range(100):
            link.put_view(LobbyView, wire.encode(LobbyView((), people)))
            await asyncio.sleep(0)
        link.put(Refusal("full"))
        await until(
            lambda: isinstance(made.shown[-1], AnswerFrame) and made.shown[-1].kind == answer_code(Refusal)
        )
        assert await hear(ann, LobbyView) == LobbyView((), 99)
        assert await hear(ann, Refusal) == Refusal("full")
        await server.close()


async def test_too_long_a_command_never_reaches_the_line(world: World) -> None:
    server = new_server(world)
    async with crossing(server) as made:
        ann: FrameLink = await enter(made.far, "ann")
        ann.send_frame(bytes(wire.MAX_COMMAND_BYTES + 1))
        assert await hear(ann, Refusal) == Refusal("malformed")  # type: ignore[arg-type]
        ann.send_frame(b"\xc1")
        assert await hear(ann, Refusal) == Refusal("malformed")  # type: ignore[arg-type]
        await server.close()


async def test_while_the_server_does_not_keep_up_commands_are_refused(world: World) -> None:
    server = new_server(world)
    async with crossing(server) as made:
        ann = await enter(made.far, "ann")
        made.there.pause_writing()
        ann.send(Leave())
        ann.send_frame(b"\xc1")
        assert await hear(ann, Refusal) == Refusal("busy", to="Leave")
        assert await hear(ann, Refusal) == Refusal("busy")
        made.there.resume_writing()
        ann.send(Leave())
        assert await hear(ann, Refusal) == Refusal("not-in-room", to="Leave")
        await server.close()


async def test_a_line_that_is_broken_ends_that_worker_and_no_server(world: World) -> None:
    server = new_server(world)
    ann = await a_guest(server, "ann")
    async with crossing(server) as made:
        await enter(made.far, "bob")
        made.there.send(LinkOpened(1, caller("eve")))
        await until(lambda: "here" in made.lost)
    ann.say(Create("race"))
    await ann.wait(TableView)
    await server.close()


async def test_an_answer_of_no_kind_is_broken(world: World) -> None:
    server = new_server(world)
    async with crossing(server) as made:
        with pytest.raises(BadFrame):
            made.far.handle(AnswerFrame(len(get_args(Answer)), b"", (1,)))
        await server.close()
