"""Collect metrics and health every few seconds while the metrics port is open."""

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, get_args

from cartino_games.registry import installed
from cartino_protocol import __version__, refusals
from cartino_protocol.base import TableStatus
from cartino_protocol.wire import VERSION
from cartino_server.commands.console import failure
from cartino_server.lobby.table_registry import Stats
from cartino_server.metrics import definitions
from cartino_server.metrics.definitions import REGISTRY
from cartino_server.metrics.runtime import RuntimeMonitor
from cartino_server.operations.health import HealthSources, MetricsSnapshot, check_health
from cartino_server.ssh import admission
from cartino_server.ssh.listener import Listener
from cartino_server.ssh.ports import SessionKind
from cartino_server.store.journal import DiskJournal
from cartino_server.store.maintenance import Growth, Scrubber
from cartino_server.visitors import Ending
from cartino_server.workers.pool import WorkerPool

LOGIN_REFUSALS: Final = ("guests", "ending", "person", "full")
"""Reasons for refusing a login, besides bans."""
CUT_REASONS: Final = ("sessions", "pace", "unread")
"""Limits that end sessions: too many at once, too fast, or unread output."""
SNAPSHOT_SECONDS: Final = 5.0
"""Seconds between two snapshots."""


def health_sources(
    journal: DiskJournal,
    pool: WorkerPool,
    listener: Listener,
    stats: Stats,
    data: Path,
    growth: Callable[[], Growth],
    scrub: Scrubber,
) -> HealthSources:
    """Return the functions that measure the health of a server on `data`."""
    return HealthSources(
        journal=lambda: journal.is_alive,
        waiting=lambda: journal.waiting,
        standing=lambda: pool.standing,
        wanted=pool.size,
        accepting=lambda: listener.is_open,
        data=data,
        is_full=stats.is_full,
        growth=growth,
        scrubbed=lambda: scrub.known,
    )


class Monitor:
    """Take snapshots until closed. Construct it on a running loop, with the registry on."""

    def __init__(self, sources: HealthSources, stats: Stats) -> None:
        # Loads four megabytes.
        from cartino_server.app.metrics_http import MetricsServer

        self._sources = sources
        self._stats = stats
        self._runtime = RuntimeMonitor("server")
        definitions.START_TIME.set(round(time.time()))
        definitions.BUILD_INFO.set(1, __version__, str(VERSION))
        _declare_zeros()
        self._last = self._snapshot()
        self._loop = asyncio.get_running_loop()
        self._server = MetricsServer(REGISTRY.families, lambda: self._last)
        self._next = self._loop.call_later(SNAPSHOT_SECONDS, self._repeat)

    async def listen(self, port: int) -> None:
        """Serve the snapshots on 127.0.0.1:`port`. Raises CommandError and closes if the port isn't available."""
        try:
            await self._server.listen(port)
        except OSError as error:
            self.close()
            raise failure(
                "Can't open port {port} for metrics ({why}). Set metrics to another port, or to 0 for none.",
                port=port,
                why=str(error) if error.errno is None else os.strerror(error.errno),
            ) from None

    def close(self) -> None:
        """Stop."""
        self._next.cancel()
        self._runtime.stop()
        self._server.close()

    def _repeat(self) -> None:
        # Even if this snapshot fails, there is a next one; monitors see its age.
        self._next = self._loop.call_later(SNAPSHOT_SECONDS, self._repeat)
        self._last = self._snapshot()

    def _snapshot(self) -> MetricsSnapshot:
        health = check_health(self._sources, self._runtime.note())
        counts = self._stats.count()
        definitions.PEOPLE.set(counts.people)
        definitions.MAX_TABLES.set(counts.most)
        for state in get_args(TableStatus):
            definitions.TABLES.set(counts.tables.get(state, 0), state)
        for game in installed().rules:
            definitions.GAMES.set(counts.games.get(game, 0), game)
        definitions.JOURNAL_QUEUE.set(health.waiting)
        definitions.WORKERS.set(health.standing, "ready")
        definitions.WORKERS.set(health.wanted, "wanted")
        definitions.DATA_BYTES.set(health.growth.size)
        definitions.GAMES_STORED.set(health.growth.games)
        definitions.GAMES_PARKED.set(health.growth.parked)
        if health.free >= 0:
            definitions.DISK_FREE.set(health.free)
        definitions.DAMAGED_RECORDS.set(health.damaged, "games")
        definitions.DAMAGED_RECORDS.set(health.people_db, "register")
        definitions.LAST_VERIFIED.set(round(health.proved))
        return MetricsSnapshot(REGISTRY.read(), health, time.monotonic())


def _declare_zeros() -> None:
    """Declare all label values at 0: Prometheus sees no increase from a missing value."""
    for game, rules in installed().rules.items():
        definitions.MOVES.add(game, by=0)
        definitions.GAMES_STARTED.add(game, by=0)
        for ending in (*rules.endings, "abandoned"):
            definitions.GAMES_ENDED.add(game, ending, by=0)
    for kind in get_args(SessionKind):
        definitions.SESSIONS.change(0, kind)
    labelled = (
        (definitions.REFUSALS, get_args(refusals.RefusalReason)),
        (definitions.CONNECTIONS_REFUSED, (*get_args(admission.Reason), *LOGIN_REFUSALS)),
        (definitions.SESSIONS_STARTED, get_args(SessionKind)),
        (definitions.LIMITS_ENFORCED, CUT_REASONS),
        (definitions.CONNECTIONS_CLOSED, get_args(Ending)),
        (definitions.CRASHES, ("session", "table", "task", "listener", "worker")),
    )
    for counter, values in labelled:
        for value in values:
            counter.add(value, by=0)
    for unlabelled in (
        definitions.LOG_LINES_LOST,
        definitions.TABLES_EVICTED,
        definitions.GAMES_NOT_STORED,
        definitions.GAMES_PRUNED,
    ):
        unlabelled.add(by=0)
