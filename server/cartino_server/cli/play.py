"""`cartino play` and `cartino replay`: a table in this terminal, with bots or from a record."""

import argparse
import asyncio
import getpass
import os
from pathlib import Path

import msgspec

from cartino_engine.replay import RecordError, read_record
from cartino_games.registry import installed
from cartino_protocol.commands import Create
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import lazy_gettext
from cartino_protocol.wire import encode_raw
from cartino_server.cli import terminal
from cartino_server.cli.verify import read_record_file, record_error_message
from cartino_server.commands.console import (
    CommandError,
    err,
    misuse,
    terminal_language,
    terminal_locale,
)
from cartino_server.commands.game_options import (
    bot_names,
    broken_game_message,
    check_bot,
    parse_game_options,
)
from cartino_server.commands.local_settings import read_local_settings, settings_path
from cartino_server.limits import ServerConfig
from cartino_server.lobby.finished.history import game_replay
from cartino_server.lobby.people import names
from cartino_server.server import Server
from cartino_server.store.data_directory import replace_file
from cartino_server.store.journal import MemoryJournal
from cartino_server.store.port import NotSaved
from cartino_server.table.link import Person
from cartino_server.visitors import bare_user
from cartino_tui.app import CartinoApp
from cartino_tui.preferences import Settings, decode_settings
from cartino_tui.replay_app import ReplayApp
from cartino_tui.visit.replay_cursor import ReplayStep
from cartino_tui.visit.routes import LocalTable, StartRoute, ToLesson


def run_play(arguments: argparse.Namespace) -> int:
    """Play at a new table with bots; return the exit code."""
    intent: StartRoute = parse_new_table(arguments)
    if arguments.learn:
        intent = ToLesson(arguments.game)
    person = Person("local", _player_name(arguments.name))
    for game, why in installed().broken.items():
        err(broken_game_message(game, why))
    lines, ascii = terminal.wants_plain_mode(arguments.plain), arguments.ascii
    if not lines:
        without = lazy_gettext("A table needs a terminal. Run `cartino play` in one.")
        ascii = terminal.check_terminal(without) or ascii
    terminal.end_with_terminal()
    return asyncio.run(_play(person, intent, lines=lines, ascii=ascii))


def _player_name(text: str | None) -> str:
    """Return `text` as a name at the table, by default the user's. Raises CommandError."""
    if text is None:
        try:
            return bare_user(getpass.getuser()) or "you"
        except (KeyError, OSError):
            return "you"
    name, fault = names.read_name(text)
    if fault is not None:
        raise misuse("--name: {why}", why=Refusal(fault, name).words())
    return name


def parse_new_table(arguments: argparse.Namespace) -> LocalTable:
    """Return the route to the table in `arguments`; a first game is against the easy bot. Raises CommandError."""
    game = installed().rules[arguments.game]
    options = parse_game_options(game, arguments)
    least, most = game.seats
    if not least <= arguments.bots + 1 <= most:
        raise misuse(
            "--bots: {title} is for {least} to {most} players, including you.",
            title=game.title,
            least=least,
            most=most,
        )
    usual = arguments.bot or next(iter(bot_names(game)), "")
    check_bot(game, usual)
    easy = arguments.bot or next(iter(installed().screens[game.name].levels), usual)
    table, first = (
        Create(game.name, options, arguments.bots + 1, (bot,) * arguments.bots, open=False)
        for bot in (usual, easy)
    )
    return LocalTable(table, first)


class LocalSettingsJournal(MemoryJournal):
    """A journal in memory that stores the settings of one person in their own file."""

    def __init__(self, path: Path | None) -> None:
        """Keep them at `path`, or in memory without one."""
        super().__init__()
        self._path = path

    async def settings(self, person: str) -> bytes:
        """Read the file."""
        if self._path is None:
            return await super().settings(person)
        return bytes(encode_raw(await asyncio.to_thread(read_local_settings, self._path)))

    async def keep_settings(self, person: str, settings: bytes) -> None:
        """Replace the file. Raises NotSaved."""
        if self._path is None:
            await super().keep_settings(person, settings)
            return
        try:
            await asyncio.to_thread(_write_settings, self._path, decode_settings(settings))
        except OSError as error:
            raise NotSaved(f"{self._path}: {error.strerror}") from error


def _write_settings(path: Path, settings: Settings) -> None:
    """Replace the file atomically. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, msgspec.json.format(msgspec.json.encode(settings)) + b"\n")


async def _play(person: Person, intent: StartRoute, *, lines: bool, ascii: bool) -> int:
    """Play on a server for one player, which keeps only their settings."""
    journal = LocalSettingsJournal(settings_path(os.environ))
    server = Server(installed().rules, installed().bots, ServerConfig(empty_after=5), journal=journal)
    try:
        if lines:
            return await terminal.run_plain_mode(lambda: server.open_link(person), intent, ascii=ascii)
        app: CartinoApp = CartinoApp(
            server.open_link(person),
            intent,
            game_screens=installed().screens,
            ascii=ascii,
            ground=terminal.terminal_background(),
            language=terminal_language(),
        )
        await app.run_async()
    finally:
        await server.close()
    return terminal.print_result(app)


def run_replay(arguments: argparse.Namespace) -> int:
    """Show a record; return the exit code."""
    played = ""
    try:
        record = read_record(read_record_file(arguments.file), installed().rules)
        played = record.head.game
        replay = game_replay(record)
        # The deal, then each move.
        steps = [ReplayStep(replay.view(step), replay.line(step)) for step in range(replay.steps + 1)]
    except RecordError as error:
        raise CommandError(record_error_message(arguments.file, error, played, terminal_locale())) from None
    simple = terminal.check_terminal(lazy_gettext("A replay needs a terminal. Run `cartino replay` in one."))
    app: ReplayApp = ReplayApp(
        steps,
        game_screens=installed().screens,
        ascii=simple,
        ground=terminal.terminal_background(),
        language=terminal_language(),
        turns=replay.course().turns,
        settings=read_local_settings(settings_path(os.environ)),
    )
    terminal.end_with_terminal()
    asyncio.run(app.run_async())
    return terminal.print_result(app)
