"""Frames through a line that brings them in any pieces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cartino_protocol.wire import MAX_FRAME_BYTES, BadFrame, FrameReader, frame_bytes


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


def test_the_most_is_the_readers_choice() -> None:
    assert FrameReader(3).feed(frame_bytes(b"abc")) == [b"abc"]
    with pytest.raises(BadFrame, match="a frame of 4 bytes"):
        FrameReader(3).feed(frame_bytes(b"abcd"))
