"""Frames through a pipe that brings them in any pieces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cartino_server.bots.frames import MOST_FRAME_BYTES, BadFrame, Frames, Question, frame


@given(st.lists(st.binary(max_size=20), max_size=5), st.integers(1, 30))
def test_whatever_the_pieces_the_frames_are_the_same(views: list[bytes], step: int) -> None:
    sent = [frame(Question("race", "steady", view, b"")) for view in views]
    stream, frames = b"".join(sent), Frames()
    heard = [
        body for start in range(0, len(stream), step) for body in frames.feed(stream[start : start + step])
    ]
    assert heard == [each[4:] for each in sent]


def test_a_length_beyond_the_most_is_no_frame() -> None:
    assert Frames().feed(MOST_FRAME_BYTES.to_bytes(4, "big")) == []
    with pytest.raises(BadFrame, match="a frame of 1048577 bytes"):
        Frames().feed((MOST_FRAME_BYTES + 1).to_bytes(4, "big"))
