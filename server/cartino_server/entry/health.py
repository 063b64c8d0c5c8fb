"""Whether a house is well: what is looked at, what is too much, and the sentence about it."""

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal

import msgspec

from cartino_protocol.framing import BadFrame
from cartino_protocol.marking import N_, Sentence
from cartino_server.store.growth import Growth
from cartino_server.store.scrubbing import Scrubbed
from cartino_tui.tongue import Tongue

LEAST_FREE: Final = 100_000_000
"""Bytes that have to be free where the data are: journal, its log and a backup grow by less in any hour."""
MOST_LATE: Final = 1.0
"""Seconds that the loop may be late; people feel a tenth of it."""
MOST_WAITING: Final = 2_000
"""Tasks that may wait for the journal; it commits some hundreds at once."""

PROBED: Final = 0.1
"""Seconds after which a loop that is asked how late it is has to come back."""

FULL_IN: Final = 3
"""Days in which the disk must not be full if the data go on growing as in the last day."""
LEAST_GROWTH: Final = 50_000_000
"""Bytes a day that are no trouble, whatever is free."""

Trouble = Literal["journal", "queue", "workers", "loop", "disk", "growth", "door", "tables", "silent"]

SENTENCES: Final[dict[Trouble, str]] = {
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


class Health(msgspec.Struct, frozen=True):
    """How a house is. `troubles` are what is wrong, none where it is `well`.

    `waiting`: tasks for the journal; `standing` of `wanted` worker processes; `late`: seconds that the loop was;
    `free`: bytes where the data are, -1 where nobody knows; `accepting`: newcomers are let in; `age`: seconds since
    all of this was so; `growth`: what the data take. `damaged` games, and whether the `register` is so, are what the
    weekly scrub found, which ended last at `proved` (Unix seconds, 0: never); damage on its disk doesn't make a
    server unwell.
    """

    well: bool
    troubles: tuple[Trouble, ...]
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

    def words(self, tongue: Tongue) -> str:
        """One line for people."""
        if self.well:
            return " ".join((tongue.say(N_("The house is well.")), *self._damage(tongue)))
        facts = {
            "queue": self.waiting,
            "standing": self.standing,
            "wanted": self.wanted,
            "late": f"{self.late:.1f}",
            "free": max(0, self.free) // 1_000_000,
            "age": f"{self.age:.0f}",
            "grew": self.growth.grew // 1_000_000,
        }
        said = (tongue.tell(Sentence(SENTENCES[trouble], dict(facts))) for trouble in self.troubles)
        return " ".join((*said, *self._damage(tongue)))

    def _damage(self, tongue: Tongue) -> list[str]:
        said = []
        if self.damaged:
            said.append(
                tongue.count(
                    "{n} game is damaged on disk: run cartino doctor.",
                    "{n} games are damaged on disk: run cartino doctor.",
                    self.damaged,
                )
            )
        if self.register:
            said.append(tongue.say("The register is damaged on disk: run cartino doctor."))
        return said

    def room(self, tongue: Tongue) -> str:
        """One line about what the data take."""
        return tongue.count(
            "Data: {size} MB, {grew} MB in the last day; {n} finished game is kept.",
            "Data: {size} MB, {grew} MB in the last day; {n} finished games are kept.",
            self.growth.games,
            size=f"{self.growth.size / 1_000_000:.1f}",
            grew=f"{self.growth.grew / 1_000_000:+.1f}",
        )


class Subject(msgspec.Struct, frozen=True):
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
    scrubbed: Callable[[], Scrubbed] = Scrubbed


class State(msgspec.Struct, frozen=True):
    """How a house is, and what goes on in it: whole numbers by their names, for who keeps it."""

    health: Health
    facts: dict[str, int]


def read_state(text: str) -> State:
    """What `msgspec.json.encode` has made of a State. Raises BadFrame."""
    try:
        return msgspec.json.decode(text, type=State)
    except msgspec.DecodeError as error:
        raise BadFrame(str(error)) from None


def examine(subject: Subject, late: float) -> Health:
    """How `subject` is; its loop was `late` by so many seconds."""
    journal, waiting, standing = subject.journal(), subject.waiting(), subject.standing()
    free, accepting, growth = free_bytes(subject.data), subject.accepting(), subject.growth()
    found: dict[Trouble, bool] = {
        "journal": not journal,
        "queue": waiting > MOST_WAITING,
        "workers": standing < subject.wanted,
        "loop": late > MOST_LATE,
        "disk": 0 <= free < LEAST_FREE,
        "growth": growth.grew > LEAST_GROWTH and 0 <= free < FULL_IN * growth.grew,
        "door": not accepting,
        "tables": subject.is_full(),
    }
    troubles = tuple(trouble for trouble, is_so in found.items() if is_so)
    known = subject.scrubbed()
    return Health(
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
    )


def aged(health: Health, age: float, most: float) -> Health:
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


async def probe() -> float:
    """How late the running loop does what is due, in seconds, as somebody who comes now feels it."""
    loop = asyncio.get_running_loop()
    due = loop.time() + PROBED
    await asyncio.sleep(PROBED)
    return max(0.0, loop.time() - due)
