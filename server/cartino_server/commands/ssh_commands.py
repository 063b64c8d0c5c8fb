"""The commands that follow `ssh HOST`: read words, list them in help. `app.command_handler` runs them."""

import re
from collections.abc import Sequence
from typing import Final

from cartino_protocol.text import N_
from cartino_server.commands.challenges import challenge, take_challenge, withdraw
from cartino_server.commands.console import misuse
from cartino_server.commands.context import CommandContext, answer_command
from cartino_server.commands.game_commands import duplicate, export, games, league, review
from cartino_server.commands.people_commands import account, keys, profile, top
from cartino_server.commands.registry import Argument, Form, Registry, help_columns
from cartino_server.commands.table_commands import chat, move, show
from cartino_server.commands.visit_commands import (
    VISITS,
    SshCommand,
    bot,
    daily,
    join,
    learn,
    new,
    parse_visit,
    plain,
    replay,
    return_to_seat,
    watch,
)
from cartino_tui.i18n import ENGLISH, Translator


@answer_command(
    "help",
    Argument("verb", N_("explain that command"), metavar="COMMAND", nargs="?"),
    forms=(("ssh HOST help [COMMAND]", N_("list the commands, or explain one")),),
)
async def help_command(context: CommandContext, verb: None) -> str:
    """List the commands; `parse_ssh_command` explains one."""
    lines = help_text(context.translator)
    return lines + _help_lines((ADMIN_HELP,), context.translator) if context.is_admin else lines


SSH: Final = Registry[SshCommand](
    "ssh HOST",
    N_("There is no command {name}. `ssh HOST help` lists them all."),
    commands=(
        *(join, watch, new, daily, duplicate, league, return_to_seat, replay, learn, plain),
        *(games, show, move, challenge, take_challenge, withdraw, chat),
        *(profile, top, keys, account, bot, export, review, help_command),
    ),
)
"""All commands, in the order in which help lists them."""
_MOSH: Final = re.compile(r"(?:^|[\s/'\"])mosh-server(?![\w-])")
"""What mosh runs, whatever stands before it: `env`, variables, `sh -c`, a folder."""
_HELP_WORDS: Final = frozenset(["help", "/help", "?", "/?", "-?", "-h", "--help"])
"""What people type for help, in any case."""
_LOBBY: Final = ("ssh HOST", N_("go to the lobby"))
ADMIN_HELP: Final = ("ssh HOST admin COMMAND", N_("commands for admins; `admin help` lists them"))
"""Shown to admins alone."""


def parse_ssh_command(words: Sequence[str], translator: Translator = ENGLISH) -> SshCommand:
    """Parse `words` (at least one). Raises CommandError, and HelpRequested for help on a command.

    Help and errors about what follows the command's name are in `translator`.
    """
    if words[0] not in SSH.commands and _MOSH.search(" ".join(words)):
        raise misuse(
            "mosh can't start here. `cartino connect HOST` does the same: it outlives bad connections."
        )
    if words[0] in VISITS.commands:
        return parse_visit(words, translator)
    if words[0].lower() in _HELP_WORDS:
        words = ("help", *words[1:])
        verb = SSH.parser(help_command, (), translator).read(words[1:]).verb
        if verb is not None:
            return parse_ssh_command((verb, "--help"), translator)
    return SSH.read(words, translator)


def help_text(translator: Translator = ENGLISH) -> str:
    """Return the list of commands."""
    return _help_lines((_LOBBY, *SSH.forms()), translator)


def _help_lines(forms: Sequence[Form], translator: Translator) -> str:
    begins = max(len(typed) for typed, _ in SSH.forms()) + 2
    return "".join(f"{line}\n" for line in help_columns(forms, translator, begins))
