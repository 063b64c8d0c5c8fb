"""The server across a socket: links, requests, and what waits for a slow reader."""

import asyncio
from typing import get_args

import pytest

from cartino_protocol import wire
from cartino_protocol.commands import Create, Hello, Join, Leave, Say, Watch
from cartino_protocol.link import LinkClosed
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Answer, Bye, ChatView, Left, LobbyView, TableView, Welcome
from cartino_protocol.wire import BadFrame
from cartino_server.visitors import Reply
from cartino_server.workers.messages import AnswerFrame, LinkCommand, LinkHungUp, LinkOpened, answer_code
from cartino_server.workers.remote_server import (
    MAX_REFUSALS,
    WAKE_BATCH,
    BatchedWakeups,
    RemoteLink,
    ServerLost,
)
from tests.support.crossing import caller, crossing, enter, hear, until
from tests.support.game_server import World, a_guest, new_server
from tests.support.noted_line import NotedLine


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


class Ends:
    """A link of number 7, its line, and the numbers of links that were closed from here."""

    def __init__(self) -> None:
        self.line = NotedLine()
        self.forgotten: list[int] = []
        self.link = RemoteLink(7, self.line, lambda number, _: self.forgotten.append(number))


@pytest.fixture
async def ends() -> Ends:
    return Ends()


def lobby(people: int) -> bytes:
    return wire.encode(LobbyView((), people))


async def test_commands_go_as_they_are(ends: Ends) -> None:
    ends.link.send(Leave())
    ends.link.send_frame(b"whatever")
    assert ends.line.said == [LinkCommand(7, wire.encode(Leave())), LinkCommand(7, b"whatever")]


async def test_too_long_a_command_and_one_too_many_are_refused_here(ends: Ends) -> None:
    ends.link.send_frame(bytes(wire.MAX_COMMAND_BYTES + 1))
    ends.line.is_full = True
    ends.link.send(Leave())
    ends.link.send_frame(b"\xc1")
    assert ends.line.said == []
    refusals = [await ends.link.receive() for _ in range(3)]
    assert refusals == [Refusal("malformed"), Refusal("busy", to="Leave"), Refusal("busy")]


async def test_no_more_refusals_wait_than_a_reader_may_want(ends: Ends) -> None:
    ends.line.is_full = True
    for _ in range(MAX_REFUSALS + 10):
        ends.link.send(Leave())
    ends.link.end()
    for _ in range(MAX_REFUSALS):
        assert await ends.link.receive() == Refusal("busy", to="Leave")
    with pytest.raises(LinkClosed):
        await ends.link.receive()


async def test_a_slow_reader_finds_the_newest(ends: Ends) -> None:
    for people in range(10):
        ends.link.put_frame(LobbyView, lobby(people))
    assert await ends.link.receive() == LobbyView((), 9)


async def test_a_reader_waits_until_it_is_woken(ends: Ends) -> None:
    reading = asyncio.create_task(ends.link.receive())
    await asyncio.sleep(0)
    ends.link.put_frame(LobbyView, lobby(1))
    await asyncio.sleep(0)
    assert not reading.done()
    ends.link.wake()
    assert await reading == LobbyView((), 1)


async def test_of_the_table_before_nothing_is_read(ends: Ends) -> None:
    ends.link.put_frame(TableView, b"old table")
    ends.link.left_table()
    ends.link.put_frame(TableView, b"new table")
    ends.link.end()
    assert await ends.link.receive_frame() == b"new table"
    with pytest.raises(LinkClosed):
        await ends.link.receive_frame()


async def test_what_waits_when_the_server_ends_it_can_still_be_read(ends: Ends) -> None:
    ends.link.put_frame(LobbyView, lobby(1))
    ends.link.end()
    ends.link.send(Leave())
    assert await ends.link.receive() == LobbyView((), 1)
    with pytest.raises(LinkClosed):
        await ends.link.receive()
    ends.link.close()
    # The server has ended it itself.
    assert (ends.line.said, ends.forgotten) == ([], [])


async def test_closed_from_here_nothing_more_is_said_or_read(ends: Ends) -> None:
    reading = asyncio.create_task(ends.link.receive())
    await asyncio.sleep(0)
    ends.link.close()
    ends.link.close()
    ends.link.send(Leave())
    with pytest.raises(LinkClosed):
        await reading
    assert (ends.line.said, ends.forgotten) == ([LinkHungUp(7)], [7])


class Sleeper:
    def __init__(self, woken: list["Sleeper"]) -> None:
        self._woken = woken

    def wake(self) -> None:
        self._woken.append(self)


async def test_a_crowd_wakes_in_portions_in_its_order() -> None:
    woken: list[Sleeper] = []
    crowd = [Sleeper(woken) for _ in range(2 * WAKE_BATCH + 1)]
    waking = BatchedWakeups()
    waking.wake(sleeper.wake for sleeper in crowd[:WAKE_BATCH])
    waking.wake(sleeper.wake for sleeper in crowd)
    assert woken == []
    for portion in (WAKE_BATCH, 2 * WAKE_BATCH, len(crowd), len(crowd)):
        await asyncio.sleep(0)
        assert woken == crowd[:portion]


async def test_who_slept_again_is_woken_again() -> None:
    woken: list[Sleeper] = []
    one = Sleeper(woken)
    waking = BatchedWakeups()
    for _ in range(2):
        waking.wake([one.wake])
        await asyncio.sleep(0)
    assert woken == [one, one]
