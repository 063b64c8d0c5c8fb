"""`cartino play` and `cartino replay`: a table in this terminal, with bots or from a record."""

import argparse
import asyncio
import getpass
import os
from collections.abc import Iterator

from cartino_games.registry import installed
from cartino_protocol.commands import Create
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import lazy_gettext
from cartino_server.cli.terminal import (
    check_terminal,
    print_result,
    run_plain_mode,
    terminal_background,
    wants_plain_mode,
)
from cartino_server.cli.verify import read_record_file, record_error_message
from cartino_server.commands.console import MISUSE, CommandError, err, terminal_language, terminal_locale
from cartino_server.commands.game_options import broken_game_message, check_bot, parse_game_options
from cartino_server.commands.local_settings import LocalSettingsJournal, read_local_settings, settings_path
from cartino_server.engine.replay import RecordError, read_record
from cartino_server.limits import ServerConfig
from cartino_server.lobby import names
from cartino_server.lobby.history import GameReplay, game_replay
from cartino_server.lobby.server import Server
from cartino_server.table.link import Person
from cartino_tui.app import CartinoApp
from cartino_tui.replay_app import ReplayApp
from cartino_tui.terminal import textual_internals
from cartino_tui.visit.replay_cursor import ReplayStep
from cartino_tui.visit.routes import StartRoute, ToLesson


def run_play(arguments: argparse.Namespace) -> int:
    """Play at a new table with bots; return the exit code."""
    intent: StartRoute = parse_new_table(arguments)
    if arguments.learn:
        intent = ToLesson(arguments.game)
    name = _default_name() if arguments.name is None else parse_name(arguments.name)
    person = Person("local", name)
    for game, why in installed().broken.items():
        err(terminal_locale().render(broken_game_message(game, why)))
    if wants_plain_mode(arguments.plain):
        return asyncio.run(_play_in_plain_mode(person, intent, ascii=arguments.ascii))
    simple = (
        check_terminal(lazy_gettext("A table needs a terminal; start `cartino play` in one."))
        or arguments.ascii
    )
    textual_internals.install()
    return asyncio.run(_play_on_screen(person, intent, simple=simple))


def parse_name(text: str) -> str:
    """Return `text` as a name at the table. Raises CommandError."""
    name, fault = names.read_name(text)
    if fault is not None:
        raise CommandError(lazy_gettext("--name: {why}", why=Refusal(fault, name).words()), MISUSE)
    return name


def parse_new_table(arguments: argparse.Namespace) -> Create:
    """Return the route to the table in `arguments`. Raises CommandError."""
    game = installed().rules[arguments.game]
    options = parse_game_options(game, arguments)
    least, most = game.seats
    if not least <= arguments.bots + 1 <= most:
        raise CommandError(
            lazy_gettext(
                "--bots: {title} is for {least} to {most} players, you among them.",
                title=game.title,
                least=least,
                most=most,
            ),
            MISUSE,
        )
    check_bot(game, arguments.bot)
    return Create(game.name, options, arguments.bots + 1, (arguments.bot,) * arguments.bots, open=False)


def _local_server() -> Server:
    """Return a server for one player that keeps only their settings."""
    journal = LocalSettingsJournal(settings_path(os.environ))
    return Server(installed().rules, installed().bots, ServerConfig(empty_after=5), journal=journal)


async def _play_on_screen(person: Person, intent: StartRoute, *, simple: bool) -> int:
    house = _local_server()
    app: CartinoApp = CartinoApp(
        house.open_link(person),
        intent,
        game_screens=installed().screens,
        ascii=simple,
        ground=terminal_background(),
        language=terminal_language(),
    )
    try:
        await app.run_async()
    finally:
        await house.close()
    return print_result(app)


async def _play_in_plain_mode(person: Person, intent: StartRoute, *, ascii: bool) -> int:
    house = _local_server()
    try:
        return await run_plain_mode(lambda: house.open_link(person), intent, ascii=ascii)
    finally:
        await house.close()


def _default_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "you"


def run_replay(arguments: argparse.Namespace) -> int:
    """Show a record; return the exit code."""
    played = ""
    try:
        record = read_record(read_record_file(arguments.file), installed().rules)
        played = record.head.game
        reel = game_replay(record)
        steps = list(replay_steps(reel))
    except RecordError as error:
        raise CommandError(record_error_message(arguments.file, error, played, terminal_locale())) from None
    simple = check_terminal(lazy_gettext("A replay needs a terminal; start `cartino replay` in one."))
    textual_internals.install()
    app: ReplayApp = ReplayApp(
        steps,
        game_screens=installed().screens,
        ascii=simple,
        ground=terminal_background(),
        language=terminal_language(),
        turns=reel.course().turns,
        settings=read_local_settings(settings_path(os.environ)),
    )
    asyncio.run(app.run_async())
    return print_result(app)


def replay_steps(reel: GameReplay) -> Iterator[ReplayStep]:
    """Yield what the table screen shows: the deal, then each move."""
    for step in range(reel.steps + 1):
        yield ReplayStep(reel.view(step), reel.line(step))
