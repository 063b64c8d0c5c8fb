"""A worker's life in the test's own process, with the test as its house at the other ends."""

import asyncio
import socket
from collections.abc import AsyncIterator

import asyncssh
import msgspec
import pytest
from structlog.testing import capture_logs

from cartino_protocol.marking import Sentence
from cartino_server.entry import telling, worker_life
from cartino_server.entry.crewing import packed
from cartino_server.entry.worker_life import HOUSE_GONE, WorkerLife
from cartino_server.metering.figures import METER, REFUSALS
from cartino_server.metering.meter import Reading
from cartino_server.ssh.ports import SessionLimits
from cartino_server.workers.hands import Giving
from cartino_server.workers.line import Line
from cartino_server.workers.messages import (
    Begin,
    Close,
    Dismiss,
    DoorWords,
    FromHouse,
    FromWorker,
    Left,
    Limited,
    LogStyle,
    Measured,
    Moved,
    Ping,
    Pong,
    Ready,
    read_worker,
)
from tests.support.crossing import until
from tests.support.metered import metered

PATIENCE = 20


class House:
    """The house's ends, what the worker says, and what it has done to its process."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.said: list[FromWorker] = []
        self.lost = False
        self.line: Line[FromWorker] = Line(read_worker, self.said.append, self._lose)
        self.styles: list[str] = []
        self.calmed = 0
        patch.setattr(worker_life, "set_up_logs", lambda style, **_: self.styles.append(style))
        patch.setattr(worker_life, "restyle", self.styles.append)
        patch.setattr(worker_life, "calm_the_collector", self._calm)
        (self._line, self._its_line), (hands, self._its_hands) = socket.socketpair(), socket.socketpair()
        self.giving = Giving(hands)
        self.life = WorkerLife(self._its_hands)

    async def open(self) -> None:
        loop = asyncio.get_running_loop()
        await loop.create_unix_connection(lambda: self.line, sock=self._line)
        await loop.create_unix_connection(lambda: self.life.line, sock=self._its_line)

    async def tells(self, *messages: FromHouse) -> None:
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
    await made.life.end(Close(Sentence(""), 0))
    # It ends when nobody gives any more.
    await until(lambda: made._its_hands.fileno() < 0 or made.life.visits is None)
    made._its_hands.close()


@pytest.fixture(scope="module")
def begin() -> Begin:
    return Begin(
        3,
        asyncssh.generate_private_key("ssh-ed25519").export_private_key(),
        "json",
        "ssh there",
        packed(SessionLimits()),
    )


def gone(house: House) -> list[FromWorker]:
    return [said for said in house.said if isinstance(said, Left)]


async def test_it_is_ready_when_it_was_told_what_it_is(house: House, begin: Begin) -> None:
    await house.tells()
    assert house.said == [Pong()]
    await house.tells(begin)
    assert house.said == [Pong(), Ready(), Pong()]
    assert (house.styles, house.calmed) == (["json"], 1)
    await house.tells(LogStyle("text"), DoorWords("ssh elsewhere"), Moved(7))
    assert house.styles == ["json", "text"]
    assert not house.life.over.done()


async def test_told_twice_what_it_is_it_gives_up_its_house(house: House, begin: Begin) -> None:
    with capture_logs() as logs:
        await house.tells(begin, begin)
        await until(house.life.over.done)
    assert house.life.over.result() == HOUSE_GONE
    assert [line["why"] for line in logs if line["log_level"] == "error"] == ["begun twice"]


async def test_it_speaks_ssh_with_whoever_is_handed_over_and_tells_when_they_have_left(
    house: House, begin: Begin
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
    assert gone(house) == [Left(5, "lost")]
    assert not house.life.visits.is_used


async def test_its_end_is_as_the_house_says(house: House, begin: Begin) -> None:
    await house.tells(begin)
    near, far = socket.socketpair()
    await house.giving.give(near, 5, "192.0.2.1")
    near.close()
    await until(lambda: house.life.visits is not None and house.life.visits.is_used)
    await house.tells(Close(Sentence("bye"), 0))
    await house.tells(Close(Sentence("once more"), 1))
    assert house.life.over.result() == Close(Sentence("bye"), 0)
    with capture_logs():
        await house.life.end(await house.life.over)
    assert not house.life.visits.is_used  # type: ignore[union-attr]
    far.close()


async def test_one_that_never_began_can_end(house: House) -> None:
    await house.tells(Close(Sentence("bye"), 5))
    async with asyncio.timeout(PATIENCE):
        await house.life.end(await house.life.over)


async def test_without_its_house_it_ends_by_itself(house: House, begin: Begin) -> None:
    await house.tells(begin)
    house.line.close()
    async with asyncio.timeout(PATIENCE):
        assert await house.life.over == HOUSE_GONE


async def test_where_somebody_watches_it_says_what_it_counts(
    house: House, begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(telling, "EVERY", 0.01)
    with metered():
        await house.tells(msgspec.structs.replace(begin, metered=True))
        REFUSALS.add("busy")
        await until(lambda: refused(house) == 1)
        await house.life.end(Close(Sentence(""), 0))
        assert memory(house) > 1_000_000


def refused(house: House) -> float:
    return sum(each.value for each in readings(house) if each.family == "cartino_refusals_total")


def memory(house: House) -> float:
    return max(each.value for each in readings(house) if each.family == "cartino_resident_memory_bytes")


def readings(house: House) -> list[Reading]:
    return [each for said in house.said if isinstance(said, Measured) for each in said.readings]


async def test_where_nobody_watches_it_counts_nothing(house: House, begin: Begin) -> None:
    await house.tells(begin)
    assert not METER.on


async def test_other_limits_hold_for_who_comes_next_and_one_may_be_sent_away(
    house: House, begin: Begin
) -> None:
    await house.tells(begin)
    near, far = socket.socketpair()
    await house.giving.give(near, 5, "192.0.2.1")
    near.close()
    visits = house.life.visits
    assert visits is not None
    await until(lambda: visits.is_used)
    await house.tells(Dismiss(4, Sentence("Go.")))
    assert visits.is_used
    with capture_logs():
        await house.tells(Dismiss(5, Sentence("Go.")))
        await until(lambda: gone(house))
    far.close()
    await house.tells(Limited(packed(SessionLimits(login_grace=0.05))))
    near, far = socket.socketpair()
    await house.giving.give(near, 6, "192.0.2.1")
    near.close()
    with capture_logs():
        await until(lambda: len(gone(house)) == 2)
    assert gone(house)[1] == Left(6, "grace")
    far.close()


async def test_limits_that_are_none_are_a_broken_line(house: House, begin: Begin) -> None:
    with capture_logs():
        await house.tells(begin, Limited(b"noise"))
        await until(house.life.over.done)
    assert house.life.over.result() == HOUSE_GONE
