"""`cartino doctor`: looks at a server's data and set-up, and says what it found and what to do."""

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path

from cartino_server.entry.data import place_of, plainly, settings_of
from cartino_server.entry.errors import FAILURE, CommandError
from cartino_server.entry.examining import examine_door, examine_sqlite
from cartino_server.entry.forgetting import forget_damaged
from cartino_server.entry.rebuilding import find_unplayable
from cartino_server.entry.settings import Settings
from cartino_server.rooms.facts import FORMAT
from cartino_server.store.checking import Finding, Report, check, damage
from cartino_server.store.datadir import DataError
from cartino_server.store.port import Damaged

MEGABYTE = 1 << 20


def run(arguments: argparse.Namespace) -> int:
    """Print what was looked at and what was found; 1 where anything was. Or forget a damaged game."""
    if arguments.forget is not None:
        return _forget(place_of(settings_of(arguments)), arguments.forget)
    try:
        settings = settings_of(arguments)
        data = place_of(settings)
    except CommandError as error:
        findings = [Finding(str(error), "Correct it; nothing else can be looked at before.")]
    else:
        findings = _look(settings, data)
    print(_advice(findings))
    return FAILURE if findings else 0


def _look(settings: Settings, data: Path) -> list[Finding]:
    """Print what is there; what of it is not as it should be."""
    print(f"data     {data}")
    try:
        report = check(data, entries=FORMAT)
    except DataError as error:
        return [
            Finding(
                str(error), "Name the data of a server, or start one on it once: it makes what is missing."
            )
        ]
    unplayable = _unplayable(data, report)
    door, wrong = asyncio.run(examine_door(settings.host, settings.port, data))
    for line in _facts(report, len(report.damaged) + len(unplayable)):
        print(line)
    print(f"door     {door}")
    return [*examine_sqlite(report.sqlite), *report.findings, *map(damage, unplayable), *wrong]


def _unplayable(data: Path, report: Report) -> tuple[Damaged, ...]:
    """The games that are whole and yet no server can go on with, in a journal that can be read at all."""
    return find_unplayable(data) if report.version else ()


def _forget(data: Path, name: str) -> int:
    with plainly():
        report = check(data, entries=FORMAT)
        target = forget_damaged(data, name, (*report.damaged, *_unplayable(data, report)))
    print(f"The game {name.strip().upper()} is out of the journal; what was left of it is in {target}.")
    return 0


def _facts(report: Report, damaged: int) -> list[str]:
    games = ", ".join(f"{count} {state}" for state, count in sorted(report.games.items())) or "no games"
    return [
        f"server   {'runs' if report.running else 'does not run'}",
        f"journal  version {report.version}, {games}, {damaged} damaged, {report.size / MEGABYTE:.1f} MB",
        f"disk     {report.free // MEGABYTE} MB free",
        f"SQLite   {report.sqlite}",
    ]


def _advice(findings: Sequence[Finding]) -> str:
    if not findings:
        return "Everything is as it should be."
    return "\n".join(
        f"{number}. {_plain(each.what)}\n   {_plain(each.do)}" for number, each in enumerate(findings, 1)
    )


def _plain(text: str) -> str:
    """What stands in damaged data may be anything; it must not steer the terminal."""
    return "".join(char if char.isprintable() else "?" for char in text)
