"""`cartino play`: the same table in this terminal, with bots, the house in the same process."""

import argparse
import asyncio
import getpass
import os

from cartino_games.registry import installed
from cartino_protocol.marking import later
from cartino_protocol.refusals import Refusal
from cartino_server.entry.arguments import bot_names, cant_be_played, game_options
from cartino_server.entry.errors import MISUSE, CommandError
from cartino_server.entry.last_word import finish
from cartino_server.entry.own_lines import speak_here, wants_lines
from cartino_server.entry.own_settings import OwnJournal, settings_path
from cartino_server.entry.screen import own_ground, own_screen
from cartino_server.entry.speaking import err, own_language, own_tongue
from cartino_server.rooms import names
from cartino_server.rooms.config import HouseConfig
from cartino_server.rooms.house import House
from cartino_server.rooms.people import Person
from cartino_tui.app import HouseApp
from cartino_tui.driver import inside
from cartino_tui.intent import Intent, ToLesson, ToNewTable


def run(arguments: argparse.Namespace) -> int:
    """Sit down at a new table with bots; the exit code of the app."""
    intent: Intent = read_intent(arguments)
    if arguments.learn:
        intent = ToLesson(arguments.game)
    name = _user() if arguments.name is None else read_name(arguments.name)
    person = Person("local", name)
    for game, why in installed().broken.items():
        err(own_tongue().tell(cant_be_played(game, why)))
    if wants_lines(arguments.plain):
        return asyncio.run(_play_in_lines(person, intent, ascii=arguments.ascii))
    simple = own_screen(later("A table needs a terminal; start `cartino play` in one.")) or arguments.ascii
    inside.install()
    return asyncio.run(_play(person, intent, simple=simple))


def read_name(text: str) -> str:
    """Return `text` as a name at the table. Raises CommandError."""
    name, fault = names.read_name(text)
    if fault is not None:
        raise CommandError(later("--name: {why}", why=Refusal(fault, name).words()), MISUSE)
    return name


def read_intent(arguments: argparse.Namespace) -> ToNewTable:
    """The table that the words ask for. Raises CommandError."""
    game = installed().rules[arguments.game]
    options = game.read_options(game_options(game, vars(arguments)))
    if isinstance(options, Refusal):
        raise CommandError(options.words(), MISUSE)
    least, most = game.seats
    if not least <= arguments.bots + 1 <= most:
        raise CommandError(
            later(
                "--bots: {title} is for {least} to {most} players, you among them.",
                title=game.title,
                least=least,
                most=most,
            ),
            MISUSE,
        )
    if arguments.bot not in bot_names(game):
        known = ", ".join(bot_names(game))
        raise CommandError(
            later(
                "--bot: there is no bot {bot!r} for {title}; there are {known}.",
                bot=arguments.bot,
                title=game.title,
                known=known,
            ),
            MISUSE,
        )
    return ToNewTable(game.name, options, arguments.bots + 1, (arguments.bot,) * arguments.bots, open=False)


def _house() -> House:
    """A house for one, which keeps nothing but what they have chosen."""
    journal = OwnJournal(settings_path(os.environ))
    return House(installed().rules, installed().bots, HouseConfig(empty_after=5), journal=journal)


async def _play(person: Person, intent: Intent, *, simple: bool) -> int:
    house = _house()
    app: HouseApp = HouseApp(
        house.open_link(person),
        intent,
        plugs=installed().screens,
        ascii=simple,
        ground=own_ground(),
        language=own_language(),
    )
    try:
        await app.run_async()
    finally:
        await house.close()
    return finish(app)


async def _play_in_lines(person: Person, intent: Intent, *, ascii: bool) -> int:
    house = _house()
    try:
        return await speak_here(lambda: house.open_link(person), intent, ascii=ascii)
    finally:
        await house.close()


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "you"
