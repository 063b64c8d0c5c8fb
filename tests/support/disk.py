"""A disk for SQLite that can be full, can fail to sync, and remembers enough to say what a power cut leaves of it."""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import apsw
import msgspec

SECTOR = 512

Kind = Literal["write", "truncate", "sync", "delete", "heads", "kept"]


class Step(msgspec.Struct, frozen=True):
    """One thing that happened, in order: to the file `name`, or `kept`: a caller was told that all is on disk."""

    kind: Kind
    name: str = ""
    offset: int = 0
    data: bytes = b""


class Disk(apsw.VFS):
    """Passes everything to the real file system, unless it is told to be `full` or `sick`, or some names alone."""

    def __init__(self, name: str) -> None:
        super().__init__(name, base="")
        self.name = name
        self.full = False
        self.full_names: set[str] = set()
        self.sick = False
        self.sick_names: set[str] = set()
        self.steps: list[Step] = []

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> "DiskFile":
        return DiskFile(self, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        self.steps.append(Step("delete", Path(filename).name))
        super().xDelete(filename, syncdir)


class DiskFile(apsw.VFSFile):
    """One file of the disk."""

    def __init__(self, disk: Disk, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        super().__init__("", name, flags)
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        self._disk = disk
        self._name = Path(path or "").name

    def xWrite(self, data: bytes, offset: int) -> None:
        if self._disk.full or self._name in self._disk.full_names:
            raise apsw.exception_for(apsw.SQLITE_FULL)
        self._disk.steps.append(Step("write", self._name, offset, bytes(data)))
        super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:
        self._disk.steps.append(Step("truncate", self._name, newsize))
        super().xTruncate(newsize)

    def xSync(self, flags: int) -> None:
        if self._disk.sick or self._name in self._disk.sick_names:
            raise apsw.exception_for(apsw.SQLITE_IOERR_FSYNC)
        super().xSync(flags)
        self._disk.steps.append(Step("sync", self._name))


def after_power_cut(steps: Sequence[Step], rng: random.Random) -> dict[str, bytes]:
    """What may be in the files when the power goes after `steps`: what was not synced is there by chance.

    A write is lost or done sector by sector, whatever came after it.
    """
    waiting: dict[str, list[Step]] = {}
    disk: dict[str, bytearray] = {}
    for step in steps:
        if step.kind == "sync":
            for done in waiting.pop(step.name, []):
                _do(disk, done)
        elif step.kind == "delete":
            waiting.pop(step.name, None)
            disk.pop(step.name, None)
        elif step.kind != "kept":
            waiting.setdefault(step.name, []).append(step)
    for undone in waiting.values():
        for step in undone:
            for piece in _sectors(step):
                if rng.random() < 0.5:
                    _do(disk, piece)
    return {name: bytes(content) for name, content in disk.items()}


def _do(disk: dict[str, bytearray], step: Step) -> None:
    content = disk.setdefault(step.name, bytearray())
    if step.kind == "truncate":
        del content[step.offset :]
        content.extend(bytes(step.offset - len(content)))
        return
    content.extend(bytes(max(0, step.offset + len(step.data) - len(content))))
    content[step.offset : step.offset + len(step.data)] = step.data


def _sectors(step: Step) -> Iterator[Step]:
    """A write in pieces, none of which crosses a sector's edge."""
    if step.kind == "truncate":
        yield step
        return
    start, end = step.offset, step.offset + len(step.data)
    while start < end:
        stop = min(end, (start // SECTOR + 1) * SECTOR)
        yield Step(step.kind, step.name, start, step.data[start - step.offset : stop - step.offset])
        start = stop
