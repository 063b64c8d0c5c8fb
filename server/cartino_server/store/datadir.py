"""The directory where a server keeps what must outlive it."""

import os
import stat
from pathlib import Path


class DataError(Exception):
    """What is kept can't be kept or read; the text is one sentence for the person who starts the server."""


def prepare(path: Path) -> Path:
    """Make the data directory (mode 0700) where there is none; its absolute path. Raises DataError."""
    try:
        place = path.expanduser().absolute()
    except RuntimeError:
        raise DataError(
            f"The data directory {str(path)!r} is in the home of nobody here; name another one."
        ) from None
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = place.stat()
    except FileExistsError:
        raise DataError(f"{place} is a file; name a directory to keep the data in.") from None
    except ValueError:
        raise DataError(
            f"No directory can be called {str(place)!r}; name another one to keep the data in."
        ) from None
    except OSError as error:
        raise DataError(f"The data directory {place} can't be made: {error.strerror}.") from error
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise DataError(f"Others may write to the data directory {place}; run chmod 700 on it.")
    if not os.access(place, os.R_OK | os.W_OK | os.X_OK):
        raise DataError(f"The data directory {place} can't be written to; give it to the user of the server.")
    return place
