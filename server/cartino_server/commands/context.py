"""What a command over SSH gets beside its arguments, and how one that needs no terminal is declared."""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from cartino_games.registry import installed
from cartino_protocol.refusals import Refusal
from cartino_server.commands.console import refusal_error
from cartino_server.commands.registry import Call, Command, Parameter
from cartino_server.commands.visit_commands import SshCommand
from cartino_server.services import Services
from cartino_server.table.link import Person
from cartino_server.visitors import Reply, Visitor
from cartino_tui.i18n import ENGLISH, Translator
from cartino_tui.pages.page import Page, R, Reader, V, page_json, page_text
from cartino_tui.visit.routes import ShellCommands


class CommandContext(msgspec.Struct, frozen=True):
    """Who runs a command, where, and in which language."""

    services: Services
    visitor: Visitor
    person: Person
    translator: Translator
    connect_command: str
    """What leads to this server ("ssh -t example.org")."""
    is_admin: bool
    charge_query: Callable[[], Awaitable[None]]
    """Count a command that reads the journal, replays a game or walks all games as several. Raises CommandError."""

    def print(self, page: Page[V, R], view: V | Refusal, *, json: bool) -> str:
        """Return `page` with `view`. Raises CommandError for a refusal."""
        if isinstance(view, Refusal):
            raise refusal_error(view)
        reader = shell_reader(self.translator, self.connect_command)
        return (page_json if json else page_text)(page, view, reader)


def answer_command(
    name: str, *parameters: Parameter, **given: Any
) -> Callable[[Callable[..., Awaitable[str | Reply]]], Command[SshCommand]]:
    """Declare a command that needs no terminal; `given` as for Command.

    The decorated function takes a CommandContext and the arguments by name. It returns the text for standard output,
    or a Reply, and raises CommandError for another exit status.
    """

    def declare(run: Callable[..., Awaitable[str | Reply]]) -> Command[SshCommand]:
        return Command(name, parameters, lambda values: Call(run, vars(values)), **given)

    return declare


def shell_reader(translator: Translator = ENGLISH, command: str = "") -> Reader:
    """Return the reader of a page in the shell; `command` leads to this server ("ssh -t example.org")."""
    games = installed()
    return Reader(translator, games.speeches, ShellCommands(command), game_names=tuple(games.rules))
