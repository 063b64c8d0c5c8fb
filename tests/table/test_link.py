"""The link: encoded both ways, served in order, bounded for floods and slow readers."""

import asyncio
import weakref

import pytest

from cartino_protocol import wire
from cartino_protocol.commands import Command, Leave, Say
from cartino_protocol.link import Link, LinkClosed
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Bye, ChatView
from cartino_server.limits import ServerConfig
from cartino_server.lobby.rate_limit import RateLimits
from cartino_server.table.link import Person, ServerLink
from tests.support.game_server import World


class FakeRouter:
    """Notes the commands that it is sent; serves at once unless it is `slow`."""

    def __init__(self) -> None:
        self.taken: list[Command | None] = []
        self.left: list[ServerLink] = []
        self.slow = False

    def serve_command(self, link: ServerLink, command: Command | None) -> bool:
        self.taken.append(command)
        return not self.slow

    def remove_link(self, link: ServerLink) -> None:
        self.left.append(link)


@pytest.fixture
def router() -> FakeRouter:
    return FakeRouter()


@pytest.fixture
def link(router: FakeRouter, world: World) -> ServerLink:
    limits = RateLimits(ServerConfig(burst=10, rate=1.0), lambda: world.time)
    return ServerLink(Person("1", "ann"), router, lambda _: limits.limits_of("ann"), 3, 5)


async def test_the_next_command_waits_until_the_one_before_is_done(
    link: ServerLink, router: FakeRouter
) -> None:
    port: Link = link
    router.slow = True
    port.send(Say("one"))
    port.send(Say("two"))
    assert router.taken == [Say("one")]
    link.serve_next()
    assert router.taken == [Say("one"), Say("two")]
    link.put(Refusal("full"))
    assert await port.receive() == Refusal("full")


async def test_too_many_waiting_commands_are_refused(link: ServerLink, router: FakeRouter) -> None:
    router.slow = True
    for _ in range(5):
        link.send(Leave())
    assert await link.receive() == Refusal("busy", to="Leave")
    for _ in range(9):
        link.serve_next()
    assert len(router.taken) == 4


async def test_a_flood_is_refused_until_time_passes(
    link: ServerLink, router: FakeRouter, world: World
) -> None:
    for _ in range(11):
        link.send(Leave())
    link.send_frame(b"\xc1")
    assert len(router.taken) == 10
    assert [await link.receive(), await link.receive()] == [Refusal("busy", to="Leave"), Refusal("busy")]
    world.time += 1
    link.send(Leave())
    assert len(router.taken) == 11


async def test_a_reader_waits_for_what_comes_and_hanging_up_wakes_it(
    link: ServerLink, router: FakeRouter
) -> None:
    reading = asyncio.create_task(link.receive())
    await asyncio.sleep(0)
    link.put(Refusal("full"))
    assert await reading == Refusal("full")
    reading = asyncio.create_task(link.receive())
    await asyncio.sleep(0)
    link.close()
    link.close()
    with pytest.raises(LinkClosed):
        await reading
    link.send(Leave())
    link.put(Refusal("full"))
    with pytest.raises(LinkClosed):
        await link.receive()
    assert (router.taken, router.left) == ([], [link])


async def test_the_last_words_can_still_be_read_and_nothing_of_a_table_that_was_left(
    link: ServerLink, router: FakeRouter
) -> None:
    link.put_view(ChatView, wire.encode(ChatView((), "table")))
    link.put(Refusal("full"))
    link.leave_table()
    link.end(Bye("kicked"))
    link.end(Bye("shutdown"))
    assert [await link.receive(), await link.receive()] == [Refusal("full"), Bye("kicked")]
    with pytest.raises(LinkClosed):
        await link.receive()
    assert router.left == [link]


async def test_a_word_that_is_said_back_is_cleaned_and_what_can_t_be_read_has_no_name(
    link: ServerLink,
) -> None:
    link.refuse(Leave(), "unknown-code", "\x1b]0;x\x07" + "y" * 100)
    link.refuse(None, "malformed")
    assert [await link.receive(), await link.receive()] == [
        Refusal("unknown-code", "]0;x" + "y" * 60, "Leave"),
        Refusal("malformed"),
    ]


class Listening:
    """Notes what a link tells, and what it has then."""

    def __init__(self, link: ServerLink) -> None:
        self.link = link
        self.told: list[object] = []

    def on_frame_ready(self) -> None:
        self.told.append(self.link.next_answer())

    def left_table(self) -> None:
        self.told.append("left")


async def test_who_listens_hears_of_everything_at_once_and_is_forgotten_in_the_end(link: ServerLink) -> None:
    link.put(Refusal("full"))
    listening = Listening(link)
    link.tell(listening)
    link.put_view(ChatView, b"chat")
    link.leave_table()
    link.end(Bye("kicked"))
    assert listening.told == [
        (Refusal, wire.encode(Refusal("full"))),
        (ChatView, b"chat"),
        "left",
        (Bye, wire.encode(Bye("kicked"))),
        None,
    ]
    assert link.closed
    there = weakref.ref(listening)
    del listening
    assert there() is None, "the two don't keep each other"
