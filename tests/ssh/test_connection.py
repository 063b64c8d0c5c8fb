"""What a connection allows: names, sessions, and nothing of what strangers send that would cost others."""

import asyncio
import struct
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import asyncssh
import pytest
from asyncssh.constants import (
    MSG_CHANNEL_EXTENDED_DATA,
    MSG_CHANNEL_FAILURE,
    MSG_CHANNEL_OPEN,
    MSG_CHANNEL_REQUEST,
    MSG_CHANNEL_SUCCESS,
    MSG_DEBUG,
    MSG_DISCONNECT,
    MSG_GLOBAL_REQUEST,
    MSG_IGNORE,
    MSG_KEXINIT,
    MSG_REQUEST_FAILURE,
    MSG_SERVICE_REQUEST,
    MSG_USERAUTH_REQUEST,
    OPEN_RESOURCE_SHORTAGE,
)
from asyncssh.packet import Boolean, Byte, NameList, String, UInt32
from structlog.testing import capture_logs
from structlog.typing import EventDict

from cartino_protocol.exit_status import BROKEN_OFF
from cartino_protocol.text import LazyMessage
from cartino_server.limits import AdmissionLimits, SessionLimits
from cartino_server.ssh import asyncssh_internals
from cartino_server.ssh import connection as connection_module
from cartino_server.ssh.admission import Admitted
from cartino_server.ssh.authentication import LoginTracker, display_name
from cartino_server.ssh.connection import (
    MAX_ENDING_SESSIONS,
    MAX_REFUSED_SESSIONS,
    SESSION_BURST,
    TOO_MANY_SESSIONS,
)
from cartino_server.ssh.listener import Listener, ListenerConfig
from cartino_server.ssh.rate_limit import PACKET_BURST
from cartino_server.ssh.session_terminal import MAX_UNSENT
from tests.ssh.conftest import SHARED, Connect, FakeReception, OpenSSH, until
from tests.support.nasty import NASTY, faults_of
from tests.support.open_gate import NO_LIMITS, AllowEveryone, RecordingAdmission, listen
from tests.support.ports import own_port
from tests.support.raw_client import RawChannel, RawClient, connect_raw


@pytest.fixture
def admission_limits() -> AdmissionLimits:
    return NO_LIMITS


@pytest.fixture
def admission(admission_limits: AdmissionLimits) -> RecordingAdmission:
    return RecordingAdmission(admission_limits)


@pytest.fixture
async def listener(
    host_key: asyncssh.SSHKey, reception: FakeReception, limits: SessionLimits, admission: RecordingAdmission
) -> AsyncIterator[Listener]:
    logins = LoginTracker(AllowEveryone(), admission)
    listener = await listen(ListenerConfig(port=0), host_key, reception, limits, logins)
    yield listener
    await listener.close()


USERS = {
    "guest": ("", r"CONTOSO\DESKTOP-A1B2C3D$", "CONTOSO\\", "@contoso.com"),
    "ann": (
        *("ann", r"DESKTOP-A1B2C3D\ann", r"contoso\ann", "CONTOSO+ann", "ann@CONTOSO.LOCAL", "ann%CONTOSO"),
        *("ann@contoso.com@jump.contoso.com", "ann%10.0.0.1%22", "CONTOSO/ann", "contoso:ann", "ann!contoso"),
        *("ann/admin@CONTOSO.LOCAL", "uid=ann,ou=people,dc=contoso,dc=com", "ann＠CONTOSO.LOCAL"),
        *("CONTOSO＼ann", "ann+", "+ann", "CONTOSO+ann+games"),
    ),
    "ann.smith": (r"AzureAD\ann.smith@contoso.com", "ann.smith+games", "ann.smith+games@contoso.com"),
    "AnnSmith": (r"AzureAD\AnnSmith",),
    "Ann Smith": ("CN=Ann Smith,OU=Games,DC=contoso",),
    "ann?": ("CONTOSO\\ann\n@x",),
    "?[2J?": ("\x1b[2J\x07",),
    "???": ("\x00\u200b\u202e ",),
    "x" * 32: ("x" * 500,),
    **{name: (name,) for name in ("Léa B", "Ann Smith-Jones_2", "ann.o'neil-b_c")},
}
"""The user names of clients by the name that others see."""


@pytest.mark.parametrize(("user", "name"), [(user, name) for name, users in USERS.items() for user in users])
def test_the_name_that_others_see(user: str, name: str) -> None:
    assert display_name(user) == name


@pytest.mark.parametrize("nasty", NASTY.values(), ids=NASTY)
def test_no_name_is_unclean(nasty: str) -> None:
    assert faults_of(display_name(nasty), 32) == []


async def test_the_ssh_program_with_a_key_is_known_by_it(
    openssh: OpenSSH, reception: FakeReception, user_key: Path
) -> None:
    for _ in range(2):
        assert (await openssh.run("games", key=user_key))[0] == 0
    first, second = reception.visitors
    assert first.person == asyncssh.read_public_key(f"{user_key}.pub").get_fingerprint()
    assert second.person == first.person
    assert second.id != first.id
    assert (first.name, first.guest) == ("ann", False)


async def test_the_ssh_program_without_a_key_is_a_guest_and_asked_nothing(
    openssh: OpenSSH, reception: FakeReception
) -> None:
    status, out, err = await openssh.run("games", name="bob")
    assert (status, out, err) == (0, "told\n", "")
    await openssh.run("games", name="bob")
    first, second = reception.visitors
    assert first.guest
    assert first.name == "bob"
    assert first.person.startswith("guest:")
    assert first.person != second.person


@pytest.mark.parametrize(
    ("limits", "source"),
    [(SessionLimits(), "127.0.0.1"), (SessionLimits(exempt=("192.0.2.0/24", "127.0.0.0/8")), "")],
)
async def test_where_visitors_come_from_is_known_but_where_many_do_who_are_not_one(
    openssh: OpenSSH, reception: FakeReception, source: str
) -> None:
    assert (await openssh.run("games"))[0] == 0
    assert [visitor.source for visitor in reception.visitors] == [source]


async def test_nothing_tried_is_no_way_in(connect: Connect) -> None:
    with pytest.raises(asyncssh.PermissionDenied):
        async with connect(preferred_auth="password"):
            pass


async def open_face(connection: asyncssh.SSHClientConnection) -> asyncssh.SSHClientProcess[bytes]:
    process = await connection.create_process(term_type="xterm", term_size=(80, 24), encoding=None)
    assert (await process.stdout.readline()) == b"face\r\n"
    return process


async def test_one_answer_after_the_other_on_one_connection(connect: Connect) -> None:
    async with connect() as connection:
        for _ in range(SESSION_BURST):
            assert (await connection.run("games")).stdout == b"told\n"


async def test_sessions_that_follow_each_other_too_fast_are_refused_and_the_connection_stays(
    connect: Connect, reception: FakeReception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_module, "SESSION_BURST", 3)
    monkeypatch.setattr(connection_module, "SESSIONS_PER_SECOND", 0.05)
    with capture_logs() as logs:
        async with connect() as connection, connect("bob") as other:
            for _ in range(3):
                assert (await connection.run("games")).stdout == b"told\n"
            with pytest.raises(asyncssh.ChannelOpenError, match=TOO_MANY_SESSIONS) as refused:
                await connection.run("games")
            assert refused.value.code == OPEN_RESOURCE_SHORTAGE
            assert (await other.run("games")).stdout == b"told\n"
            loop = asyncio.get_running_loop()
            now = loop.time
            monkeypatch.setattr(loop, "time", lambda: now() + 21)
            assert (await connection.run("games")).stdout == b"told\n"
    assert len(reception.visitors) == 5
    assert [entry for entry in logs if entry["log_level"] in ("error", "critical")] == []


async def test_openssh_comes_by_a_connection_of_its_own_where_the_shared_one_refuses(
    openssh: OpenSSH, reception: FakeReception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_module, "SESSION_BURST", 3)
    monkeypatch.setattr(connection_module, "SESSIONS_PER_SECOND", 1e-6)
    shared = ["-S", str(tmp_path / "way")]
    master = openssh.screen("-M", "-N", *shared)
    await until((tmp_path / "way").exists)
    for _ in range(3):
        assert await openssh.run("games", before=shared) == (0, "told\n", "")
    status, out, err = await openssh.run("games", before=shared)
    assert (status, out) == (0, "told\n")
    assert "Session open refused by peer" in err
    assert not master.ended
    assert len({visitor.connection for visitor in reception.visitors}) == 2


@SHARED
async def test_an_answer_beside_an_open_face(connect: Connect, reception: FakeReception) -> None:
    async with connect() as connection:
        process = await open_face(connection)
        for _ in range(5):
            assert (await connection.run("games")).stdout == b"told\n"
        process.stdin.write(b"x")
        [face] = reception.faces
        await until(lambda: face.told == [b"x"])
        face.over.set()
        await process.wait_closed()
        assert process.exit_status == 0


@SHARED
async def test_there_is_an_end_to_how_much_runs_on_one_connection(
    connect: Connect, reception: FakeReception
) -> None:
    async with connect() as connection:
        processes = [await open_face(connection) for _ in range(4)]
        with pytest.raises(asyncssh.ChannelOpenError):
            await connection.run("games")
        reception.faces[0].over.set()
        await processes[0].wait_closed()
        assert (await connection.run("games")).stdout == b"told\n"
        # Another connection is another person's, or theirs: it has its own.
        async with connect() as other:
            assert (await other.run("games")).stdout == b"told\n"


async def test_who_never_closes_a_channel_gets_no_more_of_them(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with connect() as connection:
        with monkeypatch.context() as mocks:
            # A client that has all that was sent, and keeps its side of the channel open.
            mocks.setattr(asyncssh.SSHClientChannel, "_close_send", lambda _: None)
            for _ in range(MAX_ENDING_SESSIONS):
                process = await connection.create_process("games", encoding=None)
                assert (await process.stdout.read()) == b"told\n"
            with pytest.raises(asyncssh.ChannelOpenError):
                await connection.create_process("games")
        connection.abort()


@SHARED
async def test_a_session_that_opens_on_a_full_way_begins_stalled(
    connect: Connect, reception: FakeReception
) -> None:
    async with connect() as connection:
        await open_face(connection)
        owner = reception.terminals[0]._connection.get_owner()  # type: ignore[attr-defined]
        owner.sessions.fills()
        process = await connection.create_process(term_type="xterm", term_size=(80, 24), encoding=None)
        await until(lambda: len(reception.faces) == 2)
        assert [face.told for face in reception.faces] == [["stall"], ["stall"]]
        owner.sessions.empties()
        assert [face.told for face in reception.faces] == [["stall", "drained"]] * 2
        process.close()


@SHARED
async def test_everybody_on_a_connection_is_dismissed(connect: Connect, listener: Listener) -> None:
    async with connect() as connection:
        processes = [await open_face(connection) for _ in range(2)]
        closing = asyncio.create_task(listener.close(LazyMessage("The server is closing.")))
        for process in processes:
            await process.wait_closed()
            assert process.exit_status == BROKEN_OFF
            assert await process.stdout.read() == b"The server is closing.\r\n"
        connection.close()
        await closing


LARGEST = (1 << 32) - 1


@pytest.fixture
async def rogue(listener: Listener, complaints: list[Any]) -> AsyncIterator[RawClient]:
    client = await connect_raw(listener.port)
    await client.comes_in()
    yield client
    client.close()
    assert client.connecting is not None
    await client.connecting


@pytest.fixture
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


FORWARDED = (String("127.0.0.1"), UInt32(22), String("127.0.0.1"), UInt32(1))
CHANNELS = {
    **dict.fromkeys((b"direct-tcpip", b"forwarded-tcpip"), FORWARDED),
    b"direct-streamlocal@openssh.com": (String("/run/x"), String(""), UInt32(0)),
    b"tun@openssh.com": (UInt32(1), UInt32(0)),
    b"x11": (String("127.0.0.1"), UInt32(1)),
    **dict.fromkeys((b"auth-agent@openssh.com", b"made-up", b"__init__"), ()),
}
GLOBAL_REQUESTS = {
    **dict.fromkeys((b"tcpip-forward", b"cancel-tcpip-forward"), (String(""), UInt32(0))),
    **dict.fromkeys(
        (b"streamlocal-forward@openssh.com", b"cancel-streamlocal-forward@openssh.com"), (String("/x.sock"),)
    ),
    b"made-up": (),
}
REQUESTS = {
    b"x11-req": (Boolean(False), String("MIT-MAGIC-COOKIE-1"), String("00" * 16), UInt32(0)),
    **dict.fromkeys((b"auth-agent-req@openssh.com", b"made-up"), ()),
    b"subsystem": (String("sftp"),),
    b"break": (UInt32(1000),),
    b"env": (String("PATH"), String("/")),
}


@pytest.mark.parametrize("kind", CHANNELS)
async def test_only_sessions_are_opened(rogue: RawClient, kind: bytes) -> None:
    channel = rogue.opens(kind, *CHANNELS[kind])
    await until(lambda: channel.is_refused or rogue.is_over)
    assert channel.theirs is None


async def test_nothing_is_forwarded_and_a_session_does_no_more_than_it_has_to(rogue: RawClient) -> None:
    for name, parts in GLOBAL_REQUESTS.items():
        rogue.asks(name, *parts)
    await until(lambda: len(rogue.answers) == len(GLOBAL_REQUESTS))
    assert set(rogue.answers) == {MSG_REQUEST_FAILURE}
    channel = await rogue.session()
    for name, parts in REQUESTS.items():
        channel.request(name, *parts, reply=True)
    await until(lambda: len(channel.said) == len(REQUESTS))
    assert set(channel.said) == {MSG_CHANNEL_FAILURE}
    assert not rogue.is_over


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


async def test_of_many_sizes_in_a_row_few_are_drawn(
    rogue: RawClient, reception: FakeReception, others: asyncssh.SSHClientConnection
) -> None:
    channel = await rogue.table()
    face = await is_shown(reception)
    count = int(PACKET_BURST) * 3 // 2
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


CUT_REQUESTS = [
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
]


@pytest.mark.parametrize(
    "send",
    [
        *(
            lambda channel, name=name: channel.request(name, String(b"x" * 1_000_000))
            for name in (b"exec", b"env", b"pty-req", b"made-up", b"x" * 1_000_000)
        ),
        *(lambda channel, parts=parts: channel.send(MSG_CHANNEL_REQUEST, *parts) for parts in CUT_REQUESTS),
        # What no client sends, and an end of input after the end.
        lambda channel: channel.send(MSG_CHANNEL_EXTENDED_DATA, UInt32(1), String(b"x")),
        lambda channel: (channel.ends_input(), channel.ends_input()),
    ],
)
async def test_packets_too_long_or_cut_or_out_of_turn_are_the_end(
    rogue: RawClient, send: Callable[[RawChannel], object], others: asyncssh.SSHClientConnection
) -> None:
    send(await rogue.session())
    await plays(others)
    await until(lambda: rogue.is_over)


async def test_a_long_command_is_answered_by_a_sentence(rogue: RawClient) -> None:
    channel = await rogue.session()
    channel.runs(b"x" * 30_000)
    await until(lambda: MSG_CHANNEL_EXTENDED_DATA in channel.said)
    assert not rogue.is_over


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
    for _ in range(800):
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
@pytest.mark.parametrize("admission_limits", [AdmissionLimits()])
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


@pytest.mark.parametrize(("packet", "inside"), STEPS, ids=str)
async def test_whatever_is_cut_ends_that_connection_and_nothing_else(
    listener: Listener, admission: RecordingAdmission, packet: str, inside: bool
) -> None:
    with capture_logs() as logs:
        for length in LENGTHS:
            client = await connect_raw(listener.port)
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
        client = await connect_raw(listener.port)
        await client.comes_in()
        await client.session()
        client.send(MSG_CHANNEL_REQUEST, UInt32(0), name, Boolean(True), *values, b"x")
        await until(lambda: client.is_over)
        await until(lambda: admission.endings)
    assert told(logs) == []


@pytest.fixture
async def secret() -> AsyncIterator[tuple[int, list[bytes]]]:
    """A service beside the server that nobody may reach through it: its port, and who reached it."""
    reached: list[bytes] = []

    async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        reached.append(b"")
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    yield server.sockets[0].getsockname()[1], reached
    server.close()


@pytest.mark.parametrize("how", ["-L", "-D"])
async def test_nothing_is_reached_through_the_server(
    openssh: OpenSSH, secret: tuple[int, list[bytes]], how: str
) -> None:
    port, reached = secret
    here = own_port()
    asked = f"{here}:127.0.0.1:{port}" if how == "-L" else str(here)
    screen = openssh.screen(how, asked)
    await screen.shows("face")
    reader, writer = await asyncio.open_connection("127.0.0.1", here)
    if how == "-D":
        writer.write(b"\x05\x01\x00" + b"\x05\x01\x00\x01\x7f\x00\x00\x01" + port.to_bytes(2, "big"))
    async with asyncio.timeout(40):
        await reader.read()
    writer.close()
    assert reached == []
    assert not screen.ended


@pytest.mark.parametrize("asked", ["0:127.0.0.1:22", "/no-such-place:127.0.0.1:22"])
async def test_the_server_listens_for_nobody(openssh: OpenSSH, asked: str) -> None:
    before = ["-R", asked, "-o", "ExitOnForwardFailure=yes"]
    status, out, _ = await openssh.run("games", before=before)
    assert (status, out) == (255, "")
    assert (await openssh.run("games", before=["-R", asked]))[:2] == (0, "told\n")


@pytest.mark.parametrize(
    "before",
    [
        ["-A"],
        ["-X"],
        ["-Y"],
        ["-C"],
        ["-o", "Compression=yes"],
        ["-o", "SendEnv=PATH HOME"],
        ["-o", "SetEnv=LD_PRELOAD=/x.so"],
        ["-o", "PermitLocalCommand=no", "-o", "Tunnel=ethernet"],
        ["-o", "UpdateHostKeys=yes"],
        ["-o", "GSSAPIAuthentication=yes"],
        ["-o", "PreferredAuthentications=password,keyboard-interactive"],
    ],
)
async def test_who_asks_for_more_gets_what_there_is(
    openssh: OpenSSH, reception: FakeReception, before: list[str]
) -> None:
    status, out, _ = await openssh.run("games", before=before)
    assert (status, out) == (0, "told\n")
    assert reception.visitors[0].env.keys() <= {"LANG"}


@pytest.mark.parametrize("program", ["sftp", "scp", "old scp"])
async def test_there_are_no_files(
    openssh: OpenSSH, listener: Listener, tmp_path: Path, program: str, reception: FakeReception
) -> None:
    at, target = openssh.command("127.0.0.1").index("-p"), tmp_path / "stolen"
    flags = openssh.command()[1:at]
    flags = [flag for flag in flags if flag not in ("-F", "none")]
    source = ["-F", "none", *flags, "-P", str(listener.port), "ann@127.0.0.1:/etc/passwd", str(target)]
    words = {"sftp": ["sftp"], "scp": ["scp"], "old scp": ["scp", "-O"]}[program]
    status, _, err = await openssh.program(*words, *source)
    assert status != 0
    if program == "old scp":
        assert reception.words == [["scp", "-f", "/etc/passwd"]]
    else:
        assert "subsystem request failed" in err
    assert not target.exists()


async def test_the_words_of_a_shell_are_words(openssh: OpenSSH, reception: FakeReception) -> None:
    await openssh.run("games;", "cat", "/etc/passwd", "|", "$(id)", "`id`", "&&", "ls")
    assert reception.words == [["games;", "cat", "/etc/passwd", "|", "$(id)", "`id`", "&&", "ls"]]
