"""The listener: whatever breaks at one connection, the next is admitted; errors are sentences."""

import asyncio
import errno
import gc
import os
import socket
import struct
import time
from contextlib import suppress
from typing import Any

import asyncssh
import pytest
from structlog.testing import capture_logs

from cartino_protocol.text import LazyMessage
from cartino_server.limits import AdmissionLimits
from cartino_server.ssh import listener as listener_module
from cartino_server.ssh import rate_limit
from cartino_server.ssh.admission import AdmissionControl, Admitted, Held
from cartino_server.ssh.authentication import LoginTracker
from cartino_server.ssh.connection import Connection
from cartino_server.ssh.listener import BACKLOG, Listener, ListenerConfig, ListenError, listen_failure
from cartino_tui.terminal.drivers import SCREEN_OFF
from tests.ssh.conftest import Connect, FakeReception, OpenSSH, tell_face, until
from tests.ssh.conftest import Guest as NoQuestions
from tests.support.bad_line import BadLine
from tests.support.greetings import read_greeting, was_let_in
from tests.support.open_gate import AllowEveryone, listen


async def test_a_free_port_is_taken_and_told_and_no_file_is_left_open(
    host_key: asyncssh.SSHKey, reception: FakeReception
) -> None:
    before = os.listdir("/proc/self/fd")
    listener = await listen(ListenerConfig(port=0), host_key, reception)
    assert listener.port > 0
    assert listener.fingerprint == host_key.get_fingerprint()
    reader, writer = await asyncio.open_connection("127.0.0.1", listener.port)
    assert await reader.readline() == b"SSH-2.0-cartino\r\n"
    writer.close()
    await writer.wait_closed()
    await listener.close()
    await until(lambda: os.listdir("/proc/self/fd") == before)


@pytest.mark.parametrize(
    ("host", "sentence"),
    [
        ("127.0.0.1", "Another program is listening on"),
        ("192.0.2.1", "192.0.2.1 isn't an address of this machine"),
        *((host, "The host name ") for host in ("a" * 70 + ".x", "a..b", "nul\0")),
    ],
)
async def test_an_address_that_can_not_be_had_is_one_sentence(
    listener: Listener, host_key: asyncssh.SSHKey, reception: FakeReception, host: str, sentence: str
) -> None:
    with pytest.raises(ListenError) as caught:
        await listen(ListenerConfig(host, listener.port), host_key, reception)
    assert str(caught.value).startswith(sentence)
    assert str(caught.value).isprintable()


def connect_and_reset(port: int) -> None:
    """Connect and reset at once, so that the connection is dead before anybody looks at it."""
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


async def test_scanners_that_are_gone_already_leave_no_trace(
    listener: Listener, connect: Connect, caplog: pytest.LogCaptureFixture
) -> None:
    async with connect() as connection:
        await connection.run("games")
    await until(lambda: not listener.is_used)
    before = len(os.listdir("/dev/fd"))
    with capture_logs() as logs:
        for _ in range(BACKLOG // 2):
            connect_and_reset(listener.port)
        await until(lambda: sum(entry["event"] == "did not come in" for entry in logs) == BACKLOG // 2)
        await until(lambda: not listener.is_used)
    gc.collect()
    assert caplog.records == [], "no task's exception was lost"
    assert {entry["log_level"] for entry in logs} == {"info"}
    assert len(os.listdir("/dev/fd")) <= before
    async with connect() as connection:
        assert (await connection.run("games")).exit_status == 0


async def test_what_nobody_thought_of_ends_one_connection_with_one_line(
    listener: Listener, connect: Connect, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("boom")

    before = len(os.listdir("/dev/fd"))
    with capture_logs() as logs, monkeypatch.context() as mocks:
        mocks.setattr(Connection, "begin_auth", broken)
        with pytest.raises((asyncssh.Error, OSError)):
            async with connect():
                pass
        await until(lambda: not listener.is_used)
    gc.collect()
    assert caplog.records == []
    assert [entry["event"] for entry in logs if entry["log_level"] == "error"] == ["a connection broke"]
    assert len(os.listdir("/dev/fd")) <= before
    async with connect() as connection:
        assert (await connection.run("games")).exit_status == 0


async def test_a_client_that_falls_silent_is_noticed(
    host_key: asyncssh.SSHKey, reception: FakeReception
) -> None:
    listener = await listen(ListenerConfig(port=0, keepalive=0.05), host_key, reception)
    with BadLine(listener.port) as line:
        connection = await asyncssh.connect(
            "127.0.0.1",
            line.port,
            config=None,
            known_hosts=None,
            client_keys=None,
            client_factory=NoQuestions,
            agent_path=None,
        )
        await connection.create_process(term_type="xterm")
        await until(lambda: reception.faces)
        line.fall_silent()
        [face] = reception.faces
        await asyncio.wait_for(face.over.wait(), 30)
        connection.abort()
    await listener.close()


class Deaf:
    """A log that can't be written."""

    def __getattr__(self, _: str) -> Any:
        def fail(*_: object, **__: object) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        return fail


def always_raising(*_: object) -> bool:
    raise RuntimeError("boom")


async def without_descriptors(*_: object) -> None:
    raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))


@pytest.mark.parametrize("kind", ["log", "gate", "counter", "accept", "files"])
async def test_whatever_breaks_at_one_the_next_is_let_in(
    host_key: asyncssh.SSHKey, reception: FakeReception, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    banned = {"127.0.0.1"}
    admission = AdmissionControl(AdmissionLimits(), time.monotonic, banned.__contains__)
    listener = await listen(
        ListenerConfig(port=0), host_key, reception, logins=LoginTracker(AllowEveryone(), admission)
    )
    with capture_logs() as logs, monkeypatch.context() as mocks:
        match kind:
            case "log":
                mocks.setattr(listener, "_log", Deaf())
            case "gate":
                mocks.setattr(admission, "_is_banned", always_raising)
            case "counter":
                mocks.setattr(admission, "_count_refusal", always_raising)
            case "accept":
                mocks.setattr(listener_module, "ACCEPT_ERROR_PAUSE", 0)
                mocks.setattr(asyncio.get_running_loop(), "sock_accept", always_raising)
            case "files":
                mocks.setattr(listener_module, "NO_DESCRIPTOR_PAUSE", 0)
                mocks.setattr(asyncio.get_running_loop(), "sock_accept", without_descriptors)
        for _ in range(3):
            _, writer = await asyncio.open_connection("127.0.0.1", listener.port)
            writer.close()
        if kind in {"accept", "files"}:
            event = "a connection broke" if kind == "accept" else "can't admit a connection"
            await until(lambda: any(entry["event"] == event for entry in logs))
        else:
            # Whatever came of it, nobody is left to hang.
            reader, writer = await asyncio.open_connection("127.0.0.1", listener.port)
            async with asyncio.timeout(30):
                with suppress(ConnectionError):
                    await reader.read()
            writer.close()
    banned.clear()
    async with asyncio.timeout(30):
        while not was_let_in(await asyncio.to_thread(read_greeting, listener.port)):
            pass
    assert listener.is_open
    await until(lambda: admission.connections <= 1)
    await listener.close()


async def test_who_comes_too_soon_waits_for_their_turn_and_gets_in(
    host_key: asyncssh.SSHKey, reception: FakeReception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rate_limit, "BURST_SECONDS", 1.0)
    refused: list[str] = []
    now = [0.0]
    admission = AdmissionControl(
        AdmissionLimits(arrivals_each=4), lambda: now[0], count_refusal=refused.append
    )
    listener = await listen(
        ListenerConfig(port=0), host_key, reception, logins=LoginTracker(AllowEveryone(), admission)
    )
    waited = 0
    for _ in range(8):
        asking = asyncio.create_task(asked(listener.port))
        while not asking.done():
            waited = max(waited, admission.waiting)
            now[0] += admission.waiting
            await asyncio.sleep(0)
        assert await asking == 0
    assert waited == 1
    assert refused == []
    # A door that closes lets nobody wait, and nobody's place is left taken.
    while isinstance(came := admission.request("127.0.0.1"), Admitted):
        admission.logged_in(came.connection)
        admission.record_connection_end(came.connection, "done")
    assert isinstance(came, Held)
    admission.record_connection_end(came.connection, "lost")
    reader, writer = await asyncio.open_connection("127.0.0.1", listener.port)
    await until(lambda: admission.waiting)
    async with asyncio.timeout(30):
        await listener.close()
        assert await reader.read() == b""
    assert admission.waiting == 0
    writer.close()


async def asked(port: int) -> int | None:
    """The exit status of a command over a connection of its own."""
    async with asyncssh.connect(
        "127.0.0.1",
        port,
        config=None,
        known_hosts=None,
        client_keys=None,
        agent_path=None,
        client_factory=NoQuestions,
    ) as connection:
        return (await connection.run("games")).exit_status


async def test_a_door_that_is_shut_keeps_those_who_are_in(listener: Listener, connect: Connect) -> None:
    async with connect() as connection:
        assert listener.is_used
        listener.shut()
        with pytest.raises(ConnectionError):
            await refused(listener.port)
        assert (await connection.run("games")).exit_status == 0
    listener.shut()
    await listener.close()


async def refused(port: int) -> None:
    """Connect until nothing listens; the sockets are closed in one of the loop's next turns."""
    async with asyncio.timeout(30):
        while True:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()


async def test_closing_tells_everybody_and_leaves_the_terminals_in_order(
    host_key: asyncssh.SSHKey, reception: FakeReception, listener: Listener, openssh: OpenSSH
) -> None:
    reception.make_face = tell_face
    first, second = openssh.screen(name="ann"), openssh.screen(name="bob")
    for screen in (first, second):
        await screen.shows("second line")
    # Somebody who is still shaking hands holds nothing up.
    _, writer = await asyncio.open_connection("127.0.0.1", listener.port)
    await listener.close(LazyMessage("The server goes down for a while; your games are kept."))
    for screen in (first, second):
        assert await screen.exit_code() == 0
        assert "The server goes down for a while; your games are kept." in screen.text()
        assert screen.raw.index(SCREEN_OFF.encode()) < screen.raw.index(b"The server goes down")
    writer.close()
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", listener.port)) != 0


HERE = "127.0.0.1, port 2222"


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (
            OSError(errno.EADDRINUSE, "Address already in use (… ('127.0.0.1', 2222))"),
            f"Another program is listening on {HERE}; stop it, or choose another port with --port.",
        ),
        (
            PermissionError(errno.EACCES, "Permission denied"),
            f"The system doesn't let this user listen on {HERE}; choose another port with --port.",
        ),
        (
            OSError(errno.EADDRNOTAVAIL, "Cannot assign requested address"),
            "127.0.0.1 isn't an address of this machine; set --host to one that is.",
        ),
        *(
            (error, "The host name 127.0.0.1 is unknown; check it, or give an address with --host.")
            for error in (
                socket.gaierror(socket.EAI_NONAME, "unknown"),
                UnicodeError("label empty or too long"),
            )
        ),
        (
            OSError(errno.EMFILE, "Too many open files (('127.0.0.1', 1))"),
            f"Can't listen on {HERE} (Too many open files); choose another with --host or --port.",
        ),
    ],
)
def test_each_reason_is_a_sentence(error: OSError | ValueError, sentence: str) -> None:
    assert str(listen_failure(error, "127.0.0.1", 2222)) == sentence


def test_reserved_ports_and_every_address_have_their_own_words() -> None:
    assert str(listen_failure(PermissionError(errno.EACCES, ""), "127.0.0.1", 22)) == (
        "Port 22 is reserved for the system, like all below 1024; choose a higher one with --port."
    )
    assert "every address, port 7;" in str(listen_failure(OSError(errno.EADDRINUSE, ""), "", 7))
