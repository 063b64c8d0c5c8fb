"""How connections end before anybody has logged in, as the gate hears of it: what is an offence, and what is none."""

import socket
import struct
from collections.abc import AsyncIterator

import asyncssh
import pytest
from asyncssh.constants import DISC_BY_APPLICATION, MSG_DISCONNECT, MSG_USERAUTH_FAILURE
from asyncssh.packet import String, UInt32

from cartino_server.ssh.admission import Admitted
from cartino_server.ssh.authentication import LoginTracker
from cartino_server.ssh.listener import Listener, ListenerConfig
from cartino_server.visitors import Ending
from tests.ssh.conftest import FakeReception, OpenSSH, until
from tests.support.open_gate import AllowEveryone, listen
from tests.support.raw_client import knock
from tests.support.recording_admission import RecordingAdmission


@pytest.fixture
def admission() -> RecordingAdmission:
    return RecordingAdmission()


@pytest.fixture
async def listener(
    host_key: asyncssh.SSHKey, reception: FakeReception, admission: RecordingAdmission
) -> AsyncIterator[Listener]:
    listener = await listen(
        ListenerConfig(port=0), host_key, reception, logins=LoginTracker(AllowEveryone(), admission)
    )
    yield listener
    await listener.close()


async def test_a_line_that_breaks_while_somebody_logs_in_is_no_offence(
    listener: Listener, admission: RecordingAdmission
) -> None:
    """Every program tries `none` at once; three such, as in a tunnel of a train, kept a household out."""
    for number in range(3):
        client = await knock(listener.port)
        client.tries(b"ann", b"none")
        await client.hears(MSG_USERAUTH_FAILURE)
        client.close()
        assert client.connecting is not None
        await client.connecting
        await until(lambda number=number: len(admission.endings) > number)  # type: ignore[misc]
    assert admission.endings == ["lost"] * 3
    assert isinstance(admission.request("127.0.0.1"), Admitted)


async def test_who_tries_and_says_that_they_go_is_known(
    listener: Listener, admission: RecordingAdmission
) -> None:
    client = await knock(listener.port)
    client.tries(b"ann", b"none")
    await client.hears(MSG_USERAUTH_FAILURE)
    client.send(MSG_DISCONNECT, UInt32(DISC_BY_APPLICATION), String(b"next"), String(b""))
    assert client.connecting is not None
    await client.connecting
    await until(lambda: admission.endings)
    assert admission.endings == ["auth"]


async def test_who_does_not_trust_the_host_key_yet_may_look_and_come_again(
    listener: Listener, admission: RecordingAdmission
) -> None:
    for _ in range(3):
        with pytest.raises(asyncssh.HostKeyNotVerifiable):
            await asyncssh.connect(
                "127.0.0.1", listener.port, config=None, known_hosts=([], [], []), agent_path=None
            )
    await until(lambda: len(admission.endings) == 3)
    assert set(admission.endings) <= {"done", "lost"}
    assert isinstance(admission.request("127.0.0.1"), Admitted)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (b"", "lost"),
        (b"SSH-2.0-check_ssh_1.5\r\n", "lost"),
        (b"GET / HTTP/1.0\r\n\r\n", "protocol"),
        (b"SSH-2.0-caf\xe9\r\n", "protocol"),
    ],
)
@pytest.mark.parametrize("resets", [True, False])
async def test_who_only_looks_whether_somebody_is_there(
    listener: Listener, admission: RecordingAdmission, said: bytes, why: Ending, resets: bool
) -> None:
    with socket.create_connection(("127.0.0.1", listener.port)) as probe:
        probe.setblocking(False)
        probe.send(said)
        if said and why == "protocol":
            await until(lambda: admission.endings)
        if resets:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    await until(lambda: admission.endings)
    assert admission.endings == [why]


@pytest.mark.parametrize("kind", [[], ["-t", "rsa"], ["-t", "ed25519"]])
async def test_who_collects_host_keys_gets_them_and_may_come_again(
    listener: Listener, admission: RecordingAdmission, openssh: OpenSSH, kind: list[str]
) -> None:
    for _ in range(2):
        await openssh.program("ssh-keyscan", *kind, "-p", str(listener.port), "127.0.0.1")
        await until(lambda: not admission.connections)
    assert set(admission.endings) <= {"lost", "mismatch", "done"}
    assert (await openssh.run("games"))[:2] == (0, "told\n")
