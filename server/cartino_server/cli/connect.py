"""`cartino connect`: visit a remote server; drawing happens here and only commands and views travel."""

import argparse
import asyncio
import os
import random
import shlex

from cartino_games.kit.declared.package import foreign_screen
from cartino_games.registry import installed
from cartino_protocol.base import parse_code
from cartino_protocol.commands import Join, Watch
from cartino_protocol.exit_status import FAILURE
from cartino_protocol.text import lazy_gettext
from cartino_server.cli import terminal
from cartino_server.client.connection import ConnectFailed, ServerConnection, UnknownHostKey
from cartino_server.client.connector import Connector
from cartino_server.client.reconnect import ReconnectingLink, RetryDelays
from cartino_server.client.ssh_config import ServerAddress, SshConfig, read_ssh_config
from cartino_server.commands.console import CommandError, err, failure, misuse, terminal_language
from cartino_server.process import ensure_user
from cartino_tui.app import CartinoApp
from cartino_tui.game_port.description import GameCatalog
from cartino_tui.visit.routes import ShellCommands, StartRoute

MAX_PORT = 65_535


def run_connect(arguments: argparse.Namespace) -> int:
    """Visit the server in `arguments`; return the exit code."""
    address = parse_address(arguments.host, arguments.port, arguments.name)
    intent = parse_route(arguments.join, arguments.watch)
    lines, ascii = terminal.wants_plain_mode(arguments.plain), arguments.ascii
    if not lines:
        without = lazy_gettext("A table needs a terminal. Run `cartino connect` in one.")
        ascii = terminal.check_terminal(without) or ascii
    ensure_user()
    try:
        settings = read_ssh_config(address, os.environ)
        return asyncio.run(_visit(address, settings, intent, lines=lines, ascii=ascii))
    except ConnectFailed as error:
        raise CommandError(error.sentence, FAILURE) from None


def parse_address(host: str, port: int | None, name: str | None) -> ServerAddress:
    """Parse `host` ("example.org", "ann@example.org") and the options. Raises CommandError."""
    user, at, bare = host.rpartition("@")
    if not bare or bare.startswith("-") or (at and not user) or not host.isprintable() or " " in host:
        raise misuse("connect: give the server as HOST or NAME@HOST.")
    if name is not None and (not name.strip() or not name.isprintable()):
        raise misuse("--name: that isn't a valid name.")
    if port is not None and not 0 < port <= MAX_PORT:
        raise misuse("--port: use a number from 1 to {most}.", most=MAX_PORT)
    return ServerAddress(bare, name or user or None, port)


def parse_route(join: str | None, watch: str | None) -> StartRoute:
    """Return the route of --join or --watch, by default to the lobby. Raises CommandError."""
    typed = join if watch is None else watch
    if typed is None:
        return None
    code = parse_code(typed)
    if code is None:
        option = "--join" if watch is None else "--watch"
        raise misuse("{option}: a code has 4 or 8 letters and digits, like K7QP.", option=option)
    return Join(code) if watch is None else Watch(code)


def connect_words(address: ServerAddress) -> ShellCommands:
    """Return the command with which others reach the same server."""
    port = "" if address.port is None else f" --port {address.port}"
    return ShellCommands(f"cartino connect {shlex.quote(address.host)}{port}", calls=True)


async def connect_first(caller: Connector) -> ServerConnection:
    """Connect, asking about an unknown host key unless the settings decide. Raises ConnectFailed, CommandError."""
    try:
        return await caller.call()
    except UnknownHostKey as unknown:
        # That connection has ended, so the question has no timeout.
        if not (caller.adds_host_keys or terminal.confirm_host_key(unknown)):
            raise failure("Not connected. Ask the server's admin for the fingerprint of its key.") from None
    caller.trust()
    call = await caller.call()
    try:
        caller.save_host_key()
    except OSError as error:
        err(lazy_gettext("The key can't be saved ({error}), so you will be asked again.", error=error))
    return call


async def _visit(
    address: ServerAddress, settings: SshConfig, intent: StartRoute, *, lines: bool, ascii: bool
) -> int:
    caller = Connector(settings, terminal.ask_passphrase)
    terminal.end_with_terminal(caller.end_proxy)
    link = ReconnectingLink(await connect_first(caller), caller, RetryDelays(random.random))
    shell_commands = connect_words(address)
    if lines:
        own = ShellCommands(f"{shell_commands.words} --plain", calls=True)
        return await terminal.run_plain_mode(
            lambda: link, intent, ascii=ascii, shell_commands=shell_commands, own_shell_commands=own, far=True
        )
    app: CartinoApp = CartinoApp(
        link,
        intent,
        game_screens=GameCatalog(installed().screens, foreign_screen),
        ascii=ascii,
        ground=terminal.terminal_background(),
        language=terminal_language(),
        shell_commands=shell_commands,
    )
    try:
        await app.run_async()
    finally:
        link.close()
    return terminal.print_result(app, far=True)
