"""`cartino backup DIR`: a copy of a server's data that a server can be started on, taken while the first one runs."""

import argparse
from pathlib import Path

from cartino_server.entry.data import place_of, plainly, settings_of
from cartino_server.entry.speaking import out, own_tongue
from cartino_server.store.backup import backup


def run(arguments: argparse.Namespace) -> int:
    """Copy, check the copy, and say what is in it."""
    data, target = place_of(settings_of(arguments)), Path(arguments.target).absolute()
    with plainly():
        games = backup(data, target)
    told = own_tongue().count(
        "{n} game and the host key are in {target}; `cartino serve --data {target}` opens it.",
        "{n} games and the host key are in {target}; `cartino serve --data {target}` opens it.",
        games,
        target=target,
    )
    out(told)
    return 0
