"""What the server and its workers say arrives as it was said, and nothing else does."""

from typing import get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cartino_protocol.link import AnswerKind
from cartino_protocol.text import LazyMessage
from cartino_protocol.views import Answer, Bye, LobbyView, TableView, Welcome
from cartino_protocol.wire import BadFrame
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
