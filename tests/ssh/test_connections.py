"""The connections of a process, without a listener, and the options of each."""

import asyncio
import socket

import asyncssh
import pytest

from cartino_protocol.text import LazyMessage
from cartino_server.limits import SessionLimits
from cartino_server.ssh import connections
from cartino_server.ssh.authentication import SIGNATURE_ALGORITHMS
from cartino_server.ssh.connections import ConnectionManager, server_options
from cartino_server.ssh.listener import Listener
from cartino_server.ssh.negotiation import CIPHERS, KEX, MACS
from tests.ssh.conftest import Connect, FakeReception, until
from tests.support.open_gate import AllowEveryone


async def test_a_connection_from_elsewhere_is_a_visit_until_it_ends(
    host_key: asyncssh.SSHKey, reception: FakeReception
) -> None:
    left: list[tuple[int, str, bool]] = []
    visits = ConnectionManager(
        host_key,
        reception,
        SessionLimits,
        judge=AllowEveryone().judge,
        left=lambda number, why: left.append((number, why, visits.is_used)),
    )
    before = visits.is_used
    near, far = socket.socketpair()
    far.setblocking(False)
    near.setblocking(False)
    await visits.admit(near, 7, "192.0.2.1")
    assert (before, visits.is_used) == (False, True)
    reader, writer = await asyncio.open_connection(sock=far)
    assert await reader.readline() == b"SSH-2.0-cartino\r\n"
    writer.close()
    await until(lambda: left)
    assert left == [(7, "lost", False)]
    await visits.close(LazyMessage("bye"), 1)


@pytest.mark.parametrize("alone", [False, True])
async def test_who_has_not_come_in_is_closed_at_once(
    host_key: asyncssh.SSHKey, reception: FakeReception, monkeypatch: pytest.MonkeyPatch, alone: bool
) -> None:
    visits = ConnectionManager(
        host_key, reception, SessionLimits, judge=AllowEveryone().judge, left=lambda _, __: None
    )
    near, far = socket.socketpair()
    far.setblocking(False)
    near.setblocking(False)
    visits.begin(near, 7, "192.0.2.1")
    reader, writer = await asyncio.open_connection(sock=far)
    assert await reader.readline() == b"SSH-2.0-cartino\r\n"
    if alone:
        monkeypatch.setattr(connections, "CLOSE_TIMEOUT", 3600)
        visits.dismiss(7, LazyMessage("bye"))
        await until(lambda: not visits.is_used)
    await visits.close(LazyMessage("bye"))
    assert not visits.is_used
    writer.close()


def test_what_strangers_may_ask_for_is_little(host_key: asyncssh.SSHKey) -> None:
    options = server_options(host_key, asyncssh.SSHServer, 15, 20)
    off = ("agent_forwarding", "x11_forwarding", "allow_scp", "line_editor", "rdns_lookup")
    methods = ("password_auth", "host_based_auth", "gss_auth", "gss_kex")
    assert [name for name in (*off, *methods) if getattr(options, name)] == []
    assert options.sftp_factory is None
    assert {name.decode() for name in options.kex_algs} <= set(KEX)
    assert {name.decode() for name in options.encryption_algs} <= set(CIPHERS)
    assert {name.decode() for name in options.mac_algs} <= set(MACS)
    assert options.compression_algs == [b"none"]
    assert list(options.server_host_keys) == [b"ssh-ed25519"]
    assert (options.login_timeout, options.keepalive_interval, options.keepalive_count_max) == (20, 15, 2)
    assert (options.rekey_bytes, options.rekey_seconds) == (1 << 30, 3600)


def test_nothing_is_signed_with_sha_1(host_key: asyncssh.SSHKey) -> None:
    options = server_options(host_key, asyncssh.SSHServer, 15, 20)
    assert [name.decode() for name in options.signature_algs] == list(SIGNATURE_ALGORITHMS)
    assert not {"ssh-rsa", "ssh-dss"} & set(SIGNATURE_ALGORITHMS)


async def test_an_old_cipher_is_refused(listener: Listener, connect: Connect) -> None:
    with pytest.raises(asyncssh.KeyExchangeFailed, match="encryption"):
        async with connect(encryption_algs=["aes128-cbc"]):
            pass
