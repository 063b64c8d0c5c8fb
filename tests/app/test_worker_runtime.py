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


class FakeServer:
    """The server's ends, what the worker sends, and what it has done to its process."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.received: list[WorkerMessage] = []
        self.is_lost = False
        self.line: MessageStream[WorkerMessage] = MessageStream(
            decode_worker_message, self.received.append, self._lose
        )
        self.styles: list[str] = []
        self.tuned: list[None] = []
        patch.setattr(worker_runtime, "configure_logging", lambda style, **_: self.styles.append(style))
        patch.setattr(worker_runtime, "set_log_style", self.styles.append)
        patch.setattr(worker_runtime, "tune_garbage_collector", lambda: self.tuned.append(None))
        self._sockets = socket.socketpair()
        sender, self.its_descriptors = descriptor_sockets()
        self.sender = DescriptorSender(sender)
        self.runtime = WorkerRuntime(self.its_descriptors)

    async def open(self) -> None:
        loop = asyncio.get_running_loop()
        for line, end in zip((self.line, self.runtime.line), self._sockets, strict=True):
            await loop.create_unix_connection(lambda line=line: line, sock=end)  # type: ignore[misc]

    async def tells(self, *messages: ServerMessage) -> None:
        """Send the worker these; what it sends then has come when this returns."""
        before = len(self.received)
        self.line.send_all((*messages, Ping()))
        await until(lambda: Pong() in self.received[before:] or self.is_lost)

    async def hands_over(self, connection: int) -> socket.socket:
        """Hand over a connection; return the client's end."""
        near, far = socket.socketpair()
        await self.sender.give(near, connection, "192.0.2.1")
        near.close()
        far.setblocking(False)
        await until(lambda: self.runtime.visits is not None and self.runtime.visits.is_used)
        return far

    def close(self) -> None:
        self.line.close()
        self.runtime.line.close()
        self.sender.close()

    def ended(self) -> list[ConnectionEnded]:
        return [each for each in self.received if isinstance(each, ConnectionEnded)]

    def _lose(self) -> None:
        self.is_lost = True


@pytest.fixture
async def server(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FakeServer]:
    made = FakeServer(monkeypatch)
    await made.open()
    yield made
    made.close()
    await until(lambda: made.is_lost and made.runtime.over.done())
    await made.runtime.end(ShutDown(LazyMessage(""), 0))
    # It ends when nobody gives any more.
    await until(lambda: made.its_descriptors.fileno() < 0 or made.runtime.visits is None)
    made.its_descriptors.close()


KEY = asyncssh.generate_private_key("ssh-ed25519").export_private_key()
SETUP = WorkerSetup(3, KEY, Configure("json", "ssh there", SessionLimits()))


def configured(limits: SessionLimits, style: str = "text") -> Configure:
    return Configure(style, "ssh elsewhere", limits)


async def test_it_is_ready_once_it_is_set_up(server: FakeServer) -> None:
    await server.tells()
    assert server.received == [Pong()]
    await server.tells(SETUP)
    assert server.received == [Pong(), WorkerReady(), Pong()]
    assert (server.styles, len(server.tuned)) == (["json"], 1)
    await server.tells(configured(SessionLimits()), LinkLeftTable(7))
    assert server.styles == ["json", "text"]
    assert not server.runtime.over.done()
    assert not REGISTRY.on


@pytest.mark.parametrize(
    ("setups", "fields"),
    [
        ([SETUP, SETUP], {"why": "begun twice"}),
        ([msgspec.structs.replace(SETUP, key=b"none")], {"event": "this worker can't be set up"}),
    ],
)
async def test_a_setup_that_fails_ends_it(
    server: FakeServer, setups: list[WorkerSetup], fields: dict[str, str]
) -> None:
    with capture_logs() as logs:
        await server.tells(*setups)
        await until(server.runtime.over.done)
    assert server.runtime.over.result() == SERVER_GONE
    assert (WorkerReady() in server.received) == (len(setups) == 2)
    (error,) = [line for line in logs if line["log_level"] == "error"]
    assert fields.items() <= error.items()


async def test_it_speaks_ssh_and_reports_when_a_connection_has_ended(server: FakeServer) -> None:
    await server.tells(SETUP)
    client = await server.hands_over(5)
    async with asyncio.timeout(TIME_LIMIT):
        assert (await asyncio.get_running_loop().sock_recv(client, 8)).startswith(b"SSH-2.0-")
    assert not server.ended()
    with capture_logs():
        client.close()
        await until(server.ended)
    assert server.ended() == [ConnectionEnded(5, "lost")]


async def test_it_ends_as_the_server_says_or_by_itself(server: FakeServer) -> None:
    await server.tells(SETUP)
    client = await server.hands_over(5)
    await server.tells(ShutDown(LazyMessage("bye"), 0))
    await server.tells(ShutDown(LazyMessage("once more"), 1))
    assert server.runtime.over.result() == ShutDown(LazyMessage("bye"), 0)
    with capture_logs():
        await server.runtime.end(await server.runtime.over)
    assert not server.runtime.visits.is_used  # type: ignore[union-attr]
    client.close()


@pytest.mark.parametrize("is_set_up", [True, False])
async def test_without_its_server_it_ends_by_itself(server: FakeServer, is_set_up: bool) -> None:
    await server.tells(*[SETUP] * is_set_up)
    server.line.close()
    async with asyncio.timeout(TIME_LIMIT):
        assert await server.runtime.over == SERVER_GONE


async def test_it_reports_metrics_where_they_are_on(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reported(family: str) -> float:
        reports = [each for each in server.received if isinstance(each, MetricsReport)]
        return sum(each.value for report in reports for each in report.readings if each.family == family)

    monkeypatch.setattr(worker_runtime, "REPORT_SECONDS", 0.01)
    with metered():
        await server.tells(msgspec.structs.replace(SETUP, metered=True))
        REFUSALS.add("busy")
        await until(lambda: reported("cartino_refusals_total") == 1)
        await server.runtime.end(ShutDown(LazyMessage(""), 0))
        assert reported("cartino_resident_memory_bytes") > 1_000_000


async def test_other_limits_apply_to_newcomers_and_one_connection_can_be_ended(server: FakeServer) -> None:
    patient = SessionLimits(handshake_grace=3600, login_grace=3600)
    await server.tells(msgspec.structs.replace(SETUP, configuration=configured(patient)))
    clients = [await server.hands_over(5)]
    await server.tells(Disconnect(4, LazyMessage("Go.")))
    assert not server.ended()
    with capture_logs():
        await server.tells(Disconnect(5, LazyMessage("Go.")))
        await until(server.ended)
    await server.tells(configured(SessionLimits(login_grace=0.05)))
    with capture_logs():
        clients.append(await server.hands_over(6))
        await until(lambda: len(server.ended()) == 2)
    assert server.ended()[1] == ConnectionEnded(6, "grace")
    for client in clients:
        client.close()
