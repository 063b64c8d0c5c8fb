"""The link: encoded both ways, served in order, bounded for floods and slow readers."""

import asyncio
import weakref

import pytest

from cartino_protocol import wire
from cartino_protocol.commands import Command, Leave, Say
from cartino_protocol.link import Link, LinkClosed
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Bye, ChatView, LobbyView
from cartino_server.limits import ServerConfig
from cartino_server.lobby.rate_limit import RateLimits
from cartino_server.table.link import Person, ServerLink
from tests.support.game_server import World


class FakeModeration:
    """Notes what it is asked; serves at once unless told to be `slow`."""

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
def moderation() -> FakeModeration:
    return FakeModeration()


@pytest.fixture
def link(moderation: FakeModeration, world: World) -> ServerLink:
    return ServerLink(
        Person("1", "ann"),
        moderation,
        lambda _: RateLimits(ServerConfig(burst=10, rate=1.0), lambda: world.time).limits_of("ann"),
        3,
        5,
    )


async def test_it_is_a_link(link: ServerLink, moderation: FakeModeration) -> None:
    port: Link = link
    port.send(Say("hello"))
    assert moderation.taken == [Say("hello")]
    link.put(Refusal("full"))
    assert await port.receive() == Refusal("full")


async def test_the_next_command_waits_until_the_one_before_is_settled(
    link: ServerLink, moderation: FakeModeration
) -> None:
    moderation.slow = True
    link.send(Say("one"))
    link.send(Say("two"))
    assert moderation.taken == [Say("one")]
    link.serve_next()
    assert moderation.taken == [Say("one"), Say("two")]


async def test_too_many_waiting_commands_are_refused(link: ServerLink, moderation: FakeModeration) -> None:
    moderation.slow = True
    for _ in range(5):
        link.send(Leave())
    assert await link.receive() == Refusal("busy", to="Leave")
    for _ in range(9):
        link.serve_next()
    assert len(moderation.taken) == 4


async def test_a_flood_is_refused_until_time_passes(
    link: ServerLink, moderation: FakeModeration, world: World
) -> None:
    for _ in range(12):
        link.send(Leave())
    assert len(moderation.taken) == 10
    assert [await link.receive(), await link.receive()] == [Refusal("busy", to="Leave")] * 2
    world.time += 1
    link.send(Leave())
    assert len(moderation.taken) == 11


async def test_a_slow_reader_gets_only_the_newest(link: ServerLink) -> None:
    for people in range(100):
        link.put_view(LobbyView, wire.encode(LobbyView((), people)))
    assert await link.receive() == LobbyView((), 99)


async def test_a_reader_waits_for_what_comes(link: ServerLink) -> None:
    reading = asyncio.create_task(link.receive())
    await asyncio.sleep(0)
    link.put(Refusal("full"))
    assert await reading == Refusal("full")


async def test_hanging_up_wakes_the_reader(link: ServerLink, moderation: FakeModeration) -> None:
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
    assert (moderation.taken, moderation.left) == ([], [link])


async def test_the_last_words_can_still_be_read(link: ServerLink, moderation: FakeModeration) -> None:
    link.put(Refusal("full"))
    link.end(Bye("kicked"))
    link.end(Bye("shutdown"))
    assert [await link.receive(), await link.receive()] == [Refusal("full"), Bye("kicked")]
    with pytest.raises(LinkClosed):
        await link.receive()
    assert moderation.left == [link]


async def test_a_word_that_is_said_back_is_cleaned(link: ServerLink) -> None:
    link.refuse(Leave(), "unknown-code", "\x1b]0;x\x07" + "y" * 100)
    assert await link.receive() == Refusal("unknown-code", "]0;x" + "y" * 60, "Leave")


async def test_what_can_not_be_read_is_refused_without_a_name(link: ServerLink) -> None:
    link.refuse(None, "malformed")
    assert await link.receive() == Refusal("malformed")


async def test_one_too_many_that_can_not_be_read_is_refused_as_well(link: ServerLink) -> None:
    for _ in range(10):
        link.send(Leave())
    link.send_frame(b"\xc1")
    assert await link.receive() == Refusal("busy")


async def test_at_another_table_nothing_of_the_one_before_is_read(link: ServerLink) -> None:
    link.put_view(ChatView, wire.encode(ChatView((), "table")))
    link.put(Refusal("full"))
    link.leave_table()
    link.end(Bye("kicked"))
    assert [await link.receive(), await link.receive()] == [Refusal("full"), Bye("kicked")]


class Listening:
    """Notes what a link tells, and what it has then."""

    def __init__(self, link: ServerLink) -> None:
        self.link = link
        self.told: list[object] = []

    def on_frame_ready(self) -> None:
        self.told.append(self.link.next_answer())

    def left_table(self) -> None:
        self.told.append("left")


async def test_who_listens_hears_of_everything_at_once(link: ServerLink) -> None:
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


async def test_one_that_has_ended_and_who_listened_to_it_do_not_keep_each_other(
    moderation: FakeModeration,
) -> None:
    limits = RateLimits(ServerConfig(), lambda: 0.0)
    link = ServerLink(Person("1", "ann"), moderation, lambda _: limits.limits_of("ann"), 3, 5)
    listening = Listening(link)
    link.tell(listening)
    link.close()
    there = weakref.ref(listening)
    del listening
    assert there() is None
