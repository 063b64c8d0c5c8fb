"""What `cartino doctor` finds in a data directory, also while a server runs on it."""

import shutil
import stat
from pathlib import Path

import apsw
import msgspec

from cartino_protocol.ids import name_game
from cartino_protocol.marking import NOTHING, Sentence, later
from cartino_server.store.database import FILE, read_time
from cartino_server.store.datadir import REPLACED, DataError, doctor_command, is_restoring, restore_command
from cartino_server.store.formats import entry_format, require_entries
from cartino_server.store.heads import FILE as HEADS
from cartino_server.store.heads import read_heads
from cartino_server.store.hostkey import read_host_key
from cartino_server.store.lock import is_locked
from cartino_server.store.port import Damaged
from cartino_server.store.queries import Crooked, ending
from cartino_server.store.reading import Reading, reading
from cartino_server.store.recovery import find
from cartino_server.store.register.copying import register_fault
from cartino_server.store.register.register import FILE as PEOPLE
from cartino_server.store.schema import SUSPECT, is_sound, version

LEAST_FREE = 64 << 20
"""Bytes that should be free on the disk."""


_RESTART = later(
    "Stop the server, make a file {file} beside the journal and start it again: it saves what can be saved.",
    file=SUSPECT,
)


_MISSING = """
    SELECT number, code FROM finished WHERE NOT EXISTS (SELECT 1 FROM packed WHERE packed.number = finished.number)
    AND NOT EXISTS (SELECT 1 FROM games WHERE games.number = finished.number)
    AND NOT EXISTS (SELECT 1 FROM lost WHERE lost.number = finished.number)
"""


class Finding(msgspec.Struct, frozen=True):
    """Something that is not as it should be: `what`, and what to `do`, a sentence each.

    Where `what` says that too, `do` says nothing.
    """

    what: Sentence
    do: Sentence = NOTHING


def _put_back(data: Path) -> Sentence:
    return later(
        "Stop the server and run {command}, where COPY is a directory that cartino backup made; or move {file} and "
        "{heads} away to begin with an empty one.",
        command=restore_command(data),
        file=FILE,
        heads=HEADS,
    )


def _other_register(data: Path) -> Sentence:
    return later(
        "Stop the server and run {command}, where COPY is a directory that cartino backup made; games stay as they "
        "are. Without a copy move {file} away (with {file}-wal): then bans, kept names, further keys and reports are "
        "forgotten, and no game is.",
        command=restore_command(data, "register"),
        file=PEOPLE,
    )


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
        raise DataError(
            later("The data directory {data} can't be looked at: {why}.", data=data, why=error.strerror)
        ) from error
    journal = _journal(data, entries)
    findings = [*_directory(data, mode), *_host_key(data), *journal.findings, *_files(data, names)]
    wrong = register_fault(data)
    if wrong.text:
        findings.append(Finding(wrong, _other_register(data)))
    if free < LEAST_FREE:
        findings.append(
            Finding(
                later("Only {free} MB are free on the disk of {data}.", free=free >> 20, data=data),
                later("Make room: moves are refused on a full disk."),
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


def damage(data: Path, game: Damaged) -> Finding:
    """What to say of a damaged game in `data`. It may have lost its code."""
    name = name_game(game.code or "????", game.game)
    return Finding(
        later("The game {name} is damaged: {why}.", name=name, why=game.why),
        later(
            "It is set aside, and other games go on. An older copy of the data may have it "
            "whole; to be rid of it, stop the server and run {command}",
            command=doctor_command(data, "--forget", name),
        ),
    )


def _directory(data: Path, mode: int) -> list[Finding]:
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        return [
            Finding(
                later("Others may look into the data directory {data}.", data=data),
                later("Run chmod 700 {data}", data=data),
            )
        ]
    return []


def _host_key(data: Path) -> list[Finding]:
    path = data / "host_key"
    if not path.exists():
        return [
            Finding(
                later("There is no host key {path}.", path=path),
                later("Start the server once: it makes one."),
            )
        ]
    try:
        read_host_key(path)
    except DataError as error:
        return [Finding(error.sentence)]
    return []


def _files(data: Path, names: list[str]) -> list[Finding]:
    aside = (later("A damaged journal lies aside as {name}."), f"{FILE}.damaged-")
    replaced = (later("What a copy has replaced lies in {name}."), REPLACED)
    return [
        Finding(
            Sentence(said.text, {"name": name}),
            later("Remove {data} when nothing in it is needed any more.", data=data / name),
        )
        for said, start in (aside, replaced)
        for name in names
        if name.startswith(start) and not name.endswith(("-wal", "-shm"))
    ]


def _journal(data: Path, entries: int | None) -> _Journal:
    path = data / FILE
    if is_restoring(data):
        half = later("A restore into {data} was cut short.", data=data)
        return _Journal(findings=(Finding(half, later("Start the server: it finishes it.")),))
    if not path.exists() or not path.stat().st_size:
        return _Journal(findings=(_missing(path, data),))
    try:
        with reading(data) as now:
            if entries is not None:
                require_entries(now.connection, entries)
            return _look(path, now)
    except DataError as error:
        found = Finding(error.fault, _put_back(data)) if error.fault.text else Finding(error.sentence)
        return _Journal(findings=(found,))


def _missing(path: Path, data: Path) -> Finding:
    """What to do about a journal that is not there, or empty."""
    if not read_heads(data / HEADS, None).last:
        return Finding(
            later("There is no journal {path}.", path=path), later("Start the server once: it makes one.")
        )
    return Finding(
        later("The journal {path} is empty or missing, though games were kept in it.", path=path),
        _put_back(data),
    )


def _look(path: Path, now: Reading) -> _Journal:
    connection = now.connection
    damaged, fits = damaged_games(now)
    findings = []
    if not (fits and is_sound(connection, all_pages=True)):
        findings.append(Finding(later("Pages of the journal {path} are damaged.", path=path), _RESTART))
    if now.heads.foreign:
        findings.append(
            Finding(
                later(
                    "{heads} is missing, damaged or of another journal: it can't tell of a lost tail.",
                    heads=path.with_name(HEADS),
                ),
                later("Start the server again: it makes a new one."),
            )
        )
    if read_time(connection) is None and connection.execute("SELECT 1 FROM games LIMIT 1").get is not None:
        findings.append(
            Finding(
                later("The house's time in the journal is damaged."),
                later("Look at the clocks of the tables after the next start."),
            )
        )
    if entry_format(connection) is None:
        findings.append(
            Finding(
                later("The format of the entries in the journal {path} is damaged.", path=path),
                later("Start the server again: it writes it anew."),
            )
        )
    findings += [damage(path.parent, game) for game in damaged]
    return _Journal(version(connection), count_games(connection), damaged, tuple(findings))


def damaged_games(now: Reading) -> tuple[tuple[Damaged, ...], bool]:
    """Prove every game; return the damaged ones, and whether the tables fit together at all."""
    try:
        found = find(now.connection, now.heads, every=True).damaged
    except (Crooked, apsw.CorruptError):
        return (), False
    known = {game.game for game in found}
    missing = [
        Damaged(int(number), str(code), later("all of it is missing"))
        for number, code in now.connection.execute(_MISSING)
        if number not in known
    ]
    known |= {game.game for game in missing}
    endings = [
        Damaged(int(number), str(code), later("its ending is not what was written"))
        for number, code in now.connection.execute("SELECT number, code FROM finished")
        if number not in known and ending(now.connection, int(number)) is None
    ]
    return (*found, *missing, *endings), True


def count_games(connection: apsw.Connection) -> dict[str, int]:
    """Return how many games there are in each state."""
    query = "SELECT state, count(*) FROM (SELECT state FROM games UNION ALL SELECT 'closed' FROM packed) GROUP BY state"
    return {str(state): int(count) for state, count in connection.execute(query)}
