"""`cartino health`: whether the house that runs on a data directory is well; for people, and for whoever checks it."""

import argparse

from cartino_protocol.framing import BadFrame
from cartino_protocol.marking import later
from cartino_server.entry.commands.admin import ask
from cartino_server.entry.data import place_of, settings_of
from cartino_server.entry.errors import FAILURE, CommandError
from cartino_server.entry.health import State, read_state
from cartino_server.entry.speaking import err, out, own_tongue


def run(arguments: argparse.Namespace) -> int:
    """Print how the server does and what its data take, a line each; return 0 where all is well, 1 where it is not.

    Raises CommandError where nobody answers.
    """
    told = ask(place_of(settings_of(arguments)), ("health", "--json"))
    if told.status:
        err(*told.stderr.splitlines())
        return FAILURE
    state = _read(told.stdout)
    if arguments.json:
        out(*told.stdout.splitlines())
    else:
        out(state.health.words(own_tongue()), state.health.room(own_tongue()))
    return 0 if state.health.well else FAILURE


def _read(text: str) -> State:
    try:
        return read_state(text)
    except BadFrame as error:
        raise CommandError(
            later("The house is of another version ({why}); ask it with its own `cartino`.", why=str(error))
        ) from None
