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
from cartino_server.workers.proxy import Channel, WorkerProxy
from tests.support.crossing import caller


class FakeLink:
    """A link that raises at b"break" and, where it is `stubborn`, also when it is closed."""

    def __init__(self, stubborn: bool) -> None:
        self.closed = False
        self.commands: list[bytes] = []
        self._outbox = Outbox(4)
        self._stubborn = stubborn
        self._channel: Channel | None = None

    def tell(self, listener: Channel) -> None:
        self._channel = listener

    def next_answer(self) -> tuple[AnswerKind, bytes] | None:
        return self._outbox.take_known()

    def send_frame(self, frame: bytes) -> None:
        if frame == b"break":
            raise KeyError("a defect")
        self.commands.append(frame)

    def close(self) -> None:
        self.closed = True
        self._channel_of().on_frame_ready()
        if self._stubborn:
            raise KeyError("another defect")

    def put(self, kind: AnswerKind, frame: bytes) -> None:
        self._outbox.put_frame(kind, frame)
        self._channel_of().on_frame_ready()

    def move(self) -> None:
        self._outbox.leave_table()
        self._channel_of().left_table()

    def _channel_of(self) -> Channel:
        assert self._channel is not None
        return self._channel


class World:
    """A worker's proxy, what it sends, and the server behind it: no link opens for "nobody"."""

    def __init__(self) -> None:
        self.links: list[FakeLink] = []
        self.asked: list[str] = []
        self.gone: list[tuple[int, str]] = []
        self.reply = Reply("told")
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.sent: list[ServerMessage] = []
        self.is_full_after_each = False
        self.proxy = WorkerProxy(self, self, self._send)
        self.handle = self.proxy.handle

    def _send(self, messages: Iterable[ServerMessage]) -> None:
        before = len(self.sent)
        self.sent.extend(messages)
        if self.is_full_after_each and len(self.sent) > before:
            self.proxy.flows(False)

    def open(self, *names: str) -> list[FakeLink]:
        """Open links 1, 2, … of these."""
        for number, name in enumerate(names, 1):
            self.handle(LinkOpened(number, caller(name)))
        return self.links

    async def sends(self) -> list[ServerMessage]:
        """Return what is sent in the loop's next turns."""
        self.sent.clear()
        for _ in range(5):
            await asyncio.sleep(0)
        return [*self.sent]

    def open_link(self, caller: Visitor) -> FakeLink:
        if caller.name == "nobody":
            raise KeyError("a defect")
        self.links.append(FakeLink(caller.name == "stubborn"))
        return self.links[-1]

    async def run_command(self, caller: Visitor, words: tuple[str, ...]) -> Reply:
        self.asked.append(caller.name)
        await self.may_answer.wait()
        return self.reply

    async def judge(self, newcomer: LoginRequest) -> LoginResult:
        await self.may_answer.wait()
        return LoginResult(newcomer.key)

    def record_connection_end(self, connection: int, why: Ending) -> None:
        self.gone.append((connection, why))


@pytest.fixture
async def world() -> World:
    return World()


def shown(kind: AnswerKind, frame: bytes, *links: int) -> AnswerFrame:
    return AnswerFrame(answer_code(kind), frame, links)


# -- frames of links


async def test_equal_frames_of_a_kind_are_sent_once(world: World) -> None:
    first, *others = world.open("ann", "bob", "cid", "dan")
    first.put(TableView, b"hand")
    for link in others:
        link.put(TableView, b"table")
    assert await world.sends() == [shown(TableView, b"hand", 1), shown(TableView, b"table", 2, 3, 4)]
    assert await world.sends() == []
    first.put(TableView, b"x")
    others[0].put(LobbyView, b"x")
    assert await world.sends() == [shown(TableView, b"x", 1), shown(LobbyView, b"x", 2)]


async def test_links_go_in_the_order_in_which_they_are_ready_and_frames_in_theirs(world: World) -> None:
    first, _, third, fourth = world.open("ann", "bob", "cid", "dan")
    third.put(ChatView, b"chat")
    third.put(TableView, b"table")
    first.put(TableView, b"table")
    first.put(ChatView, b"chat")
    fourth.put(TableView, b"4")
    assert await world.sends() == [
        shown(ChatView, b"chat", 3),
        shown(TableView, b"table", 1),
        shown(TableView, b"4", 4),
        shown(TableView, b"table", 3),
        shown(ChatView, b"chat", 1),
    ]


async def test_for_a_slow_worker_only_the_newest_view_waits(world: World) -> None:
    (link,) = world.open("ann")
    world.proxy.flows(False)
    for number in range(1000):
        link.put(TableView, b"%d" % number)
    assert await world.sends() == []
    world.is_full_after_each = True
    link.put(ChatView, b"hello")
    for expected in ([shown(TableView, b"999", 1)], [shown(ChatView, b"hello", 1)], []):
        world.proxy.flows(True)
        assert await world.sends() == expected
        assert await world.sends() == []


async def test_the_end_follows_the_last_frame_once(world: World) -> None:
    (link,) = world.open("ann")
    link.put(Bye, b"bye")
    link.close()
    assert await world.sends() == [shown(Bye, b"bye", 1), WorkerLinkEnded(1)]
    assert await world.sends() == []
    world.handle(LinkCommand(1, b"late"))
    assert link.commands == []


async def test_another_table_is_reported_before_it_is_shown(world: World) -> None:
    (link,) = world.open("ann")
    link.put(TableView, b"old")
    link.move()
    link.put(TableView, b"new")
    assert await world.sends() == [LinkLeftTable(1), shown(TableView, b"new", 1)]
    link.put(TableView, b"newer")
    link.move()
    world.handle(LinkHungUp(1))
    assert await world.sends() == []
    assert link.closed


# -- errors


@pytest.mark.parametrize("name", ["bob", "stubborn"])
async def test_a_command_that_raises_ends_its_session_alone(world: World, name: str) -> None:
    ann, frail, cid = world.open("ann", name, "cid")
    with capture_logs() as logs:
        world.handle(LinkCommand(2, b"break"))
        world.handle(LinkCommand(2, b"once more"))
        world.handle(LinkCommand(1, b"hello"))
    cid.put(ChatView, b"chat")
    assert world.sent == [WorkerLinkEnded(2)]
    assert await world.sends() == [shown(ChatView, b"chat", 3)]
    assert [link.closed for link in (ann, frail, cid)] == [False, True, False]
    assert (ann.commands, frail.commands) == ([b"hello"], [])
    assert {line["session"] for line in logs} == {f"s-{name}"}
    # And not a word of the command.
    assert all(line.keys() == {"event", "session", "exc_info", "log_level"} for line in logs)


async def test_a_link_that_can_not_be_opened_has_ended(world: World) -> None:
    with capture_logs() as logs:
        (ann,) = world.open("ann", "nobody")
    world.handle(LinkCommand(2, b"hello"))
    world.handle(LinkHungUp(2))
    assert world.sent == [WorkerLinkEnded(2)]
    assert not ann.closed
    assert [(line["event"], line["session"]) for line in logs] == [("session crashed", "s-nobody")]


async def test_a_worker_s_end_closes_all_links_and_questions(world: World) -> None:
    links = world.open("ann", "stubborn", "cid")
    world.may_answer.clear()
    world.handle(CommandRequest(1, caller("ann"), ("export",)))
    world.handle(CommandRequest(2, caller("bob"), ("export",)))
    world.handle(CommandCancelled(2))
    await world.sends()
    with capture_logs() as logs:
        world.proxy.close()
    world.may_answer.set()
    assert await world.sends() == []
    assert all(link.closed for link in links)
    assert [line["session"] for line in logs] == ["s-stubborn"]


async def test_a_number_that_is_used_twice_is_an_error_and_a_late_one_is_ignored(world: World) -> None:
    for late in (LinkCommand(1, b"hello"), LinkHungUp(1), CommandCancelled(1)):
        world.handle(late)
    assert world.sent == []
    world.open("ann")
    with pytest.raises(BadFrame):
        world.handle(LinkOpened(1, caller("bob")))
    question = CommandRequest(1, caller("bob"), ("games",))
    world.handle(question)
    with pytest.raises(BadFrame):
        world.handle(question)
    await world.sends()
    world.handle(question)
    await world.sends()
    assert (len(world.links), world.asked) == (1, ["bob", "bob"])


# -- answers and logins


async def test_an_answer_is_as_long_as_ssh_passes_it_on(world: World) -> None:
    world.reply = Reply("x" * (MAX_REPLY_CHARACTERS + 1), "a\ud800b", 4)
    world.handle(CommandRequest(1, caller("ann"), ("export",)))
    assert await world.sends() == [CommandAnswered(1, Reply("x" * MAX_REPLY_CHARACTERS, "a?b", 4))]


async def test_answers_go_one_at_a_time_as_the_worker_reads_them(world: World) -> None:
    world.proxy.flows(False)
    world.handle(CommandRequest(1, caller("ann"), ("export",)))
    await world.sends()
    assert world.asked == [], "nothing is looked up for a slow worker"
    world.is_full_after_each = True
    world.may_answer.clear()
    world.proxy.flows(True)
    for number in (2, 3):
        world.handle(CommandRequest(number, caller("ann"), ("export",)))
    await world.sends()
    world.may_answer.set()
    for number in (1, 2):
        assert await world.sends() == [CommandAnswered(number, Reply("told"))]
        world.proxy.flows(True)
    world.handle(CommandCancelled(3))
    assert await world.sends() == []


async def test_logins_are_judged_beside_each_other(world: World) -> None:
    world.may_answer.clear()
    for number, name in ((1, "ann"), (2, "bob")):
        world.handle(LoginAttempt(LoginRequest(number, "192.0.2.1", f"SHA256:{name}", name)))
    world.handle(ConnectionEnded(2, "lost"))
    assert (await world.sends(), world.gone) == ([], [(2, "lost")])
    world.may_answer.set()
    assert await world.sends() == [
        LoginDecision(1, LoginResult("SHA256:ann")),
        LoginDecision(2, LoginResult("SHA256:bob")),
    ]
