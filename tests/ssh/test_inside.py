"""These fail when asyncssh changes what we know of its inside."""

import inspect

from asyncssh import SSHServerChannel, SSHServerConnection

from cartino_server.ssh import inside
from tests.ssh.conftest import Connect, FakeReception, until


def test_the_private_names_are_still_there() -> None:
    assert list(inspect.signature(SSHServerChannel._process_env_request).parameters) == ["self", "packet"]
    assert list(inspect.signature(SSHServerChannel._process_exec_request).parameters) == ["self", "packet"]
    assert list(inspect.signature(SSHServerChannel._start_session).parameters) == [
        "self",
        "command",
        "subsystem",
    ]
    assert "_transport" in inspect.getsource(SSHServerConnection._send)
    # Were these to do something of their own one day, `watch_writing` would take that away.
    for name in ("pause_writing", "resume_writing"):
        assert "Do nothing" in inspect.getsource(getattr(SSHServerConnection, name))


async def test_a_connection_tells_what_waits_for_the_network(
    connect: Connect, reception: FakeReception
) -> None:
    connection = await connect(rekey_bytes=1 << 30)
    process = await connection.create_process(
        term_type="xterm", term_size=(80, 24), encoding=None, window=1 << 30
    )
    assert await process.stdout.readline() == b"face\r\n"
    server = reception.terminals[0]._connection  # type: ignore[attr-defined]
    assert inside.backlog(server) == 0
    [face] = reception.faces
    # The loop has no turn here, so nobody reads: the socket fills, then the transport.
    for _ in range(700):
        face.terminal.write(b"x" * 10_000)
        if "stall" in face.told:
            break
    assert "stall" in face.told
    assert inside.backlog(server) > 0
    connection.abort()
    await connection.wait_closed()
    await until(lambda: inside.backlog(server) == 0)
