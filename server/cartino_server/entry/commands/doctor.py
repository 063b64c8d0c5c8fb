"""`cartino doctor`: looks at a server's data and set-up, and says what it found and what to do."""

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path

from cartino_games.registry import installed
from cartino_protocol.ids import name_game
from cartino_protocol.marking import N_, later, later_count
from cartino_server.entry.data import name_of, place_of, plainly, settings_of
from cartino_server.entry.errors import FAILURE, CommandError
from cartino_server.entry.examining import examine_door, examine_games, examine_sqlite
from cartino_server.entry.forgetting import find_resumable, forget_damaged, resume_damaged
from cartino_server.entry.rebuilding import find_unplayable
from cartino_server.entry.settings import Settings
from cartino_server.entry.speaking import out, own_tongue
from cartino_server.rooms.facts import FORMAT
from cartino_server.rooms.restoring import missing_game
from cartino_server.store.checking import Finding, Report, check, damage
from cartino_server.store.datadir import DataError, doctor_command
from cartino_server.store.port import Damaged
from cartino_tui.tongue import Tongue

MEGABYTE = 1 << 20
_LABELS = (N_("data"), N_("games"), N_("server"), N_("journal"), N_("disk"), N_("SQLite"), N_("door"))


def run(arguments: argparse.Namespace) -> int:
    """Print what was looked at and what was found; 1 where anything was. Or forget a damaged game."""
    if arguments.forget is not None:
        return _forget(place_of(settings_of(arguments)), arguments.forget)
    if arguments.resume is not None:
        return _resume(place_of(settings_of(arguments)), arguments.resume)
    try:
        settings = settings_of(arguments)
        data = place_of(settings)
    except CommandError as error:
        findings = [Finding(error.sentence, later("Correct it; nothing else can be looked at before."))]
    else:
        findings = _look(settings, data)
    out(*_advice(findings, own_tongue()))
    return FAILURE if findings else 0


def _look(settings: Settings, data: Path) -> list[Finding]:
    """Print what is there; what of it is not as it should be."""
    tongue = own_tongue()
    out(_row(tongue, "data", str(data)))
    out(_row(tongue, "games", ", ".join(installed().rules) or tongue.say("none")))
    try:
        report = check(data, entries=FORMAT)
    except DataError as error:
        return [
            Finding(
                error.sentence,
                later("Name the data of a server, or start one on it once: it makes what is missing."),
            )
        ]
    unplayable = _unplayable(data, report)
    broken = sum(not missing_game(game.why) for game in unplayable)
    door, wrong = asyncio.run(examine_door(settings.host, settings.port, data))
    out(*_facts(report, len(report.damaged) + broken, tongue))
    out(_row(tongue, "door", tongue.tell(door)))
    faults = (*examine_games(), *examine_sqlite(report.sqlite))
    return [*faults, *_offering(data, report), *(_unplayed(data, game) for game in unplayable), *wrong]


def _offering(data: Path, report: Report) -> list[Finding]:
    """The findings of the `report`, with the way to go on where a damaged game can."""
    resumable = find_resumable(data, report.damaged) if report.version else {}
    damaged = [(damage(data, game), game) for game in report.damaged]
    offered: list[Finding] = []
    for finding in report.findings:
        game = next((game for said, game in damaged if said == finding), None)
        if game is not None and game.game in resumable:
            way = later_count(
                "It can go on from its last proven move ({n} move is lost): stop the server and run {command} "
                "(--forget instead of --resume removes the game)",
                "It can go on from its last proven move (up to {n} moves are lost): stop the server and run {command} "
                "(--forget instead of --resume removes the game)",
                resumable[game.game].missing,
                command=doctor_command(data, "--resume", name_of(game)),
            )
            offered.append(Finding(finding.what, way))
        else:
            offered.append(finding)
    return offered


def _unplayed(data: Path, game: Damaged) -> Finding:
    """What to say of a game that is whole and yet no server can go on with."""
    if not missing_game(game.why):
        return damage(data, game)
    name = name_game(game.code, game.game)
    return Finding(
        later("The game {name} waits: {why}.", name=name, why=game.why),
        later(
            "Install its package, or mend it, and start the server again; the table and its moves are kept."
        ),
    )


def _unplayable(data: Path, report: Report) -> tuple[Damaged, ...]:
    """The games that are whole and yet no server can go on with, in a journal that can be read at all."""
    return find_unplayable(data) if report.version else ()


def _forget(data: Path, name: str) -> int:
    with plainly():
        report = check(data, entries=FORMAT)
        target = forget_damaged(data, name, (*report.damaged, *_unplayable(data, report)))
    told = own_tongue().say(
        "The game {name} is out of the journal; what was left of it is in {target}.",
        name=name.strip().upper(),
        target=target,
    )
    out(told)
    return 0


def _resume(data: Path, name: str) -> int:
    with plainly():
        game, target = resume_damaged(data, name, check(data, entries=FORMAT).damaged)
    told = own_tongue().count(
        "The game {name} goes on from its last proven move; {n} move is lost, and its players are told. All that it "
        "had is in {target}.",
        "The game {name} goes on from its last proven move; up to {n} moves are lost, and its players are told. All "
        "that it had is in {target}.",
        game.missing,
        name=name_game(game.code, game.game),
        target=target,
    )
    out(told)
    return 0


def _facts(report: Report, damaged: int, tongue: Tongue) -> list[str]:
    counted = (_counted(state, count, tongue) for state, count in sorted(report.games.items()))
    journal = tongue.say(
        "version {version}, {games}, {damaged} damaged, {size} MB",
        version=report.version,
        games=", ".join(counted) or tongue.say("no games"),
        damaged=damaged,
        size=f"{report.size / MEGABYTE:.1f}",
    )
    return [
        _row(tongue, "server", tongue.say("runs") if report.running else tongue.say("does not run")),
        _row(tongue, "journal", journal),
        _row(tongue, "disk", tongue.say("{free} MB free", free=report.free // MEGABYTE)),
        _row(tongue, "SQLite", report.sqlite),
    ]


def _counted(state: str, count: int, tongue: Tongue) -> str:
    """So many games that are so far."""
    match state:
        case "open":
            return tongue.count("{n} open", "{n} open", count)
        case "broken":
            return tongue.count("{n} broken", "{n} broken", count)
        case "closed":
            return tongue.count("{n} closed", "{n} closed", count)
        case _:
            return f"{count} {state}"


def _row(tongue: Tongue, label: str, fact: str) -> str:
    """A fact behind its label, in a column as wide as the longest label."""
    width = max(len(tongue.say(each)) for each in _LABELS)
    return f"{tongue.say(label):<{width}}  {fact}"


def _advice(findings: Sequence[Finding], tongue: Tongue) -> list[str]:
    if not findings:
        return [tongue.say("Everything is as it should be.")]
    return [
        line
        for number, each in enumerate(findings, 1)
        for line in (
            f"{number}. {tongue.tell(each.what)}",
            *([f"   {tongue.tell(each.do)}"] if each.do.text else []),
        )
    ]
