"""`cartino doctor --forget`: takes a game that no server can go on with out of the journal, on its host's word."""

from pathlib import Path

from cartino_protocol.marking import later
from cartino_server.entry.data import name_of
from cartino_server.entry.errors import MISUSE, CommandError
from cartino_server.store.forgetting import forget
from cartino_server.store.lock import lock
from cartino_server.store.port import Damaged


def forget_damaged(data: Path, name: str, damaged: tuple[Damaged, ...]) -> Path:
    """Take the game `name`, one of the `damaged`, out of the journal in `data`; the file with what is left of it.

    Raises CommandError where it is none of them, DataError where that can't be done, as while a server runs.
    """
    wanted = name.strip().upper()
    game = next((game for game in damaged if name_of(game) == wanted), None)
    if game is None:
        known = ", ".join(map(name_of, damaged)) or later("none is")
        raise CommandError(
            later(
                "{name!r} is no damaged game of this journal ({known}); nothing was removed.",
                name=name[:40],
                known=known,
            ),
            MISUSE,
        )
    with lock(data):
        target = _free(data, wanted.replace("????", "game"))
        forget(data, game.game, target)
    return target


def _free(data: Path, stem: str) -> Path:
    """A name that no file has yet: a forgotten game's number may be another's later."""
    paths = (data / f"{stem}{more}.damaged.jsonl" for more in ("", *(f".{n}" for n in range(1, 1000))))
    return next(path for path in paths if not path.exists())
