"""No session runs before the authenticator has decided, and none for clients that it refuses."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

import asyncssh
import pytest
from structlog.testing import capture_logs

from cartino_protocol.exit_status import BROKEN_OFF
from cartino_protocol.text import LazyMessage
from cartino_server.limits import AdmissionLimits
from cartino_server.ssh import connection as connection_module
from cartino_server.ssh.admission import AdmissionControl, AdmissionRefused
from cartino_server.ssh.authentication import LOGIN_FAILED, LoginTracker
from cartino_server.ssh.listener import Listener, ListenerConfig
from cartino_server.ssh.rejection import disconnect_packet
from cartino_server.visitors import LoginRequest, LoginResult, Reply
from tests.ssh.conftest import FakeReception, Guest, OpenSSH, until
from tests.support.open_gate import listen
from tests.support.raw_client import knock


class Keeper:
    """Judges as `verdict` says, once it may."""

    def __init__(self) -> None:
        self.may_judge = asyncio.Event()
        self.may_judge.set()
        self.verdict: Callable[[LoginRequest], LoginResult] = lambda newcomer: LoginResult("SHA256:first")
        self.came: list[LoginRequest] = []
        self.gone: list[int] = []

    async def judge(self, newcomer: LoginRequest) -> LoginResult:
        self.came.append(newcomer)
        await self.may_judge.wait()
        return self.verdict(newcomer)

    def forget_connection(self, connection: int) -> None:
        self.gone.append(connection)


@pytest.fixture
async def keeper() -> Keeper:
    return Keeper()


@pytest.fixture
def banned() -> set[str]:
    return set()


@pytest.fixture
async def listener(
    host_key: asyncssh.SSHKey, reception: FakeReception, keeper: Keeper, banned: set[str]
) -> AsyncIterator[Listener]:
    admission = AdmissionControl(AdmissionLimits(), time.monotonic, banned.__contains__)
    listener = await listen(
        ListenerConfig(port=0), host_key, reception, logins=LoginTracker(keeper, admission)
    )
    yield listener
    await listener.close()


def come(listener: Listener, key: asyncssh.SSHKey | None = None, address: str = "127.0.0.1") -> Any:
    return asyncssh.connect(
        address,
        listener.port,
        config=None,
        username="ann",
        known_hosts=None,
        client_keys=[key] if key else None,
        client_factory=Guest,
        agent_path=None,
    )


async def test_a_session_waits_for_the_verdict_and_is_of_that_person(
    listener: Listener, keeper: Keeper, reception: FakeReception
) -> None:
    keeper.may_judge.clear()
    key = asyncssh.generate_private_key("ssh-ed25519")
    async with come(listener, key) as connection:
        # Once the client has this, the session has begun.
        process = await connection.create_process("games")
        assert (len(keeper.came), reception.visitors) == (1, [])
        keeper.may_judge.set()
        assert (await process.wait()).stdout == "told\n"
    (newcomer,), (visitor,) = keeper.came, reception.visitors
    assert newcomer.key == visitor.key == key.get_fingerprint()
    assert (newcomer.source, newcomer.user) == ("127.0.0.1", "ann")
    assert newcomer.client.startswith("SSH-2.0-AsyncSSH_")
    assert (visitor.person, visitor.guest) == ("SHA256:first", False)
    assert visitor.connection == newcomer.connection > 0
    await until(lambda: keeper.gone)
    assert keeper.gone == [newcomer.connection]


async def test_who_is_refused_reads_why_and_nothing_runs(
    listener: Listener, keeper: Keeper, reception: FakeReception, openssh: OpenSSH
) -> None:
    keeper.verdict = lambda newcomer: LoginResult(
        "SHA256:eve", LazyMessage("You are not let in until Monday.")
    )
    assert await openssh.run("games") == (1, "", "You are not let in until Monday.\n")
    screen = openssh.screen()
    assert await screen.exit_code() == 1
    assert "You are not let in until Monday." in screen.text()
    assert reception.visitors == []
    await until(lambda: len(keeper.gone) == 2)


async def test_who_is_refused_and_stays_is_sent_away(
    listener: Listener, keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_module, "REJECTION_DELAY", 0.05)
    keeper.verdict = lambda newcomer: LoginResult("", LazyMessage("No."))
    async with come(listener) as connection, asyncio.timeout(20):
        await connection.wait_closed()


async def test_where_nobody_can_judge_nobody_comes_in(
    listener: Listener, keeper: Keeper, openssh: OpenSSH, reception: FakeReception
) -> None:
    def broken(newcomer: LoginRequest) -> LoginResult:
        raise RuntimeError("boom")

    keeper.verdict = broken
    with capture_logs() as logs:
        assert await openssh.run("games") == (1, "", f"{LOGIN_FAILED}\n")
    assert reception.visitors == []
    assert [line["event"] for line in logs if line["log_level"] == "error"] == [
        "deciding about a login failed"
    ]


async def test_one_connection_is_ended_with_a_sentence_and_no_other(
    listener: Listener, keeper: Keeper, openssh: OpenSSH
) -> None:
    first, second = openssh.screen(name="ann"), openssh.screen(name="bob")
    await first.shows("face")
    await second.shows("face")
    (number,) = [newcomer.connection for newcomer in keeper.came if newcomer.user == "ann"]
    listener.dismiss(number, LazyMessage("The host sends you away."))
    assert await first.exit_code() == BROKEN_OFF
    assert "The host sends you away." in first.text()
    assert second.child.isalive()
    listener.dismiss(number, LazyMessage("Twice."))
    listener.dismiss(12345)


async def test_a_connection_without_a_session_and_one_that_is_no_player_are_ended_too(
    listener: Listener, keeper: Keeper
) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", listener.port)
    assert await reader.readline() == b"SSH-2.0-cartino\r\n"
    listener.dismiss(1, LazyMessage("Go."))
    async with asyncio.timeout(20):
        await reader.read()
    writer.close()
    async with come(listener) as connection, asyncio.timeout(20):
        await until(lambda: keeper.came)
        listener.dismiss(keeper.came[0].connection)
        await connection.wait_closed()


async def test_a_banned_source_is_told_so_before_anything_else(listener: Listener, banned: set[str]) -> None:
    banned.add("127.0.0.1")
    reader, writer = await asyncio.open_connection("127.0.0.1", listener.port)
    assert await reader.read() == disconnect_packet(AdmissionRefused("banned"))
    writer.close()
    banned.clear()
    async with come(listener) as connection:
        assert (await connection.run("games")).exit_status == 0


async def test_who_is_turned_away_reads_why_in_openssh_and_has_none_of_it_held_against_them(
    listener: Listener, banned: set[str], openssh: OpenSSH, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cartino_server.ssh.admission.MAX_LOGIN_WAIT", 0.1)
    banned.add("127.0.0.1")
    for _ in range(5):
        status, out, err = await openssh.run("games")
        assert (status, out) == (255, "")
        assert "The host of this server doesn't let your address in." in err
    banned.clear()
    # Two who read the question about the host key; another one is told to try again, however often.
    readers = [await asyncio.open_connection("127.0.0.1", listener.port) for _ in range(2)]
    for _ in range(5):
        status, _, err = await openssh.run("games")
        assert status == 255
        assert "Others are logging in from your address. Please try again in a moment." in err
    for reader, writer in readers:
        writer.close()
        await reader.read()
    assert (await openssh.run("games"))[0] == 0


async def left_alone(connection: asyncssh.SSHClientConnection, logs: list[Any]) -> None:
    """It is ended, and the log has why."""
    async with asyncio.timeout(20):
        await connection.wait_closed()
    assert "ended without a session" in [line["event"] for line in logs]


@pytest.mark.steady
async def test_a_connection_on_which_nothing_ever_runs_is_ended(
    listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_module, "IDLE_TIMEOUT", 0.05)
    with capture_logs() as logs:
        async with come(listener) as connection:
            await left_alone(connection, logs)
    assert listener.is_open


@pytest.mark.steady
async def test_a_channel_that_is_opened_and_not_used_is_no_session(
    listener: Listener, monkeypatch: pytest.MonkeyPatch, reception: FakeReception
) -> None:
    monkeypatch.setattr(connection_module, "IDLE_TIMEOUT", 0.2)
    with capture_logs() as logs:
        eve = await knock(listener.port)
        await eve.comes_in()
        await eve.session()
        await until(lambda: "ended without a session" in [line["event"] for line in logs])
        await until(lambda: eve.is_over)
    assert "opens a session" in [line["event"] for line in logs]
    assert reception.visitors == []


@pytest.mark.steady
async def test_while_something_runs_a_connection_stays_and_afterwards_for_a_while(
    listener: Listener, reception: FakeReception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_module, "IDLE_TIMEOUT", 0.2)
    with capture_logs() as logs:
        async with come(listener) as connection:
            process = await connection.create_process(term_type="xterm")
            await until(lambda: reception.faces)
            # As long as it takes for somebody who came later, and whom nothing keeps.
            async with come(listener) as other:
                await left_alone(other, logs)
            assert (await process.stdout.read(4)) == "face"
            reception.faces[0].over.set()
            await process.wait()
            assert (await connection.run("games")).exit_status == 0
            await left_alone(connection, logs)


@pytest.mark.steady
async def test_who_reads_slowly_has_as_long_as_they_go_on_reading_and_who_does_not_read_is_ended(
    listener: Listener, reception: FakeReception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_module, "IDLE_TIMEOUT", 0.3)
    reception.reply = Reply("x" * 1_000_000)
    with capture_logs() as logs:
        async with come(listener) as connection:
            # A window so small takes hundreds of ways there and back.
            process = await connection.create_process("games", window=4096, max_pktsize=4096)
            assert await process.stdout.read() == "x" * 1_000_000
            process = await connection.create_process("games", window=4096, max_pktsize=4096)
            await left_alone(connection, logs)


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="the system has no socket of both families")
async def test_every_address_is_also_those_of_the_older_kind_and_they_are_called_by_their_own_names(
    host_key: asyncssh.SSHKey, reception: FakeReception, keeper: Keeper, banned: set[str]
) -> None:
    admission = AdmissionControl(AdmissionLimits(), time.monotonic, banned.__contains__)
    listener = await listen(
        ListenerConfig("::", 0), host_key, reception, logins=LoginTracker(keeper, admission)
    )
    for address in ("127.0.0.1", "::1"):
        async with come(listener, address=address) as connection:
            assert (await connection.run("games")).exit_status == 0
    assert [newcomer.source for newcomer in keeper.came] == ["127.0.0.1", "::1"]
    banned.add("127.0.0.1")
    reader, writer = await asyncio.open_connection("127.0.0.1", listener.port)
    assert await reader.read() == disconnect_packet(AdmissionRefused("banned"))
    writer.close()
    await listener.close()


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="the system has no socket of both families")
async def test_every_address_of_the_older_kind_is_none_of_the_other(
    host_key: asyncssh.SSHKey, reception: FakeReception
) -> None:
    listener = await listen(ListenerConfig("0.0.0.0", 0), host_key, reception)
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("::1", listener.port)
    await listener.close()
