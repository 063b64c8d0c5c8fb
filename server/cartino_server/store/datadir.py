"""The directory where a server keeps what must outlive it."""

import os
import shlex
import stat
from pathlib import Path

from cartino_protocol.marking import NOTHING, Sentence, SentenceError, later

RESTORING = "restore"
"""The folder in which a copy that is being put back is kept until it is in place."""
REPLACED = "replaced-"
"""How the folders begin that have what a copy has replaced."""


class DataError(SentenceError):
    """What is kept can't be kept or read; the sentence is for the person who starts the server.

    `fault` says only what is wrong, where the doctor has other advice than the sentence.
    """

    def __init__(self, sentence: Sentence, fault: Sentence = NOTHING) -> None:
        """It can't for the reason in `sentence`."""
        super().__init__(sentence)
        self.fault = fault


def is_restoring(data: Path) -> bool:
    """Return whether a copy is half in place: some files of `data` are of before and some of the copy."""
    return any((data / RESTORING / step).is_dir() for step in ("ready", "moving", "old"))


def restore_command(data: Path, only: str = "") -> str:
    """Return the command that puts a copy in the place of what is damaged in `data`, to be shown to a person."""
    part = f" --only {only}" if only else ""
    return f"cartino restore COPY{part} --data {shlex.quote(str(data))}"


def doctor_command(data: Path, act: str, game: str) -> str:
    """Return the command that does `act` ("--forget", "--resume") to a damaged game, to be shown to a person."""
    return f"cartino doctor --data {shlex.quote(str(data))} {act} {shlex.quote(game)}"


def prepare(path: Path) -> Path:
    """Make the data directory (mode 0700) where there is none; its absolute path. Raises DataError."""
    try:
        place = path.expanduser().absolute()
    except RuntimeError:
        raise DataError(
            later(
                "The data directory {path!r} is in the home of nobody here; name another one.", path=str(path)
            )
        ) from None
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = place.stat()
    except FileExistsError:
        raise DataError(
            later("{place} is a file; name a directory to keep the data in.", place=place)
        ) from None
    except ValueError:
        raise DataError(
            later(
                "No directory can be called {place!r}; name another one to keep the data in.",
                place=str(place),
            )
        ) from None
    except OSError as error:
        raise DataError(
            later("The data directory {place} can't be made: {why}.", place=place, why=error.strerror)
        ) from error
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise DataError(
            later("Others may write to the data directory {place}; run chmod 700 on it.", place=place)
        )
    if not os.access(place, os.R_OK | os.W_OK | os.X_OK):
        raise DataError(
            later(
                "The data directory {place} can't be written to; give it to the user of the server.",
                place=place,
            )
        )
    return place
