"""What `cartino doctor` finds wrong in a data directory, and how it forgets or resumes a damaged game.

Checking changes nothing and works while a server runs. Forgetting and resuming need the lock, and first write all that
the game had to a file.
"""

import base64
import contextlib
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import msgspec

from cartino_protocol.base import game_name
from cartino_protocol.text import EMPTY_MESSAGE, N_, LazyMessage, lazy_gettext
from cartino_server.store import database, migrations, profiles
from cartino_server.store.data_directory import (
    LEFT_OVER,
    REPLACED_PREFIX,
    DataError,
    doctor_command,
    explain_errors,
    is_locked,
    is_restoring,
    restore_command,
    sync_directory,
)
from cartino_server.store.hash_chain import HEADS_FILE, ChainHead, HeadFile, extend_chain, read_heads
from cartino_server.store.host_key import read_host_key
from cartino_server.store.people import PEOPLE_FILE, find_people_fault
from cartino_server.store.port import DamagedGame
from cartino_server.store.queries import InconsistentTables, delete_entries, entry_range, read_finished
from cartino_server.store.verification import JournalSnapshot, VerifiedPrefix, open_snapshot, verify_games

MIN_FREE_BYTES = 64 << 20
"""Free disk space (bytes) below which the doctor warns."""


_RESTART_ADVICE = lazy_gettext(
    "Stop the server, make a file {file} beside the journal and start it again: it saves what can be saved.",
    file=migrations.SUSPECT_FILE,
)


_MISSING_GAMES = """
    SELECT number, code FROM finished WHERE NOT EXISTS (SELECT 1 FROM packed WHERE packed.number = finished.number)
    AND NOT EXISTS (SELECT 1 FROM games WHERE games.number = finished.number)
    AND NOT EXISTS (SELECT 1 FROM lost WHERE lost.number = finished.number)
"""


class Finding(msgspec.Struct, frozen=True):
    """A problem and what to do about it, a sentence each; `do` may be empty.

    A `harmless` one is worth knowing and no failure.
    """

    what: LazyMessage
    do: LazyMessage = EMPTY_MESSAGE
    harmless: bool = False


def _restore_advice(data: Path) -> LazyMessage:
    return lazy_gettext(
        "Stop the server and run {command}, where COPY is a directory that cartino backup made; or move {file} and "
        "{heads} away to begin with an empty one.",
        command=restore_command(data),
        file=database.JOURNAL_FILE,
        heads=HEADS_FILE,
    )


def _people_advice(data: Path) -> LazyMessage:
    return lazy_gettext(
        "Stop the server and run {command}, where COPY is a directory that cartino backup made; games stay as they "
        "are. Without a copy move {file} away (with {file}-wal): then bans, kept names, further keys and reports are "
        "forgotten, and no game is.",
        command=restore_command(data, "register"),
        file=PEOPLE_FILE,
    )


class DataReport(msgspec.Struct, frozen=True):
    """The result of a check; without `findings` all is well.

    `version` is the schema's (0 without a journal), `sqlite` the library's. `running`: a server uses the directory.
    `games` counts games by state; `size` of the journal and `free` disk space are in bytes.
    """

    version: int
    sqlite: str
    running: bool
    games: dict[str, int]
    damaged: tuple[DamagedGame, ...]
    size: int
    free: int
    findings: tuple[Finding, ...]


class _JournalReport(msgspec.Struct, frozen=True):
    version: int = 0
    games: dict[str, int] = {}
    damaged: tuple[DamagedGame, ...] = ()
    findings: tuple[Finding, ...] = ()


def check_data(data: Path, *, entries: int | None = None) -> DataReport:
    """Check the data directory without changing anything. Raises DataError if it can't be read.

    `entries` is the newest entry format that tables can read; None to skip that check.
    """
    with explain_errors(N_("The data directory {data} can't be looked at: {why}."), data=data):
        mode = data.stat().st_mode
        free = shutil.disk_usage(data).free
        names = sorted(entry.name for entry in data.iterdir())
        size = sum(
            (data / name).stat().st_size
            for name in names
            if name in {database.JOURNAL_FILE, f"{database.JOURNAL_FILE}-wal", HEADS_FILE}
        )
    journal = _check_journal(data, entries)
    findings = [*_check_host_key(data), *journal.findings, *_check_leftovers(data, names)]
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        what = lazy_gettext("Others may look into the data directory {data}.", data=data)
        findings.insert(0, Finding(what, lazy_gettext("Run chmod 700 {data}", data=data)))
    wrong = find_people_fault(data)
    if wrong.text:
        findings.append(Finding(wrong, _people_advice(data)))
    if free < MIN_FREE_BYTES:
        what = lazy_gettext("Only {free} MB are free on the disk of {data}.", free=free >> 20, data=data)
        findings.append(Finding(what, lazy_gettext("Make room: moves are refused on a full disk.")))
    sqlite, running = apsw.sqlite_lib_version(), is_locked(data)
    return DataReport(
        journal.version, sqlite, running, journal.games, journal.damaged, size, free, tuple(findings)
    )


def damage_finding(data: Path, game: DamagedGame) -> Finding:
    """Describe a damaged game, whose code may be unknown."""
    name = game_name(game.code or "????", game.game)
    return Finding(
        lazy_gettext("The game {name} is damaged: {why}.", name=name, why=game.why),
        lazy_gettext(
            "It is set aside, and other games go on. An older copy of the data may have it "
            "whole; to be rid of it, stop the server and run {command}",
            command=doctor_command(data, "--forget", name),
        ),
    )


def _check_host_key(data: Path) -> list[Finding]:
    path = data / "host_key"
    if not path.exists():
        what = lazy_gettext("There is no host key {path}.", path=path)
        return [Finding(what, lazy_gettext("Start the server once: it makes one."))]
    try:
        read_host_key(path)
    except DataError as error:
        return [Finding(error.sentence)]
    return []


def _check_leftovers(data: Path, names: list[str]) -> list[Finding]:
    aside = (lazy_gettext("A damaged journal lies aside as {name}."), f"{database.JOURNAL_FILE}.damaged-")
    replaced = (lazy_gettext("What a copy has replaced lies in {name}."), REPLACED_PREFIX)
    rest = lazy_gettext("What a damaged game had lies in {name}.")
    told = [
        (said, name, False)
        for said, start in (aside, replaced)
        for name in names
        if name.startswith(start) and not name.endswith(("-wal", "-shm"))
    ]
    told += [(rest, name, True) for name in names if name.endswith(LEFT_OVER)]
    return [
        Finding(
            LazyMessage(said.text, {"name": name}),
            lazy_gettext("Remove {data} when nothing in it is needed any more.", data=data / name),
            harmless,
        )
        for said, name, harmless in told
    ]


def _check_journal(data: Path, entries: int | None) -> _JournalReport:
    path = data / database.JOURNAL_FILE
    if is_restoring(data):
        half = lazy_gettext("A restore into {data} was cut short.", data=data)
        return _JournalReport(findings=(Finding(half, lazy_gettext("Start the server: it finishes it.")),))
    if not path.exists() or not path.stat().st_size:
        return _JournalReport(findings=(_missing_journal(path, data),))
    try:
        with open_snapshot(data) as now:
            if entries is not None:
                migrations.require_entry_format(now.connection, entries)
            return _check_games(path, now)
    except DataError as error:
        found = Finding(error.fault, _restore_advice(data)) if error.fault.text else Finding(error.sentence)
        return _JournalReport(findings=(found,))


def _missing_journal(path: Path, data: Path) -> Finding:
    """Describe a missing or empty journal."""
    if not read_heads(data / HEADS_FILE, None).last:
        return Finding(
            lazy_gettext("There is no journal {path}.", path=path),
            lazy_gettext("Start the server once: it makes one."),
        )
    return Finding(
        lazy_gettext("The journal {path} is empty or missing, though games were kept in it.", path=path),
        _restore_advice(data),
    )


def _check_games(path: Path, now: JournalSnapshot) -> _JournalReport:
    connection = now.connection
    damaged, fits = find_damaged_games(now)
    findings = []
    if not (fits and migrations.is_intact(connection, all_pages=True)):
        what = lazy_gettext("Pages of the journal {path} are damaged.", path=path)
        findings.append(Finding(what, _RESTART_ADVICE))
    if now.heads.foreign:
        what = lazy_gettext(
            "{heads} is missing, damaged or of another journal: it can't tell of a lost tail.",
            heads=path.with_name(HEADS_FILE),
        )
        findings.append(Finding(what, lazy_gettext("Start the server again: it makes a new one.")))
    if (
        database.read_time(connection) is None
        and connection.execute("SELECT 1 FROM games LIMIT 1").get is not None
    ):
        what = lazy_gettext("The house's time in the journal is damaged.")
        findings.append(Finding(what, lazy_gettext("Look at the clocks of the tables after the next start.")))
    if migrations.read_entry_format(connection) is None:
        what = lazy_gettext("The format of the entries in the journal {path} is damaged.", path=path)
        findings.append(Finding(what, lazy_gettext("Start the server again: it writes it anew.")))
    findings += [damage_finding(path.parent, game) for game in damaged]
    return _JournalReport(
        migrations.version(connection), count_games_by_state(connection), damaged, tuple(findings)
    )


def find_damaged_games(now: JournalSnapshot) -> tuple[tuple[DamagedGame, ...], bool]:
    """Verify every game; return the damaged ones, and whether the tables are consistent."""
    try:
        found = verify_games(now.connection, now.heads, every=True).damaged
    except (InconsistentTables, apsw.CorruptError):
        return (), False
    known = {game.game for game in found}
    missing = [
        DamagedGame(int(number), str(code), lazy_gettext("all of it is missing"))
        for number, code in now.connection.execute(_MISSING_GAMES)
        if number not in known
    ]
    known |= {game.game for game in missing}
    endings = [
        DamagedGame(int(number), str(code), lazy_gettext("its ending is not what was written"))
        for number, code in now.connection.execute("SELECT number, code FROM finished")
        if number not in known and read_finished(now.connection, int(number)) is None
    ]
    return (*found, *missing, *endings), True


def count_games_by_state(connection: apsw.Connection) -> dict[str, int]:
    """Count the games by state."""
    query = "SELECT state, count(*) FROM (SELECT state FROM games UNION ALL SELECT 'closed' FROM packed) GROUP BY state"
    return {str(state): int(count) for state, count in connection.execute(query)}


_GAME_TABLES = ("games", "finished", "seats", "lost", "tally", "packed")


class _SavedEntry(msgspec.Struct, frozen=True):
    """A line of the file: the entry's sequence number (0: packed), and its body as text or base64."""

    seq: int
    body: str = ""
    base64: str = ""


def forget_game(data: Path, number: int, target: Path) -> None:
    """Write what is left of a game to the new file `target`, and delete the game from the journal in `data`.

    Call it holding the lock. Raises DataError; then nothing has changed.
    """
    with _open_for_change(data, target) as (connection, heads):
        with _saved_to_file(target, connection, number):
            _delete_game(connection, number)
        heads.clear([number])


def resume_game(data: Path, proven: VerifiedPrefix, last: bytes, target: Path) -> None:
    """Let a game resume after its `proven` entries with `last`; write all it had to the new file `target`.

    Call it holding the lock. Raises DataError; then nothing has changed.
    """
    head = extend_chain(proven.head, proven.game, "open", last)
    with _open_for_change(data, target) as (connection, heads):
        with _saved_to_file(target, connection, proven.game):
            _truncate_game(connection, proven, head, last)
        heads.put(proven.game, proven.code, head)


@contextlib.contextmanager
def _open_for_change(data: Path, target: Path) -> Iterator[tuple[apsw.Connection, HeadFile]]:
    """Open the journal to change it; errors name `target`. Raises DataError, also from the block."""
    path = data / database.JOURNAL_FILE
    if not path.is_file():
        raise DataError(
            lazy_gettext("There is no journal {path}; name the data directory of a server.", path=path)
        )
    unchangeable = N_("The journal {path} can't be changed ({error}); run {command}.")
    with (
        explain_errors(N_("The file {target} can't be written: {why}; nothing was removed."), target=target),
        explain_errors(unchangeable, apsw.Error, path=path, command=doctor_command(data)),
        closing(database.open_writer(path)) as connection,
    ):
        migrations.require_known_version(connection)
        if migrations.version(connection) < len(migrations.JOURNAL_MIGRATIONS):
            raise DataError(
                lazy_gettext(
                    "The journal {path} is of an older version; start the server once to renew it.", path=path
                )
            )
        with closing(HeadFile(data / HEADS_FILE, database.journal_id(connection))) as heads:
            yield connection, heads
        database.checkpoint_all(connection)


@contextlib.contextmanager
def _saved_to_file(target: Path, connection: apsw.Connection, number: int) -> Iterator[None]:
    """Write the game's entries to `target`; delete the file if the block fails."""
    _write_file(target, _read_entries(connection, number))
    try:
        yield
    except BaseException:
        target.unlink()
        raise


def _read_entries(connection: apsw.Connection, number: int) -> Iterator[_SavedEntry]:
    first, last = entry_range(number)
    query = "SELECT place, CAST(body AS BLOB) FROM entries WHERE place BETWEEN ? AND ? ORDER BY place"
    for place, body in connection.execute(query, (first, last)):
        try:
            yield _SavedEntry(place - first, body=body.decode())
        except UnicodeDecodeError:
            yield _SavedEntry(place - first, base64=base64.b64encode(body).decode())
    for (body,) in connection.execute("SELECT CAST(body AS BLOB) FROM packed WHERE number = ?", (number,)):
        yield _SavedEntry(0, base64=base64.b64encode(body).decode())


def _write_file(target: Path, left: Iterator[_SavedEntry]) -> None:
    """Write the file (mode 0600, since it reveals hands and seeds) or leave none."""
    file = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with open(file, "wb") as out:
            for line in left:
                out.write(msgspec.json.encode(line) + b"\n")
            out.flush()
            os.fsync(out.fileno())
        sync_directory(target.parent)
    except BaseException:
        with contextlib.suppress(OSError):
            target.unlink()
        raise


def _delete_game(connection: apsw.Connection, number: int) -> None:
    with connection:
        counted = connection.execute("SELECT 1 FROM tally WHERE number = ? AND done", (number,)).get
        for table in _GAME_TABLES:
            connection.execute(f"DELETE FROM {table} WHERE number = ?", (number,))
        delete_entries(connection, number)
        if counted is not None:
            profiles.reset_sums(connection)


def _truncate_game(connection: apsw.Connection, proven: VerifiedPrefix, head: ChainHead, last: bytes) -> None:
    place = proven.game << migrations.SEQ_BITS | head.seq
    with connection:
        connection.execute("DELETE FROM lost WHERE number = ?", (proven.game,))
        delete_entries(connection, proven.game, head.seq)
        connection.execute("INSERT INTO entries VALUES (?, 'open', ?, ?)", (place, head.hash, last))
        row = (proven.game, proven.code, "open", head.seq, head.hash)
        connection.execute("INSERT OR REPLACE INTO games VALUES (?, ?, ?, ?, ?)", row)
