"""The data directory: created, locked by one server, on a file system that has what it needs."""

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

from cartino_server.store.data_directory import (
    PROBE_PREFIX,
    DataError,
    find_lack,
    is_locked,
    link_or_copy,
    lock_directory,
    prepare_directory,
)
from cartino_server.store.database import storage_fault
from cartino_server.store.people import open_people
from cartino_server.store.repair.backup import create_backup
from tests.support.cartino import random_record
from tests.support.data import make_data


def test_it_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    place = prepare_directory(tmp_path / "a" / "b")
    assert place.is_absolute()
    assert place.stat().st_mode & 0o777 == 0o700
    assert prepare_directory(place) == place


def test_a_tilde_is_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert prepare_directory(Path("~/data")) == tmp_path / "data"


@pytest.mark.parametrize("name", ["~no-such-user-here/x", "nul\0"])
def test_a_name_that_can_be_none_is_one_sentence(name: str) -> None:
    with pytest.raises(DataError, match="choose another one") as caught:
        prepare_directory(Path(name))
    assert str(caught.value).isprintable()


def test_a_file_is_no_directory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(DataError, match="is a file"):
        prepare_directory(tmp_path / "file")
    with pytest.raises(DataError, match="Can't create"):
        prepare_directory(tmp_path / "file" / "below")


def test_others_may_not_write_to_it(tmp_path: Path) -> None:
    place = tmp_path / "open"
    place.mkdir()
    place.chmod(0o777)
    with pytest.raises(DataError, match="chmod 700") as caught:
        prepare_directory(place)
    assert "\n" not in str(caught.value)


def test_a_directory_that_can_not_be_written_to_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)  # root may always
    with pytest.raises(DataError, match="Can't write to"):
        prepare_directory(tmp_path)


_HOLD = """
import sys
from pathlib import Path
from cartino_server.store.data_directory import lock_directory
held = lock_directory(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.readline()
"""


def test_a_second_one_is_refused_with_one_sentence(tmp_path: Path) -> None:
    with lock_directory(tmp_path):
        assert is_locked(tmp_path)
        with pytest.raises(
            DataError, match=rf"process {os.getpid()}\) is running on the data directory"
        ) as caught:
            lock_directory(tmp_path)
        assert "\n" not in str(caught.value)
    assert not is_locked(tmp_path)
    lock_directory(tmp_path).close()


def test_another_process_has_it_until_it_is_killed(tmp_path: Path) -> None:
    words = [sys.executable, "-c", _HOLD, str(tmp_path)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(DataError, match=f"process {holder.pid}"):
            lock_directory(tmp_path)
        holder.kill()
    lock_directory(tmp_path).close()


def test_what_can_not_be_locked_is_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"Can't create the lock .*: No such file"):
        lock_directory(tmp_path / "missing")
    assert not is_locked(tmp_path)


def test_root_makes_nothing_in_a_directory_of_somebody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its owner, a service, could not write it; as a server's journal that would be the end of it."""
    if os.geteuid() == 0:
        os.chown(tmp_path, 54321, 54321)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(DataError, match=r"belongs to .*Run this as that user: runuser -u "):
        lock_directory(tmp_path)
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(os, "geteuid", lambda: 54321)
    lock_directory(tmp_path).close()


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


FULL = "The disk of {data} is full. Free some space, then try again"
READ_ONLY = "The file system of {data} is read-only. Make it writable, or"
NO_ROOM = "No space left on device"


def lacks(ability: str, works: int = 0) -> list[str]:
    """The sentence of each command but of the first `works` ones."""
    folders = ["{data}", "{place}/backup" if works else "{data}", *["{data}"] * 3]
    sentences = [LACKS.format(folder=folder, ability=ability) for folder in folders]
    return [""] * works + sentences[works:]


SENTENCES: dict[str, list[str]] = {
    "mmap": lacks("memory shared through files (No such device)"),
    "flock": lacks("file locks (No locks available)", 2),
    "fcntl": lacks("file locks (No locks available)"),
    "modes": lacks("private files (Operation not supported)", 2),
    "syncdir": lacks("syncing directories (Invalid argument)", 1),
    "rename": lacks("renaming files (Function not implemented)", 2),
    "unlink": lacks("removing files (Operation not permitted)", 1),
    "write": ["", "Can't create the directory {place}/backup: Read-only file system.", *[READ_ONLY] * 3],
    "room": [FULL, NO_ROOM, NO_ROOM, FULL, NO_ROOM],
}
"""What each of `Disk.commands` says where a call fails; "" where it works."""


@pytest.mark.skipif(sys.platform != "linux", reason="the shim is for Linux")
@pytest.mark.skipif(COMPILER is None, reason="the shim needs a C compiler")
class TestEveryCommand:
    @pytest.mark.parametrize("lacking", list(SENTENCES))
    def test_it_says_what_the_file_system_lacks(self, disk: Disk, lacking: str) -> None:
        before = disk.kept()
        for (status, text), sentence in zip(
            disk.run(lacking, *disk.commands()), SENTENCES[lacking], strict=True
        ):
            assert status == bool(sentence)
            if sentence:
                assert text.count(sentence.format(data=disk.data, place=disk.place)) == 1
            assert "Traceback" not in text
            assert "away" not in text
        left = {str(disk.data / f"{PROBE_PREFIX}file"): b""} if lacking == "unlink" else {}
        assert disk.kept() == before | left

    @pytest.mark.parametrize("lacking", ["mmap", "fcntl", "syncdir"])
    def test_a_backup_says_what_its_own_disk_lacks(self, disk: Disk, lacking: str) -> None:
        ((status, text),) = disk.run(lacking, ("backup", str(disk.good)), below=disk.good)
        assert status == 1
        assert text.startswith(f"The file system of {disk.good} doesn't support ")
        assert list(disk.good.iterdir()) == []

    @pytest.mark.parametrize(
        "lacking",
        ["eio", *(pytest.param(each, marks=pytest.mark.soak) for each in ("enxio", "estale", "etimedout"))],
    )
    def test_a_disk_that_can_not_be_read_is_no_damage(self, disk: Disk, lacking: str) -> None:
        before = disk.kept()
        for status, text in disk.run(lacking, *disk.commands()):
            assert status == 1
            assert not any(word in text for word in ("is damaged", "are damaged", "away"))
        assert disk.kept() == before
        serve = ("serve", "--port", "0", "--workers", "0")
        for name in ("journal.db", "people.db"):
            failed = f"The disk or file system of {disk.data / name} failed (disk I/O error)."
            for status, text in disk.run(lacking, ("doctor",), serve, below=disk.data / name):
                assert (status, text.count(failed), "COPY" in text) == (1, 1, False)

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
