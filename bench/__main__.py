"""`python -m bench`: measure everything, print one table, and keep it as JSON where that is wanted."""

import argparse
import asyncio
import os
import platform
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import msgspec

from bench import audience, bots, crowd, engine, entering, keys, process
from bench.calibration import calibrate
from bench.figures import Section, table
from bench.scale import FULL, QUICK, Scale
from bench.server import Server, serving
from bench.visitors import Visitors, visiting

Part = Callable[[Server, Visitors, Scale], Awaitable[Section]]
PARTS: tuple[Part, ...] = (entering.measure, keys.measure, audience.measure, crowd.measure)


class Report(msgspec.Struct, frozen=True):
    """A run: when, with what, how fast the core was before and after (milliseconds of a fixed work), the figures."""

    date: str
    versions: dict[str, str]
    placing: str
    calibration: tuple[float, float]
    sections: tuple[Section, ...]


def main() -> int:
    """Measure and print. Always 0: a figure beyond its bound is said in the table, and is no failure of the run."""
    words = argparse.ArgumentParser(prog="python -m bench", description="Measure what Cartino costs.")
    words.add_argument("--quick", action="store_true", help="measure less, to see that it works")
    words.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    arguments = words.parse_args()
    try:
        report = asyncio.run(_run(QUICK if arguments.quick else FULL))
    except KeyboardInterrupt:
        print("ended before the end", file=sys.stderr)
        return 0
    print(_text(report))
    if arguments.json:
        arguments.json.write_bytes(msgspec.json.format(msgspec.json.encode(report), indent=2) + b"\n")
    return 0


async def _run(scale: Scale) -> Report:
    placed = process.cores()
    if placed:
        process.pin(os.getpid(), placed[1])
    before = calibrate()
    sections = [_rules(scale)]
    for part in PARTS:
        _say(part.__module__)
        async with serving(placed[0] if placed else None) as server, visiting(server) as visitors:
            sections.append(await part(server, visitors, scale))
    return Report(
        date=datetime.now(UTC).date().isoformat(),
        versions={"Python": platform.python_version()}
        | {name: version(name) for name in ("textual", "asyncssh", "msgspec")},
        placing=_placing(placed),
        calibration=(before, calibrate()),
        sections=tuple(sections),
    )


def _rules(scale: Scale) -> Section:
    _say(engine.__name__)
    return Section(
        "Engine and bots",
        f"{scale.games} random games and {scale.bot_games} games of greedy bots for each edition, in this process",
        (*engine.measure(scale.games), *bots.measure(scale.bot_games)),
    )


def _placing(placed: tuple[int, int] | None) -> str:
    if placed is None:
        return "server and clients not pinned to cores: this system can't, or has but one"
    return "server pinned to one core, clients and engine to another"


def _say(part: str) -> None:
    """What is being measured, for whoever waits."""
    print(f"measuring {part.rpartition('.')[2]} …", file=sys.stderr, flush=True)


def _text(report: Report) -> str:
    first, last = report.calibration
    return "\n".join(
        (
            f"{report.date} · " + " · ".join(f"{name} {number}" for name, number in report.versions.items()),
            f"{report.placing}; calibration {first:.1f} ms before, {last:.1f} ms after",
            "",
            table(report.sections),
        )
    )


if __name__ == "__main__":
    sys.exit(main())
