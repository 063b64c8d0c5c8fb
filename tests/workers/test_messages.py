"""Messages between server and workers arrive whole; what can't be read ends the socket."""

import asyncio
import socket
from typing import get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from cartino_protocol.link import AnswerKind
from cartino_protocol.text import LazyMessage
from cartino_protocol.views import Answer, Bye, LobbyView, TableView, Welcome
from cartino_protocol.wire import BadFrame, frame_bytes
from cartino_server.limits import SessionLimits
from cartino_server.visitors import Ending, LoginRequest, LoginResult, Reply, Visitor
from cartino_server.workers import messages
from cartino_server.workers.messages import (
    AnswerFrame,
    CommandAnswered,
    CommandCancelled,
    CommandRequest,
    Configure,
    ConnectionEnded,
    Disconnect,
    LinkCommand,
    LinkHungUp,
    LinkLeftTable,
    LinkOpened,
    LoginAttempt,
    LoginDecision,
    MessageStream,
    Ping,
    Pong,
    ServerMessage,
    ShutDown,
    WorkerLinkEnded,
    WorkerMessage,
    WorkerReady,
    WorkerSetup,
    answer_code,
    answer_kind,
    decode_server_message,
    decode_worker_message,
    encode_message,
)
from tests.support.crossing import until

NUMBERS = st.integers(0, 2**40)
TEXT = st.text(max_size=40)
CALLERS = st.builds(Visitor, TEXT, TEXT, TEXT, st.booleans())
SENTENCES = st.builds(LazyMessage, TEXT, st.dictionaries(TEXT, TEXT), TEXT, NUMBERS)
CONFIGURATIONS = st.builds(Configure, TEXT, TEXT, st.builds(SessionLimits, st.floats(0, 10), NUMBERS))
OF_SERVER = st.one_of(
    st.builds(WorkerSetup, NUMBERS, st.binary(), CONFIGURATIONS),
    CONFIGURATIONS,
    st.builds(LoginDecision, NUMBERS, st.builds(LoginResult, TEXT, SENTENCES)),
    st.builds(Disconnect, NUMBERS, SENTENCES),
    st.builds(AnswerFrame, st.integers(0, 10), st.binary(), st.lists(NUMBERS).map(tuple)),
    st.builds(LinkLeftTable, NUMBERS),
    st.builds(WorkerLinkEnded, NUMBERS),
    st.builds(CommandAnswered, NUMBERS, st.builds(Reply, TEXT, TEXT, st.integers(0, 255))),
    st.builds(Ping),
    st.builds(ShutDown, SENTENCES, st.floats(0, 10)),
)
OF_WORKER = st.one_of(
    st.builds(WorkerReady),
    st.builds(Pong),
    st.builds(ConnectionEnded, NUMBERS, st.sampled_from(get_args(Ending))),
    st.builds(LoginAttempt, st.builds(LoginRequest, NUMBERS, TEXT, TEXT, TEXT, TEXT)),
    st.builds(LinkOpened, NUMBERS, CALLERS),
    st.builds(LinkCommand, NUMBERS, st.binary()),
    st.builds(LinkHungUp, NUMBERS),
    st.builds(CommandRequest, NUMBERS, CALLERS, st.lists(TEXT, min_size=1).map(tuple)),
    st.builds(CommandCancelled, NUMBERS),
)


@given(OF_SERVER)
def test_what_the_server_says_arrives(message: ServerMessage) -> None:
    assert decode_server_message(encode_message(message)) == message


@given(OF_WORKER)
def test_what_a_worker_says_arrives(message: WorkerMessage) -> None:
    assert decode_worker_message(encode_message(message)) == message


@given(st.binary(max_size=60))
def test_noise_is_a_message_or_an_error_of_one_kind(noise: bytes) -> None:
    for read in (decode_server_message, decode_worker_message):
        try:
            read(noise)
        except BadFrame:
            continue


@pytest.mark.parametrize("said", [WorkerReady(), LinkHungUp(1)])
def test_who_says_the_others_words_is_not_understood(said: WorkerMessage) -> None:
    with pytest.raises(BadFrame):
        decode_server_message(encode_message(said))


def test_what_is_too_much_is_not_understood() -> None:
    known = msgspec.msgpack.decode(encode_message(LinkLeftTable(1)))
    with pytest.raises(BadFrame):
        decode_server_message(msgspec.msgpack.encode([*known, 2]))
    # `forbid_unknown_fields` does nothing for an array's surplus of parts that travel as maps.
    opened = msgspec.msgpack.decode(encode_message(LinkOpened(1, Visitor("a", "b", "c", guest=False))))
    opened[2]["more"] = 1
    with pytest.raises(BadFrame):
        decode_worker_message(msgspec.msgpack.encode(opened))


@pytest.mark.parametrize("kind", [Welcome, LobbyView, TableView, Bye])
def test_a_kind_travels_as_a_number(kind: AnswerKind) -> None:
    assert answer_kind(answer_code(kind)) is kind


@pytest.mark.parametrize("code", [-1, len(get_args(Answer)), 2**40])
def test_there_are_no_other_kinds(code: int) -> None:
    with pytest.raises(IndexError):
        answer_kind(code)


def test_each_kind_has_a_number_of_its_own() -> None:
    codes = range(len(get_args(Answer)))
    assert len({answer_kind(code) for code in codes}) == len(codes)
    assert messages.MAX_REPLY_CHARACTERS * 2 * 4 < messages.MAX_MESSAGE_BYTES


def test_no_words_are_no_question() -> None:
    with pytest.raises(BadFrame, match="length >= 1"):
        decode_worker_message(encode_message(CommandRequest(1, Visitor("1", "ann", "ann", False), ())))


class End:
    """One end, and what it heard."""

    def __init__(self) -> None:
        self.heard: list[WorkerMessage] = []
        self.flows: list[bool] = []
        self.lost = False
        self.line: MessageStream[WorkerMessage] = MessageStream(
            decode_worker_message, self._hear, self._lose, self.flows.append
        )

    def _hear(self, message: WorkerMessage) -> None:
        if message == LinkHungUp(13):
            raise BadFrame("unlucky")
        if message == LinkHungUp(14):
            raise RuntimeError("a defect")
        self.heard.append(message)

    def _lose(self) -> None:
        self.lost = True


async def connected() -> tuple[End, socket.socket]:
    end, (ours, theirs) = End(), socket.socketpair()
    await asyncio.get_running_loop().create_unix_connection(lambda: end.line, sock=ours)
    return end, theirs


async def test_messages_arrive_whole_however_they_are_cut() -> None:
    end, other = await connected()
    for byte in frame_bytes(encode_message(WorkerReady())) + frame_bytes(encode_message(LinkHungUp(7))):
        other.send(bytes([byte]))
        await asyncio.sleep(0)
    await until(lambda: end.heard == [WorkerReady(), LinkHungUp(7)])
    other.close()
    await until(lambda: end.lost)


async def test_all_that_is_said_at_once_is_one_write() -> None:
    end, other = await connected()
    end.line.send_all([WorkerReady(), Pong()])
    assert other.recv(1000) == frame_bytes(encode_message(WorkerReady())) + frame_bytes(
        encode_message(Pong())
    )
    end.line.close()
    end.line.send(WorkerReady())
    await until(lambda: end.lost)
    other.close()


@pytest.mark.parametrize(
    "bad",
    [
        frame_bytes(b"\xc1"),
        b"\xff\xff\xff\xff",
        frame_bytes(encode_message(LinkHungUp(13))),
        frame_bytes(encode_message(LinkHungUp(1))[:-1]),
    ],
)
async def test_what_can_not_be_read_ends_it(bad: bytes) -> None:
    end, other = await connected()
    with capture_logs() as logs:
        other.send(bad + frame_bytes(encode_message(WorkerReady())))
        await until(lambda: end.lost)
    assert end.heard == []
    assert [line["event"] for line in logs] == ["invalid message on a worker's socket"]
    other.close()


async def test_what_breaks_at_one_message_does_not_end_it() -> None:
    end, other = await connected()
    with capture_logs() as logs:
        other.send(frame_bytes(encode_message(LinkHungUp(14))) + frame_bytes(encode_message(WorkerReady())))
        await until(lambda: end.heard == [WorkerReady()])
    assert [(line["event"], line["kind"]) for line in logs] == [
        ("handling a worker's message failed", "LinkHungUp")
    ]
    assert not end.lost
    other.close()
    await until(lambda: end.lost)


async def test_it_tells_when_the_other_end_does_not_keep_up() -> None:
    end, other = await connected()
    while not end.flows:
        end.line.send_all([LinkHungUp(number) for number in range(1000)])
    assert (end.flows, end.line.is_full) == ([False], True)
    other.setblocking(False)
    while len(end.flows) < 2:
        other.recv(1 << 16)
        await asyncio.sleep(0)
    assert (end.flows, end.line.is_full) == ([False, True], False)
    end.line.close()
    await until(lambda: end.lost)
    other.close()
