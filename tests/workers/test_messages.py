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
    st.builds(CommandAnswered, NUMBERS, st.builds(Reply, TEXT, TEXT, st.integers(0, 255))),
    st.builds(ShutDown, SENTENCES, st.floats(0, 10)),
    *(st.builds(kind, NUMBERS) for kind in (LinkLeftTable, WorkerLinkEnded)),
)
OF_WORKER = st.one_of(
    st.builds(ConnectionEnded, NUMBERS, st.sampled_from(get_args(Ending))),
    st.builds(LoginAttempt, st.builds(LoginRequest, NUMBERS, TEXT, TEXT, TEXT, TEXT)),
    st.builds(LinkOpened, NUMBERS, CALLERS),
    st.builds(LinkCommand, NUMBERS, st.binary()),
    st.builds(CommandRequest, NUMBERS, CALLERS, st.lists(TEXT, min_size=1).map(tuple)),
    *(st.builds(kind, NUMBERS) for kind in (LinkHungUp, CommandCancelled)),
)


@given(OF_SERVER)
def test_what_the_server_sends_arrives(message: ServerMessage) -> None:
    assert decode_server_message(encode_message(message)) == message


@given(OF_WORKER)
def test_what_a_worker_sends_arrives(message: WorkerMessage) -> None:
    assert decode_worker_message(encode_message(message)) == message


@given(st.binary(max_size=60))
def test_noise_is_a_message_or_an_error_of_one_kind(noise: bytes) -> None:
    for read in (decode_server_message, decode_worker_message):
        try:
            read(noise)
        except BadFrame:
            continue


ANN = Visitor("a", "b", "c", guest=False)


def test_what_is_more_or_less_than_a_message_is_an_error() -> None:
    for said in (WorkerReady(), LinkHungUp(1)):
        with pytest.raises(BadFrame):
            decode_server_message(encode_message(said))
    known = msgspec.msgpack.decode(encode_message(LinkLeftTable(1)))
    with pytest.raises(BadFrame):
        decode_server_message(msgspec.msgpack.encode([*known, 2]))
    # `forbid_unknown_fields` does nothing for an array's surplus of parts that travel as maps.
    opened = msgspec.msgpack.decode(encode_message(LinkOpened(1, ANN)))
    opened[2]["more"] = 1
    with pytest.raises(BadFrame):
        decode_worker_message(msgspec.msgpack.encode(opened))
    with pytest.raises(BadFrame, match="length >= 1"):
        decode_worker_message(encode_message(CommandRequest(1, ANN, ())))


@pytest.mark.parametrize("kind", [Welcome, LobbyView, TableView, Bye])
def test_a_kind_of_answer_travels_as_a_number(kind: AnswerKind) -> None:
    assert answer_kind(answer_code(kind)) is kind
    for code in (-1, len(get_args(Answer)), 2**40):
        with pytest.raises(IndexError):
            answer_kind(code)
    assert messages.MAX_REPLY_CHARACTERS * 2 * 4 < messages.MAX_MESSAGE_BYTES


# -- the socket


class End:
    """One end, and what it received."""

    def __init__(self) -> None:
        self.received: list[WorkerMessage] = []
        self.flows: list[bool] = []
        self.is_lost = False
        self.line: MessageStream[WorkerMessage] = MessageStream(
            decode_worker_message, self._handle, self._lose, self.flows.append
        )

    def _handle(self, message: WorkerMessage) -> None:
        if message == LinkHungUp(13):
            raise BadFrame("unlucky")
        if message == LinkHungUp(14):
            raise RuntimeError("a defect")
        self.received.append(message)

    def _lose(self) -> None:
        self.is_lost = True


async def connected() -> tuple[End, socket.socket]:
    end, (ours, theirs) = End(), socket.socketpair()
    await asyncio.get_running_loop().create_unix_connection(lambda: end.line, sock=ours)
    return end, theirs


def framed(*messages: WorkerMessage) -> bytes:
    return b"".join(frame_bytes(encode_message(message)) for message in messages)


async def test_messages_arrive_whole_and_leave_in_one_write() -> None:
    end, other = await connected()
    for byte in framed(WorkerReady(), LinkHungUp(7)):
        other.send(bytes([byte]))
        await asyncio.sleep(0)
    await until(lambda: end.received == [WorkerReady(), LinkHungUp(7)])
    end.line.send_all([WorkerReady(), Pong()])
    assert other.recv(1000) == framed(WorkerReady(), Pong())
    end.line.close()
    end.line.send(WorkerReady())
    await until(lambda: end.is_lost)
    other.close()


@pytest.mark.parametrize(
    "bad",
    [
        frame_bytes(b"\xc1"),
        b"\xff\xff\xff\xff",
        framed(LinkHungUp(13)),
        frame_bytes(encode_message(LinkHungUp(1))[:-1]),
    ],
)
async def test_what_can_not_be_read_ends_it(bad: bytes) -> None:
    end, other = await connected()
    with capture_logs() as logs:
        other.send(bad + framed(WorkerReady()))
        await until(lambda: end.is_lost)
    assert end.received == []
    assert [line["event"] for line in logs] == ["invalid message on a worker's socket"]
    other.close()


async def test_an_error_at_one_message_does_not_end_it() -> None:
    end, other = await connected()
    with capture_logs() as logs:
        other.send(framed(LinkHungUp(14), WorkerReady()))
        await until(lambda: end.received == [WorkerReady()])
    assert [(line["event"], line["kind"]) for line in logs] == [
        ("handling a worker's message failed", "LinkHungUp")
    ]
    assert not end.is_lost
    other.close()
    await until(lambda: end.is_lost)


async def test_it_reports_when_the_other_end_does_not_keep_up() -> None:
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
    await until(lambda: end.is_lost)
    other.close()
