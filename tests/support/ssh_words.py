"""Words behind `ssh HOST`: the answer of a server without tables."""

from cartino_server.app.command_handler import LocalBackend
from cartino_server.server import Server
from cartino_server.ssh.ports import split_command
from cartino_server.visitors import Reply, Visitor
from tests.support.games import BOTS, GAMES

ANN = Visitor(id="1", person="SHA256:ann", name="ann", guest=False)


async def answer(words: str) -> Reply:
    return await LocalBackend(Server(GAMES, BOTS)).run_command(ANN, split_command(words))
