"""What a hostile server sends takes no more memory than an honest one's views."""

import tracemalloc
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cartino_protocol.wire import frame_bytes
from cartino_server.client.connection import MAX_DECOMPRESSED_BYTES, BadServerData, FrameDecompressor


def packed(data: bytes, flush: int = zlib.Z_PARTIAL_FLUSH) -> bytes:
    packer = zlib.compressobj(6, zlib.DEFLATED, -12, 5)
    return packer.compress(data) + packer.flush(flush)


@given(st.lists(st.binary(max_size=5000), min_size=1, max_size=8), st.integers(1, 700))
def test_frames_come_out_as_they_went_in_whatever_pieces_a_line_makes(frames: list[bytes], size: int) -> None:
    stream = packed(b"".join(map(frame_bytes, frames)))
    unpacker = FrameDecompressor()
    found = [frame for at in range(0, len(stream), size) for frame in unpacker.feed(stream[at : at + size])]
    assert found == frames


def test_a_bomb_is_given_up_before_it_has_unpacked() -> None:
    bomb = packed(b"\0" * (1 << 28), zlib.Z_FINISH)[: 1 << 15]
    tracemalloc.start()
    with pytest.raises(BadServerData):
        FrameDecompressor().feed(bomb)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3 * MAX_DECOMPRESSED_BYTES


@pytest.mark.parametrize(
    "data",
    [
        b"SSH-2.0-nonsense\r\n",
        packed((1 << 30).to_bytes(4, "big")),
        packed(frame_bytes(b"bye"), zlib.Z_FINISH),
    ],
)
def test_what_is_no_stream_of_ours_is_said_so(data: bytes) -> None:
    with pytest.raises(BadServerData):
        FrameDecompressor().feed(data)


@given(st.binary(max_size=2000))
def test_nothing_else_is_ever_raised(data: bytes) -> None:
    unpacker = FrameDecompressor()
    try:
        for at in range(0, len(data), 100):
            unpacker.feed(data[at : at + 100])
    except BadServerData:
        pass
