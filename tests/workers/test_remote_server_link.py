"""A link whose server is in another process, by itself: what it says on the line, and what waits for its reader."""

import asyncio

import pytest

from cartino_protocol import wire
from cartino_protocol.commands import Leave
from cartino_protocol.link import LinkClosed
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import LobbyView, TableView
from cartino_server.workers.messages import LinkCommand, LinkHungUp
from cartino_server.workers.remote_server import MAX_REFUSALS, RemoteLink
from tests.support.noted_line import NotedLine


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
