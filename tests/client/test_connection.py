"""One connection: it ends for whoever waits, however the line does; and what a server sends takes bounded memory."""

import tracemalloc
import zlib
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cartino_games.cartino.bots.levels import CartinoGreedy
from cartino_protocol.commands import Act, Create, Join, Rename
from cartino_protocol.views import TableView
from cartino_protocol.wire import encode_raw, frame_bytes
from cartino_server.client import connector
from cartino_server.client.connection import (
    MAX_DECOMPRESSED_BYTES,
    MAX_QUEUED_BYTES,
    MAX_QUEUED_FRAMES,
    MAX_STDERR_BYTES,
    BadServerData,
    FrameDecompressor,
    ServerConnection,
    ServerConnectionLost,
    VisitDeclined,
)
from cartino_server.server import Server
from tests.support.bad_line import BadLine
from tests.support.far_server import Meter, caller_of, far_server, greeted
from tests.support.game_server import QUICK, World, new_server
from tests.support.games import GAMES


@pytest.mark.parametrize("how", ["reset", "fall_silent"])
async def test_a_line_that_breaks_or_falls_silent_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    if how == "fall_silent":
        monkeypatch.setattr(connector, "KEEPALIVE_SECONDS", 0.05)
    async with far_server(new_server(World())) as far:
        with BadLine(far.port) as line:
            talker = await greeted(caller_of(far, tmp_path, port=line.port))
            getattr(line, how)()
            await talker.end()
            talker.say(Rename("nobody hears this"))
            talker.call.close()


class Call(ServerConnection):
    """A connection whose other end is the test; it stands for its own channel and SSH connection."""

    def __init__(self) -> None:
        super().__init__(cast(Any, self.Open(self)))
        self.is_open = self.reads = True
        self.closes = False
        self.written: list[bytes] = []
        self.connection_made(cast(Any, self))
        self._packer = zlib.compressobj(wbits=-12)

    class Open:
        """What notes whether the connection is open."""

        def __init__(self, call: "Call") -> None:
            self._call = call

        def close(self) -> None:
            self._call.is_open = False

        abort = close

    def is_closing(self) -> bool:
        return self.closes

    def write(self, data: bytes) -> None:
        self.written.append(data)

    def pause_reading(self) -> None:
        self.reads = False

    def resume_reading(self) -> None:
        self.reads = True

    def sends(self, *frames: bytes) -> None:
        """The server sends these."""
        data = self._packer.compress(b"".join(map(frame_bytes, frames)))
        self.data_received(data + self._packer.flush(zlib.Z_PARTIAL_FLUSH), None)


@pytest.mark.parametrize(
    "frames",
    [
        [b"frame %d" % number for number in range(MAX_QUEUED_FRAMES + 1)],
        [bytes(MAX_QUEUED_BYTES - 1), b"xy"],
    ],
    ids=["many", "long"],
)
async def test_what_nobody_reads_is_read_no_further_until_they_have_caught_up(frames: list[bytes]) -> None:
    call = Call()
    for frame in frames:
        assert call.reads
        call.sends(frame)
    assert not call.reads
    assert [await call.receive_frame() for _ in frames] == frames
    assert call.reads


async def test_what_came_before_the_end_can_still_be_read() -> None:
    call = Call()
    frames = [b"frame %d" % number for number in range(MAX_QUEUED_FRAMES + 1)]
    call.sends(*frames)
    call.data_received(b"what the server logs", 1)
    call.connection_lost(None)
    assert [await call.receive_frame() for _ in frames] == frames
    with pytest.raises(ServerConnectionLost):
        await call.receive_frame()
    assert not call.is_open


async def test_a_server_that_says_why_and_nothing_else_has_declined() -> None:
    call = Call()
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
    assert call.written == []


async def test_a_channel_that_is_about_to_close_takes_nothing_and_breaks_nothing() -> None:
    call = Call()
    call.send_frame(b"a")
    call.closes = True
    call.send_frame(b"into nothing")
    assert call.written == [frame_bytes(b"a")]


async def test_nonsense_ends_the_connection_at_once() -> None:
    call = Call()
    for _ in range(2):
        call.data_received(b"\xff" * 10, None)
    assert not call.is_open
    with pytest.raises(BadServerData):
        await call.receive_frame()


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
    bomb = packed(b"\0" * (1 << 26), zlib.Z_FINISH)[: 1 << 15]
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


NAMES = ("bartholomew", "léa", "maximiliane", "johann")
MOST, MOST_AT_THE_END = 300, 500
"""Bytes of a move on the wire, each way, SSH's own included."""


def is_after(number: int, view: TableView) -> bool:
    return view.number > number or view.state == "finished"


async def test_every_move_of_a_game_between_four_costs_less_than_promised(tmp_path: Path) -> None:
    chance, said, heard = Random(4), list[int](), list[int]()
    async with far_server(Server(GAMES, {}, QUICK, World().ports())) as far, AsyncExitStack() as lines:
        meters = [await lines.enter_async_context(Meter(far.port).open()) for _ in NAMES]
        people = [
            await greeted(caller_of(far, tmp_path / name, name, port=meter.port))
            for name, meter in zip(NAMES, meters, strict=True)
        ]
        people[0].say(Create("cartino", seats=len(people)))
        table = await people[0].wait(TableView)
        for person in people[1:]:
            person.say(Join(table.code))
        tables = [await person.wait(TableView, lambda view: view.state == "playing") for person in people]
        while tables[0].state == "playing":
            before = [(meter.sent, meter.heard) for meter in meters]
            [seat] = tables[0].turn
            mover, own = next(each for each in zip(people, tables, strict=True) if each[1].you == seat)
            move = CartinoGreedy().choose(bytes(own.game_view), chance)
            assert move is not None
            mover.say(Act(own.number, encode_raw(move)))
            tables = [await person.wait(TableView, partial(is_after, own.number)) for person in people]
            costs = [
                (meter.sent - sent, meter.heard - there)
                for meter, (sent, there) in zip(meters, before, strict=True)
            ]
            said += [sent for sent, _ in costs if sent]
            heard += [there for _, there in costs]
        for person in people:
            person.call.close()
    # The end brings every hand, two seeds' worth of hexadecimal digits and the last line of chat.
    end, heard = heard[-len(NAMES) :], heard[: -len(NAMES)]
    assert len(said) > 40
    assert max(said) < MOST
    assert sum(heard) / len(heard) < MOST / 2
    assert max(heard) < MOST
    assert max(end) < MOST_AT_THE_END
