"""The words behind `ssh host`: split, read, and answered by a server with a table."""

import asyncio
import shlex
from collections.abc import Iterator
from contextlib import contextmanager

from cartino_server.app.command_handler import LocalBackend
from cartino_server.app.requests import ServerRequestHandler
from cartino_server.commands.console import CommandError
from cartino_server.commands.parser import HelpRequested
from cartino_server.commands.ssh_commands import parse_ssh_command
from cartino_server.ssh.ports import MAX_COMMAND, UnreadableCommand, split_command
from cartino_server.visitors import Visitor
from cartino_tui.i18n import LANGUAGES, Translator, translator_for
from tests.fuzz.attacking import Decoder, Run, plainly
from tests.fuzz.small_server import SmallServer
from tests.support.hasty import HastyLoop

SAID = tuple(
    text.encode()
    for text in (
        "games",
        "games --json --mine",
        "games --finished --player 'ann b' --before AAAA-1",
        "show AAAA",
        "show AAAA --json",
        "move AAAA KSu 10Dl@* end",
        "chat AAAA hello there, everybody",
        "watch AAAA --lines --json",
        "join aa-aa",
        "new --seats 3 --bots 1 --bot greedy --edition 1969 --clock 60s --private",
        "back quiet-otter",
        "plain new --seats 2",
        "profile ann --against bob --json",
        "top --json",
        "export AAAA",
        "export AAAA-1",
        "help move",
        "learn",
    )
)
WORDS = tuple(
    text.encode()
    for text in (
        " ",
        "'",
        '"',
        "\\",
        "\\\n",
        "#",
        "--",
        "-",
        "--help",
        "-h",
        "--js",
        "--json=1",
        "--bots=-1",
        "--bots 99999999999999999999",
        "--bots ١",
        "@file",
        "%s",
        "%(prog)s",
        "{name}",
        "AAAA",
        "KSu",
        "*",
        "\u202e",
        "\u00a0",
        "plain plain plain ",
        "help help ",
        "-" * 400,
        "a " * 2000,
    )
)
_TONGUES = tuple(map(translator_for, LANGUAGES))


def _split(data: bytes) -> bool:
    try:
        words = split_command(data.decode("utf-8", "surrogateescape"))
    except UnreadableCommand:
        return False
    quoted = shlex.join(words)
    assert len(quoted) > MAX_COMMAND or split_command(quoted) == words
    return True


def _verbs(data: bytes) -> bool:
    text = data.decode("utf-8", "surrogateescape")
    try:
        words = split_command(text)
    except UnreadableCommand:
        return False
    if not words:
        return False
    translator = _TONGUES[len(data) % len(_TONGUES)]
    try:
        parse_ssh_command(words, translator)
    except CommandError as error:
        return _refused(error, translator)
    except HelpRequested:
        return True
    return True


def _refused(error: CommandError, translator: Translator) -> bool:
    assert "\n" not in translator.render(error.sentence), "it is one line"
    return False


@contextmanager
def _answered() -> Iterator[Run]:
    with asyncio.Runner(loop_factory=HastyLoop) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, HastyLoop)
        small = SmallServer(runner)
        host = LocalBackend(small.server)
        reception = ServerRequestHandler(host)
        env = {"LANG": "de_DE.UTF-8"}
        visitors = (
            Visitor("1", "id-ann", "ann", False),
            Visitor("2", "guest:x", "guest", True, env),
            Visitor("3", "id-bob", "bob", False, {"LC_ALL": "C"}),
        )

        def run(data: bytes) -> bool:
            try:
                words = split_command(data.decode("utf-8", "surrogateescape"))
            except UnreadableCommand as error:
                reception.translate(error.sentence, env)
                return False
            if reception.mode(words) != "answer":
                return True
            reply = runner.run(reception.run_command(visitors[len(data) % 3], words))
            small.looks_well()
            assert not loop.faults, loop.faults
            reply.stdout.encode(), reply.stderr.encode()
            assert reply.stderr or not reply.status
            return reply.status == 0

        yield run
        small.close()


DECODERS = (
    Decoder("split", SAID, plainly(_split), "bytes", WORDS),
    Decoder("verbs", SAID, plainly(_verbs), "bytes", WORDS),
    Decoder("answered", SAID, _answered, "bytes", WORDS),
)
