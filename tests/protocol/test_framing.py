"""Frames through a line that brings them in any pieces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cartino_protocol.framing import MOST_FRAME_BYTES, BadFrame, Frames, framed


@given(st.lists(st.binary(max_size=20), max_size=5), st.integers(1, 30))
def test_whatever_the_pieces_the_frames_are_the_same(bodies: list[bytes], step: int) -> None:
    stream, frames = b"".join(map(framed, bodies)), Frames()
    heard = [
        body for start in range(0, len(stream), step) for body in frames.feed(stream[start : start + step])
    ]
    assert heard == bodies


def test_a_length_beyond_the_most_is_no_frame() -> None:
    assert Frames().feed(MOST_FRAME_BYTES.to_bytes(4, "big")) == []
    with pytest.raises(BadFrame, match="a frame of 1048577 bytes"):
        Frames().feed((MOST_FRAME_BYTES + 1).to_bytes(4, "big"))


def test_the_most_is_the_readers_choice() -> None:
    assert Frames(3).feed(framed(b"abc")) == [b"abc"]
    with pytest.raises(BadFrame, match="a frame of 4 bytes"):
        Frames(3).feed(framed(b"abcd"))
