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
"""Bytes that have to be free where the data are: journal, its log and a backup grow by less in any hour."""
MAX_LOOP_DELAY: Final = 1.0
"""Seconds that the loop may be late; people feel a tenth of it."""
MAX_JOURNAL_QUEUE: Final = 2_000
"""Tasks that may wait for the journal; it commits some hundreds at once."""

PROBE_SECONDS: Final = 0.1
"""Seconds after which a loop that is asked how late it is has to come back."""

DISK_FULL_DAYS: Final = 3
"""Days in which the disk must not be full if the data go on growing as in the last day."""
IGNORED_DAILY_GROWTH: Final = 50_000_000
"""Bytes a day that are no trouble, whatever is free."""

HealthProblem = Literal["journal", "queue", "workers", "loop", "disk", "growth", "door", "tables", "silent"]

PROBLEM_MESSAGES: Final[dict[HealthProblem, str]] = {
    "journal": N_("The journal has ended: nothing can be saved any more, and the house is about to close."),
    "queue": N_("The journal does not keep up: {queue} tasks wait to be written."),
    "workers": N_("Only {standing} of {wanted} worker processes can be given connections."),
    "loop": N_("The house is {late} s late with what is due."),
    "disk": N_("Only {free} MB are free where the data are."),
    "growth": N_(
        "The data grew by {grew} MB in the last day; at that rate the disk is full within three days."
    ),
    "door": N_("The house lets nobody in."),
    "tables": N_("Nobody can open a table: all that there may be are in use."),
    "silent": N_("The house has not looked after itself for {age} s."),
}
"""What is wrong, one sentence each."""


class ServerHealth(msgspec.Struct, frozen=True):
    """How a house is. `troubles` are what is wrong, none where it is `well`.

    `waiting`: tasks for the journal; `standing` of `wanted` worker processes; `late`: seconds that the loop was;
    `free`: bytes where the data are, -1 where nobody knows; `accepting`: newcomers are let in; `age`: seconds since
    all of this was so; `growth`: what the `data` directory takes. `damaged` games, and whether the `register` is so,
    are what the weekly scrub found, which ended last at `proved` (Unix seconds, 0: never); damage on its disk doesn't
    make a server unwell.
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
    register: bool = False
    proved: float = 0.0
    data: str = ""

    def words(self, translator: Translator) -> str:
        """One line for people."""
        if self.well:
            return " ".join((translator.gettext(N_("The house is well.")), *self._damage(translator)))
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
        if self.register:
            said.append(
                translator.gettext("The register is damaged on disk: run {command}.", command=command)
            )
        return said

    def room(self, translator: Translator) -> str:
        """One line about what the data take."""
        return translator.ngettext(
            "Data: {size} MB, {grew} MB in the last day; {n} finished game is kept.",
            "Data: {size} MB, {grew} MB in the last day; {n} finished games are kept.",
            self.growth.games,
            size=f"{self.growth.size / 1_000_000:.1f}",
            grew=f"{self.growth.grew / 1_000_000:+.1f}",
        )


class HealthSources(msgspec.Struct, frozen=True):
    """What is looked at, each when it is asked.

    `journal()`: it takes what it is given; `waiting()`: tasks that wait for it; `standing()` of `wanted` workers;
    `accepting()`: newcomers are let in; `data`: where the data are; `is_full()`: nobody can open one more table;
    `growth()`: what the data take; `scrubbed()`: what the scrub has found.
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
    """How a house is, and what goes on in it: whole numbers by their names, for who keeps it."""

    health: ServerHealth
    facts: dict[str, int]


def parse_status(text: str) -> ServerStatus:
    """What `msgspec.json.encode` has made of a State. Raises BadFrame."""
    try:
        return msgspec.json.decode(text, type=ServerStatus)
    except msgspec.DecodeError as error:
        raise BadFrame(str(error)) from None


def check_health(subject: HealthSources, late: float) -> ServerHealth:
    """How `subject` is; its loop was `late` by so many seconds."""
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
        register=known.register,
        proved=known.ended,
        data=str(subject.data),
    )


def with_age(health: ServerHealth, age: float, most: float) -> ServerHealth:
    """`health` as it was `age` seconds ago; after `most` of them nobody knows any more that it is well."""
    if age <= most:
        return msgspec.structs.replace(health, age=age)
    return msgspec.structs.replace(health, well=False, troubles=("silent", *health.troubles), age=age)


def free_bytes(data: Path) -> int:
    """What is free where `data` is; -1 where the system doesn't tell."""
    try:
        return shutil.disk_usage(data).free
    except OSError:
        return -1


async def measure_loop_delay() -> float:
    """How late the running loop does what is due, in seconds, as somebody who comes now feels it."""
    loop = asyncio.get_running_loop()
    due = loop.time() + PROBE_SECONDS
    await asyncio.sleep(PROBE_SECONDS)
    return max(0.0, loop.time() - due)


class MetricsSnapshot(msgspec.Struct, frozen=True):
    """What was known of a house at the monotonic time `at`; it never changes, so threads may have it."""

    readings: tuple[Sample, ...]
    health: ServerHealth
    at: float
