"""`cartino backup`, `restore` and `export`: copy a server's data while it runs, put a copy back, write its records."""

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from cartino_engine.replay import RecordError, read_record
from cartino_games.registry import installed
from cartino_protocol.base import parse_game_name
from cartino_protocol.exit_status import FAILURE
from cartino_protocol.text import LazyMessage, lazy_gettext, lazy_ngettext
from cartino_server.cli.streams import check_output
from cartino_server.commands.console import CommandError, err, failure, not_found, out, write_record
from cartino_server.commands.registry import parse_game_or_table
from cartino_server.operations.settings import data_errors, data_path, find_settings, stored_game_name
from cartino_server.store import verification
from cartino_server.store.data_directory import doctor_command, is_restoring, link_or_copy, lock_directory
from cartino_server.store.port import DamagedGame, StoredGame
from cartino_server.store.repair.backup import UnusableCopy, create_backup, verify_copy
from cartino_server.store.repair.restore import RestoreResult, require_server_data, restore, resume_restore
from cartino_server.table.restoring import record_lines
from cartino_server.table.saving import FORMAT


def run_backup(arguments: argparse.Namespace) -> int:
    """Copy the data, verify the copy if asked, and report."""
    data, target = data_path(find_settings(arguments)), Path(arguments.target).absolute()
    with data_errors():
        games = create_backup(data, target)
        if arguments.verify:
            games = _prove_copy(target)
    out(
        lazy_ngettext(
            "{n} game and the host key are in {target}; start a server on them with `cartino serve --data "
            "{target}`.",
            "{n} games and the host key are in {target}; start a server on them with `cartino serve --data "
            "{target}`.",
            games,
            target=target,
        )
    )
    if arguments.verify:
        out(lazy_gettext("The copy is verified: every game, the people database and the host key."))
    return 0


def _prove_copy(target: Path) -> int:
    """Return how many games of the copy are whole. Raises CommandError, and keeps the copy."""
    try:
        return verify_copy(target, FORMAT)
    except UnusableCopy as error:
        why = error.sentence
    except OSError as error:
        why = LazyMessage(error.strerror or str(error))
    raise failure("The copy {target} is damaged: {why}. Make another one.", target=target, why=why)


MAX_GAMES_NAMED = 10
"""Games named in a sentence."""


def run_restore(arguments: argparse.Namespace) -> int:
    """Restore the copy, or finish an interrupted restore, and report what was lost."""
    data, copy = data_path(find_settings(arguments)), Path(arguments.copy).absolute()
    with data_errors():
        require_server_data(copy, data)
        with lock_directory(data):
            if is_restoring(data):
                done = resume_restore(data)
                said = lazy_gettext(
                    "An interrupted restore is now complete. To restore another copy, run this again."
                )
            else:
                done = restore(copy, data, FORMAT, arguments.only or "all")
                said = lazy_gettext("Restored {copy} into {data}.", copy=copy, data=data)
    out(said, *_losses(done), *_returned(done))
    return 0


def _losses(done: RestoreResult) -> list[LazyMessage]:
    if done.aside is None:
        return []
    said = [lazy_gettext("The previous data is in {aside}.", aside=done.aside)]
    if done.begun:
        said.append(
            lazy_ngettext(
                "Lost: {n} game started after the copy was made ({names}).",
                "Lost: {n} games started after the copy was made ({names}).",
                len(done.begun),
                names=_join_names(done.begun),
            )
        )
    if done.shorter:
        said.append(
            lazy_ngettext(
                "Lost: the last moves of {n} game ({names}).",
                "Lost: the last moves of {n} games ({names}).",
                len(done.shorter),
                names=_join_names(
                    [f"{name}: {missing}" if missing else name for name, missing in done.shorter]
                ),
            )
        )
    said += _lost_records(done.rows)
    if done.unread:
        said.append(lazy_gettext("Some of the previous data is unreadable, so more may be lost."))
    return said if len(said) > 1 else [*said, lazy_gettext("Nothing was newer than the copy.")]


def _returned(done: RestoreResult) -> list[LazyMessage]:
    if not done.returned:
        return []
    return [
        lazy_ngettext(
            "Restored: {n} account that had been deleted ({names}). Its owner has to delete it again.",
            "Restored: {n} accounts that had been deleted ({names}). Their owners have to delete them again.",
            len(done.returned),
            names=_join_names(done.returned),
        )
    ]


def _lost_records(rows: Mapping[str, int]) -> list[LazyMessage]:
    lost = Counter(rows)
    said = (
        lazy_ngettext("Also lost: {n} key.", "Also lost: {n} keys.", lost["keys"]),
        lazy_ngettext("Also lost: {n} reserved name.", "Also lost: {n} reserved names.", lost["names"]),
        lazy_ngettext("Also lost: {n} ban or mute.", "Also lost: {n} bans or mutes.", lost["bans"]),
        lazy_ngettext("Also lost: {n} player's mute.", "Also lost: {n} players' mutes.", lost["ignores"]),
        lazy_ngettext("Also lost: {n} report.", "Also lost: {n} reports.", lost["reports"]),
        lazy_ngettext(
            "Also lost: the settings of {n} person.",
            "Also lost: the settings of {n} people.",
            lost["settings"],
        ),
        lazy_ngettext("Also lost: {n} resume code.", "Also lost: {n} resume codes.", lost["guests"]),
    )
    return [sentence for sentence in said if sentence.n]


def _join_names(names: Sequence[str]) -> str | LazyMessage:
    more = len(names) - MAX_GAMES_NAMED
    named = ", ".join(names[:MAX_GAMES_NAMED])
    return lazy_gettext("{names} and {more} more", names=named, more=more) if more > 0 else named


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
