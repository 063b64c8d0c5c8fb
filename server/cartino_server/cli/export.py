"""`cartino export`: write the records of finished games."""

import argparse
from pathlib import Path

import msgspec

from cartino_engine.replay import RecordError, read_record
from cartino_games.registry import installed
from cartino_protocol.base import parse_game_name
from cartino_protocol.exit_status import FAILURE
from cartino_protocol.text import lazy_ngettext
from cartino_server.cli.streams import check_output
from cartino_server.commands.console import CommandError, err, failure, not_found, out, write_record
from cartino_server.commands.registry import parse_game_or_table
from cartino_server.operations.settings import data_errors, data_path, find_settings, stored_game_name
from cartino_server.store import verification
from cartino_server.store.data_directory import doctor_command, link_or_copy
from cartino_server.store.port import DamagedGame, StoredGame
from cartino_server.table.restoring import record_lines


def run_export(arguments: argparse.Namespace) -> int:
    """Print one record, or write all; return 1 if one is damaged."""
    data = data_path(find_settings(arguments))
    with data_errors():
        if arguments.all is not None:
            return _write_all(data, Path(arguments.all))
        write_record(_read_record(data, parse_game_or_table(arguments.name)))
    check_output()
    return 0


def _read_record(data: Path, name: str) -> bytes:
    """Return the record of the game `name`, for a table's code that of its newest finished game."""
    asked = parse_game_name(name)
    number = verification.find_latest_game(data, name) if asked is None else asked[1]
    found = None if number is None else verification.read_game(data, number)
    if found is None or (asked is not None and found.code != asked[0]):
        raise not_found(
            "There is no finished game {name} in {data}. `cartino export --all DIR` writes all games.",
            name=name,
            data=data,
        )
    record = _finished_record(found, data)
    if record is None:
        raise failure(
            "Game {name} isn't over. `ssh HOST export {code}` gives what you may see of it.",
            name=name,
            code=found.code,
        )
    return record


def _write_all(data: Path, folder: Path) -> int:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise failure("--all: can't create {folder}: {why}.", folder=folder, why=error.strerror) from None
    written = there = unreadable = 0
    for game in verification.read_games(data):
        try:
            record = _finished_record(game, data)
        except CommandError as error:
            unreadable += 1
            err(error.sentence)
            continue
        if record is not None:
            new = _write(folder / f"{stored_game_name(game)}.jsonl", record)
            written, there = written + new, there + (not new)
    out(
        lazy_ngettext(
            "Wrote {n} record to {folder}; {there} were already there.",
            "Wrote {n} records to {folder}; {there} were already there.",
            written,
            folder=folder,
            there=there,
        )
    )
    return FAILURE if unreadable else 0


def _write(path: Path, record: bytes) -> bool:
    """Write the file atomically; return False if it exists already. Raises CommandError."""
    half = path.with_name(f".{path.name}")
    try:
        half.write_bytes(record)
        try:
            link_or_copy(half, path)
        except FileExistsError:
            return False
        finally:
            half.unlink()
    except OSError as error:
        raise failure("Can't write {path}: {why}.", path=path, why=error.strerror) from None
    return True


def _finished_record(game: StoredGame | DamagedGame, data: Path) -> bytes | None:
    """Return the game's record, None while it runs, since it holds secrets. Raises CommandError."""
    if isinstance(game, DamagedGame):
        raise failure(
            "Game {game} is damaged ({why}); for more, run `{command}`.",
            game=stored_game_name(game),
            why=game.why,
            command=doctor_command(data),
        )
    try:
        record = record_lines(game.bodies)
        return record if record and read_record(record, installed().rules).end() is not None else None
    except (msgspec.DecodeError, RecordError) as error:
        raise failure(
            "Game {game} can't be read; it was written by another version of cartino ({error}).",
            game=stored_game_name(game),
            error=error,
        ) from None
