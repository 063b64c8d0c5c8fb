"""Packets that are cut, at every step on the way in: a connection that breaks, and no trouble of anybody else's."""

import asyncio
import struct
from collections.abc import AsyncIterator

import asyncssh
import pytest
from asyncssh.constants import (
    MSG_CHANNEL_OPEN,
    MSG_CHANNEL_REQUEST,
    MSG_DISCONNECT,
    MSG_GLOBAL_REQUEST,
    MSG_KEXINIT,
    MSG_SERVICE_REQUEST,
    MSG_USERAUTH_REQUEST,
)
from asyncssh.packet import Boolean, Byte, NameList, String, UInt32
from structlog.testing import capture_logs
from structlog.typing import EventDict

from cartino_server.limits import AdmissionLimits
from cartino_server.ssh.admission import Admitted
from cartino_server.ssh.authentication import LoginTracker
from cartino_server.ssh.listener import Listener, ListenerConfig
from tests.ssh.conftest import FakeReception, until
from tests.support.open_gate import AllowEveryone, listen
from tests.support.raw_client import knock
from tests.support.recording_admission import RecordingAdmission

VERSION = b"SSH-2.0-test\r\n"
WAYS = (
    "curve25519-sha256",
    "ssh-ed25519",
    *["aes128-gcm@openssh.com"] * 2,
    *["hmac-sha2-256"] * 2,
    "none",
    "none",
)
KEXINIT = b"".join(
    (
        Byte(MSG_KEXINIT),
        bytes(16),
        *(NameList([name.encode()]) for name in WAYS),
        *(NameList([]),) * 2,
        Boolean(False),
        UInt32(0),
    )
)
KEY = Byte(30) + String(bytes(31) + b"\1")
SESSION = Byte(MSG_CHANNEL_OPEN) + String(b"session") + b"".join(map(UInt32, (0, 1 << 20, 1 << 15)))
PACKETS = {
    "a service": Byte(MSG_SERVICE_REQUEST) + String(b"ssh-userauth"),
    "a login": Byte(MSG_USERAUTH_REQUEST) + String(b"eve") + String(b"ssh-connection") + String(b"none"),
    "a key": b"".join(
        (
            Byte(MSG_USERAUTH_REQUEST),
            *map(String, (b"eve", b"ssh-connection", b"publickey")),
            Boolean(False),
            *map(String, (b"ssh-ed25519", String(b"ssh-ed25519") + String(bytes(32)))),
        )
    ),
    "a session": SESSION,
    "a request": Byte(MSG_GLOBAL_REQUEST) + String(b"keepalive@openssh.com") + Boolean(True),
    "a command": Byte(MSG_CHANNEL_REQUEST) + UInt32(0) + String(b"exec") + Boolean(True) + String(b"games"),
    "new keys": KEXINIT,
}

STEPS = [
    *((packet, True) for packet in PACKETS),
    *((packet, False) for packet in ("a service", "a login", "a key", "new keys")),
]
LENGTHS = range(8)
"""Eighths of a packet."""


@pytest.fixture
def gates_limits() -> AdmissionLimits:
    return AdmissionLimits()


@pytest.fixture
def admission(gates_limits: AdmissionLimits) -> RecordingAdmission:
    return RecordingAdmission(gates_limits)


@pytest.fixture
async def listener(
    host_key: asyncssh.SSHKey, reception: FakeReception, admission: RecordingAdmission
) -> AsyncIterator[Listener]:
    listener = await listen(
        ListenerConfig(port=0), host_key, reception, logins=LoginTracker(AllowEveryone(), admission)
    )
    yield listener
    await listener.close()


def packed(payload: bytes) -> bytes:
    """`payload` as a packet before there are keys."""
    padding = 4 + -(len(payload) + 9) % 8
    return struct.pack(">IB", len(payload) + padding + 1, padding) + payload + bytes(padding)


async def say(listener: Listener, data: bytes) -> None:
    """Say `data` on a connection of its own, until the other side ends it."""
    reader, writer = await asyncio.open_connection("127.0.0.1", listener.port)
    writer.write(data)
    async with asyncio.timeout(20):
        while await reader.read(65536):
            pass
    writer.close()


def told(logs: list[EventDict]) -> list[str]:
    """What the log says of a connection that was not let in, beside that."""
    return [line["event"] for line in logs if line["log_level"] != "info" or "exc_info" in line]


@pytest.mark.parametrize(
    "data",
    [
        *(packed(KEXINIT[:length]) for length in (0, 1, 5, 17, 19, 40, 100, len(KEXINIT) - 1)),
        packed(KEXINIT + b"x"),
        packed(KEXINIT[:17] + b"\xff" * 4),
        struct.pack(">IB", 12, 200) + bytes(11),
        bytes(16),
    ],
)
async def test_a_cut_key_exchange_is_a_line_that_broke(
    listener: Listener, admission: RecordingAdmission, data: bytes
) -> None:
    with capture_logs() as logs:
        for number in range(1, 4):
            await say(listener, VERSION + data)
            await until(lambda number=number: len(admission.endings) == number)  # type: ignore[misc]
    assert admission.endings == ["lost"] * 3
    assert isinstance(admission.request("127.0.0.1"), Admitted), "others live there"
    assert [line["event"] for line in logs] == ["did not come in"] * 3
    assert told(logs) == []


@pytest.mark.parametrize("length", [1, 2, 5, 6, 20, len(KEY) - 1])
async def test_a_cut_key_is_no_crash(listener: Listener, admission: RecordingAdmission, length: int) -> None:
    with capture_logs() as logs:
        await say(listener, VERSION + packed(KEXINIT) + packed(KEY[:length]))
        await until(lambda: admission.endings)
    assert admission.endings in (["lost"], ["protocol"])
    assert told(logs) == []
    assert len(logs) == 1


@pytest.mark.parametrize(
    "gates_limits", [AdmissionLimits(unauthenticated_each=0, arrivals_each=0, penalties=0)]
)
@pytest.mark.parametrize(("packet", "inside"), STEPS, ids=str)
async def test_whatever_is_cut_ends_that_connection_and_nothing_else(
    listener: Listener, admission: RecordingAdmission, packet: str, inside: bool
) -> None:
    with capture_logs() as logs:
        for length in LENGTHS:
            client = await knock(listener.port)
            if inside:
                await client.comes_in()
                await client.session()
            whole = PACKETS[packet]
            client.send(whole[0], whole[1 : length * len(whole) // 8])
            client.send(MSG_DISCONNECT, UInt32(11), String(b""), String(b""))
            await until(lambda client=client: client.is_over)  # type: ignore[misc]
            assert client.connecting is not None
            await client.connecting
        await until(lambda: len(admission.endings) == len(LENGTHS))
    assert "crashed" not in admission.endings
    assert told(logs) == []


@pytest.mark.parametrize("words", [(b"exec", b"games"), (b"env", b"LANG", b"fr")], ids=str)
async def test_a_request_with_a_byte_too_many_ends_its_connection(
    listener: Listener, admission: RecordingAdmission, words: tuple[bytes, ...]
) -> None:
    name, *values = map(String, words)
    with capture_logs() as logs:
        client = await knock(listener.port)
        await client.comes_in()
        await client.session()
        client.send(MSG_CHANNEL_REQUEST, UInt32(0), name, Boolean(True), *values, b"x")
        await until(lambda: client.is_over)
        await until(lambda: admission.endings)
    assert told(logs) == []
