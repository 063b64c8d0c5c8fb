"""The data directory of a server, for commands that work beside it."""

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from cartino_protocol.ids import name_game, read_code
from cartino_protocol.marking import later
from cartino_server.entry.errors import CommandError
from cartino_server.entry.settings import PREFIX, Settings, read_settings
from cartino_server.store.datadir import DataError
from cartino_server.store.port import Damaged, Kept

SYSTEM_SETTINGS: Final = Path("/etc/cartino/cartino.toml")
"""The settings of the house that a machine runs as a service."""


def settings_of(arguments: argparse.Namespace) -> Settings:
    """The settings of the house that is meant by the --config and --data of `arguments`. Raises CommandError.

    Where neither is given, and no variable names one, it is the house in the user's own data directory, or, where
    there is none, the machine's.
    """
    settings = read_settings(arguments.config, {"data": arguments.data})
    named = (
        arguments.config or arguments.data or any(PREFIX + name in os.environ for name in ("CONFIG", "DATA"))
    )
    # Path.exists raises where somebody else's home is in the way.
    if named or os.path.exists(place_of(settings)) or not SYSTEM_SETTINGS.is_file():
        return settings
    return read_settings(str(SYSTEM_SETTINGS), {})


def place_of(settings: Settings) -> Path:
    """The data directory that `settings` name, there or not. Raises CommandError."""
    try:
        return Path(settings.data).expanduser().absolute()
    except RuntimeError:
        raise CommandError(
            later("{data!r} is in the home of nobody here; name another directory.", data=settings.data)
        ) from None


def name_of(game: Kept | Damaged) -> str:
    """What a game is called, as far as its table's code can still be read."""
    return name_game(read_code(game.code) or "????", game.game)


@contextmanager
def plainly() -> Iterator[None]:
    """What is wrong with the data becomes a sentence of the command line: CommandError for DataError."""
    try:
        yield
    except DataError as error:
        raise CommandError(error.sentence) from None
