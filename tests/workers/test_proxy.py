"""What the server does for one worker: an error ends one link, and nothing is sent faster than it is read."""

import asyncio
from collections.abc import Iterable

import pytest
from structlog.testing import capture_logs

from cartino_protocol.link import AnswerKind, Outbox
from cartino_protocol.views import Bye, ChatView, LobbyView, TableView
from cartino_protocol.wire import BadFrame
from cartino_server.visitors import Ending, LoginRequest, LoginResult, Reply, Visitor
from cartino_server.workers.messages import (
    MAX_REPLY_CHARACTERS,
    AnswerFrame,
    CommandAnswered,
    CommandCancelled,
    CommandRequest,
    ConnectionEnded,
    LinkCommand,
    LinkHungUp,
    LinkLeftTable,
    LinkOpened,
    LoginAttempt,
    LoginDecision,
    ServerMessage,
    WorkerLinkEnded,
    answer_code,
)
from cartino_server.workers.proxy import Channel, Multiplexer, WorkerProxy
from tests.support.crossing import caller


class FrailLink:
    """A link that breaks at b"break" and, where it is `stubborn`, also when it is closed."""

    def __init__(self, stubborn: bool) -> None:
        self.closed = False
        self.said: list[bytes] = []
        self.outbox = Outbox(4)
        self._stubborn = stubborn
        self._channel: Channel | None = None

    def tell(self, listener: Channel) -> None:
        self._channel = listener

    def next_answer(self) -> tuple[AnswerKind, bytes] | None:
        return self.outbox.take_known()

    def send_frame(self, frame: bytes) -> None:
        if frame == b"break":
            raise KeyError("a defect")
        self.said.append(frame)

    def close(self) -> None:
        self.closed = True
        assert self._channel is not None
        self._channel.on_frame_ready()
        if self._stubborn:
            raise KeyError("another defect")

    def show(self, frame: bytes) -> None:
        self.outbox.put_frame(ChatView, frame)
        assert self._channel is not None
        self._channel.on_frame_ready()


class Frail:
    """A `Home` in which things break: a link of nobody can't be opened, one of "stubborn" not even be closed."""

    def __init__(self) -> None:
        self.links: list[FrailLink] = []
        self.asked: list[str] = []
        self.gone: list[tuple[int, str]] = []
        self.told = Reply("told")
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    def open_link(self, caller: Visitor) -> FrailLink:
        if caller.name == "nobody":
            raise KeyError("a defect")
        self.links.append(FrailLink(caller.name == "stubborn"))
        return self.links[-1]

    async def run_command(self, caller: Visitor, words: tuple[str, ...]) -> Reply:
        self.asked.append(caller.name)
        await self.may_answer.wait()
        return self.told

    async def judge(self, newcomer: LoginRequest) -> LoginResult:
        await self.may_answer.wait()
        return LoginResult(newcomer.key)

    def record_connection_end(self, connection: int, why: Ending) -> None:
        self.gone.append((connection, why))


class Attended:
    """An attendant, and what it has said."""

    def __init__(self) -> None:
        self.home = Frail()
        self.said: list[ServerMessage] = []
        self.proxy = WorkerProxy(self.home, self._say)
        self.handle = self.proxy.handle

    def _say(self, messages: Iterable[ServerMessage]) -> None:
        self.said.extend(messages)

    def open(self, *names: str) -> list[FrailLink]:
        """Links 1, 2, … of these."""
        for number, name in enumerate(names, 1):
            self.handle(LinkOpened(number, caller(name)))
        return self.home.links


@pytest.fixture
async def attended() -> Attended:
    return Attended()


async def turns() -> None:
    """Let all that is due happen."""
    for _ in range(5):
        await asyncio.sleep(0)


@pytest.mark.parametrize("name", ["bob", "stubborn"])
async def test_a_command_that_breaks_ends_the_session_it_came_from_alone(
    attended: Attended, name: str
) -> None:
    ann, frail, cid = attended.open("ann", name, "cid")
    with capture_logs() as logs:
        attended.handle(LinkCommand(2, b"break"))
        attended.handle(LinkCommand(2, b"once more"))
        attended.handle(LinkCommand(1, b"hello"))
    await turns()
    assert attended.said == [WorkerLinkEnded(2)]
    assert [link.closed for link in (ann, frail, cid)] == [False, True, False]
    assert (ann.said, frail.said) == ([b"hello"], [])
    cid.show(b"chat")
    await turns()
    assert attended.said[1:] == [AnswerFrame(answer_code(ChatView), b"chat", (3,))]
    assert {line["session"] for line in logs} == {f"s-{name}"}
    # And not a word of what was said.
    assert all(line.keys() == {"event", "session", "exc_info", "log_level"} for line in logs)


async def test_a_link_that_can_not_be_opened_has_ended(attended: Attended) -> None:
    with capture_logs() as logs:
        (ann,) = attended.open("ann", "nobody")
    attended.handle(LinkCommand(2, b"hello"))
    attended.handle(LinkHungUp(2))
    await turns()
    assert attended.said == [WorkerLinkEnded(2)]
    assert not ann.closed
    assert [(line["event"], line["session"]) for line in logs] == [("session crashed", "s-nobody")]


async def test_one_that_can_not_be_closed_keeps_no_other_open(attended: Attended) -> None:
    links = attended.open("ann", "stubborn", "cid")
    with capture_logs() as logs:
        attended.proxy.close()
    await turns()
    assert all(link.closed for link in links)
    assert attended.said == []
    assert [line["session"] for line in logs] == ["s-stubborn"]


async def test_a_number_that_is_used_twice_is_a_broken_line(attended: Attended) -> None:
    attended.open("ann")
    with pytest.raises(BadFrame):
        attended.handle(LinkOpened(1, caller("bob")))
    attended.handle(CommandRequest(1, caller("bob"), ("games",)))
    with pytest.raises(BadFrame):
        attended.handle(CommandRequest(1, caller("bob"), ("games",)))
    assert len(attended.home.links) == 1
    await turns()
    attended.handle(CommandRequest(1, caller("bob"), ("games",)))
    await turns()
    assert attended.home.asked == ["bob", "bob"]


async def test_numbers_of_nobody_are_late_words(attended: Attended) -> None:
    for late in (LinkCommand(1, b"hello"), LinkHungUp(1), CommandCancelled(1)):
        attended.handle(late)
    assert attended.said == []


async def test_an_answer_travels_as_far_as_it_is_passed_on(attended: Attended) -> None:
    attended.home.told = Reply("x" * (MAX_REPLY_CHARACTERS + 1), "a\ud800b", 4)
    attended.handle(CommandRequest(1, caller("ann"), ("export",)))
    await turns()
    assert attended.said == [CommandAnswered(1, Reply("x" * MAX_REPLY_CHARACTERS, "a?b", 4))]


async def test_no_answer_is_looked_up_for_a_worker_that_does_not_keep_up(attended: Attended) -> None:
    attended.proxy.flows(False)
    attended.handle(CommandRequest(1, caller("ann"), ("export",)))
    await turns()
    assert attended.home.asked == []
    attended.proxy.flows(True)
    await turns()
    assert attended.said == [CommandAnswered(1, Reply("told"))]


async def test_answers_go_one_at_a_time_as_the_worker_takes_them(attended: Attended) -> None:
    said: list[ServerMessage] = []

    def fills(messages: Iterable[ServerMessage]) -> None:
        said.extend(messages)
        proxy.flows(False)

    proxy = WorkerProxy(attended.home, fills)
    attended.home.may_answer.clear()
    for number in (1, 2, 3):
        proxy.handle(CommandRequest(number, caller("ann"), ("export",)))
    await turns()
    attended.home.may_answer.set()
    for number in (1, 2):
        await turns()
        assert [answer.question for answer in said if isinstance(answer, CommandAnswered)] == [
            *range(1, number + 1)
        ]
        proxy.flows(True)
    proxy.handle(CommandCancelled(3))
    await turns()
    assert len(said) == 2


async def test_questions_end_with_the_worker(attended: Attended) -> None:
    attended.home.may_answer.clear()
    attended.handle(CommandRequest(1, caller("ann"), ("export",)))
    attended.handle(CommandRequest(2, caller("bob"), ("export",)))
    attended.handle(CommandCancelled(2))
    await turns()
    attended.proxy.close()
    attended.home.may_answer.set()
    await turns()
    assert attended.said == []


async def test_who_has_logged_in_is_judged_beside_what_else_is_asked(attended: Attended) -> None:
    attended.home.may_answer.clear()
    attended.handle(LoginAttempt(LoginRequest(1, "192.0.2.1", "SHA256:ann", "ann")))
    attended.handle(LoginAttempt(LoginRequest(2, "192.0.2.1", "SHA256:bob", "bob")))
    attended.handle(ConnectionEnded(2, "lost"))
    await turns()
    assert (attended.said, attended.home.gone) == ([], [(2, "lost")])
    attended.home.may_answer.set()
    await turns()
    assert attended.said == [
        LoginDecision(1, LoginResult("SHA256:ann")),
        LoginDecision(2, LoginResult("SHA256:bob")),
    ]


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
