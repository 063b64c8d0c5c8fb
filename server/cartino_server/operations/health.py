"""Check the server's health: what is measured, the thresholds, and the sentence for each problem."""

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal

import msgspec

from cartino_protocol.text import N_, LazyMessage
from cartino_protocol.wire import BadFrame
from cartino_server.metrics.registry import Sample
from cartino_server.store.data_directory import doctor_command
from cartino_server.store.maintenance import Growth, ScrubState
from cartino_tui.i18n import Translator

MIN_FREE_BYTES: Final = 100_000_000
"""Free bytes that the data directory needs; it grows by less in an hour."""
MAX_LOOP_DELAY: Final = 1.0
"""Seconds; people notice a tenth of that."""
MAX_JOURNAL_QUEUE: Final = 2_000
"""Queued tasks; a commit takes some hundreds."""

PROBE_SECONDS: Final = 0.1
"""Seconds of the timer that measures the delay."""

DISK_FULL_DAYS: Final = 3
"""Days of growth, at the rate of the last day, that the disk must have room for."""
IGNORED_DAILY_GROWTH: Final = 50_000_000
"""Bytes a day that are no problem, whatever is free."""

HealthProblem = Literal["journal", "queue", "workers", "loop", "disk", "growth", "door", "tables", "silent"]

PROBLEM_MESSAGES: Final[dict[HealthProblem, str]] = {
    "journal": N_("The journal has stopped: nothing can be saved any more, and the server is about to stop."),
    "queue": N_("The journal can't keep up: {queue} tasks are waiting to be written."),
    "workers": N_("Only {standing} of {wanted} worker processes can accept connections."),
    "loop": N_("The server is {late} s behind schedule."),
    "disk": N_("Only {free} MB are free on the data disk."),
    "growth": N_(
        "The data grew by {grew} MB in the last day; at that rate, the disk will be full within three days."
    ),
    "door": N_("The server isn't letting anyone in."),
    "tables": N_("Nobody can open a table: the maximum is reached."),
    "silent": N_("The server hasn't checked its health for {age} s."),
}


class ServerHealth(msgspec.Struct, frozen=True):
    """The health of a server; `troubles` is empty if it is `well`.

    `waiting`: tasks for the journal; `standing` of `wanted` worker processes; `late`: loop delay in seconds; `free`:
    bytes, -1 if unknown; `accepting`: logins are possible; `age`: seconds since the measurement; `damaged` games and
    `people_db`: what the weekly verification found, which ended at `proved` (Unix seconds, 0: never). Damage on disk
    doesn't make a server unwell.
    """

    well: bool
    troubles: tuple[HealthProblem, ...]
    journal: bool
    waiting: int
    standing: int
    wanted: int
    late: float
    free: int
    accepting: bool
    age: float = 0.0
    growth: Growth = Growth()
    damaged: int = 0
    people_db: bool = msgspec.field(default=False, name="register")
    proved: float = 0.0
    data: str = ""

    def words(self, translator: Translator) -> str:
        """Return one line for people."""
        if self.well:
            return " ".join((translator.gettext(N_("The server is healthy.")), *self._damage(translator)))
        facts = {
            "queue": self.waiting,
            "standing": self.standing,
            "wanted": self.wanted,
            "late": f"{self.late:.1f}",
            "free": max(0, self.free) // 1_000_000,
            "age": f"{self.age:.0f}",
            "grew": self.growth.grew // 1_000_000,
        }
        said = (
            translator.render(LazyMessage(PROBLEM_MESSAGES[trouble], dict(facts)))
            for trouble in self.troubles
        )
        return " ".join((*said, *self._damage(translator)))

    def _damage(self, translator: Translator) -> list[str]:
        said, command = [], doctor_command(Path(self.data))
        if self.damaged:
            said.append(
                translator.ngettext(
                    "{n} game is damaged on disk: run {command}.",
                    "{n} games are damaged on disk: run {command}.",
                    self.damaged,
                    command=command,
                )
            )
        if self.people_db:
            said.append(
                translator.gettext("The people database is damaged on disk: run {command}.", command=command)
            )
        return said

    def disk_space(self, translator: Translator) -> str:
        """Return one line about the data: its size, and how many games it has."""
        return translator.ngettext(
            "Data: {size} MB, {grew} MB in the last day; {n} finished game is kept (parked: {parked}).",
            "Data: {size} MB, {grew} MB in the last day; {n} finished games are kept (parked: {parked}).",
            self.growth.games,
            parked=self.growth.parked,
            size=f"{self.growth.size / 1_000_000:.1f}",
            grew=f"{self.growth.grew / 1_000_000:+.1f}",
        )


class HealthSources(msgspec.Struct, frozen=True):
    """Functions that measure the health.

    `journal()`: it works; `waiting()`: tasks for it; `standing()` of `wanted` workers; `accepting()`: logins are
    possible; `data`: the directory; `is_full()`: no table can be opened; `growth()`: size of the data; `scrubbed()`:
    state of the weekly verification.
    """

    journal: Callable[[], bool]
    waiting: Callable[[], int]
    standing: Callable[[], int]
    wanted: int
    accepting: Callable[[], bool]
    data: Path
    is_full: Callable[[], bool] = lambda: False
    growth: Callable[[], Growth] = Growth
    scrubbed: Callable[[], ScrubState] = ScrubState


class ServerStatus(msgspec.Struct, frozen=True):
    """The health of a server, and counts by name, for admin commands."""

    health: ServerHealth
    facts: dict[str, int]


def parse_status(text: str) -> ServerStatus:
    """Return the status from its JSON. Raises BadFrame."""
    try:
        return msgspec.json.decode(text, type=ServerStatus)
    except msgspec.DecodeError as error:
        raise BadFrame(str(error)) from None


def check_health(subject: HealthSources, late: float) -> ServerHealth:
    """Measure the health; `late` is the loop delay in seconds."""
    journal, waiting, standing = subject.journal(), subject.waiting(), subject.standing()
    free, accepting, growth = free_bytes(subject.data), subject.accepting(), subject.growth()
    found: dict[HealthProblem, bool] = {
        "journal": not journal,
        "queue": waiting > MAX_JOURNAL_QUEUE,
        "workers": standing < subject.wanted,
        "loop": late > MAX_LOOP_DELAY,
        "disk": 0 <= free < MIN_FREE_BYTES,
        "growth": growth.grew > IGNORED_DAILY_GROWTH and 0 <= free < DISK_FULL_DAYS * growth.grew,
        "door": not accepting,
        "tables": subject.is_full(),
    }
    troubles = tuple(trouble for trouble, is_so in found.items() if is_so)
    known = subject.scrubbed()
    return ServerHealth(
        not troubles,
        troubles,
        journal,
        waiting,
        standing,
        subject.wanted,
        late,
        free,
        accepting,
        growth=growth,
        damaged=len(known.damaged),
        people_db=known.people_db,
        proved=known.ended,
        data=str(subject.data),
    )


def with_age(health: ServerHealth, age: float, most: float) -> ServerHealth:
    """Return `health` with its age in seconds; after `most`, it counts as unwell."""
    if age <= most:
        return msgspec.structs.replace(health, age=age)
    return msgspec.structs.replace(health, well=False, troubles=("silent", *health.troubles), age=age)


def free_bytes(data: Path) -> int:
    """Return the free bytes of the disk; -1 if unknown."""
    try:
        return shutil.disk_usage(data).free
    except OSError:
        return -1


async def measure_loop_delay() -> float:
    """Return the delay of the running loop in seconds."""
    loop = asyncio.get_running_loop()
    due = loop.time() + PROBE_SECONDS
    await asyncio.sleep(PROBE_SECONDS)
    return max(0.0, loop.time() - due)


class MetricsSnapshot(msgspec.Struct, frozen=True):
    """Metrics and health at the monotonic time `at`; immutable, so threads may share it."""

    readings: tuple[Sample, ...]
    health: ServerHealth
    at: float
