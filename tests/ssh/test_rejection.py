"""Refused clients learn the reason, and nothing waits for them."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import get_args

import asyncssh
import pytest

from cartino_server.ssh import rejection
from cartino_server.ssh.admission import AdmissionRefused, Reason
from cartino_server.ssh.rejection import (
    MAX_DISCARDED,
    MAX_LINGERING,
    MAX_LINGERING_SHORT,
    MESSAGES,
    Rejector,
    disconnect_packet,
    message_for,
)
from tests.ssh.conftest import until

FILES = AdmissionRefused("files")


@pytest.fixture
async def away() -> AsyncIterator[Rejector]:
    away = Rejector()
    yield away
    away.close()


@pytest.mark.parametrize("reason", get_args(Reason))
async def test_the_sentence_is_what_a_client_ends_with(away: Rejector, reason: Reason) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        far = socket.create_connection(listening.getsockname())
        near, _ = listening.accept()
    far.setblocking(False)
    away.reject(near, AdmissionRefused(reason))
    with pytest.raises(asyncssh.DisconnectError) as caught:
        await asyncssh.connect(sock=far, config=None, known_hosts=None, agent_path=None, client_keys=None)
    assert caught.value.reason.startswith(MESSAGES[reason])
    assert MESSAGES[reason].isascii()
    assert MESSAGES[reason].isprintable()
    # Once it has gone, so have we.
    await until(lambda: not away.lingering)


@pytest.mark.parametrize("size", range(1, 20))
def test_what_is_said_is_whole_blocks(size: int) -> None:
    said = disconnect_packet(AdmissionRefused("banned", words="x" * size))
    packet = said.removeprefix(b"SSH-2.0-cartino\r\n")
    assert len(packet) % 8 == 0
    assert int.from_bytes(packet[:4]) == len(packet) - 4
    assert packet[4] >= 4


@pytest.mark.parametrize(
    ("seconds", "about"),
    [(0.1, "10 seconds"), (31, "40 seconds"), (60, "60 seconds"), (61, "2 minutes"), (599, "10 minutes")],
)
def test_a_penalty_says_how_long(seconds: float, about: str) -> None:
    assert f"for about {about}." in message_for(AdmissionRefused("penalty", seconds))


def test_a_ban_says_what_the_host_has_said() -> None:
    assert message_for(AdmissionRefused("banned", words="Until Monday.")) == "Until Monday."
    assert len(disconnect_packet(AdmissionRefused("banned", words="\N{SNOWMAN}" * 10_000))) < 2000


async def test_who_does_not_read_is_not_waited_for(away: Rejector) -> None:
    near, far = socket.socketpair()
    near.setblocking(False)
    with far:
        with suppress(BlockingIOError):
            while True:
                near.send(bytes(4096))
        away.reject(near, FILES)
    assert (near.fileno(), away.lingering) == (-1, 0)
    gone, other = socket.socketpair()
    other.close()
    away.reject(gone, FILES)
    assert (gone.fileno(), away.lingering) == (-1, 0)


async def test_who_does_not_go_has_a_moment(away: Rejector, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rejection, "LINGER", 0.05)
    near, far = socket.socketpair()
    with far:
        away.reject(near, FILES)
        # Whoever called may close what it was.
        near.close()
        assert away.lingering == 1
        # There will be nothing more, and it is told so.
        assert far.recv(1000) == disconnect_packet(FILES)
        assert far.recv(1) == b""
        await until(lambda: not away.lingering)


async def test_who_goes_on_talking_is_cut(away: Rejector) -> None:
    near, far = socket.socketpair()
    with far:
        away.reject(near, FILES)
        far.setblocking(False)
        sent = 0
        with suppress(ConnectionError):
            async with asyncio.timeout(40):
                while away.lingering:
                    with suppress(BlockingIOError):
                        sent += far.send(bytes(4096))
                    await asyncio.sleep(0)
        assert sent >= MAX_DISCARDED


@pytest.mark.parametrize(("reason", "most"), [("penalty", MAX_LINGERING), ("files", MAX_LINGERING_SHORT)])
async def test_few_linger(away: Rejector, reason: Reason, most: int) -> None:
    pairs = [socket.socketpair() for _ in range(most + 3)]
    for near, _ in pairs:
        away.reject(near, AdmissionRefused(reason))
    assert away.lingering == most
    for _, far in pairs:
        far.setblocking(False)
    # The first have been sent away for the last: nobody reads what they say.
    for _, far in pairs[:3]:
        with pytest.raises(BrokenPipeError):
            far.send(b"x")
    assert pairs[3][1].send(b"x") == 1
    away.close()
    assert away.lingering == 0
    for _, far in pairs:
        assert far.recv(1000) == disconnect_packet(AdmissionRefused(reason))
        far.close()
