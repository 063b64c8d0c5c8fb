"""Words behind `ssh host`: their arguments, and the answer of a server without tables."""

from typing import Any

from cartino_server.app.command_handler import LocalBackend
from cartino_server.commands.ssh_commands import parse_ssh_command
from cartino_server.commands.visit_commands import Answer
from cartino_server.server import Server
from cartino_server.ssh.ports import split_command
from cartino_server.visitors import Reply, Visitor
from tests.support.games import BOTS, GAMES

ANN = Visitor(id="1", person="SHA256:ann", name="ann", guest=False)


def arguments_of(words: str) -> dict[str, Any]:
    """The arguments of a command that is answered without a terminal."""
    parsed = parse_ssh_command(split_command(words))
    assert isinstance(parsed, Answer)
    return parsed.arguments


async def answer(words: str) -> Reply:
    return await LocalBackend(Server(GAMES, BOTS)).run_command(ANN, words.split())
