"""The server across a socket: links, requests, and what waits for a slow reader."""

import asyncio
from collections.abc import AsyncIterator
from typing import get_args

import pytest

from cartino_protocol import wire
from cartino_protocol.commands import Create, Hello, Join, Leave, Say, Watch
from cartino_protocol.exit_status import BROKEN_OFF
from cartino_protocol.link import LinkClosed
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import LazyMessage
from cartino_protocol.views import Answer, Bye, ChatView, Left, LobbyView, TableView, Welcome
from cartino_protocol.wire import BadFrame
from cartino_server.limits import SessionLimits
from cartino_server.server import Server
from cartino_server.visitors import UNKNOWN_OUTCOME, LoginRequest, LoginResult, Reply
from cartino_server.workers.messages import (
    AnswerFrame,
    Configure,
    LinkCommand,
    LinkHungUp,
    LinkOpened,
    answer_code,
)
from cartino_server.workers.remote_server import (
    MAX_REFUSALS,
    SERVER_UNAVAILABLE,
    WAKE_BATCH,
    BatchedWakeups,
    RemoteLink,
)
from tests.support.crossing import Crossing, caller, crossing, enter, hear, until
from tests.support.game_server import World, a_guest, new_server
from tests.support.noted_line import NotedLine


@pytest.fixture
async def server(world: World) -> AsyncIterator[Server]:
    server = new_server(world)
    yield server
    await server.close()


@pytest.fixture
async def made(server: Server) -> AsyncIterator[Crossing]:
    async with crossing(server) as made:
        yield made


# -- a server and a worker


async def test_people_play_through_a_worker_as_without(server: Server, made: Crossing) -> None:
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


async def test_a_crowd_is_shown_a_table_by_one_message(server: Server, made: Crossing) -> None:
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
    frames = [each for each in made.shown if isinstance(each, AnswerFrame)]
    chats = [each for each in frames if each.kind == answer_code(ChatView)]
    # The server shows a crowd in portions, so that players go between; each portion is one message.
    assert sum(len(each.links) for each in chats) == len(crowd)
    assert len(chats) <= 4


async def test_a_link_that_is_closed_is_closed_in_the_server(made: Crossing) -> None:
    ann = await enter(made.far, "ann")
    ann.close()
    with pytest.raises(LinkClosed):
        await ann.receive()
    await until(lambda: made.home.links[0].closed)


async def test_people_of_a_dead_worker_come_back_to_their_seats(server: Server) -> None:
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


async def test_without_its_server_every_link_and_request_ends(made: Crossing) -> None:
    ann = await enter(made.far, "ann")
    asking = asyncio.create_task(made.far.run_command(caller("ann"), ["wait"]))
    judging = asyncio.create_task(made.far.judge(LoginRequest(7, "", "", "wait")))
    await asyncio.sleep(0)
    made.far.lose()
    with pytest.raises(LinkClosed):
        await hear(ann, Bye)
    for request in (asking, made.far.run_command(caller("ann"), ["games"])):
        assert await request == Reply(stderr=f"{UNKNOWN_OUTCOME}\n", status=BROKEN_OFF)
    refused = LoginResult(refused=SERVER_UNAVAILABLE, status=BROKEN_OFF)
    assert await judging == await made.far.judge(LoginRequest(8, "", "", "bob")) == refused
    with pytest.raises(LinkClosed):
        await made.far.open_link(caller("bob")).receive()


async def test_a_request_is_answered_and_one_that_is_cancelled_is_withdrawn(made: Crossing) -> None:
    assert await made.far.run_command(caller("ann"), ["games", "now"]) == Reply("ann said games now", "?", 3)
    asking = asyncio.create_task(made.far.run_command(caller("ann"), ["wait"]))
    await until(lambda: made.home.asked == 2)
    asking.cancel()
    await until(lambda: made.home.withdrawn)


async def test_an_invalid_message_ends_that_worker_alone(server: Server) -> None:
    ann = await a_guest(server, "ann")
    async with crossing(server) as made:
        await enter(made.far, "bob")
        with pytest.raises(BadFrame):
            made.far.handle(AnswerFrame(len(get_args(Answer)), b"", (1,)))
        made.there.send(LinkOpened(1, caller("eve")))
        await until(lambda: "here" in made.lost)
    ann.say(Create("race"))
    await ann.wait(TableView)


async def test_logins_are_judged_in_the_server_and_its_connect_command_is_known(made: Crossing) -> None:
    for user, result in (
        ("ann", LoginResult("SHA256:ann")),
        ("nobody", LoginResult(refused=LazyMessage("No."))),
    ):
        assert await made.far.judge(LoginRequest(7, "192.0.2.1", "SHA256:ann", user)) == result
    made.here.send(Configure("text", "ssh there", SessionLimits()))
    await until(lambda: made.far.connect_command == "ssh there")


# -- a link by itself


class Ends:
    """Link number 7, its line, and the numbers of links that were closed from here."""

    def __init__(self) -> None:
        self.line = NotedLine()
        self.forgotten: list[int] = []
        self.link = RemoteLink(7, self.line, lambda number, _: self.forgotten.append(number))


@pytest.fixture
async def ends() -> Ends:
    return Ends()


def lobby(people: int) -> bytes:
    return wire.encode(LobbyView((), people))


async def test_commands_go_as_they_are_unless_too_long_or_too_many(ends: Ends) -> None:
    ends.link.send(Leave())
    ends.link.send_frame(b"whatever")
    assert ends.line.said == [LinkCommand(7, wire.encode(Leave())), LinkCommand(7, b"whatever")]
    ends.line.said.clear()
    ends.link.send_frame(bytes(wire.MAX_COMMAND_BYTES + 1))
    ends.line.is_full = True
    ends.link.send_frame(b"\xc1")
    assert [await ends.link.receive() for _ in range(2)] == [Refusal("malformed"), Refusal("busy")]
    for _ in range(MAX_REFUSALS + 10):
        ends.link.send(Leave())
    ends.link.end()
    assert ends.line.said == []
    for _ in range(MAX_REFUSALS):
        assert await ends.link.receive() == Refusal("busy", to="Leave")
    with pytest.raises(LinkClosed):
        await ends.link.receive()


async def test_a_reader_waits_until_it_is_woken_and_finds_the_newest(ends: Ends) -> None:
    reading = asyncio.create_task(ends.link.receive())
    await asyncio.sleep(0)
    for people in range(10):
        ends.link.put_frame(LobbyView, lobby(people))
    await asyncio.sleep(0)
    assert not reading.done()
    ends.link.wake()
    assert await reading == LobbyView((), 9)


async def test_the_last_answers_can_be_read_but_none_of_the_table_before(ends: Ends) -> None:
    ends.link.put_frame(TableView, b"old table")
    ends.link.left_table()
    ends.link.put_frame(TableView, b"new table")
    ends.link.end()
    ends.link.send(Leave())
    assert await ends.link.receive_frame() == b"new table"
    with pytest.raises(LinkClosed):
        await ends.link.receive_frame()
    ends.link.close()
    # The server has ended it itself.
    assert (ends.line.said, ends.forgotten) == ([], [])


async def test_closed_from_here_nothing_more_is_sent_or_read(ends: Ends) -> None:
    reading = asyncio.create_task(ends.link.receive())
    await asyncio.sleep(0)
    ends.link.close()
    ends.link.close()
    ends.link.send(Leave())
    with pytest.raises(LinkClosed):
        await reading
    assert (ends.line.said, ends.forgotten) == ([LinkHungUp(7)], [7])


async def test_a_crowd_wakes_in_portions_in_its_order() -> None:
    woken: list[int] = []
    crowd = [lambda number=number: woken.append(number) for number in range(2 * WAKE_BATCH + 1)]
    wakeups = BatchedWakeups()
    wakeups.wake(crowd[:WAKE_BATCH])
    wakeups.wake(crowd)
    assert woken == []
    for portion in (WAKE_BATCH, 2 * WAKE_BATCH, len(crowd), len(crowd)):
        await asyncio.sleep(0)
        assert woken == [*range(len(crowd))][:portion]
    wakeups.wake(crowd[:1])
    await asyncio.sleep(0)
    assert woken[-1] == 0
