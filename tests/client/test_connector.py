"""Calls to a real door: who is asked about what, what is refused, and one sentence for all that goes wrong."""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import asyncssh
import pytest

from cartino_protocol.commands import Hello
from cartino_protocol.views import Welcome
from cartino_protocol.wire import VERSION
from cartino_server.client import connector, known_hosts
from cartino_server.client.connection import (
    ConnectFailed,
    ConnectRefused,
    UnknownHostKey,
)
from cartino_server.client.connector import Connector
from cartino_server.client.ssh_config import ServerAddress, SshConfig, read_ssh_config
from cartino_server.server import Server
from cartino_server.ssh.admission import AdmissionRefused
from cartino_server.ssh.rejection import MESSAGES, Rejector
from tests.support.crossing import until
from tests.support.far_server import FarServer, Talker, caller_of, far_server, greeted
from tests.support.game_server import World, new_server


@pytest.fixture
async def far() -> AsyncIterator[FarServer]:
    async with far_server(new_server(World())) as far:
        yield far


def with_settings(far: FarServer, known: Path, **more: Any) -> SshConfig:
    here = ("127.0.0.1", far.port)
    return SshConfig("ann", *here, *here, (known,), (known,), (), **more)


async def failure(calling: Connector, kind: type[ConnectFailed] = ConnectFailed, **how: bool) -> str:
    """The one sentence with which the call fails, by an error of that kind and no narrower one."""
    with pytest.raises(kind) as error:
        await calling.call(**how)
    assert type(error.value) is kind
    said = str(error.value)
    assert said.endswith((".", "?"))
    assert said.isprintable()
    return said


async def test_with_a_key_one_is_the_same_person_each_time_without_it_a_guest(
    far: FarServer, tmp_path: Path
) -> None:
    for guest in (False, True):
        talker = Talker(await caller_of(far, tmp_path / "ann", guest=guest).call())
        talker.say(Hello(VERSION))
        welcome = await talker.wait(Welcome)
        assert (welcome.name, welcome.guest) == ("~ann" if guest else "ann", guest)
        talker.call.close()
    away = caller_of(far, tmp_path / "eve", guest=True)
    assert "neither with a key" in await failure(away, as_guest=False)
    (await caller_of(far, tmp_path / "ann").call(as_guest=False)).close()


async def test_an_unknown_key_is_asked_about_and_written_down_when_it_has_proved_right(
    far: FarServer, tmp_path: Path
) -> None:
    (tmp_path / "ann").mkdir()
    calling = caller_of(far, tmp_path / "ann", known=False)
    assert "wasn't confirmed" in await failure(calling, UnknownHostKey)
    with pytest.raises(UnknownHostKey) as unknown:
        await calling.call()
    assert unknown.value.fingerprint == far.key.get_fingerprint()
    assert (unknown.value.kind, unknown.value.name) == ("ED25519", f"[127.0.0.1]:{far.port}")
    calling.trust()
    (await calling.call()).close()
    assert not (tmp_path / "ann" / "known_hosts").exists()
    calling.save_host_key()
    (await caller_of(far, tmp_path / "ann", known=False).call()).close()


@pytest.mark.parametrize("revoked", [False, True])
async def test_a_key_that_has_changed_or_is_revoked_is_refused_with_the_line(
    far: FarServer, tmp_path: Path, revoked: bool
) -> None:
    place = tmp_path / "ann"
    place.mkdir()
    key = far.key if revoked else asyncssh.generate_private_key("ssh-ed25519")
    line = f"[127.0.0.1]:{far.port} {key.export_public_key().decode()}"
    (place / "known_hosts").write_text(f"# mine\n{'@revoked ' if revoked else ''}{line}")
    said = await failure(caller_of(far, place, known=False), ConnectRefused)
    assert f"{place / 'known_hosts'}:2" in said
    assert ("is revoked" if revoked else "has changed") in said


async def test_a_known_key_that_a_file_revokes_is_refused(far: FarServer, tmp_path: Path) -> None:
    known, revoked = tmp_path / "known_hosts", tmp_path / "revoked"
    known_hosts.add_known_host(known, "127.0.0.1", far.port, far.key.convert_to_public())
    far.key.write_public_key(revoked)
    calling = Connector(with_settings(far, known, revoked=revoked), lambda _: "")
    said = await failure(calling, ConnectRefused)
    assert "is revoked" in said
    assert f"{revoked}:1" in said


async def test_where_no_new_hosts_are_allowed_nobody_is_asked(far: FarServer, tmp_path: Path) -> None:
    settings = with_settings(far, tmp_path / "known_hosts", new_host_keys="refuse")
    assert "StrictHostKeyChecking" in await failure(Connector(settings, lambda _: ""), ConnectRefused)


async def test_another_key_at_a_later_call_is_refused_even_one_that_is_known(
    far: FarServer, tmp_path: Path
) -> None:
    calling = caller_of(far, tmp_path / "ann")
    (await calling.call()).close()
    await far.shut()
    assert "can't be reached" in await failure(calling)
    far.key = asyncssh.generate_private_key("ssh-ed25519")
    await far.open()
    said = await failure(calling, ConnectRefused)
    assert "differs from the one at the start of this visit" in said


async def test_no_such_host() -> None:
    settings = SshConfig("ann", "no-such-host.invalid", 22, "no-such-host.invalid", 22, (), (), ())
    said = await failure(Connector(settings, lambda _: ""))
    assert "There is no host no-such-host.invalid" in said


@asynccontextmanager
async def a_server(answer: bytes | None) -> AsyncIterator[Connector]:
    """A caller of something that listens, and says `answer` and no more; None: and nothing at all."""

    served: list[asyncio.Task[None]] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if answer is None:
            await reader.read()
        else:
            writer.write(answer)
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        served.append(asyncio.create_task(serve(reader, writer)))

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    try:
        yield caller_to(server.sockets[0].getsockname()[1])
    finally:
        server.close()
        await asyncio.gather(*served)


def caller_to(port: int) -> Connector:
    return Connector(SshConfig("ann", "127.0.0.1", port, "h", port, (), (), ()), lambda _: "")


@pytest.mark.parametrize("answer", [b"HTTP/1.0 400 Bad Request\r\n\r\n", b"", b"SSH-2.0-x\r\n\x1b[2J\xff"])
async def test_what_is_no_ssh_server(answer: bytes) -> None:
    async with a_server(answer) as calling:
        assert "127.0.0.1 closed the connection" in await failure(calling)


async def test_somebody_who_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connector, "LOGIN_SECONDS", 0.05)
    async with a_server(None) as calling:
        said = await failure(calling)
        assert "doesn't answer" in said or "closed the connection" in said


async def test_who_is_turned_away_reads_why() -> None:
    away = Rejector()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        loop = asyncio.get_running_loop()
        listening.setblocking(False)

        async def refuse_stranger() -> None:
            client, _ = await loop.sock_accept(listening)
            away.reject(client, AdmissionRefused("logging-in"))

        turning = asyncio.create_task(refuse_stranger())
        said = await failure(caller_to(port))
        await turning
    away.close()
    assert said.endswith(f"at port {port}: {MESSAGES['logging-in']}")


class AnyServer(asyncssh.SSHServer):
    """Lets everybody in."""

    def begin_auth(self, username: str) -> bool:
        return False


async def test_an_ssh_server_that_is_no_cartino_server(tmp_path: Path) -> None:
    other = FarServer(Server({}, {}))
    ssh = await asyncssh.listen(
        "127.0.0.1", 0, server_host_keys=[other.key], server_factory=AnyServer, config=None
    )
    other.port = ssh.get_port()
    assert "There is no Cartino server" in await failure(caller_of(other, tmp_path / "ann"))
    ssh.close()
    await ssh.wait_closed()
    await other.game_server.close()


class JumpServer(AnyServer):
    """Carries whoever asks to wherever they ask."""

    def connection_requested(self, dest_host: str, dest_port: int, orig_host: str, orig_port: int) -> bool:
        return True


def no_program_runs() -> bool:
    """Return whether the programs that carry connections have ended and were waited for."""
    return all(task.get_name() != "proxy" for task in asyncio.all_tasks())


@pytest.mark.parametrize("known", [True, False])
async def test_an_alias_that_leads_over_another_host(far: FarServer, home: Path, known: bool) -> None:
    key = asyncssh.generate_private_key("ssh-ed25519")
    jump = await asyncssh.listen(
        "127.0.0.1", 0, server_host_keys=[key], server_factory=JumpServer, config=None
    )
    (home / ".ssh").mkdir()
    # The host on the way is an alias, too, and has settings of its own.
    (home / ".ssh" / "config").write_text(
        f"Host games\n HostName 127.0.0.1\n Port {far.port}\n ProxyJump ann@gate\n"
        f"Host gate\n HostName 127.0.0.1\n Port {jump.get_port()}\n BatchMode yes\n"
    )
    file = home / ".ssh" / "known_hosts"
    known_hosts.add_known_host(file, "127.0.0.1", far.port, far.key.convert_to_public())
    if known:
        known_hosts.add_known_host(file, "127.0.0.1", jump.get_port(), key.convert_to_public())
    calling = Connector(await asyncio.to_thread(read_ssh_config, ServerAddress("games"), {}), lambda _: "")
    if known:
        talker = await greeted(calling)
        talker.call.close()
        await talker.end()
    else:
        said = await failure(calling)
        assert "can't be reached through ssh: " in said
        assert "Host key verification failed" in said
    await until(no_program_runs)
    jump.close()
    await jump.wait_closed()


CARRIER = """\
import os, socket, sys, threading
open(sys.argv[3], "w").write(str(os.getpid()))
there = socket.create_connection((sys.argv[1], int(sys.argv[2])))
def back():
    while data := there.recv(65536):
        os.write(1, data)
threading.Thread(target=back, daemon=True).start()
while data := os.read(0, 65536):
    there.sendall(data)
threading.Event().wait()
"""


async def test_a_program_carries_the_connection_and_ends_with_it(far: FarServer, home: Path) -> None:
    (home / ".ssh").mkdir()
    (home / "carry.py").write_text(CARRIER)
    (home / ".ssh" / "config").write_text(
        f"Host games\n HostName 127.0.0.1\n Port {far.port}\n"
        f" ProxyCommand {sys.executable} {home}/carry.py %h %p {home}/pid\n"
    )
    file = home / ".ssh" / "known_hosts"
    known_hosts.add_known_host(file, "127.0.0.1", far.port, far.key.convert_to_public())
    settings = await asyncio.to_thread(read_ssh_config, ServerAddress("games", "ann"), {"SHELL": "/bin/sh"})
    calling = Connector(settings, lambda _: "")
    talker = await greeted(calling)
    pid = int((home / "pid").read_text())
    talker.call.close()
    await until(lambda: not Path(f"/proc/{pid}").exists())
    await until(no_program_runs)
