"""A worker's life in the test's own process, with the test as its house at the other ends."""

import asyncio
import socket
from collections.abc import AsyncIterator

import asyncssh
import msgspec
import pytest
from structlog.testing import capture_logs

from cartino_protocol.text import LazyMessage
from cartino_server.app import worker_runtime
from cartino_server.app.worker_backend import encode_limits
from cartino_server.app.worker_runtime import SERVER_GONE, WorkerRuntime
from cartino_server.limits import SessionLimits
from cartino_server.metrics.definitions import REFUSALS, REGISTRY
from cartino_server.metrics.registry import Sample
from cartino_server.workers.descriptor_passing import DescriptorSender
from cartino_server.workers.messages import (
    ConnectCommand,
    ConnectionEnded,
    Disconnect,
    LimitsChanged,
    LinkLeftTable,
    LogStyleChanged,
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

PATIENCE = 20


class House:
    """The house's ends, what the worker says, and what it has done to its process."""

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
        (self._line, self._its_line), (hands, self._its_hands) = socket.socketpair(), socket.socketpair()
        self.giving = DescriptorSender(hands)
        self.life = WorkerRuntime(self._its_hands)

    async def open(self) -> None:
        loop = asyncio.get_running_loop()
        await loop.create_unix_connection(lambda: self.line, sock=self._line)
        await loop.create_unix_connection(lambda: self.life.line, sock=self._its_line)

    async def tells(self, *messages: ServerMessage) -> None:
        """Tell the worker these; what it says then has come when this returns."""
        before = len(self.said)
        self.line.say_all((*messages, Ping()))
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
async def house(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[House]:
    made = House(monkeypatch)
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
        "json",
        "ssh there",
        encode_limits(SessionLimits()),
    )


def gone(house: House) -> list[WorkerMessage]:
    return [said for said in house.said if isinstance(said, ConnectionEnded)]


async def test_it_is_ready_when_it_was_told_what_it_is(house: House, begin: WorkerSetup) -> None:
    await house.tells()
    assert house.said == [Pong()]
    await house.tells(begin)
    assert house.said == [Pong(), WorkerReady(), Pong()]
    assert (house.styles, house.calmed) == (["json"], 1)
    await house.tells(LogStyleChanged("text"), ConnectCommand("ssh elsewhere"), LinkLeftTable(7))
    assert house.styles == ["json", "text"]
    assert not house.life.over.done()


async def test_told_twice_what_it_is_it_gives_up_its_house(house: House, begin: WorkerSetup) -> None:
    with capture_logs() as logs:
        await house.tells(begin, begin)
        await until(house.life.over.done)
    assert house.life.over.result() == SERVER_GONE
    assert [line["why"] for line in logs if line["log_level"] == "error"] == ["begun twice"]


async def test_it_speaks_ssh_with_whoever_is_handed_over_and_tells_when_they_have_left(
    house: House, begin: WorkerSetup
) -> None:
    await house.tells(begin)
    near, far = socket.socketpair()
    await house.giving.give(near, 5, "192.0.2.1")
    near.close()
    far.setblocking(False)
    async with asyncio.timeout(PATIENCE):
        assert (await asyncio.get_running_loop().sock_recv(far, 8)).startswith(b"SSH-2.0-")
    assert house.life.visits is not None
    assert house.life.visits.is_used
    assert not gone(house)
    with capture_logs():
        far.close()
        await until(lambda: gone(house))
    assert gone(house) == [ConnectionEnded(5, "lost")]
    assert not house.life.visits.is_used


async def test_its_end_is_as_the_house_says(house: House, begin: WorkerSetup) -> None:
    await house.tells(begin)
    near, far = socket.socketpair()
    await house.giving.give(near, 5, "192.0.2.1")
    near.close()
    await until(lambda: house.life.visits is not None and house.life.visits.is_used)
    await house.tells(ShutDown(LazyMessage("bye"), 0))
    await house.tells(ShutDown(LazyMessage("once more"), 1))
    assert house.life.over.result() == ShutDown(LazyMessage("bye"), 0)
    with capture_logs():
        await house.life.end(await house.life.over)
    assert not house.life.visits.is_used  # type: ignore[union-attr]
    far.close()


async def test_one_that_never_began_can_end(house: House) -> None:
    await house.tells(ShutDown(LazyMessage("bye"), 5))
    async with asyncio.timeout(PATIENCE):
        await house.life.end(await house.life.over)


async def test_without_its_house_it_ends_by_itself(house: House, begin: WorkerSetup) -> None:
    await house.tells(begin)
    house.line.close()
    async with asyncio.timeout(PATIENCE):
        assert await house.life.over == SERVER_GONE


async def test_where_somebody_watches_it_says_what_it_counts(
    house: House, begin: WorkerSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_runtime, "REPORT_SECONDS", 0.01)
    with metered():
        await house.tells(msgspec.structs.replace(begin, metered=True))
        REFUSALS.add("busy")
        await until(lambda: refused(house) == 1)
        await house.life.end(ShutDown(LazyMessage(""), 0))
        assert memory(house) > 1_000_000


def refused(house: House) -> float:
    return sum(each.value for each in readings(house) if each.family == "cartino_refusals_total")


def memory(house: House) -> float:
    return max(each.value for each in readings(house) if each.family == "cartino_resident_memory_bytes")


def readings(house: House) -> list[Sample]:
    return [each for said in house.said if isinstance(said, MetricsReport) for each in said.readings]


async def test_where_nobody_watches_it_counts_nothing(house: House, begin: WorkerSetup) -> None:
    await house.tells(begin)
    assert not REGISTRY.on


async def test_other_limits_hold_for_who_comes_next_and_one_may_be_sent_away(
    house: House, begin: WorkerSetup
) -> None:
    limits = encode_limits(SessionLimits(handshake_grace=3600, login_grace=3600))
    await house.tells(msgspec.structs.replace(begin, limits=limits))
    near, far = socket.socketpair()
    await house.giving.give(near, 5, "192.0.2.1")
    near.close()
    visits = house.life.visits
    assert visits is not None
    await until(lambda: visits.is_used)
    await house.tells(Disconnect(4, LazyMessage("Go.")))
    assert visits.is_used
    with capture_logs():
        await house.tells(Disconnect(5, LazyMessage("Go.")))
        await until(lambda: gone(house))
    far.close()
    await house.tells(LimitsChanged(encode_limits(SessionLimits(login_grace=0.05))))
    near, far = socket.socketpair()
    await house.giving.give(near, 6, "192.0.2.1")
    near.close()
    with capture_logs():
        await until(lambda: len(gone(house)) == 2)
    assert gone(house)[1] == ConnectionEnded(6, "grace")
    far.close()


async def test_limits_that_are_none_are_a_broken_line(house: House, begin: WorkerSetup) -> None:
    with capture_logs():
        await house.tells(begin, LimitsChanged(b"noise"))
        await until(house.life.over.done)
    assert house.life.over.result() == SERVER_GONE
