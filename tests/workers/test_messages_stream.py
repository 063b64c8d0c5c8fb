"""The socket between the server and a worker: what can't be read ends it, whichever end it comes from."""

import asyncio
import socket

import pytest
from structlog.testing import capture_logs

from cartino_protocol.wire import BadFrame, frame_bytes
from cartino_server.workers.messages import (
    LinkHungUp,
    MessageStream,
    Pong,
    WorkerMessage,
    WorkerReady,
    decode_worker_message,
    encode_message,
)
from tests.support.crossing import until


class End:
    """One end, and what it heard."""

    def __init__(self) -> None:
        self.heard: list[WorkerMessage] = []
        self.flows: list[bool] = []
        self.lost = False
        self.line: MessageStream[WorkerMessage] = MessageStream(
            decode_worker_message, self._hear, self._lose, self.flows.append
        )

    def _hear(self, message: WorkerMessage) -> None:
        if message == LinkHungUp(13):
            raise BadFrame("unlucky")
        if message == LinkHungUp(14):
            raise RuntimeError("a defect")
        self.heard.append(message)

    def _lose(self) -> None:
        self.lost = True


async def connected() -> tuple[End, socket.socket]:
    end, (ours, theirs) = End(), socket.socketpair()
    await asyncio.get_running_loop().create_unix_connection(lambda: end.line, sock=ours)
    return end, theirs


async def test_messages_arrive_whole_however_they_are_cut() -> None:
    end, other = await connected()
    for byte in frame_bytes(encode_message(WorkerReady())) + frame_bytes(encode_message(LinkHungUp(7))):
        other.send(bytes([byte]))
        await asyncio.sleep(0)
    await until(lambda: end.heard == [WorkerReady(), LinkHungUp(7)])
    other.close()
    await until(lambda: end.lost)


async def test_all_that_is_said_at_once_is_one_write() -> None:
    end, other = await connected()
    end.line.send_all([WorkerReady(), Pong()])
    assert other.recv(1000) == frame_bytes(encode_message(WorkerReady())) + frame_bytes(
        encode_message(Pong())
    )
    end.line.close()
    end.line.send(WorkerReady())
    await until(lambda: end.lost)
    other.close()


@pytest.mark.parametrize(
    "bad",
    [
        frame_bytes(b"\xc1"),
        b"\xff\xff\xff\xff",
        frame_bytes(encode_message(LinkHungUp(13))),
        frame_bytes(encode_message(LinkHungUp(1))[:-1]),
    ],
)
async def test_what_can_not_be_read_ends_it(bad: bytes) -> None:
    end, other = await connected()
    with capture_logs() as logs:
        other.send(bad + frame_bytes(encode_message(WorkerReady())))
        await until(lambda: end.lost)
    assert end.heard == []
    assert [line["event"] for line in logs] == ["invalid message on a worker's socket"]
    other.close()


async def test_what_breaks_at_one_message_does_not_end_it() -> None:
    end, other = await connected()
    with capture_logs() as logs:
        other.send(frame_bytes(encode_message(LinkHungUp(14))) + frame_bytes(encode_message(WorkerReady())))
        await until(lambda: end.heard == [WorkerReady()])
    assert [(line["event"], line["kind"]) for line in logs] == [
        ("handling a worker's message failed", "LinkHungUp")
    ]
    assert not end.lost
    other.close()
    await until(lambda: end.lost)


async def test_it_tells_when_the_other_end_does_not_keep_up() -> None:
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
    await until(lambda: end.lost)
    other.close()
