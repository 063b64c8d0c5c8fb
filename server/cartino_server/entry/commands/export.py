"""`cartino export`: records of finished games out of a server's data, whether the server runs or not."""

import argparse
import os
from pathlib import Path

import msgspec

from cartino_games.registry import installed
from cartino_protocol.ids import read_game_name
from cartino_protocol.marking import later
from cartino_server.engine.replay import RecordError, read_record
from cartino_server.entry.data import name_of, place_of, plainly, settings_of
from cartino_server.entry.errors import FAILURE, CommandError
from cartino_server.entry.reading import read_game
from cartino_server.entry.speaking import err, out, own_tongue, write_record
from cartino_server.rooms.restoring import record_lines
from cartino_server.store import reading
from cartino_server.store.port import Damaged, Kept


def run(arguments: argparse.Namespace) -> int:
    """Print one record, or write all; 1 where one of them is damaged."""
    data = place_of(settings_of(arguments))
    with plainly():
        if arguments.all is not None:
            return _write_all(data, Path(arguments.all))
        write_record(_one(data, read_game(arguments.name)))
    return 0


def _one(data: Path, name: str) -> bytes:
    """The record of the game `name`; by a table's code, that of the newest finished game there."""
    asked = read_game_name(name)
    number = reading.latest(data, name) if asked is None else asked[1]
    found = None if number is None else reading.read_game(data, number)
    if found is None or (asked is not None and found.code != asked[0]):
        raise CommandError(
            later(
                "No finished game {name} is kept in {data}; `cartino export --all DIR` writes all.",
                name=name,
                data=data,
            )
        )
    record = _finished(found)
    if record is None:
        raise CommandError(
            later(
                "The game {name} is not over; `ssh HOST export {code}` gives what may be seen of it.",
                name=name,
                code=found.code,
            )
        )
    return record


def _write_all(data: Path, folder: Path) -> int:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandError(
            later("--all: {folder} can't be made: {why}.", folder=folder, why=error.strerror)
        ) from None
    written = there = unreadable = 0
    for game in reading.read_games(data):
        try:
            record = _finished(game)
        except CommandError as error:
            unreadable += 1
            err(own_tongue().tell(error.sentence))
            continue
        if record is not None:
            new = _write(folder / f"{name_of(game)}.jsonl", record)
            written, there = written + new, there + (not new)
    told = own_tongue().count(
        "{n} record written to {folder}, {there} were there already.",
        "{n} records written to {folder}, {there} were there already.",
        written,
        folder=folder,
        there=there,
    )
    out(told)
    return FAILURE if unreadable else 0


def _write(path: Path, record: bytes) -> bool:
    """Write the file whole or not at all; whether it is new, since one that is there stays as it is."""
    half = path.with_name(f".{path.name}")
    try:
        half.write_bytes(record)
        try:
            os.link(half, path)
        except FileExistsError:
            return False
        finally:
            half.unlink()
    except OSError as error:
        raise CommandError(later("{path} can't be written: {why}.", path=path, why=error.strerror)) from None
    return True


def _finished(game: Kept | Damaged) -> bytes | None:
    """The game's record, None while it runs: its draws are secrets then. Raises CommandError where it has none."""
    if isinstance(game, Damaged):
        raise CommandError(
            later(
                "The game {game} is damaged ({why}); `cartino doctor` says more.",
                game=name_of(game),
                why=game.why,
            )
        )
    try:
        data = record_lines(game.bodies)
        return data if data and read_record(data, installed().rules).end() is not None else None
    except (msgspec.DecodeError, RecordError) as error:
        raise CommandError(
            later(
                "The game {game} can't be read; another version of cartino wrote it ({error}).",
                game=name_of(game),
                error=error,
            )
        ) from None
