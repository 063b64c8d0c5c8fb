"""`cartino backup DIR`: a copy of a server's data that a server can be started on, taken while the first one runs."""

import argparse
from pathlib import Path

from cartino_protocol.marking import Sentence, later
from cartino_server.entry.data import place_of, plainly, settings_of
from cartino_server.entry.errors import CommandError
from cartino_server.entry.speaking import out, own_tongue
from cartino_server.rooms.facts import FORMAT
from cartino_server.store.backup import backup
from cartino_server.store.proving import Unfit, prove


def run(arguments: argparse.Namespace) -> int:
    """Copy, check the copy, and say what is in it."""
    data, target = place_of(settings_of(arguments)), Path(arguments.target).absolute()
    with plainly():
        games = backup(data, target)
        if arguments.verify:
            games = _verified(target)
    told = own_tongue().count(
        "{n} game and the host key are in {target}; `cartino serve --data {target}` opens it.",
        "{n} games and the host key are in {target}; `cartino serve --data {target}` opens it.",
        games,
        target=target,
    )
    out(told)
    if arguments.verify:
        out(own_tongue().say("The copy is proved: each of its games, its register, its host key."))
    return 0


def _verified(target: Path) -> int:
    """Prove the copy; how many games are whole. Raises CommandError, and leaves the copy for a look at it."""
    try:
        return prove(target, FORMAT)
    except Unfit as error:
        why = error.sentence
    except OSError as error:
        why = Sentence(error.strerror or str(error))
    raise CommandError(
        later("The copy {target} is not good: {why}; make another one.", target=target, why=why)
    )
