"""Looking after a house while somebody watches: what stands is read every few seconds, and told to who asks."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, get_args

from cartino_games.registry import installed
from cartino_protocol import __version__, refusals
from cartino_protocol.ids import RoomState
from cartino_protocol.marking import later
from cartino_protocol.wire import VERSION
from cartino_server.entry.errors import CommandError
from cartino_server.entry.health import Subject, examine
from cartino_server.entry.look import Look
from cartino_server.metering import figures
from cartino_server.metering.figures import METER
from cartino_server.metering.vitals import Vitals
from cartino_server.rooms.census import Census
from cartino_server.ssh import admission
from cartino_server.ssh.listener import Listener
from cartino_server.ssh.ports import SessionKind
from cartino_server.store.growth import Growth
from cartino_server.store.journal import DiskJournal
from cartino_server.store.scrubbing import Scrub
from cartino_server.workers.crew import Crew

REFUSED_INSIDE: Final = ("guests", "ending", "person", "full")
"""Why a doorkeeper turns away whom the gate has admitted, besides bans."""
CUT: Final = ("sessions", "pace", "unread")
"""What limits cut: one session more than may be at once, one too soon after others, one whose client does not read."""
EVERY: Final = 5.0
"""Seconds between two looks."""


def subject_of(
    journal: DiskJournal,
    crew: Crew,
    door: Listener,
    census: Census,
    data: Path,
    growth: Callable[[], Growth],
    scrub: Scrub,
) -> Subject:
    """What of a house on `data`, of which that is the `census`, is looked at."""
    return Subject(
        journal=lambda: journal.is_alive,
        waiting=lambda: journal.waiting,
        standing=lambda: crew.standing,
        wanted=crew.size,
        accepting=lambda: door.is_open,
        data=data,
        is_full=census.is_full,
        growth=growth,
        scrubbed=lambda: scrub.known,
    )


class Watch:
    """Looks, from its construction on a running loop until it is closed. The meter has to be on."""

    def __init__(self, port: int, subject: Subject, census: Census) -> None:
        """Tell on 127.0.0.1:`port` how `subject` and its `census` are. Raises CommandError where that can't be had."""
        # Nobody else needs what it loads, four megabytes.
        from cartino_server.entry.exposition import Exposition

        self._subject = subject
        self._census = census
        self._vitals = Vitals("house")
        figures.STARTED.set(round(time.time()))
        figures.BUILD.set(1, __version__, str(VERSION))
        _expect()
        self._last = self._look()
        self._loop = asyncio.get_running_loop()
        try:
            self._exposition = Exposition(port, METER.families, lambda: self._last)
        except OSError as error:
            self._vitals.stop()
            raise CommandError(
                later(
                    "The port {port} for metrics can't be had ({why}); set metrics to another, or to 0 for none.",
                    port=port,
                    why=error.strerror or str(error),
                )
            ) from None
        self._next = self._loop.call_later(EVERY, self._look_again)

    async def close(self) -> None:
        """Look and tell no more."""
        self._next.cancel()
        self._vitals.stop()
        await asyncio.to_thread(self._exposition.close)

    def _look_again(self) -> None:
        # Whatever breaks at one look, there is another: what watches sees by its age that this one failed.
        self._next = self._loop.call_later(EVERY, self._look_again)
        self._last = self._look()

    def _look(self) -> Look:
        health = examine(self._subject, self._vitals.note())
        counts = self._census.count()
        figures.PEOPLE.set(counts.people)
        figures.MOST_ROOMS.set(counts.most)
        for state in get_args(RoomState):
            figures.ROOMS.set(counts.tables.get(state, 0), state)
        for game in installed().rules:
            figures.GAMES.set(counts.games.get(game, 0), game)
        figures.JOURNAL_QUEUE.set(health.waiting)
        figures.WORKERS.set(health.standing, "ready")
        figures.WORKERS.set(health.wanted, "wanted")
        figures.DATA_BYTES.set(health.growth.size)
        figures.GAMES_KEPT.set(health.growth.games)
        if health.free >= 0:
            figures.DISK_FREE.set(health.free)
        figures.DAMAGED.set(health.damaged, "games")
        figures.DAMAGED.set(health.register, "register")
        figures.PROVED.set(round(health.proved))
        return Look(METER.read(), health, time.monotonic())


def _expect() -> None:
    """Have what may happen at 0 before it does: Prometheus sees no rise in what was not there before."""
    for game, rules in installed().rules.items():
        figures.MOVES.add(game, by=0)
        figures.GAMES_BEGUN.add(game, by=0)
        for ending in (*rules.endings, "abandoned"):
            figures.GAMES_OVER.add(game, ending, by=0)
    for reason in get_args(refusals.Reason):
        figures.REFUSALS.add(reason, by=0)
    for kind in (*get_args(admission.Reason), *REFUSED_INSIDE):
        figures.TURNED_AWAY.add(kind, by=0)
    for kind in get_args(SessionKind):
        figures.SESSIONS_BEGUN.add(kind, by=0)
        figures.SESSIONS.change(0, kind)
    for cut in CUT:
        figures.CUTS.add(cut, by=0)
    for why in get_args(admission.Ending):
        figures.CONNECTIONS_OVER.add(why, by=0)
    for where in ("session", "table", "errand", "door", "worker"):
        figures.CRASHES.add(where, by=0)
    figures.LOG_LOST.add(by=0)
    figures.TABLES_GIVEN_UP.add(by=0)
    figures.GAMES_NOT_KEPT.add(by=0)
    figures.GAMES_PRUNED.add(by=0)
