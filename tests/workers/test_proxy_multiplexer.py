"""Equal frames travel together and once, in the order in which links have them, and no faster than they are taken."""

import asyncio
from collections.abc import Iterable

import pytest

from cartino_protocol.link import AnswerKind, Outbox
from cartino_protocol.views import Bye, ChatView, LobbyView, TableView
from cartino_server.workers.messages import (
    AnswerFrame,
    LinkLeftTable,
    ServerMessage,
    WorkerLinkEnded,
    answer_code,
)
from cartino_server.workers.proxy import Channel, Multiplexer


class FakeLink:
    """A link that is put frames into."""

    def __init__(self) -> None:
        self.closed = False
        self.outbox = Outbox(4)
        self._channel: Channel | None = None

    def tell(self, listener: Channel) -> None:
        self._channel = listener

    def next_answer(self) -> tuple[AnswerKind, bytes] | None:
        return self.outbox.take_known()

    def send_frame(self, frame: bytes) -> None:
        raise AssertionError(frame)

    def close(self) -> None:
        self.closed = True
        assert self._channel is not None
        self._channel.on_frame_ready()

    def put(self, kind: AnswerKind, frame: bytes) -> None:
        self.outbox.put_frame(kind, frame)
        assert self._channel is not None
        self._channel.on_frame_ready()

    def move(self) -> None:
        self.outbox.leave_table()
        assert self._channel is not None
        self._channel.left_table()


class Boat:
    """A carrier with links 0 to 3; `said` is what was said in each turn of the loop that said something."""

    def __init__(self) -> None:
        self.said: list[list[ServerMessage]] = []
        self.ended: list[int] = []
        self.full_after = 0
        self.multiplexer = Multiplexer(self._say, self.ended.append)
        self.links = [FakeLink() for _ in range(4)]
        self.channels = [
            Channel(number, link, self.multiplexer, f"s{number}") for number, link in enumerate(self.links)
        ]
        for channel, link in zip(self.channels, self.links, strict=True):
            link.tell(channel)

    def _say(self, messages: Iterable[ServerMessage]) -> None:
        found = list(messages)
        if found:
            self.said.append(found)
            if len(self.said) == self.full_after:
                self.multiplexer.flows(False)

    async def carries(self) -> list[ServerMessage]:
        """What is said in the loop's next turn."""
        self.said.clear()
        await asyncio.sleep(0)
        return [message for messages in self.said for message in messages]


@pytest.fixture
async def boat() -> Boat:
    return Boat()


def shown(kind: AnswerKind, frame: bytes, *links: int) -> AnswerFrame:
    return AnswerFrame(answer_code(kind), frame, links)


async def test_a_view_goes_once_for_all_who_get_it(boat: Boat) -> None:
    first, *others = boat.links
    first.put(TableView, b"hand")
    for link in others:
        link.put(TableView, b"table")
    assert boat.said == []
    assert await boat.carries() == [shown(TableView, b"hand", 0), shown(TableView, b"table", 1, 2, 3)]
    assert await boat.carries() == []


async def test_what_only_reads_alike_is_no_more_one_thing_than_its_kind(boat: Boat) -> None:
    boat.links[0].put(TableView, b"x")
    boat.links[1].put(LobbyView, b"x")
    assert await boat.carries() == [shown(TableView, b"x", 0), shown(LobbyView, b"x", 1)]


async def test_each_link_has_its_frames_in_their_order(boat: Boat) -> None:
    boat.links[2].put(ChatView, b"chat")
    boat.links[2].put(TableView, b"table")
    boat.links[0].put(TableView, b"table")
    boat.links[0].put(ChatView, b"chat")
    said = await boat.carries()
    assert said == [
        shown(ChatView, b"chat", 2),
        shown(TableView, b"table", 0),
        shown(TableView, b"table", 2),
        shown(ChatView, b"chat", 0),
    ]


async def test_who_has_something_first_is_first(boat: Boat) -> None:
    for number in (3, 1, 0):
        boat.links[number].put(TableView, b"%d" % number)
    assert [message.links for message in await boat.carries() if isinstance(message, AnswerFrame)] == [
        (3,),
        (1,),
        (0,),
    ]


async def test_of_what_a_slow_worker_has_not_read_only_the_newest_waits(boat: Boat) -> None:
    boat.multiplexer.flows(False)
    for n in range(1000):
        boat.links[0].put(TableView, b"%d" % n)
    assert await boat.carries() == []
    boat.multiplexer.flows(True)
    assert await boat.carries() == [shown(TableView, b"999", 0)]


async def test_a_line_that_fills_up_stops_it_between_two_frames_of_a_link(boat: Boat) -> None:
    boat.full_after = 1
    for kind, frame in ((TableView, b"1"), (ChatView, b"hello")):
        boat.links[0].put(kind, frame)
    assert await boat.carries() == [shown(TableView, b"1", 0)]
    boat.links[0].put(TableView, b"2")
    assert await boat.carries() == []
    boat.full_after = 0
    boat.multiplexer.flows(True)
    assert await boat.carries() == [shown(ChatView, b"hello", 0), shown(TableView, b"2", 0)]


async def test_the_end_comes_behind_the_last_word_and_once(boat: Boat) -> None:
    boat.links[1].put(Bye, b"bye")
    boat.links[1].close()
    assert await boat.carries() == [shown(Bye, b"bye", 1), WorkerLinkEnded(1)]
    assert boat.ended == [1]
    assert await boat.carries() == []


async def test_another_table_is_told_before_it_is_shown(boat: Boat) -> None:
    boat.links[0].put(TableView, b"old")
    boat.links[0].move()
    boat.links[0].put(TableView, b"new")
    assert await boat.carries() == [LinkLeftTable(0), shown(TableView, b"new", 0)]


async def test_nothing_is_carried_of_a_link_that_is_forgotten(boat: Boat) -> None:
    boat.links[0].put(TableView, b"table")
    boat.links[0].move()
    boat.multiplexer.forget(boat.channels[0])
    assert await boat.carries() == []
