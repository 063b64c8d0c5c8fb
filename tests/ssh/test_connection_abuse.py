"""What is sent by somebody who has logged in and is up to no good: refused, slowed, or the end of their connection."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import asyncssh
import pytest
from asyncssh.constants import (
    MSG_CHANNEL_EXTENDED_DATA,
    MSG_CHANNEL_FAILURE,
    MSG_CHANNEL_REQUEST,
    MSG_CHANNEL_SUCCESS,
    MSG_DEBUG,
    MSG_IGNORE,
    MSG_REQUEST_FAILURE,
)
from asyncssh.packet import Boolean, String, UInt32
from structlog.testing import capture_logs

from cartino_server.limits import SessionLimits
from cartino_server.ssh import asyncssh_internals
from cartino_server.ssh.connection import MAX_REFUSED_SESSIONS
from cartino_server.ssh.listener import Listener
from cartino_server.ssh.rate_limit import PACKET_BURST
from cartino_server.ssh.session_terminal import MAX_UNSENT
from tests.ssh.conftest import Connect, FakeReception
from tests.support.raw_client import RawChannel, RawClient, knock, until

LARGEST = (1 << 32) - 1


@pytest.fixture
async def rogue(listener: Listener) -> AsyncIterator[RawClient]:
    client = await knock(listener.port)
    await client.comes_in()
    yield client
    client.close()
    assert client.connecting is not None
    await client.connecting


@pytest.fixture(autouse=True)
def complaints() -> Iterator[list[Any]]:
    """Nothing of this is an error of ours."""
    with capture_logs() as logs:
        yield logs
    assert [entry for entry in logs if entry["log_level"] in ("error", "critical")] == []


@pytest.fixture
async def others(connect: Connect, rogue: RawClient) -> AsyncIterator[asyncssh.SSHClientConnection]:
    """Somebody else."""
    async with connect("bob") as connection:
        yield connection


async def plays(others: asyncssh.SSHClientConnection) -> None:
    assert (await others.run("games", encoding=None)).stdout == b"told\n"


async def is_shown(reception: FakeReception) -> Any:
    await until(lambda: reception.faces)
    return reception.faces[0]


# -- channels


async def test_one_session_at_a_time(rogue: RawClient, reception: FakeReception) -> None:
    first, second = await rogue.table(), rogue.opens()
    await until(lambda: second.is_refused)
    (await is_shown(reception)).over.set()
    await until(lambda: first.said.count(MSG_CHANNEL_REQUEST) == 1)
    first.close()
    assert (await rogue.session()).theirs is not None


async def test_a_thousand_channels_are_the_end(
    rogue: RawClient, others: asyncssh.SSHClientConnection
) -> None:
    for _ in range(1000):
        rogue.opens()
    await plays(others)
    await until(lambda: rogue.is_over)
    assert rogue.is_cut_off(asyncssh.ProtocolError)
    assert sum(channel.theirs is not None for channel in rogue.channels) == 1
    assert sum(channel.is_refused for channel in rogue.channels) <= MAX_REFUSED_SESSIONS
    await plays(others)


async def test_who_asks_in_vain_now_and_then_stays(rogue: RawClient) -> None:
    await rogue.table()
    refused = [rogue.opens() for _ in range(MAX_REFUSED_SESSIONS)]
    await until(lambda: all(channel.is_refused for channel in refused))
    assert not rogue.is_over


@pytest.mark.parametrize(
    ("kind", "parts"),
    [
        (b"direct-tcpip", (String("127.0.0.1"), UInt32(22), String("127.0.0.1"), UInt32(1))),
        (b"direct-streamlocal@openssh.com", (String("/run/x"), String(""), UInt32(0))),
        (b"forwarded-tcpip", (String("127.0.0.1"), UInt32(22), String("127.0.0.1"), UInt32(1))),
        (b"tun@openssh.com", (UInt32(1), UInt32(0))),
        (b"x11", (String("127.0.0.1"), UInt32(1))),
        (b"auth-agent@openssh.com", ()),
        (b"made-up", ()),
        (b"__init__", ()),
    ],
)
async def test_only_sessions_are_opened(rogue: RawClient, kind: bytes, parts: tuple[bytes, ...]) -> None:
    channel = rogue.opens(kind, *parts)
    await until(lambda: channel.is_refused or rogue.is_over)
    assert channel.theirs is None


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        (b"tcpip-forward", (String(""), UInt32(0))),
        (b"cancel-tcpip-forward", (String(""), UInt32(0))),
        (b"streamlocal-forward@openssh.com", (String("/x.sock"),)),
        (b"cancel-streamlocal-forward@openssh.com", (String("/x.sock"),)),
        (b"made-up", ()),
    ],
)
async def test_nothing_is_forwarded(rogue: RawClient, name: bytes, parts: tuple[bytes, ...]) -> None:
    rogue.asks(name, *parts)
    await until(lambda: rogue.answers)
    assert rogue.answers == [MSG_REQUEST_FAILURE]


async def test_the_host_key_signs_for_nobody(rogue: RawClient, host_key: asyncssh.SSHKey) -> None:
    rogue.asks(b"hostkeys-prove-00@openssh.com", *[String(host_key.public_data)] * 500)
    await until(lambda: rogue.answers)
    assert rogue.answers == [MSG_REQUEST_FAILURE]


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        (b"x11-req", (Boolean(False), String("MIT-MAGIC-COOKIE-1"), String("00" * 16), UInt32(0))),
        (b"auth-agent-req@openssh.com", ()),
        (b"subsystem", (String("sftp"),)),
        (b"break", (UInt32(1000),)),
        (b"made-up", ()),
        (b"env", (String("PATH"), String("/"))),
    ],
)
async def test_a_session_does_no_more_than_it_has_to(
    rogue: RawClient, name: bytes, parts: tuple[bytes, ...]
) -> None:
    channel = await rogue.session()
    channel.request(name, *parts, reply=True)
    await until(lambda: channel.said)
    assert channel.said == [MSG_CHANNEL_FAILURE]
    assert not rogue.is_over


async def test_many_that_ask_for_an_agent_at_once_are_refused_one_by_one(rogue: RawClient) -> None:
    channel = await rogue.session()
    for _ in range(200):
        channel.request(b"auth-agent-req@openssh.com", reply=True)
    await until(lambda: len(channel.said) == 200 or rogue.is_over)
    assert channel.said == [MSG_CHANNEL_FAILURE] * 200


# -- the terminal


async def test_no_terminal_is_larger_than_the_largest(rogue: RawClient, reception: FakeReception) -> None:
    channel = await rogue.session()
    channel.pty(width=LARGEST, height=LARGEST)
    channel.shell()
    face = await is_shown(reception)
    facts = reception.terminals[0].facts
    assert (facts.width, facts.height) == (300, 120)
    channel.resize(LARGEST, 1)
    await until(lambda: (300, 1) in face.told)


@pytest.mark.parametrize("limits", [SessionLimits(columns=100, lines=40)])
async def test_the_host_says_how_large_that_is(rogue: RawClient, reception: FakeReception) -> None:
    channel = await rogue.session()
    channel.pty(width=200, height=200)
    channel.shell()
    face = await is_shown(reception)
    facts = reception.terminals[0].facts
    assert (facts.width, facts.height) == (100, 40)
    channel.resize(0, 0)
    await until(lambda: (80, 24) in face.told)


async def test_of_many_sizes_in_a_row_few_are_drawn(
    rogue: RawClient, reception: FakeReception, others: asyncssh.SSHClientConnection
) -> None:
    channel = await rogue.table()
    face = await is_shown(reception)
    count = int(PACKET_BURST) * 2
    for number in range(count):
        channel.resize(60 + number % 100, 30)
    channel.resize(99, 33)
    await plays(others)
    assert len(face.told) < count / 10
    await until(lambda: face.told[-1:] == [(99, 33)])
    assert len(face.told) < count / 4


@pytest.mark.parametrize("term", [b"x" * 65, b"x" * 30_000, b"a\x1b[2Jb", b"", b"xterm;rm", b"\n"])
async def test_a_name_that_no_terminal_has_is_not_kept(
    rogue: RawClient, reception: FakeReception, term: bytes
) -> None:
    channel = await rogue.session()
    channel.pty(term)
    channel.shell()
    await is_shown(reception)
    assert reception.terminals[0].facts.term == ""


async def test_variables_without_end_are_refused(rogue: RawClient, reception: FakeReception) -> None:
    channel = await rogue.session()
    for number in range(20):
        channel.request(b"env", String(b"LC_%d" % number), String(b"x" * 3000), reply=True)
    for number in range(40):
        channel.request(b"env", String(b"LC_%d" % number), String(b"x"), reply=True)
    channel.pty()
    channel.shell()
    await is_shown(reception)
    env = reception.terminals[0].facts.env
    assert len(env) == 16
    assert channel.said[:20] == [MSG_CHANNEL_FAILURE] * 20
    assert not reception.terminals[0].channel._env  # type: ignore[attr-defined]


# -- what is longer than anything


@pytest.mark.parametrize("name", [b"exec", b"env", b"pty-req", b"made-up", b"x" * 1_000_000])
async def test_a_packet_of_a_megabyte_is_the_end(
    rogue: RawClient, name: bytes, others: asyncssh.SSHClientConnection
) -> None:
    channel = await rogue.session()
    channel.request(name, String(b"x" * 1_000_000))
    await plays(others)
    await until(lambda: rogue.is_over)
    assert rogue.is_cut_off()


async def test_a_long_command_is_answered_by_a_sentence(rogue: RawClient) -> None:
    channel = await rogue.session()
    channel.runs(b"x" * 30_000)
    await until(lambda: MSG_CHANNEL_EXTENDED_DATA in channel.said)
    assert not rogue.is_over


# -- what is no SSH


@pytest.mark.parametrize(
    "parts",
    [
        (),
        (String(b"pty-req"),),
        (String(b"pty-req"), Boolean(True), String(b"x")),
        (String(b"pty-req"), Boolean(True), String(b"\xff"), *(UInt32(1),) * 4, String(b"")),
        (String(b"pty-req"), Boolean(True), String(b"x"), *(UInt32(1),) * 4, String(b"\1\2")),
        (String(b"env"), Boolean(True), String(b"LANG")),
        (String(b"env"), Boolean(True), UInt32(LARGEST), b"LANG"),
        (String(b"window-change"), Boolean(True), UInt32(1)),
        (String(b"\xff"), Boolean(True)),
        (String(b"shell"), Boolean(True), b"more"),
    ],
)
async def test_a_request_in_pieces_is_the_end(
    rogue: RawClient, parts: tuple[bytes, ...], others: asyncssh.SSHClientConnection
) -> None:
    channel = await rogue.session()
    channel.send(MSG_CHANNEL_REQUEST, *parts)
    await until(lambda: rogue.is_over)
    await plays(others)


async def test_what_no_client_says_is_the_end(rogue: RawClient) -> None:
    channel = await rogue.table()
    channel.send(MSG_CHANNEL_EXTENDED_DATA, UInt32(1), String(b"x"))
    await until(lambda: rogue.is_over)


async def test_the_end_of_input_comes_once(rogue: RawClient) -> None:
    channel = await rogue.session()
    channel.ends_input()
    channel.ends_input()
    await until(lambda: rogue.is_over)


async def test_what_is_sent_without_room_is_the_end(rogue: RawClient, reception: FakeReception) -> None:
    channel = await rogue.table()
    (await is_shown(reception)).terminal.pause_reading()
    channel.table = 1 << 20
    channel.types(b"x" * 200_000)
    await until(lambda: rogue.is_over)


# -- floods


@pytest.mark.parametrize(
    ("kind", "parts"),
    [
        (MSG_IGNORE, (String(b""),)),
        (MSG_DEBUG, (Boolean(True), String(b"x"), String(b""))),
    ],
)
async def test_empty_packets_are_read_at_their_pace(
    rogue: RawClient,
    kind: int,
    parts: tuple[bytes, ...],
    others: asyncssh.SSHClientConnection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read = 0

    def count(*_: object) -> bool:
        nonlocal read
        read += 1
        return True

    monkeypatch.setitem(asyncssh.SSHServerConnection._packet_handlers, kind, count)
    for _ in range(int(PACKET_BURST) * 20):
        rogue.send(kind, *parts)
    for _ in range(5):
        await plays(others)
    assert 0 < read < PACKET_BURST * 4


async def test_global_requests_are_answered_at_their_pace(
    rogue: RawClient, others: asyncssh.SSHClientConnection
) -> None:
    for _ in range(int(PACKET_BURST) * 20):
        rogue.asks(b"made-up")
    for _ in range(5):
        await plays(others)
    assert 0 < len(rogue.answers) < PACKET_BURST * 4


async def test_everybody_has_a_turn_between_the_packets_of_one(
    rogue: RawClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However much has come at once."""
    turns, turn = list[int](), 0

    def note(*_: object) -> bool:
        turns.append(turn)
        return True

    monkeypatch.setitem(asyncssh.SSHServerConnection._packet_handlers, MSG_IGNORE, note)
    for _ in range(300):
        rogue.send(MSG_IGNORE, String(b""))
    async with asyncio.timeout(30):
        while len(turns) < 300:
            await asyncio.sleep(0)
            turn += 1
    assert max(turns.count(each) for each in set(turns)) <= 2 * asyncssh_internals.PACKETS_PER_TURN


async def test_keys_are_not_renewed_without_end(
    rogue: RawClient, others: asyncssh.SSHClientConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = 0
    renew = asyncssh.SSHServerConnection._send_kexinit

    def count(connection: asyncssh.SSHServerConnection) -> None:
        nonlocal begun
        begun += 1
        renew(connection)

    monkeypatch.setattr(asyncssh.SSHServerConnection, "_send_kexinit", count)
    running = True

    async def storm() -> None:
        while running:
            rogue.renew_keys()
            await asyncio.sleep(0)

    storming = asyncio.create_task(storm())
    await until(lambda: begun >= 5)
    for _ in range(10):
        await plays(others)
    running = False
    await storming
    assert begun < 40


async def test_what_waits_for_new_keys_is_not_kept_without_end(
    rogue: RawClient, reception: FakeReception
) -> None:
    """asyncssh keeps it beside what waits for the network."""
    await rogue.table(window=1 << 30)
    face = await is_shown(reception)
    rogue.begins_keys_and_no_more()
    server = reception.terminals[0]._connection  # type: ignore[attr-defined]
    await until(lambda: server._kex is not None)
    for _ in range(2 * MAX_UNSENT // 10_000):
        face.terminal.write(b"x" * 10_000)
    await until(lambda: rogue.is_over)
    assert "hang up" in face.told


async def test_who_never_finishes_new_keys_and_goes_on_asking_is_cut(
    rogue: RawClient, reception: FakeReception
) -> None:
    channel = await rogue.table()
    await is_shown(reception)
    server = reception.terminals[0]._connection  # type: ignore[attr-defined]
    rogue.begins_keys_and_no_more()
    rogue._conn._kex_complete = True
    for _ in range(2000):
        channel.request(b"made-up", reply=True)
    await until(lambda: rogue.is_over)
    assert len(server._deferred_packets) < 600


async def test_bytes_one_by_one_do_not_pile_up(rogue: RawClient, reception: FakeReception) -> None:
    channel = await rogue.table()
    face = await is_shown(reception)
    face.terminal.pause_reading()
    for _ in range(400):
        channel.types(b"x")
    channel.resize(77, 22)
    await until(lambda: (77, 22) in face.told)
    assert len(reception.terminals[0].channel._recv_buf) <= 2  # type: ignore[attr-defined]
    face.terminal.resume_reading()
    typed = b"".join(told for told in face.told if isinstance(told, bytes))
    assert typed == b"x" * 400


async def test_a_paste_without_end_is_taken_at_its_pace(
    rogue: RawClient, reception: FakeReception, others: asyncssh.SSHClientConnection
) -> None:
    channel: RawChannel = await rogue.table()
    face = await is_shown(reception)
    sent = 0

    async def paste() -> None:
        nonlocal sent
        while True:
            sent += channel.types(b"x" * 60_000)
            await asyncio.sleep(0)

    pasting = asyncio.create_task(paste())
    await until(lambda: sent > 60_000)
    for _ in range(10):
        await plays(others)
    limits = SessionLimits()
    taken = sum(len(told) for told in face.told if isinstance(told, bytes))
    assert 0 < taken < limits.input_burst * 5
    pasting.cancel()
    assert MSG_CHANNEL_SUCCESS in channel.said
    assert not rogue.is_over
