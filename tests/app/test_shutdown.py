"""The order in which a server is closed, and that nothing holds it up for long."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from structlog.testing import capture_logs

from cartino_protocol.notices import NOTICES
from cartino_protocol.text import EMPTY_MESSAGE, LazyMessage
from cartino_server.app import shutdown
from cartino_server.operations.settings import MAX_GRACE
from cartino_server.ssh.connections import CLOSE_TIMEOUT
from cartino_server.store.port import JournalClosed


class Place:
    """A server and its door, which note in `done` what is done to them, and with `time_limit` for how long."""

    def __init__(self, ending: Callable[[], Awaitable[object]] = lambda: asyncio.sleep(0)) -> None:
        self.done: list[str] = []
        self.warned = asyncio.Event()
        self.server = FakeServer(self, ending)
        self.connect_command = FakeListener(self)
        self.hurry = asyncio.Event()

    async def close(self, grace: float) -> bool:
        async with asyncio.timeout(30):
            return await shutdown.close_server(self.server, self.connect_command, grace, self.hurry)


class FakeServer:
    def __init__(self, place: Place, ending: Callable[[], Awaitable[object]]) -> None:
        self._place = place
        self._ending = ending

    def warn(self) -> None:
        self._place.done.append("all warned")
        self._place.warned.set()

    async def close(self) -> None:
        await self._ending()
        self._place.done.append("server closed")


class FakeListener:
    def __init__(self, place: Place) -> None:
        self._place = place
        self.is_used = True
        self.time_limit = -1.0

    def shut(self) -> None:
        self._place.done.append("door shut")

    async def close(self, farewell: LazyMessage = EMPTY_MESSAGE, time_limit: float = 0) -> None:
        self._place.done.append(str(farewell))
        self.time_limit = time_limit


async def test_nobody_comes_in_then_all_are_warned_then_commits_end_then_links() -> None:
    place = Place()
    assert await place.close(0)
    assert place.done == ["door shut", "all warned", "server closed", str(shutdown.RESTART_MESSAGE)]
    assert 0 < place.connect_command.time_limit <= shutdown.APP_EXIT_SECONDS


async def test_play_goes_on_until_a_second_signal() -> None:
    place = Place()
    closing = asyncio.create_task(place.close(1_000_000))
    await place.warned.wait()
    for _ in range(10):
        await asyncio.sleep(0)
    assert place.done == ["door shut", "all warned"]
    place.hurry.set()
    assert await closing
    assert place.done[2:] == ["server closed", str(shutdown.RESTART_MESSAGE)]


async def test_in_a_hurry_nobody_is_kept_with_a_warning() -> None:
    place = Place()
    place.hurry.set()
    assert await place.close(1_000_000)
    assert place.done == ["door shut", "server closed", str(shutdown.RESTART_MESSAGE)]


async def test_an_empty_server_waits_for_nobody() -> None:
    place = Place()
    place.connect_command.is_used = False
    assert await place.close(1_000_000)
    assert place.done == ["door shut", "server closed", str(shutdown.RESTART_MESSAGE)]


async def test_a_disk_that_hangs_does_not_keep_the_people(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutdown, "COMMIT_SECONDS", 0.01)
    place = Place(asyncio.Event().wait)
    assert not await place.close(0)
    assert place.done == ["door shut", "all warned", str(shutdown.RESTART_MESSAGE)]


def test_all_of_it_fits_into_ten_seconds() -> None:
    """By the constants: the longest grace, a disk that hangs, clients and workers that don't leave, a journal that
    doesn't end.
    """
    closing = CLOSE_TIMEOUT + shutdown.WORKER_EXIT_SECONDS
    least = MAX_GRACE + shutdown.COMMIT_SECONDS + closing + shutdown.STORES_SECONDS
    assert least <= shutdown.SHUTDOWN_SECONDS <= 9.5


class Ending:
    """A mind or a journal that ends as `ending` does."""

    def __init__(self, ending: Callable[[], Awaitable[object]] = lambda: asyncio.sleep(0)) -> None:
        self._ending = ending
        self.ended = False

    async def close(self) -> None:
        await self._ending()
        self.ended = True


async def test_the_executor_and_the_journal_are_put_away() -> None:
    executor, journal = Ending(), Ending()
    assert await shutdown.close_stores(executor, journal)
    assert (executor.ended, journal.ended) == (True, True)


async def test_processes_that_do_not_end_are_not_taken_for_a_disk_that_hangs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shutdown, "STORES_SECONDS", 0.01)
    journal = Ending()
    with capture_logs() as logs:
        assert await shutdown.close_stores(Ending(asyncio.Event().wait), journal)
    assert journal.ended
    assert [entry["log_level"] for entry in logs] == ["warning"]


async def test_a_journal_that_does_not_end_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutdown, "STORES_SECONDS", 0.01)
    executor = Ending()
    assert not await shutdown.close_stores(executor, Ending(asyncio.Event().wait))
    assert executor.ended


async def test_a_journal_that_is_lost_has_ended() -> None:
    async def lost() -> None:
        raise JournalClosed("the disk is gone")

    assert await shutdown.close_stores(Ending(), Ending(lost))


def test_both_sentences_say_that_the_seat_is_kept() -> None:
    for sentence in (NOTICES["restarts"], str(shutdown.RESTART_MESSAGE)):
        assert "your seat is kept" in sentence
        assert len(sentence) <= 78, "one line in the narrowest terminal"
