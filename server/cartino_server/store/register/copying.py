"""The register beside its server: a consistent copy of it, and what is wrong with it."""

import contextlib
import os
from pathlib import Path

import apsw

from cartino_protocol.marking import NOTHING, Sentence, later
from cartino_server.store.database import open_reader, open_writer
from cartino_server.store.datadir import DataError
from cartino_server.store.register.register import FILE
from cartino_server.store.register.schema import MIGRATIONS


def copy_register(data: Path, target: Path) -> None:
    """Copy the register of the directory `data`, if it has one, into `target`, as it is at one moment.

    Raises DataError where it is damaged, apsw.Error, OSError.
    """
    if not (data / FILE).exists():
        return
    wrong = register_fault(data)
    if wrong.text:
        raise DataError(
            later("The register in {data} can't be copied: {wrong}", data=data, wrong=wrong), fault=wrong
        )
    source, copy = open_reader(data / FILE), open_writer(target / FILE)
    try:
        with copy.backup("main", source, "main") as pages:
            pages.step(-1)
        copy.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    finally:
        copy.close()
        source.close()
    for tail in ("-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(f"{target / FILE}{tail}")


def register_fault(data: Path) -> Sentence:
    """What is wrong with the register in the directory `data`; nothing where there is none: the server makes it."""
    path = data / FILE
    if not path.exists():
        return NOTHING
    try:
        connection = open_reader(path)
        try:
            found = connection.execute("PRAGMA quick_check(1)").get
            version = connection.pragma("user_version")
        finally:
            connection.close()
    except (apsw.Error, DataError) as error:
        return later("The register {path} can't be read: {why}.", path=path, why=str(error))
    if found != "ok":
        return later("Pages of the register {path} are damaged.", path=path)
    if not isinstance(version, int) or version > len(MIGRATIONS):
        return later(
            "The register {path} is of version {found}, and this Cartino knows {steps} at most.",
            path=path,
            found=version,
            steps=len(MIGRATIONS),
        )
    return NOTHING
