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

SHUT, WARNED, COMMITTED, DISCONNECTED = "shut", "warned", "committed", str(shutdown.RESTART_MESSAGE)


class Closing:
    """A server and its listener, which note in `done` what is done to them; tables end as `ending` does."""

    def __init__(self, ending: Callable[[], Awaitable[object]] = lambda: asyncio.sleep(0)) -> None:
        self.done: list[str] = []
        self.warned, self.hurry = asyncio.Event(), asyncio.Event()
        self.listener = FakeListener(self.done)
        self._ending = ending

    def warn(self) -> None:
        self.done.append(WARNED)
        self.warned.set()

    async def close(self) -> None:
        await self._ending()
        self.done.append(COMMITTED)

    async def close_all(self, grace: float) -> bool:
        async with asyncio.timeout(30):
            return await shutdown.close_server(self, self.listener, grace, self.hurry)


class FakeListener:
    def __init__(self, done: list[str]) -> None:
        self.is_used = True
        self.time_limit = -1.0
        self._done = done

    def shut(self) -> None:
        self._done.append(SHUT)

    async def close(self, farewell: LazyMessage = EMPTY_MESSAGE, time_limit: float = 0) -> None:
        self._done.append(str(farewell))
        self.time_limit = time_limit


@pytest.mark.parametrize(
    ("grace", "is_used", "hurries", "done"),
    [
        (0, True, False, [SHUT, WARNED, COMMITTED, DISCONNECTED]),
        (1_000_000, True, True, [SHUT, COMMITTED, DISCONNECTED]),
        (1_000_000, False, False, [SHUT, COMMITTED, DISCONNECTED]),
    ],
)
async def test_first_new_connections_then_a_warning_then_commits_then_links_end(
    grace: float, is_used: bool, hurries: bool, done: list[str]
) -> None:
    closing = Closing()
    closing.listener.is_used = is_used
    if hurries:
        closing.hurry.set()
    assert await closing.close_all(grace)
    assert closing.done == done
    assert 0 < closing.listener.time_limit <= shutdown.APP_EXIT_SECONDS


async def test_play_goes_on_until_a_second_signal() -> None:
    closing = Closing()
    running = asyncio.create_task(closing.close_all(1_000_000))
    await closing.warned.wait()
    for _ in range(10):
        await asyncio.sleep(0)
    assert closing.done == [SHUT, WARNED]
    closing.hurry.set()
    assert await running
    assert closing.done[2:] == [COMMITTED, DISCONNECTED]


async def test_a_disk_that_hangs_does_not_keep_the_people(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutdown, "COMMIT_SECONDS", 0.01)
    closing = Closing(asyncio.Event().wait)
    assert not await closing.close_all(0)
    assert closing.done == [SHUT, WARNED, DISCONNECTED]


def test_all_of_it_fits_into_ten_seconds() -> None:
    """The longest grace, a disk that hangs, clients and workers that don't leave, a journal that doesn't end."""
    closing = CLOSE_TIMEOUT + shutdown.WORKER_EXIT_SECONDS
    least = MAX_GRACE + shutdown.COMMIT_SECONDS + closing + shutdown.STORES_SECONDS
    assert least <= shutdown.SHUTDOWN_SECONDS <= 9.5
    for sentence in (NOTICES["restarts"], DISCONNECTED):
        assert "your seat is kept" in sentence
        assert len(sentence) <= 78, "one line in the narrowest terminal"


class Store:
    """Bot processes or a journal, which end as `ending` does."""

    def __init__(self, ending: Callable[[], Awaitable[object]] = lambda: asyncio.sleep(0)) -> None:
        self._ending = ending
        self.has_ended = False

    async def close(self) -> None:
        await self._ending()
        self.has_ended = True


async def _lost() -> None:
    raise JournalClosed("the disk is gone")


async def _for_ever() -> None:
    await asyncio.Event().wait()


@pytest.mark.parametrize(
    ("bots", "journal", "levels"),
    [(None, None, []), (_for_ever, None, ["warning"]), (None, _for_ever, []), (None, _lost, [])],
)
async def test_only_a_journal_that_does_not_end_counts_as_unsaved(
    monkeypatch: pytest.MonkeyPatch,
    bots: Callable[[], Awaitable[object]] | None,
    journal: Callable[[], Awaitable[object]] | None,
    levels: list[str],
) -> None:
    monkeypatch.setattr(shutdown, "STORES_SECONDS", 0.01)
    stores = [Store() if ending is None else Store(ending) for ending in (bots, journal)]
    with capture_logs() as logs:
        assert await shutdown.close_stores(*stores) == (journal is not _for_ever)
    assert [store.has_ended for store in stores] == [bots is None, journal is None]
    assert [entry["log_level"] for entry in logs] == levels
