"""Frames: what is said arrives, what is not ours is refused, and every frame message is covered."""

import gc
import typing
import weakref
from collections.abc import Mapping

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cartino_protocol import wire
from cartino_protocol.commands import Command, Start
from cartino_protocol.views import (
    Answer,
    ChatLine,
    ChatView,
    HistoryView,
    LobbyView,
    Mine,
    PastGame,
    SeatLine,
    SeatView,
    TableLine,
    TableView,
    Welcome,
)
from cartino_protocol.wire import MAX_FRAME_BYTES, BadFrame, FrameReader, frame_bytes
from tests.fuzz.decoders.wire import ANSWERS, COMMANDS

TABLE = TableLine("K7QP", "cartino", {"edition": "1974"}, (SeatLine("ann", "human"),), 2, "playing", (0,))


def test_every_command_and_answer_arrives() -> None:
    assert [wire.decode_command(wire.encode(command)) for command in COMMANDS] == list(COMMANDS)
    assert [wire.encode(wire.decode_answer(frame)) for frame in ANSWERS] == list(ANSWERS)
    for decode in (wire.decode_command, wire.decode_answer):
        with pytest.raises(wire.WireError):
            decode(b"\xc1")


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"\xc1",
        wire.encode(Start())[:-1],
        wire.encode(Start()) + b"\x00",
        msgspec.msgpack.encode({"t": "Start", "x": 1}),
        msgspec.msgpack.encode({"t": "Stop"}),
        msgspec.msgpack.encode({"t": "Sit", "seat": "1"}),
        msgspec.msgpack.encode({"t": "Sit", "seat": -1}),
        msgspec.msgpack.encode({"t": "Sit"}),
        msgspec.msgpack.encode({"t": "Cut", "text": "x" * 1001}),
        msgspec.msgpack.encode(["Start"]),
        b"\x81" + msgspec.msgpack.encode("t") + b"\xa5\xff\xfe\xfd\xfc\xfb",
        b"\x91" * 8000,
        b"\x00" * (wire.MAX_COMMAND_BYTES + 1),
    ],
)
def test_a_frame_that_is_not_ours_is_refused(frame: bytes) -> None:
    with pytest.raises(wire.WireError):
        wire.decode_command(frame)


OLD_TAGS: Mapping[type, str] = {TableView: "RoomView"}


def test_everything_that_travels_refuses_unknown_fields_and_is_frozen() -> None:
    for kind in (*typing.get_args(Command), *typing.get_args(Answer)):
        assert kind.__struct_config__.forbid_unknown_fields, kind
        assert kind.__struct_config__.frozen, kind
        assert kind.__struct_config__.tag == OLD_TAGS.get(kind, kind.__name__)


def a_table(you: int | None) -> TableView:
    return TableView("K7QP", "cartino", {}, "open", 0, (SeatView("ann", "human"),), 0, you, 0, "00")


TALK = ChatView((ChatLine(1, "ann", "hi", "table"),), "table")


@pytest.mark.parametrize("answer", [a_table(None), TALK, LobbyView((TABLE,), 3)])
def test_what_many_may_see_is_decoded_once_and_known_while_somebody_has_it(answer: Answer) -> None:
    frame = wire.encode(answer)
    one = wire.decode_shared(frame)
    assert one == answer
    assert wire.decode_shared(bytes(bytearray(frame))) is one
    assert wire.decode_answer(frame) is not one
    gone = weakref.ref(one)
    del one
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize(
    "answer", [a_table(0), Mine((TABLE,)), Welcome(wire.VERSION, "ann", True, (), word="amber-otter")]
)
def test_what_is_one_persons_alone_is_not_kept(answer: Answer) -> None:
    frame = wire.encode(answer)
    one = wire.decode_shared(frame)
    assert one == answer
    assert wire.decode_shared(frame) is not one


WIDE = "\N{LATIN SMALL LETTER A WITH DIAERESIS}" * 16
A_LONG_LINE = TableLine(
    *("K7QP", "cartino", {"edition": "1974"}, (SeatLine(WIDE, "human"),) * 4, 500, "playing", (0,)),
    *("f" * 64, "day"),
)
A_LONG_GAME = PastGame(
    *("K7QP-123456", 10**9, "cartino", {"edition": "1974"}, (WIDE,) * 4, (200,) * 4, (0,), "out", "x")
)


@pytest.mark.parametrize(
    "answer",
    [
        ChatView((ChatLine(10**6, WIDE, "\U0001f600" * 300, "watchers"),) * 30, "watchers"),
        HistoryView("player", WIDE, (A_LONG_GAME,) * 50, more=True),
        LobbyView((A_LONG_LINE,) * 2900, 5000),
    ],
)
def test_the_longest_honest_answers_are_read(answer: Answer) -> None:
    frame = wire.encode(answer)
    assert len(frame) < MAX_FRAME_BYTES
    assert wire.decode_answer(frame) == answer


def test_an_answer_that_no_server_gives_is_refused_for_its_length() -> None:
    endless = ChatView((ChatLine(1, "x", "y", "table"),) * 10_000, "table")
    for decode in (wire.decode_answer, wire.decode_shared):
        with pytest.raises(wire.WireError, match="an answer of"):
            decode(wire.encode(endless))


@given(st.lists(st.binary(max_size=20), max_size=5), st.integers(1, 30))
def test_whatever_the_pieces_the_frames_are_the_same(bodies: list[bytes], step: int) -> None:
    stream, frames = b"".join(map(frame_bytes, bodies)), FrameReader()
    heard = [
        body for start in range(0, len(stream), step) for body in frames.feed(stream[start : start + step])
    ]
    assert heard == bodies


def test_a_length_beyond_the_most_is_no_frame() -> None:
    assert FrameReader().feed(MAX_FRAME_BYTES.to_bytes(4, "big")) == []
    with pytest.raises(BadFrame, match="a frame of 1048577 bytes"):
        FrameReader().feed((MAX_FRAME_BYTES + 1).to_bytes(4, "big"))
    assert FrameReader(3).feed(frame_bytes(b"abc")) == [b"abc"]
    with pytest.raises(BadFrame, match="a frame of 4 bytes"):
        FrameReader(3).feed(frame_bytes(b"abcd"))
