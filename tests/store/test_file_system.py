"""A data directory on a file system that lacks something: one sentence says what, and the data stays as it is.

A shim in the place of the C library's calls plays the file system.
"""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree, which

import apsw
import pytest

from cartino_server.store.data_directory import PROBE_PREFIX, find_lack, link_or_copy
from cartino_server.store.database import storage_fault
from cartino_server.store.people import open_people
from cartino_server.store.repair.backup import create_backup
from tests.support.cartino import random_record
from tests.support.data import make_data

SOURCE = Path(__file__).parents[1] / "support" / "poor_disk.c"
COMPILER = which("cc")

RUN = """
import contextlib, io, json, sys
from cartino_server.cli.main import main

told = []
for words in json.loads(sys.argv[1]):
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        status = main(words)
    told.append((status, said.getvalue()))
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled shim."""
    assert COMPILER is not None
    library = tmp_path_factory.mktemp("shim") / "poor_disk.so"
    words = (COMPILER, "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library, SOURCE, "-ldl")
    subprocess.run(words, check=True)
    return library


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the `data` of a server and a `copy` of it."""
    place = tmp_path_factory.mktemp("whole")
    data = make_data(place / "data", [("K7QP", random_record(1))])

    async def add_people() -> None:
        await open_people(data).close()

    asyncio.run(add_people())
    create_backup(data, place / "copy")
    return place


class Disk:
    """The data on a file system on which one call fails, and a folder beside it on a good one."""

    def __init__(self, shim: Path, whole: Path, place: Path) -> None:
        self._shim = shim
        self._copy = whole / "copy"
        self.place = place / "disk"
        self.data = self.place / "data"
        self.good = place / "good"
        copytree(whole / "data", self.data)
        self.data.chmod(0o700)

    def run(
        self, lacking: str, *commands: tuple[str, ...], below: Path | None = None
    ) -> list[tuple[int, str]]:
        """The status and the words of each command; `below` is what lies on the poor disk, by default the data."""
        words = json.dumps([[*command, "--data", str(self.data)] for command in commands])
        poor = {"LD_PRELOAD": str(self._shim), "POOR_CALL": lacking, "POOR_DISK": str(below or self.place)}
        done = subprocess.run(
            [sys.executable, "-c", RUN, words],
            env={**os.environ, **poor},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.stderr == ""
        return [(status, text) for status, text in json.loads(done.stdout)]

    def commands(self) -> tuple[tuple[str, ...], ...]:
        """Every command that uses the data: the one that reads it comes first."""
        return (
            ("backup", str(self.good)),
            ("backup", str(self.place / "backup")),
            ("restore", str(self._copy)),
            ("doctor",),
            ("serve", "--port", "0", "--workers", "0"),
        )

    def kept(self) -> dict[str, bytes]:
        """The files but those that SQLite makes for itself, and the lock."""
        files = (
            path for path in self.data.rglob("*") if not path.name.endswith("-shm") and path.name != "lock"
        )
        return {str(path): path.read_bytes() if path.is_file() else b"" for path in files}


@pytest.fixture
def disk(shim: Path, whole: Path, tmp_path: Path) -> Disk:
    return Disk(shim, whole, tmp_path)


LACKS = "The file system of {folder} doesn't support {ability}. Use a directory on a local disk, not on a network share"


@pytest.mark.skipif(sys.platform != "linux", reason="the shim is for Linux")
@pytest.mark.skipif(COMPILER is None, reason="the shim needs a C compiler")
class TestEveryCommand:
    @pytest.mark.parametrize(
        ("lacking", "ability", "works"),
        [
            ("mmap", "memory shared through files (No such device)", ()),
            ("flock", "file locks (No locks available)", ("read", "written")),
            ("fcntl", "file locks (No locks available)", ()),
            ("modes", "private files (Operation not supported)", ("read", "written")),
            ("syncdir", "syncing directories (Invalid argument)", ("read",)),
            ("rename", "renaming files (Function not implemented)", ("read", "written")),
        ],
    )
    def test_it_says_what_the_file_system_lacks(
        self, disk: Disk, lacking: str, ability: str, works: tuple[str, ...]
    ) -> None:
        before = disk.kept()
        told = disk.run(lacking, *disk.commands())
        names = ("read", "written", "restored", "examined", "served")
        for name, (status, text) in zip(names, told, strict=True):
            folder = disk.place / "backup" if name == "written" and "read" in works else disk.data
            assert status == (0 if name in works else 1)
            assert text.count(LACKS.format(folder=folder, ability=ability)) == status
            assert "Traceback" not in text
            assert "away" not in text
        assert disk.kept() == before

    @pytest.mark.parametrize("lacking", ["mmap", "fcntl", "syncdir"])
    def test_a_backup_says_what_its_own_disk_lacks(self, disk: Disk, lacking: str) -> None:
        ((status, text),) = disk.run(lacking, ("backup", str(disk.good)), below=disk.good)
        assert status == 1
        assert text.startswith(f"The file system of {disk.good} doesn't support ")
        assert list(disk.good.iterdir()) == []

    def test_a_read_only_disk_is_said_to_be_read_only(self, disk: Disk) -> None:
        before = disk.kept()
        read, target, *others = disk.run("write", *disk.commands())
        assert read[0] == 0
        assert target == (1, f"Can't create the directory {disk.place / 'backup'}: Read-only file system.\n")
        for status, text in others:
            assert status == 1
            assert f"The file system of {disk.data} is read-only. Make it writable, or" in text
        assert disk.kept() == before

    def test_a_full_disk_is_said_to_be_full(self, disk: Disk) -> None:
        before = disk.kept()
        read, target, restored, examined, served = disk.run("room", *disk.commands())
        full = f"The disk of {disk.data} is full. Free some space, then try again"
        for (status, text), sentence in (
            (read, full),
            (target, "No space left on device"),
            (restored, "No space left on device"),
            (examined, full),
            (served, "No space left on device"),
        ):
            assert status == 1
            assert text.count(sentence) == 1
            assert "away" not in text
        assert disk.kept() == before

    @pytest.mark.parametrize(
        "lacking",
        ["eio", *(pytest.param(each, marks=pytest.mark.soak) for each in ("enxio", "estale", "etimedout"))],
    )
    def test_a_disk_that_can_not_be_read_is_no_damage(self, disk: Disk, lacking: str) -> None:
        before = disk.kept()
        for status, text in disk.run(lacking, *disk.commands()):
            assert status == 1
            assert "is damaged" not in text
            assert "are damaged" not in text
            assert "away" not in text
        assert disk.kept() == before
        serve = ("serve", "--port", "0", "--workers", "0")
        for name in ("journal.db", "people.db"):
            for status, text in disk.run(lacking, ("doctor",), serve, below=disk.data / name):
                assert status == 1
                assert (
                    text.count(f"The disk or file system of {disk.data / name} failed (disk I/O error).") == 1
                )
                assert "COPY" not in text

    def test_where_no_file_can_be_removed_one_is_left(self, disk: Disk) -> None:
        before = disk.kept()
        read, *others = disk.run("unlink", *disk.commands(), *disk.commands()[-1:])
        assert read[0] == 0
        for status, text in others:
            folder = disk.place / "backup" if others[0] == (status, text) else disk.data
            assert status == 1
            ability = "removing files (Operation not permitted)"
            assert text.count(LACKS.format(folder=folder, ability=ability)) == 1
            assert "Traceback" not in text
        left = set(disk.kept()) - set(before)
        assert left == {str(disk.data / f"{PROBE_PREFIX}file")}

    def test_hard_links_are_not_needed(self, disk: Disk) -> None:
        # The server makes a new key, and all that doesn't keep it running works.
        (disk.data / "host_key").unlink()
        export = ("export", "--all", str(disk.place / "records"))
        told = disk.run("link", *disk.commands()[:3], export, ("doctor",))
        assert [status for status, _ in told] == [0, 0, 0, 0, 1]
        assert len(list((disk.place / "records").iterdir())) == 1


def _refuse_links(patch: pytest.MonkeyPatch) -> None:
    def refuse(path: str, target: str) -> None:
        if os.path.exists(target):
            raise FileExistsError(target)
        if not os.path.exists(path):
            raise FileNotFoundError(path)
        raise PermissionError(1, "Operation not permitted")

    patch.setattr("os.link", refuse)


def test_without_hard_links_a_file_is_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _refuse_links(monkeypatch)
    (tmp_path / "one").write_bytes(b"x")
    (tmp_path / "one").chmod(0o600)
    link_or_copy(tmp_path / "one", tmp_path / "two")
    assert (tmp_path / "two").read_bytes() == b"x"
    assert (tmp_path / "two").stat().st_mode & 0o777 == 0o600
    with pytest.raises(FileExistsError):
        link_or_copy(tmp_path / "one", tmp_path / "two")
    with pytest.raises(FileNotFoundError):
        link_or_copy(tmp_path / "none", tmp_path / "three")
    assert not (tmp_path / "three").exists()


def test_a_good_disk_lacks_nothing_and_nothing_is_left_on_it(tmp_path: Path) -> None:
    assert find_lack(tmp_path, explain=True).text == ""
    assert list(tmp_path.iterdir()) == []


def errors() -> Iterator[tuple[int, str]]:
    yield apsw.SQLITE_BUSY, "Another program is using"
    yield apsw.SQLITE_LOCKED, "Another program is using"
    for code in (
        apsw.SQLITE_IOERR_SHMOPEN,
        apsw.SQLITE_IOERR_SHMMAP,
        apsw.SQLITE_IOERR_LOCK,
        apsw.SQLITE_IOERR_FSYNC,
        apsw.SQLITE_IOERR_WRITE,
        apsw.SQLITE_IOERR_READ,
        apsw.SQLITE_IOERR_CORRUPTFS,
        apsw.SQLITE_CANTOPEN,
        apsw.SQLITE_READONLY,
        apsw.SQLITE_PERM,
    ):
        yield code, "The disk or file system of"
    for code in (apsw.SQLITE_CORRUPT, apsw.SQLITE_NOTADB, apsw.SQLITE_IOERR_DATA, apsw.SQLITE_ERROR):
        yield code, ""


@pytest.mark.parametrize(("code", "sentence"), list(errors()))
def test_only_damage_is_called_damage(tmp_path: Path, code: int, sentence: str) -> None:
    said = str(storage_fault(tmp_path / "journal.db", apsw.exception_for(code)))
    assert said.startswith(sentence)
    assert bool(said) == bool(sentence)
