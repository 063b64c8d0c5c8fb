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

import asyncssh
import msgspec

from bench import audience, bots, crowd, engine, entering, finished, journal, keys, minds, process, saving
from bench.calibration import calibrate
from bench.figures import Section, table
from bench.scale import FULL, QUICK, Scale
from bench.server import BenchError, Server, serving
from bench.visitors import Visitors, visiting

Part = Callable[[Server, Visitors, Scale], Awaitable[Section]]
Own = Callable[[Scale], Awaitable[Section]]
HERE: tuple[Own, ...] = (minds.measure, journal.measure, saving.measure, finished.measure)
"""What is measured in this process, and then with a server each."""
PARTS: tuple[Part, ...] = (entering.measure, keys.measure, audience.measure, crowd.measure)


class Report(msgspec.Struct, frozen=True):
    """A run: when, with what, the figures, and milliseconds of the fixed work when all was done."""

    date: str
    versions: dict[str, str]
    placing: str
    calibration: float
    sections: tuple[Section, ...]


def main() -> int:
    """Measure and print; 0 whatever the figures are, for the table says which bound is missed, 1 where it broke off."""
    words = argparse.ArgumentParser(prog="python -m bench", description="Measure what Cartino costs.")
    words.add_argument("--quick", action="store_true", help="measure less, to see that it works")
    words.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    arguments = words.parse_args()
    try:
        report = asyncio.run(_run(QUICK if arguments.quick else FULL))
    except KeyboardInterrupt:
        print("Stopped before the end; nothing is left running.", file=sys.stderr)
        return 0
    except (BenchError, asyncssh.Error, OSError) as error:
        print(f"The measuring broke off: {str(error) or type(error).__name__}.", file=sys.stderr)
        return 1
    print(_text(report))
    if arguments.json:
        arguments.json.write_bytes(msgspec.json.format(msgspec.json.encode(report), indent=2) + b"\n")
    return 0


async def _run(scale: Scale) -> Report:
    placed = process.cores()
    if placed:
        process.pin(os.getpid(), placed[1])
    core = placed[0] if placed else None
    sections = [_rules(scale), *[await _here(part, scale) for part in HERE]]
    for part in PARTS:
        _say(part.__module__)
        speed = calibrate(core)
        async with serving(core) as server, visiting(server) as visitors:
            section = await part(server, visitors, scale)
        sections.append(msgspec.structs.replace(section, calibration=speed))
    return Report(
        date=datetime.now(UTC).date().isoformat(),
        versions={"Python": platform.python_version()}
        | {name: version(name) for name in ("textual", "asyncssh", "msgspec")},
        placing=_placing(placed),
        calibration=calibrate(core),
        sections=tuple(sections),
    )


def _rules(scale: Scale) -> Section:
    _say(engine.__name__)
    speed = calibrate()
    return Section(
        "Engine and bots",
        f"{scale.games} random games and {scale.bot_games} games of greedy bots for each edition, in this process",
        (*engine.measure(scale.games), *bots.measure(scale.bot_games)),
        speed,
    )


async def _here(part: Own, scale: Scale) -> Section:
    _say(part.__module__)
    speed = calibrate()
    return msgspec.structs.replace(await part(scale), calibration=speed)


def _placing(placed: tuple[int, int] | None) -> str:
    if placed is None:
        return "server and clients not pinned to cores: this system can't, or has but one"
    return "server pinned to one core, clients and engine to another"


def _say(part: str) -> None:
    """What is being measured, for whoever waits."""
    print(f"measuring {part.rpartition('.')[2]} …", file=sys.stderr, flush=True)


def _text(report: Report) -> str:
    return "\n".join(
        (
            f"{report.date} · " + " · ".join(f"{name} {number}" for name, number in report.versions.items()),
            report.placing,
            "",
            table(report.sections),
            "",
            f"calibration at the end: {report.calibration:.1f} ms",
        )
    )


if __name__ == "__main__":
    sys.exit(main())
