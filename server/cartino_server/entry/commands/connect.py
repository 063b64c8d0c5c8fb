"""`cartino connect`: a house far away in this terminal; it is drawn here, and only what is played travels."""

import argparse
import asyncio
import os
import random
import shlex

from cartino_games.kit.declared.package import foreign_screen
from cartino_games.registry import installed
from cartino_protocol.ids import read_code
from cartino_protocol.marking import later
from cartino_server.calling.call import Call
from cartino_server.calling.caller import Caller
from cartino_server.calling.errors import CallError, UnknownHostKey
from cartino_server.calling.line import Line
from cartino_server.calling.pauses import Pauses
from cartino_server.calling.settings import Address, Settings, read_settings
from cartino_server.entry import asking
from cartino_server.entry.errors import FAILURE, MISUSE, CommandError
from cartino_server.entry.last_word import finish
from cartino_server.entry.own_lines import speak_here, wants_lines
from cartino_server.entry.screen import own_ground, own_screen
from cartino_server.entry.speaking import err, own_language, own_tongue
from cartino_tui.app import HouseApp
from cartino_tui.door import Door
from cartino_tui.driver import inside
from cartino_tui.games.foreign import WithForeign
from cartino_tui.intent import Intent, ToLobby, ToTable

MOST_PORT = 65_535


def run(arguments: argparse.Namespace) -> int:
    """Visit the house that the words name; the exit code of the app."""
    address = read_address(arguments.host, arguments.port, arguments.name)
    intent = read_intent(arguments.join, arguments.watch)
    lines = wants_lines(arguments.plain)
    simple = arguments.ascii
    if not lines:
        simple = own_screen(later("A table needs a terminal; start `cartino connect` in one.")) or simple
    try:
        settings = read_settings(address, os.environ)
        if lines:
            return asyncio.run(_visit_in_lines(address, settings, intent, ascii=simple))
        inside.install()
        return asyncio.run(_visit(address, settings, intent, simple=simple))
    except CallError as error:
        raise CommandError(error.sentence, FAILURE) from None


def read_address(host: str, port: int | None, name: str | None) -> Address:
    """What `host` ("example.org", "ann@example.org") and the options say. Raises CommandError."""
    user, at, bare = host.rpartition("@")
    if not bare or bare.startswith("-") or (at and not user) or not host.isprintable() or " " in host:
        raise CommandError(later("connect: name the house as HOST or NAME@HOST."), MISUSE)
    if name is not None and (not name.strip() or not name.isprintable()):
        raise CommandError(later("--name: that is no name."), MISUSE)
    if port is not None and not 0 < port <= MOST_PORT:
        raise CommandError(later("--port: a port is a number from 1 to {most}.", most=MOST_PORT), MISUSE)
    return Address(bare, name or user or None, port)


def read_intent(join: str | None, watch: str | None) -> Intent:
    """Where --join or --watch leads; to the lobby without. Raises CommandError."""
    typed = join if watch is None else watch
    if typed is None:
        return ToLobby()
    code = read_code(typed)
    if code is None:
        option = "--join" if watch is None else "--watch"
        raise CommandError(
            later("{option}: a code is 4 or 8 letters and digits, like K7QP.", option=option), MISUSE
        )
    return ToTable(code, watch=watch is not None)


def door_of(address: Address) -> Door:
    """The words that lead to the same house in the same way; the name is everybody's own."""
    port = "" if address.port is None else f" --port {address.port}"
    return Door(f"cartino connect {shlex.quote(address.host)}{port}", calls=True)


async def call_first(caller: Caller) -> Call:
    """The first call, with a question where nobody knows the house's key. Raises CallError, CommandError."""
    try:
        return await caller.call()
    except UnknownHostKey as unknown:
        # That call has ended, so nobody waits for the answer and nothing runs out.
        if not asking.confirm(unknown):
            raise CommandError(
                later("You did not go there; ask whoever keeps the house for its key.")
            ) from None
    caller.trust()
    call = await caller.call()
    try:
        caller.write_down()
    except OSError as error:
        told = own_tongue().say(
            "The key can't be written down ({error}), so you will be asked again.", error=error
        )
        err(told)
    return call


async def _visit_in_lines(address: Address, settings: Settings, intent: Intent, *, ascii: bool) -> int:
    caller = Caller(address, settings, asking.passphrase)
    line = Line(await call_first(caller), caller, Pauses(random.random))
    door = door_of(address)
    own = Door(f"{door.words} --plain", calls=True)
    return await speak_here(lambda: line, intent, ascii=ascii, door=door, own_door=own, far=True)


async def _visit(address: Address, settings: Settings, intent: Intent, *, simple: bool) -> int:
    caller = Caller(address, settings, asking.passphrase)
    call = await call_first(caller)
    line = Line(call, caller, Pauses(random.random))
    app: HouseApp = HouseApp(
        line,
        intent,
        plugs=WithForeign(installed().screens, foreign_screen),
        ascii=simple,
        ground=own_ground(),
        language=own_language(),
        door=door_of(address),
    )
    try:
        await app.run_async()
    finally:
        line.close()
    return finish(app, far=True)
