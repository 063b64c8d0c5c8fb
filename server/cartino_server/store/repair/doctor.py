"""What `cartino doctor` finds wrong in a data directory, and how it forgets or resumes a damaged game.

Checking changes nothing and works while a server runs. Forgetting and resuming need the lock, and first write all that
the game had to a file.
"""

import base64
import contextlib
import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import apsw
import msgspec

from cartino_protocol.base import game_name
from cartino_protocol.text import EMPTY_MESSAGE, N_, LazyMessage
from cartino_server.store import database, migrations
from cartino_server.store.data_directory import (
    LEFT_OVER,
    REPLACED_PREFIX,
    DataError,
    doctor_command,
    explain_errors,
    find_lack,
    is_locked,
    is_restoring,
    restore_command,
    sync_directory,
)
from cartino_server.store.figures.sums import reset_sums
from cartino_server.store.hash_chain import HEADS_FILE, HeadFile, extend_chain, read_heads
from cartino_server.store.host_key import read_host_key
from cartino_server.store.people import PEOPLE_FILE, find_people_fault
from cartino_server.store.port import DamagedGame
from cartino_server.store.queries import InconsistentTables, decode_rows, delete_entries, entry_range
from cartino_server.store.verification import JournalSnapshot, VerifiedPrefix, open_snapshot, verify_all_games

MIN_FREE_BYTES = 64 << 20
"""Free disk space (bytes) below which the doctor warns."""


_RESTART_ADVICE = N_(
    "Stop the server, create a file {file} next to the journal, and start the server again: it "
    "recovers what it can."
)


class Finding(msgspec.Struct, frozen=True):
    """A problem and what to do about it, a sentence each; `do` may be empty.

    A `harmless` one is worth knowing and no failure.
    """

    what: LazyMessage
    do: LazyMessage = EMPTY_MESSAGE
    harmless: bool = False


_RESTORE_ADVICE = N_(
    "Stop the server and run {command}, where COPY is a directory made by cartino backup; or move "
    "{file} and {heads} away to start with an empty journal."
)
_PEOPLE_ADVICE = N_(
    "Stop the server and run {command}, where COPY is a directory made by cartino backup; the games "
    "stay as they are. Without a copy, move {file} away (with {file}-wal): bans, reserved names, "
    "additional keys and reports are then lost, but no games."
)
_START_ADVICE = N_("Start the server once: it creates one.")


class DataReport(msgspec.Struct, frozen=True):
    """The result of a check; without `findings` all is well.

    `version` is the schema's (0 without a journal), `sqlite` the library's. `running`: a server uses the directory.
    `games` counts games by state; `size` of the journal and `free` disk space are in bytes.
    """

    version: int = 0
    games: dict[str, int] = {}
    damaged: tuple[DamagedGame, ...] = ()
    findings: tuple[Finding, ...] = ()
    running: bool = False
    size: int = 0
    free: int = 0
    sqlite: str = apsw.sqlite_lib_version()


def check_data(data: Path, *, entries: int | None = None) -> DataReport:
    """Check the data directory without changing anything. Raises DataError if it can't be read.

    `entries` is the newest entry format that tables can read; None to skip that check.
    """
    with explain_errors(N_("Can't examine the data directory {data}: {why}."), data=data):
        files = (database.JOURNAL_FILE, f"{database.JOURNAL_FILE}-wal", HEADS_FILE)
        names = sorted(entry.name for entry in data.iterdir())
        free = shutil.disk_usage(data).free
        journal = _check_journal(data, entries)
        findings = [
            *_check_directory(data),
            *journal.findings,
            *_check_leftovers(data, names),
            *_check_people(data),
        ]
        if free < MIN_FREE_BYTES:
            what = N_("Only {free} MB are free on the disk of {data}.")
            do = N_("Free some space: moves are refused when the disk is full.")
            findings.append(_finding(what, do, free=free >> 20, data=data))
        return msgspec.structs.replace(
            journal,
            running=is_locked(data),
            size=sum((data / name).stat().st_size for name in names if name in files),
            free=free,
            # The file system may be to blame for several.
            findings=tuple(each for at, each in enumerate(findings) if each not in findings[:at]),
        )


def damage_finding(data: Path, game: DamagedGame) -> Finding:
    """Describe a damaged game, whose code may be unknown."""
    name = game_name(game.code or "????", game.game)
    return _finding(
        N_("Game {name} is damaged: {why}."),
        N_(
            "It is set aside, and other games go on. An older copy of the data may have it undamaged; to "
            "remove it, stop the server and run {command}"
        ),
        name=name,
        why=game.why,
        command=doctor_command(data, "--forget", name),
    )


def _finding(what: str, do: str = "", harmless: bool = False, /, **places: object) -> Finding:
    return Finding(LazyMessage(what, places), LazyMessage(do, places) if do else EMPTY_MESSAGE, harmless)


def _check_directory(data: Path) -> Iterator[Finding]:
    if data.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        what = N_("Other users can read the data directory {data}.")
        yield _finding(what, N_("Run chmod 700 {data}"), data=data)
    lack = find_lack(data)
    if lack.text:
        yield Finding(lack)
    path = data / "host_key"
    if not path.exists():
        yield _finding(N_("There is no host key {path}."), _START_ADVICE, path=path)
        return
    try:
        read_host_key(path)
    except DataError as error:
        yield Finding(error.sentence)


def _check_people(data: Path) -> Iterator[Finding]:
    try:
        wrong = find_people_fault(data)
    except DataError as error:
        yield Finding(error.sentence)
        return
    if wrong.text:
        places = {"command": restore_command(data, "people"), "file": PEOPLE_FILE}
        yield Finding(wrong, LazyMessage(_PEOPLE_ADVICE, places))


def _check_leftovers(data: Path, names: Sequence[str]) -> Iterator[Finding]:
    kinds = (
        (N_("A damaged journal was set aside as {name}."), f"{database.JOURNAL_FILE}.damaged-", ""),
        (N_("The data replaced by a copy is in {name}."), REPLACED_PREFIX, ""),
        (N_("The data of a damaged game is in {name}."), "", LEFT_OVER),
    )
    for what, start, end in kinds:
        for name in names:
            if name.startswith(start) and name.endswith(end) and not name.endswith(("-wal", "-shm")):
                remove = N_("Remove {data} when you no longer need it.")
                yield _finding(what, remove, bool(end), name=name, data=data / name)


def _check_journal(data: Path, entries: int | None) -> DataReport:
    """Return the report with what is known of the journal."""
    path = data / database.JOURNAL_FILE
    places = {
        "path": path,
        "data": data,
        "command": restore_command(data),
        "file": path.name,
        "heads": HEADS_FILE,
    }
    what, do = N_("There is no journal {path}."), _START_ADVICE
    if is_restoring(data):
        what, do = N_("A restore into {data} was interrupted."), N_("Start the server to complete it.")
    elif path.exists() and path.stat().st_size:
        try:
            with open_snapshot(data) as now:
                if entries is not None:
                    migrations.require_entry_format(now.connection, entries)
                return _check_games(data, now)
        except DataError as error:
            advice = LazyMessage(_RESTORE_ADVICE, places) if error.fault.text else EMPTY_MESSAGE
            return DataReport(
                findings=(Finding(error.fault if error.fault.text else error.sentence, advice),)
            )
    elif read_heads(data / HEADS_FILE, None).last:
        what, do = N_("The journal {path} is empty or missing, although it held games."), _RESTORE_ADVICE
    return DataReport(findings=(_finding(what, do, **places),))


def _check_games(data: Path, now: JournalSnapshot) -> DataReport:
    connection, path, findings = now.connection, data / database.JOURNAL_FILE, list[Finding]()
    try:
        damaged = verify_all_games(connection, now.heads).damaged
        fits = migrations.is_intact(connection, all_pages=True)
    except (InconsistentTables, apsw.CorruptError):
        damaged, fits = (), False
    if not fits:
        what = N_("Pages of the journal {path} are damaged.")
        findings.append(_finding(what, _RESTART_ADVICE, path=path, file=migrations.SUSPECT_FILE))
    if now.heads.foreign:
        what = N_(
            "{heads} is missing, damaged or from another journal, so lost entries at the end can't be detected."
        )
        findings.append(
            _finding(what, N_("Restart the server: it creates a new one."), heads=data / HEADS_FILE)
        )
    has_games = connection.execute("SELECT 1 FROM games LIMIT 1").get is not None
    if has_games and database.read_time(connection) is None:
        what = N_("The server's time in the journal is damaged.")
        findings.append(_finding(what, N_("Check the tables' clocks after the next start.")))
    if migrations.read_entry_format(connection) is None:
        what = N_("The format of the entries in the journal {path} is damaged.")
        findings.append(_finding(what, N_("Restart the server; it writes the entry again."), path=path))
    findings += [damage_finding(data, game) for game in damaged]
    games = dict(decode_rows(connection.execute(_COUNTS), tuple[str, int]))
    return DataReport(migrations.version(connection), games, damaged, tuple(findings))


_COUNTS = """
    SELECT state, count(*) FROM (SELECT state FROM games UNION ALL SELECT 'closed' FROM packed) GROUP BY state
"""
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
    with _open_for_change(data, number, target) as (connection, heads):
        with connection:
            counted = connection.execute("SELECT 1 FROM tally WHERE number = ? AND done", (number,)).get
            for table in _GAME_TABLES:
                connection.execute(f"DELETE FROM {table} WHERE number = ?", (number,))
            delete_entries(connection, number)
            if counted is not None:
                reset_sums(connection)
        heads.clear([number])


def resume_game(data: Path, proven: VerifiedPrefix, last: bytes, target: Path) -> None:
    """Let a game resume after its `proven` entries with `last`; write all it had to the new file `target`.

    Call it holding the lock. Raises DataError; then nothing has changed.
    """
    number, head = proven.game, extend_chain(proven.head, proven.game, "open", last)
    entry = (number << migrations.SEQ_BITS | head.seq, head.hash, last)
    with _open_for_change(data, number, target) as (connection, heads):
        with connection:
            connection.execute("DELETE FROM lost WHERE number = ?", (number,))
            delete_entries(connection, number, head.seq)
            connection.execute("INSERT INTO entries VALUES (?, 'open', ?, ?)", entry)
            row = (number, proven.code, "open", head.seq, head.hash)
            connection.execute("INSERT OR REPLACE INTO games VALUES (?, ?, ?, ?, ?)", row)
        heads.put(number, proven.code, head)


@contextlib.contextmanager
def _open_for_change(data: Path, number: int, target: Path) -> Iterator[tuple[apsw.Connection, HeadFile]]:
    """Open the journal, and write the game's entries to the new file `target`, which goes if the block fails.

    Raises DataError, also from the block.
    """
    path = data / database.JOURNAL_FILE
    if not path.is_file():
        raise DataError(N_("There is no journal {path}; give the data directory of a server."), path=path)
    unchangeable = N_("Can't change the journal {path} ({error}); run {command}.")
    with (
        explain_errors(N_("Can't write the file {target}: {why}; nothing was removed."), target=target),
        explain_errors(unchangeable, apsw.Error, path=path, command=doctor_command(data)),
        closing(database.open_writer(path)) as connection,
    ):
        migrations.require_known_version(connection)
        if migrations.version(connection) < len(migrations.JOURNAL_MIGRATIONS):
            raise DataError(
                N_("The journal {path} has an older version. Start the server once to upgrade it."), path=path
            )
        # Hands and seeds are in it, so it has mode 0600.
        file = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with open(file, "wb") as out:
                out.writelines(
                    msgspec.json.encode(entry) + b"\n" for entry in _read_entries(connection, number)
                )
                out.flush()
                os.fsync(out.fileno())
            sync_directory(target.parent)
            with closing(HeadFile(data / HEADS_FILE, database.journal_id(connection))) as heads:
                yield connection, heads
        except BaseException:
            with contextlib.suppress(OSError):
                target.unlink()
            raise
        database.checkpoint_all(connection)


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
