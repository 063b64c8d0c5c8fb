"""What the house and its workers say arrives as it was said, and nothing else does."""

from typing import get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cartino_protocol.framing import BadFrame
from cartino_protocol.marking import Sentence
from cartino_protocol.outbox import AnswerKind
from cartino_protocol.views import Answer, Bye, LobbyView, RoomView, Welcome
from cartino_server.workers import messages
from cartino_server.workers.messages import (
    Answered,
    Asked,
    Begin,
    Caller,
    Close,
    Dismiss,
    DoorWords,
    Ended,
    Entering,
    FromHouse,
    FromWorker,
    Judged,
    Left,
    Limited,
    LogStyle,
    Moved,
    Opened,
    Ping,
    Pong,
    Ready,
    Said,
    Shown,
    Shut,
    Told,
    Withdrawn,
    code_of,
    encode,
    kind_of,
    read_house,
    read_worker,
)

NUMBERS = st.integers(0, 2**40)
TEXT = st.text(max_size=40)
CALLERS = st.builds(Caller, TEXT, TEXT, TEXT, st.booleans())
SENTENCES = st.builds(Sentence, TEXT, st.dictionaries(TEXT, TEXT), TEXT, NUMBERS)
OF_HOUSE = st.one_of(
    st.builds(Begin, NUMBERS, st.binary(), TEXT, TEXT, st.binary()),
    st.builds(Limited, st.binary()),
    st.builds(Judged, NUMBERS, TEXT, SENTENCES),
    st.builds(Dismiss, NUMBERS, SENTENCES),
    st.builds(Shown, st.integers(0, 10), st.binary(), st.lists(NUMBERS).map(tuple)),
    st.builds(Moved, NUMBERS),
    st.builds(Ended, NUMBERS),
    st.builds(Answered, NUMBERS, st.builds(Told, TEXT, TEXT, st.integers(0, 255))),
    st.builds(DoorWords, TEXT),
    st.builds(LogStyle, TEXT),
    st.builds(Ping),
    st.builds(Close, SENTENCES, st.floats(0, 10)),
)
OF_WORKER = st.one_of(
    st.builds(Ready),
    st.builds(Pong),
    st.builds(Left, NUMBERS, TEXT),
    st.builds(Entering, NUMBERS, TEXT, TEXT, TEXT, TEXT),
    st.builds(Opened, NUMBERS, CALLERS),
    st.builds(Said, NUMBERS, st.binary()),
    st.builds(Shut, NUMBERS),
    st.builds(Asked, NUMBERS, CALLERS, st.lists(TEXT, min_size=1).map(tuple)),
    st.builds(Withdrawn, NUMBERS),
)


@given(OF_HOUSE)
def test_what_the_house_says_arrives(message: FromHouse) -> None:
    assert read_house(encode(message)) == message


@given(OF_WORKER)
def test_what_a_worker_says_arrives(message: FromWorker) -> None:
    assert read_worker(encode(message)) == message


@given(st.binary(max_size=60))
def test_noise_is_a_message_or_an_error_of_one_kind(noise: bytes) -> None:
    for read in (read_house, read_worker):
        try:
            read(noise)
        except BadFrame:
            continue


@pytest.mark.parametrize("said", [Ready(), Shut(1)])
def test_who_says_the_others_words_is_not_understood(said: FromWorker) -> None:
    with pytest.raises(BadFrame):
        read_house(encode(said))


def test_what_is_too_much_is_not_understood() -> None:
    known = msgspec.msgpack.decode(encode(Moved(1)))
    with pytest.raises(BadFrame):
        read_house(msgspec.msgpack.encode([*known, 2]))
    # `forbid_unknown_fields` does nothing for an array's surplus of parts that travel as maps.
    opened = msgspec.msgpack.decode(encode(Opened(1, Caller("a", "b", "c", guest=False))))
    opened[2]["more"] = 1
    with pytest.raises(BadFrame):
        read_worker(msgspec.msgpack.encode(opened))


@pytest.mark.parametrize("kind", [Welcome, LobbyView, RoomView, Bye])
def test_a_kind_travels_as_a_number(kind: AnswerKind) -> None:
    assert kind_of(code_of(kind)) is kind


@pytest.mark.parametrize("code", [-1, len(get_args(Answer)), 2**40])
def test_there_are_no_other_kinds(code: int) -> None:
    with pytest.raises(IndexError):
        kind_of(code)


def test_each_kind_has_a_number_of_its_own() -> None:
    codes = range(len(get_args(Answer)))
    assert len({kind_of(code) for code in codes}) == len(codes)
    assert messages.MOST_TEXT * 2 * 4 < messages.MOST_BYTES


def test_no_words_are_no_question() -> None:
    with pytest.raises(BadFrame, match="length >= 1"):
        read_worker(encode(Asked(1, Caller("1", "ann", "ann", False), ())))
