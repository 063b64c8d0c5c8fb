"""A worker's life in the test's own process, with the test as its server at the other ends."""

import asyncio
import socket
from collections.abc import AsyncIterator

import asyncssh
import msgspec
import pytest
from structlog.testing import capture_logs

from cartino_protocol.text import LazyMessage
from cartino_server.app import worker_runtime
from cartino_server.app.worker_runtime import SERVER_GONE, WorkerRuntime
from cartino_server.limits import SessionLimits
from cartino_server.metrics.definitions import REFUSALS, REGISTRY
from cartino_server.metrics.registry import Sample
from cartino_server.workers.descriptor_passing import DescriptorSender, descriptor_sockets
from cartino_server.workers.messages import (
    Configure,
    ConnectionEnded,
    Disconnect,
    LinkLeftTable,
    MessageStream,
    MetricsReport,
    Ping,
    Pong,
    ServerMessage,
    ShutDown,
    WorkerMessage,
    WorkerReady,
    WorkerSetup,
    decode_worker_message,
)
from tests.support.crossing import until
from tests.support.metered import metered

TIME_LIMIT = 20


class SshServer:
    """The server's ends, what the worker says, and what it has done to its process."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.said: list[WorkerMessage] = []
        self.lost = False
        self.line: MessageStream[WorkerMessage] = MessageStream(
            decode_worker_message, self.said.append, self._lose
        )
        self.styles: list[str] = []
        self.calmed = 0
        patch.setattr(worker_runtime, "configure_logging", lambda style, **_: self.styles.append(style))
        patch.setattr(worker_runtime, "set_log_style", self.styles.append)
        patch.setattr(worker_runtime, "tune_garbage_collector", self._calm)
        (self._line, self._its_line), (hands, self._its_hands) = socket.socketpair(), descriptor_sockets()
        self.giving = DescriptorSender(hands)
        self.life = WorkerRuntime(self._its_hands)

    async def open(self) -> None:
        loop = asyncio.get_running_loop()
        await loop.create_unix_connection(lambda: self.line, sock=self._line)
        await loop.create_unix_connection(lambda: self.life.line, sock=self._its_line)

    async def tells(self, *messages: ServerMessage) -> None:
        """Tell the worker these; what it says then has come when this returns."""
        before = len(self.said)
        self.line.send_all((*messages, Ping()))
        await until(lambda: Pong() in self.said[before:] or self.lost)

    def close(self) -> None:
        self.line.close()
        self.life.line.close()
        self.giving.close()

    def _lose(self) -> None:
        self.lost = True

    def _calm(self) -> None:
        self.calmed += 1


@pytest.fixture
async def server(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SshServer]:
    made = SshServer(monkeypatch)
    await made.open()
    yield made
    made.close()
    await until(lambda: made.lost and made.life.over.done())
    await made.life.end(ShutDown(LazyMessage(""), 0))
    # It ends when nobody gives any more.
    await until(lambda: made._its_hands.fileno() < 0 or made.life.visits is None)
    made._its_hands.close()


@pytest.fixture(scope="module")
def begin() -> WorkerSetup:
    return WorkerSetup(
        3,
        asyncssh.generate_private_key("ssh-ed25519").export_private_key(),
        Configure("json", "ssh there", SessionLimits()),
    )


def gone(server: SshServer) -> list[WorkerMessage]:
    return [said for said in server.said if isinstance(said, ConnectionEnded)]


async def test_it_is_ready_when_it_was_told_what_it_is(server: SshServer, begin: WorkerSetup) -> None:
    await server.tells()
    assert server.said == [Pong()]
    await server.tells(begin)
    assert server.said == [Pong(), WorkerReady(), Pong()]
    assert (server.styles, server.calmed) == (["json"], 1)
    await server.tells(Configure("text", "ssh elsewhere", SessionLimits()), LinkLeftTable(7))
    assert server.styles == ["json", "text"]
    assert not server.life.over.done()


async def test_told_twice_what_it_is_it_gives_up_its_server(server: SshServer, begin: WorkerSetup) -> None:
    with capture_logs() as logs:
        await server.tells(begin, begin)
        await until(server.life.over.done)
    assert server.life.over.result() == SERVER_GONE
    assert [line["why"] for line in logs if line["log_level"] == "error"] == ["begun twice"]


async def test_a_worker_that_cannot_be_set_up_ends(server: SshServer, begin: WorkerSetup) -> None:
    with capture_logs() as logs:
        await server.tells(msgspec.structs.replace(begin, key=b"none"))
        await until(server.life.over.done)
    assert WorkerReady() not in server.said
    assert [line["event"] for line in logs if line["log_level"] == "error"] == ["this worker can't be set up"]


async def test_it_speaks_ssh_with_whoever_is_handed_over_and_tells_when_they_have_left(
    server: SshServer, begin: WorkerSetup
) -> None:
    await server.tells(begin)
    near, far = socket.socketpair()
    await server.giving.give(near, 5, "192.0.2.1")
    near.close()
    far.setblocking(False)
    async with asyncio.timeout(TIME_LIMIT):
        assert (await asyncio.get_running_loop().sock_recv(far, 8)).startswith(b"SSH-2.0-")
    assert server.life.visits is not None
    assert server.life.visits.is_used
    assert not gone(server)
    with capture_logs():
        far.close()
        await until(lambda: gone(server))
    assert gone(server) == [ConnectionEnded(5, "lost")]
    assert not server.life.visits.is_used


async def test_its_end_is_as_the_server_says(server: SshServer, begin: WorkerSetup) -> None:
    await server.tells(begin)
    near, far = socket.socketpair()
    await server.giving.give(near, 5, "192.0.2.1")
    near.close()
    await until(lambda: server.life.visits is not None and server.life.visits.is_used)
    await server.tells(ShutDown(LazyMessage("bye"), 0))
    await server.tells(ShutDown(LazyMessage("once more"), 1))
    assert server.life.over.result() == ShutDown(LazyMessage("bye"), 0)
    with capture_logs():
        await server.life.end(await server.life.over)
    assert not server.life.visits.is_used  # type: ignore[union-attr]
    far.close()


async def test_one_that_never_began_can_end(server: SshServer) -> None:
    await server.tells(ShutDown(LazyMessage("bye"), 5))
    async with asyncio.timeout(TIME_LIMIT):
        await server.life.end(await server.life.over)


async def test_without_its_server_it_ends_by_itself(server: SshServer, begin: WorkerSetup) -> None:
    await server.tells(begin)
    server.line.close()
    async with asyncio.timeout(TIME_LIMIT):
        assert await server.life.over == SERVER_GONE


async def test_where_somebody_watches_it_says_what_it_counts(
    server: SshServer, begin: WorkerSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_runtime, "REPORT_SECONDS", 0.01)
    with metered():
        await server.tells(msgspec.structs.replace(begin, metered=True))
        REFUSALS.add("busy")
        await until(lambda: refused(server) == 1)
        await server.life.end(ShutDown(LazyMessage(""), 0))
        assert memory(server) > 1_000_000


def refused(server: SshServer) -> float:
    return sum(each.value for each in readings(server) if each.family == "cartino_refusals_total")


def memory(server: SshServer) -> float:
    return max(each.value for each in readings(server) if each.family == "cartino_resident_memory_bytes")


def readings(server: SshServer) -> list[Sample]:
    return [each for said in server.said if isinstance(said, MetricsReport) for each in said.readings]


async def test_where_nobody_watches_it_counts_nothing(server: SshServer, begin: WorkerSetup) -> None:
    await server.tells(begin)
    assert not REGISTRY.on


async def test_other_limits_hold_for_who_comes_next_and_one_may_be_sent_away(
    server: SshServer, begin: WorkerSetup
) -> None:
    configuration = Configure("text", "", SessionLimits(handshake_grace=3600, login_grace=3600))
    await server.tells(msgspec.structs.replace(begin, configuration=configuration))
    near, far = socket.socketpair()
    await server.giving.give(near, 5, "192.0.2.1")
    near.close()
    visits = server.life.visits
    assert visits is not None
    await until(lambda: visits.is_used)
    await server.tells(Disconnect(4, LazyMessage("Go.")))
    assert visits.is_used
    with capture_logs():
        await server.tells(Disconnect(5, LazyMessage("Go.")))
        await until(lambda: gone(server))
    far.close()
    await server.tells(Configure("text", "", SessionLimits(login_grace=0.05)))
    near, far = socket.socketpair()
    await server.giving.give(near, 6, "192.0.2.1")
    near.close()
    with capture_logs():
        await until(lambda: len(gone(server)) == 2)
    assert gone(server)[1] == ConnectionEnded(6, "grace")
    far.close()
