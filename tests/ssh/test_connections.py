"""The connection manager without a listener."""

import asyncio
import socket

import asyncssh
import pytest

from cartino_protocol.text import LazyMessage
from cartino_server.limits import SessionLimits
from cartino_server.ssh import connections
from cartino_server.ssh.connections import ConnectionManager
from tests.ssh.conftest import FakeReception, until
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
