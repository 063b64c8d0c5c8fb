"""One call on a line that a test spoils: it ends for whoever waits, however the line does."""

import zlib
from pathlib import Path
from typing import Any, cast

import pytest

from cartino_protocol.commands import Rename
from cartino_protocol.wire import frame_bytes
from cartino_server.client import connector
from cartino_server.client.connection import (
    MAX_QUEUED_BYTES,
    MAX_QUEUED_FRAMES,
    MAX_STDERR_BYTES,
    BadServerData,
    ServerConnection,
    ServerConnectionLost,
    VisitDeclined,
)
from tests.support.bad_line import BadLine
from tests.support.far_server import caller_of, far_server, greeted
from tests.support.game_server import World, new_server


async def all_is_lost(place: Path, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with far_server(new_server(World())) as far:
        with BadLine(far.port) as line:
            talker = await greeted(caller_of(far, place, port=line.port))
            getattr(line, how)()
            await talker.end()
            talker.say(Rename("nobody hears this"))
            talker.call.close()


async def test_a_line_that_breaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    await all_is_lost(tmp_path, "reset", monkeypatch)


async def test_a_line_that_falls_silent_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connector, "KEEPALIVE_SECONDS", 0.05)
    await all_is_lost(tmp_path, "fall_silent", monkeypatch)


class FakeChannel:
    """Notes whether it is read from."""

    reads = True
    closes = False

    def __init__(self) -> None:
        self.written: list[bytes] = []

    def is_closing(self) -> bool:
        return self.closes

    def write(self, data: bytes) -> None:
        self.written.append(data)

    def pause_reading(self) -> None:
        self.reads = False

    def resume_reading(self) -> None:
        self.reads = True


class FakeConnection:
    """Notes whether it is open."""

    is_open = True

    def close(self) -> None:
        self.is_open = False

    abort = close


async def test_what_nobody_reads_is_read_no_further_and_all_of_it_later() -> None:
    connection, channel = FakeConnection(), FakeChannel()
    call = ServerConnection(cast(Any, connection))
    call.connection_made(cast(Any, channel))
    packer = zlib.compressobj(wbits=-12)
    frames = [b"frame %d" % number for number in range(MAX_QUEUED_FRAMES + 1)]
    for frame in frames:
        assert channel.reads
        call.data_received(packer.compress(frame_bytes(frame)) + packer.flush(zlib.Z_PARTIAL_FLUSH), None)
    assert not channel.reads
    call.data_received(b"what the house logs", 1)
    call.connection_lost(None)
    assert [await call.receive_frame() for _ in frames] == frames
    with pytest.raises(ServerConnectionLost):
        await call.receive_frame()
    assert not connection.is_open


async def test_a_server_that_says_why_and_nothing_else_has_declined() -> None:
    call = ServerConnection(cast(Any, FakeConnection()))
    call.connection_made(cast(Any, FakeChannel()))
    for said in (
        b"You are banned\r\n from \x1b[2Jhere: \xe2\x80\xae",
        b"spam \xff" + b"x" * 10 * MAX_STDERR_BYTES,
    ):
        call.data_received(said, 1)
    call.connection_lost(None)
    with pytest.raises(VisitDeclined) as declined:
        await call.receive_frame()
    assert declined.value.text.startswith("You are banned from [2Jhere: spam \ufffdxxx")
    assert len(declined.value.text) <= MAX_STDERR_BYTES
    call.send_frame(b"into nothing")


async def test_a_channel_that_is_about_to_close_takes_nothing_and_breaks_nothing() -> None:
    channel = FakeChannel()
    channel.closes = True
    call = ServerConnection(cast(Any, FakeConnection()))
    call.connection_made(cast(Any, channel))
    call.send_frame(b"into nothing")
    assert channel.written == []


async def test_few_long_frames_are_as_much_as_many_short_ones() -> None:
    channel = FakeChannel()
    call = ServerConnection(cast(Any, FakeConnection()))
    call.connection_made(cast(Any, channel))
    packer = zlib.compressobj(wbits=-12)
    frames = [bytes(MAX_QUEUED_BYTES - 1), b"xy"]
    for frame in frames:
        assert channel.reads
        call.data_received(packer.compress(frame_bytes(frame)) + packer.flush(zlib.Z_PARTIAL_FLUSH), None)
    assert not channel.reads
    assert [await call.receive_frame() for _ in frames] == frames
    assert channel.reads


async def test_a_reader_who_has_caught_up_reads_on() -> None:
    channel = FakeChannel()
    call = ServerConnection(cast(Any, FakeConnection()))
    call.connection_made(cast(Any, channel))
    packed = zlib.compressobj(wbits=-12)
    count = MAX_QUEUED_FRAMES + 1
    call.data_received(packed.compress(frame_bytes(b"x") * count) + packed.flush(zlib.Z_PARTIAL_FLUSH), None)
    assert not channel.reads
    for _ in range(count):
        await call.receive_frame()
    assert channel.reads


async def test_nonsense_ends_the_connection_at_once() -> None:
    connection = FakeConnection()
    call = ServerConnection(cast(Any, connection))
    call.connection_made(cast(Any, FakeChannel()))
    call.data_received(b"\xff" * 10, None)
    call.data_received(b"\xff" * 10, None)
    assert not connection.is_open
    with pytest.raises(BadServerData):
        await call.receive_frame()
