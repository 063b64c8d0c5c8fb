"""`python -m bench`: measure everything and print one table, with --json to a file, too."""

import argparse
import asyncio
import platform
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Final

import asyncssh
import msgspec

from bench import (
    audience,
    crowd,
    engine,
    entering,
    executors,
    finished,
    games,
    growth,
    idle,
    journal,
    keys,
    latency,
    lobby,
    noisy_neighbours,
    parked,
    saving,
    spectators,
    start,
    storms,
    strength,
    workers,
)
from bench.figures import Section, table
from bench.peers import beside
from bench.placing import ALLOWED, PLACED, calibrate, pin
from bench.scale import FULL, QUICK, Scale
from bench.server import BenchError, MeasuredServer, serving
from bench.visitors import Visitors, visiting

Part = Callable[[Scale], Awaitable[Section]]


def _with_server(part: Callable[[MeasuredServer, Visitors, Scale], Awaitable[Section]]) -> Part:
    async def measure(scale: Scale) -> Section:
        async with serving(PLACED.server) as server, visiting(server) as visitors:
            return await part(server, visitors, scale)

    return measure


PARTS: Final[Mapping[str, Part]] = {
    "engine": engine.measure,
    "strength": strength.measure,
    "executors": executors.measure,
    "journal": journal.measure,
    "saving": saving.measure,
    "finished": finished.measure,
    "growth": growth.measure,
    "parked": parked.measure,
    "start": _with_server(start.measure),
    "entering": _with_server(entering.measure),
    "keys": _with_server(keys.measure),
    "games": _with_server(games.measure),
    "audience": _with_server(audience.measure),
    "crowd": _with_server(crowd.measure),
    "lobby": _with_server(lobby.measure),
    "idle": _with_server(idle.measure),
    "latency": _with_server(latency.measure),
    "large": _with_server(latency.at_large_terminals),
    "storms": _with_server(storms.measure),
    "spectators": _with_server(spectators.measure),
    "workers": workers.measure,
    "abuse": noisy_neighbours.strangers,
    "abuse-worker": noisy_neighbours.strangers_at_a_worker,
    "bot-accounts": noisy_neighbours.bot_accounts,
    "peers": beside.measure,
}
"""What is measured, in this order: first in this process, then with a fresh server each, at last what is like it."""


NOT_QUICK: Final = frozenset({"abuse", "abuse-worker", "bot-accounts", "games", "peers", "strength"})
"""Left out of a quick run, of which they would take more than half; tests hold the bytes of the games' tables."""


class Report(msgspec.Struct, frozen=True):
    """A run: when, with what, where everybody ran, how long it took, and the figures."""

    date: str
    versions: dict[str, str]
    placing: str
    minutes: float
    sections: tuple[Section, ...]


def main() -> int:
    """Measure and print; 0 whatever the figures are, for the table says what is missed; 1 where a part broke off."""
    words = argparse.ArgumentParser(prog="python -m bench", description="Measure what Cartino costs.")
    words.add_argument("--quick", action="store_true", help="measure less, to see that it works")
    words.add_argument(
        "--only", nargs="+", choices=PARTS, metavar="PART", help=f"measure these: {', '.join(PARTS)}"
    )
    words.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    arguments = words.parse_args()
    if arguments.json and not arguments.json.absolute().parent.is_dir():
        words.error(f"there is no directory for {arguments.json}")
    try:
        usual = [name for name in PARTS if not (arguments.quick and name in NOT_QUICK)]
        report = asyncio.run(_run(QUICK if arguments.quick else FULL, arguments.only or usual))
    except KeyboardInterrupt:
        print("Stopped before the end; nothing is left running.", file=sys.stderr)
        return 0
    print(_text(report))
    if arguments.json:
        arguments.json.write_bytes(msgspec.json.format(msgspec.json.encode(report), indent=2) + b"\n")
    return 1 if any(section.broken for section in report.sections) else 0


async def _run(scale: Scale, wanted: Sequence[str]) -> Report:
    began = time.perf_counter()
    pin(PLACED.bench)
    sections, speed = [], calibrate(PLACED.server)
    for name in wanted:
        _say(name)
        started = time.perf_counter()
        try:
            section = await PARTS[name](scale)
        except (BenchError, asyncssh.Error, OSError) as error:
            section = Section(name, "", (), broken=str(error) or type(error).__name__)
        took, before, speed = time.perf_counter() - started, speed, calibrate(PLACED.server)
        sections.append(msgspec.structs.replace(section, took=took, calibration=(before, speed)))
    return Report(
        date=datetime.now(UTC).date().isoformat(),
        versions={"Python": platform.python_version()}
        | {name: version(name) for name in ("textual", "asyncssh", "msgspec")},
        placing=_placing(),
        minutes=(time.perf_counter() - began) / 60,
        sections=tuple(sections),
    )


def _placing() -> str:
    if not PLACED.server:
        return "server and clients not pinned to cores: this system can't, or has but one"
    return f"server pinned to one core of {len(ALLOWED)}, its load to {len(PLACED.load)} other, the bench to the last"


def _say(part: str) -> None:
    """Print what is being measured."""
    print(f"measuring {part} …", file=sys.stderr, flush=True)


def _text(report: Report) -> str:
    return "\n".join(
        (
            f"{report.date} · " + " · ".join(f"{name} {number}" for name, number in report.versions.items()),
            report.placing,
            "",
            table(report.sections),
            "",
            f"took {report.minutes:.1f} minutes",
        )
    )


if __name__ == "__main__":
    sys.exit(main())
