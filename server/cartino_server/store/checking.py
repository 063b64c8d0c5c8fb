"""What `cartino doctor` finds in a data directory, also while a server runs on it."""

import shlex
import shutil
import stat
from pathlib import Path

import apsw
import msgspec

from cartino_protocol.ids import name_game
from cartino_server.store.database import FILE, read_time
from cartino_server.store.datadir import DataError
from cartino_server.store.formats import entry_format, require_entries
from cartino_server.store.heads import FILE as HEADS
from cartino_server.store.heads import read_heads
from cartino_server.store.hostkey import read_host_key
from cartino_server.store.lock import is_locked
from cartino_server.store.port import Damaged
from cartino_server.store.queries import Crooked, ending
from cartino_server.store.reading import Reading, reading
from cartino_server.store.recovery import find
from cartino_server.store.schema import SUSPECT, is_sound, version

LEAST_FREE = 64 << 20
"""Bytes that should be free on the disk."""


_RESTART = f"Stop the server, make a file {SUSPECT} beside the journal and start it again: it saves what can be saved."
_REPLACE = (
    "Put a copy made by cartino backup in the place of the data directory, "
    f"or move {FILE} and {HEADS} away to begin with an empty one."
)


class Finding(msgspec.Struct, frozen=True):
    """Something that is not as it should be: `what`, and what to `do`, a sentence each."""

    what: str
    do: str


class Report(msgspec.Struct, frozen=True):
    """What was looked at, and the `findings`: none, and all is well.

    `version` is the schema's (0 without a journal), `sqlite` the library's; `running` whether a server has the
    directory now; `games` how many there are in each state; `size` and `free` are bytes: of the journal, of the disk.
    """

    version: int
    sqlite: str
    running: bool
    games: dict[str, int]
    damaged: tuple[Damaged, ...]
    size: int
    free: int
    findings: tuple[Finding, ...]


class _Journal(msgspec.Struct, frozen=True):
    version: int = 0
    games: dict[str, int] = {}
    damaged: tuple[Damaged, ...] = ()
    findings: tuple[Finding, ...] = ()


def check(data: Path, *, entries: int | None = None) -> Report:
    """Look at everything in the data directory and change nothing. Raises DataError where it can't be looked at.

    `entries` is the newest entry format that the rooms can read; None where that doesn't matter.
    """
    try:
        mode = data.stat().st_mode
        free = shutil.disk_usage(data).free
        names = sorted(entry.name for entry in data.iterdir())
        size = sum((data / name).stat().st_size for name in names if name in {FILE, f"{FILE}-wal", HEADS})
    except OSError as error:
        raise DataError(f"The data directory {data} can't be looked at: {error.strerror}.") from error
    journal = _journal(data, entries)
    findings = [*_directory(data, mode), *_host_key(data), *journal.findings, *_files(data, names)]
    if free < LEAST_FREE:
        findings.append(
            Finding(
                f"Only {free >> 20} MB are free on the disk of {data}.",
                "Make room: moves are refused on a full disk.",
            )
        )
    return Report(
        journal.version,
        apsw.sqlite_lib_version(),
        is_locked(data),
        journal.games,
        journal.damaged,
        size,
        free,
        tuple(findings),
    )


def damage(game: Damaged) -> Finding:
    """What to say of a damaged game. It may have lost its code."""
    name = name_game(game.code or "????", game.game)
    return Finding(
        f"The game {name} is damaged: {game.why}.",
        "It is set aside, and other games go on. An older copy of the data may have it whole; to be rid of it, "
        f"stop the server and run cartino doctor --forget {shlex.quote(name)}",
    )


def _directory(data: Path, mode: int) -> list[Finding]:
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        return [Finding(f"Others may look into the data directory {data}.", f"Run chmod 700 {data}")]
    return []


def _host_key(data: Path) -> list[Finding]:
    path = data / "host_key"
    if not path.exists():
        return [Finding(f"There is no host key {path}.", "Start the server once: it makes one.")]
    try:
        read_host_key(path)
    except DataError as error:
        what, _, do = str(error).partition("; ")
        return [Finding(f"{what}.", do[:1].upper() + do[1:])]
    return []


def _files(data: Path, names: list[str]) -> list[Finding]:
    return [
        Finding(
            f"A damaged journal lies aside as {name}.",
            f"Remove {data / name} when nothing in it is needed any more.",
        )
        for name in names
        if name.startswith(f"{FILE}.damaged-") and not name.endswith(("-wal", "-shm"))
    ]


def _journal(data: Path, entries: int | None) -> _Journal:
    path = data / FILE
    if not path.exists() or not path.stat().st_size:
        return _Journal(findings=(_missing(path, data),))
    try:
        with reading(data) as now:
            if entries is not None:
                require_entries(now.connection, entries)
            return _look(path, now)
    except DataError as error:
        what, _, do = str(error).partition("; ")
        advice = _REPLACE if "cartino doctor" in do else do
        return _Journal(findings=(Finding(f"{what}.", advice[:1].upper() + advice[1:]),))


def _missing(path: Path, data: Path) -> Finding:
    """What to do about a journal that is not there, or empty."""
    if not read_heads(data / HEADS, None).last:
        return Finding(f"There is no journal {path}.", "Start the server once: it makes one.")
    return Finding(
        f"The journal {path} is empty or missing, though games were kept in it.",
        f"Put it back, or {_REPLACE[:1].lower()}{_REPLACE[1:]}",
    )


def _look(path: Path, now: Reading) -> _Journal:
    connection = now.connection
    damaged, fits = _damaged(now)
    findings = []
    if not (fits and is_sound(connection, all_pages=True)):
        findings.append(Finding(f"Pages of the journal {path} are damaged.", _RESTART))
    if now.heads.foreign:
        findings.append(
            Finding(
                f"{path.with_name(HEADS)} is missing, damaged or of another journal: it can't tell of a lost tail.",
                "Start the server again: it makes a new one.",
            )
        )
    if read_time(connection) is None and connection.execute("SELECT 1 FROM games LIMIT 1").get is not None:
        findings.append(
            Finding(
                "The house's time in the journal is damaged.",
                "Look at the clocks of the tables after the next start.",
            )
        )
    if entry_format(connection) is None:
        findings.append(
            Finding(
                f"The format of the entries in the journal {path} is damaged.",
                "Start the server again: it writes it anew.",
            )
        )
    findings += [damage(game) for game in damaged]
    return _Journal(version(connection), _count(connection), damaged, tuple(findings))


def _damaged(now: Reading) -> tuple[tuple[Damaged, ...], bool]:
    """The damaged games, and whether the tables fit together at all."""
    try:
        found = find(now.connection, now.heads, every=True).damaged
    except (Crooked, apsw.CorruptError):
        return (), False
    known = {game.game for game in found}
    endings = [
        Damaged(int(number), str(code), "its ending is not what was written")
        for number, code in now.connection.execute("SELECT number, code FROM finished")
        if number not in known and ending(now.connection, int(number)) is None
    ]
    return (*found, *endings), True


def _count(connection: apsw.Connection) -> dict[str, int]:
    return {
        str(state): int(count)
        for state, count in connection.execute("SELECT state, count(*) FROM games GROUP BY state")
    }
