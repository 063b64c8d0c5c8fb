"""`cartino doctor`: check a server's data, games, SQLite and port, and say what to do."""

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import asyncssh

from cartino_games.registry import installed
from cartino_protocol.base import game_name
from cartino_protocol.exit_status import FAILURE
from cartino_protocol.text import N_, LazyMessage, lazy_gettext, lazy_ngettext
from cartino_server.cli.damaged_games import find_resumable, find_unplayable, forget_damaged, resume_damaged
from cartino_server.commands.console import CommandError, out, terminal_locale
from cartino_server.commands.game_options import broken_game_message
from cartino_server.operations.settings import (
    ServerSettings,
    data_errors,
    data_path,
    find_settings,
    stored_game_name,
)
from cartino_server.process import ensure_user
from cartino_server.ssh.listener import ListenError, listen_address, open_sockets
from cartino_server.store.data_directory import DataError, doctor_command, is_locked, read_server_address
from cartino_server.store.host_key import read_host_key
from cartino_server.store.port import DamagedGame
from cartino_server.store.repair.doctor import DataReport, Finding, check_data, damage_finding
from cartino_server.table.restoring import missing_game
from cartino_server.table.saving import FORMAT
from cartino_tui.i18n import Translator

MIN_SQLITE: Final = (3, 51, 3)
"""Older versions could lose the write-ahead log at a reset."""
HOST_KEY_SECONDS: Final = 5.0
"""Seconds to wait for a host key."""
WILDCARD_HOSTS: Final = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}
"""Addresses to try if the server listens on all."""


def check_games() -> list[Finding]:
    """Return what is wrong with the installed games."""
    mend = lazy_gettext(
        "Update or uninstall the package it comes with. Tables of that game are kept until it works."
    )
    return [Finding(broken_game_message(game, why), mend) for game, why in installed().broken.items()]


def check_sqlite(version: str) -> list[Finding]:
    """Return what is wrong with SQLite `version`."""
    if tuple(map(int, version.split("."))) >= MIN_SQLITE:
        return []
    oldest = ".".join(map(str, MIN_SQLITE))
    return [
        Finding(
            lazy_gettext("SQLite is version {version}, which can lose committed data.", version=version),
            lazy_gettext("Install a version of apsw with SQLite {oldest} or newer.", oldest=oldest),
        )
    ]


async def check_port(host: str, port: int, data: Path) -> tuple[LazyMessage, list[Finding]]:
    """Return who listens where a server on `data` would, and what is wrong with it.

    A running server's own address goes before `host` and `port` of the settings.
    """
    host, port = read_server_address(data) or (host, port)
    any_port = (
        lazy_gettext("{host}, any port", host=host) if host else lazy_gettext("every address, any port")
    )
    where = listen_address(host, port) if port else any_port
    running = is_locked(data)
    try:
        for opened in await open_sockets(host, port):
            opened.close()
    except ListenError as error:
        return await _check_listener(error, WILDCARD_HOSTS.get(host, host), port, where, _read_host_key(data))
    if running:
        return lazy_gettext("{where}, nothing is listening", where=where), [
            Finding(
                lazy_gettext("A server is running on this data, but not at {where}.", where=where),
                lazy_gettext(
                    "Give doctor the settings the server was started with: --config FILE, or CARTINO_* variables."
                ),
            )
        ]
    return lazy_gettext("{where}, free", where=where), []


async def _check_listener(
    error: ListenError, host: str, port: int, where: LazyMessage, own: asyncssh.SSHKey | None
) -> tuple[LazyMessage, list[Finding]]:
    ensure_user()
    try:
        async with asyncio.timeout(HOST_KEY_SECONDS):
            shown = await asyncssh.get_server_host_key(host, port, config=None)
    except (OSError, asyncssh.Error, TimeoutError):
        return lazy_gettext("{where}, not available", where=where), [Finding(error.sentence)]
    if shown is not None and own is not None and shown.public_data == own.public_data:
        return lazy_gettext("{where}, this server is listening", where=where), []
    return lazy_gettext("{where}, taken", where=where), [
        Finding(
            lazy_gettext("Another SSH server is listening at {where}.", where=where),
            lazy_gettext("Stop it, or give this server another port (--port, or port in its settings)."),
        )
    ]


def _read_host_key(data: Path) -> asyncssh.SSHKey | None:
    """Return the host key, None without a valid one, which `check_data` reports."""
    try:
        return read_host_key(data / "host_key")
    except DataError:
        return None


MEGABYTE = 1 << 20
_LABELS = (N_("data"), N_("games"), N_("server"), N_("journal"), N_("disk"), N_("SQLite"), N_("address"))


def run_doctor(arguments: argparse.Namespace) -> int:
    """Print the checks and return 1 if one failed; or forget or resume a damaged game."""
    if arguments.forget is not None:
        return _forget_game(data_path(find_settings(arguments)), arguments.forget)
    if arguments.resume is not None:
        return _resume_game(data_path(find_settings(arguments)), arguments.resume)
    try:
        settings = find_settings(arguments)
        data = data_path(settings)
    except CommandError as error:
        findings = [
            Finding(
                error.sentence, lazy_gettext("Correct this first; nothing else can be checked until then.")
            )
        ]
    else:
        findings = _examine(settings, data)
    out(*_advice_lines(findings, terminal_locale()))
    return FAILURE if any(not finding.harmless for finding in findings) else 0


def _examine(settings: ServerSettings, data: Path) -> list[Finding]:
    translator = terminal_locale()
    out(_fact_row(translator, "data", str(data)))
    out(_fact_row(translator, "games", ", ".join(installed().rules) or translator.gettext("none")))
    try:
        report = check_data(data, entries=FORMAT)
    except DataError as error:
        return [
            Finding(
                error.sentence,
                lazy_gettext(
                    "Give the data directory of a server, or start a server there once: it creates what is missing."
                ),
            )
        ]
    unplayable = find_unplayable(data) if report.version else ()
    broken = sum(not missing_game(game.why) for game in unplayable)
    address, wrong = asyncio.run(check_port(settings.host, settings.port, data))
    out(*_journal_rows(report, len(report.damaged) + broken, translator))
    out(_fact_row(translator, "address", translator.render(address)))
    faults = (*check_games(), *check_sqlite(report.sqlite))
    return [
        *faults,
        *_findings_with_resume(data, report),
        *(_unplayable_finding(data, game) for game in unplayable),
        *wrong,
    ]


def _findings_with_resume(data: Path, report: DataReport) -> list[Finding]:
    """Return the findings of `report`, with --resume for the games that can go on."""
    resumable = find_resumable(data, report.damaged) if report.version else {}
    damaged = [(damage_finding(data, game), game) for game in report.damaged]
    offered = list(report.findings)
    for at, finding in enumerate(report.findings):
        game = next((game for said, game in damaged if said == finding), None)
        if game is not None and game.game in resumable:
            way = lazy_ngettext(
                "It can resume from its last verified move ({n} move is lost): stop the server and run {command} "
                "(--forget instead of --resume removes the game)",
                "It can resume from its last verified move (up to {n} moves are lost): stop the server and run "
                "{command} (--forget instead of --resume removes the game)",
                resumable[game.game].missing,
                command=doctor_command(data, "--resume", stored_game_name(game)),
            )
            offered[at] = Finding(finding.what, way)
    return offered


def _unplayable_finding(data: Path, game: DamagedGame) -> Finding:
    if not missing_game(game.why):
        return damage_finding(data, game)
    name = game_name(game.code, game.game)
    return Finding(
        lazy_gettext("Game {name} is on hold: {why}.", name=name, why=game.why),
        lazy_gettext(
            "Install or repair its package, then restart the server. The table and its moves are kept."
        ),
    )


def _forget_game(data: Path, name: str) -> int:
    with data_errors():
        report = check_data(data, entries=FORMAT)
        unplayable = find_unplayable(data) if report.version else ()
        target = forget_damaged(data, name, (*report.damaged, *unplayable))
    out(
        lazy_gettext(
            "Game {name} was removed from the journal. What was left of it is in {target}.",
            name=name.strip().upper(),
            target=target,
        )
    )
    return 0


def _resume_game(data: Path, name: str) -> int:
    with data_errors():
        game, target = resume_damaged(data, name, check_data(data, entries=FORMAT).damaged)
    out(
        lazy_ngettext(
            "Game {name} resumes from its last verified move; {n} move is lost, and its players are told. Its "
            "original data is in {target}.",
            "Game {name} resumes from its last verified move; up to {n} moves are lost, and its players are "
            "told. Its original data is in {target}.",
            game.missing,
            name=game_name(game.code, game.game),
            target=target,
        )
    )
    return 0


def _journal_rows(report: DataReport, damaged: int, translator: Translator) -> list[str]:
    counted = (_state_count(state, count, translator) for state, count in sorted(report.games.items()))
    journal = translator.gettext(
        "version {version}, {games}, {damaged} damaged, {size} MB",
        version=report.version,
        games=", ".join(counted) or translator.gettext("no games"),
        damaged=damaged,
        size=f"{report.size / MEGABYTE:.1f}",
    )
    running = translator.gettext("running") if report.running else translator.gettext("not running")
    return [
        _fact_row(translator, "server", running),
        _fact_row(translator, "journal", journal),
        _fact_row(translator, "disk", translator.gettext("{free} MB free", free=report.free // MEGABYTE)),
        _fact_row(translator, "SQLite", report.sqlite),
    ]


def _state_count(state: str, count: int, translator: Translator) -> str:
    match state:
        case "open":
            return translator.ngettext("{n} open", "{n} open", count)
        case "parked":
            return translator.ngettext("{n} parked", "{n} parked", count)
        case "broken":
            return translator.ngettext("{n} crashed", "{n} crashed", count)
        case "closed":
            return translator.ngettext("{n} closed", "{n} closed", count)
        case _:
            return f"{count} {state}"


def _fact_row(translator: Translator, label: str, fact: str) -> str:
    width = max(len(translator.gettext(each)) for each in _LABELS)
    return f"{translator.gettext(label):<{width}}  {fact}"


def _advice_lines(findings: Sequence[Finding], translator: Translator) -> list[str]:
    if not findings:
        return [translator.gettext("Everything is fine.")]
    return [
        line
        for number, each in enumerate(findings, 1)
        for line in (
            f"{number}. {translator.render(each.what)}",
            *([f"   {translator.render(each.do)}"] if each.do.text else []),
        )
    ]
