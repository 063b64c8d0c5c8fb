"""Find, remove or resume games that no table can be made of (`cartino doctor --forget` and `--resume`)."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from cartino_games.registry import installed
from cartino_protocol.base import DECODE_ERRORS
from cartino_protocol.exit_status import NOT_FOUND
from cartino_protocol.records import NoteLine, write_line
from cartino_protocol.text import N_, LazyMessage, lazy_gettext, lazy_ngettext
from cartino_protocol.views import ChatLine
from cartino_server.commands.console import CommandError, terminal_locale
from cartino_server.environment import Ports
from cartino_server.lobby.background_tasks import ServerClock
from cartino_server.metrics.error_summaries import cannot_replay
from cartino_server.operations.settings import stored_game_name
from cartino_server.store.data_directory import LEFT_OVER, lock_directory
from cartino_server.store.database import read_time
from cartino_server.store.port import DamagedGame, StoredGame
from cartino_server.store.queries import open_games
from cartino_server.store.repair.doctor import forget_game, resume_game
from cartino_server.store.verification import VerifiedPrefix, find_verified_prefix, open_snapshot, verify_game
from cartino_server.table.participants import return_from_downtime
from cartino_server.table.restoring import TAKEN, CantRestore, restore
from cartino_server.table.saving import JournalEntry, read_entry, write_entry
from cartino_server.table.views import table_line


def find_unplayable(data: Path) -> tuple[DamagedGame, ...]:
    """Return the intact games that a server on `data` would set aside. Changes nothing. Raises DataError."""
    found: list[DamagedGame] = []
    tables: set[str] = set()
    with open_snapshot(data) as now:
        ports = Ports(clock=ServerClock(read_time(now.connection) or 0.0))
        for number in open_games(now.connection):
            game = verify_game(now.connection, now.heads.get(number), number)
            if isinstance(game, StoredGame):
                why = why_unplayable(game, tables, ports)
                if why is not None:
                    found.append(DamagedGame(game.game, game.code, why))
                tables.add(game.code)
    return tuple(found)


def why_unplayable(game: StoredGame, tables: set[str], ports: Ports) -> LazyMessage | None:
    """Return why `game` can't be restored beside the `tables` with those codes, None if it can."""
    if game.code in tables:
        return TAKEN
    substitutes = {
        game: tuple(name for of, name in installed().bots if of == game) for game in installed().rules
    }
    try:
        table_line(return_from_downtime(restore(game, installed().rules, substitutes, ports)))
    except CantRestore as error:
        return error.sentence
    except Exception as error:
        return cannot_replay(error)
    return None


SERVER_NAME: Final = "server"
"""Author of the chat line; no player can have this name."""
NUMBER_GAP: Final = 1000
"""Gap in the numbers of states and chat lines, in place of an unknown number of lost ones."""


def forget_damaged(data: Path, name: str, damaged: Sequence[DamagedGame]) -> Path:
    """Move the damaged game `name` from the journal in `data` to a file; return the file.

    Raises CommandError for other games, DataError if it can't be done, for example while a server runs.
    """
    game = _find_by_name(
        name,
        damaged,
        N_("{name!r} isn't a damaged game of this journal ({known}); nothing was removed."),
        lazy_gettext("there are none"),
    )
    with lock_directory(data):
        target = _unused_path(data, stored_game_name(game).replace("????", "game"))
        forget_game(data, game.game, target)
    return target


def find_resumable(data: Path, damaged: Sequence[DamagedGame]) -> Mapping[int, VerifiedPrefix]:
    """Return the `damaged` games that can go on from their last verified move, by number. Raises DataError."""
    if not damaged:
        return {}
    found: dict[int, VerifiedPrefix] = {}
    ports = Ports(clock=ServerClock(0.0))
    with open_snapshot(data) as now:
        for game in damaged:
            each = find_verified_prefix(now.connection, now.heads.get(game.game), game.game)
            if each is not None and _can_go_on(each, ports):
                found[game.game] = each
    return found


def resume_damaged(data: Path, name: str, damaged: Sequence[DamagedGame]) -> tuple[VerifiedPrefix, Path]:
    """Let the game `name` go on from its last verified move, and tell its players; return a file with all it had.

    Raises CommandError if that game can't, DataError if it can't be done, for example while a server runs.
    """
    with lock_directory(data):
        resumable = find_resumable(data, damaged)
        some = [game for game in damaged if game.game in resumable]
        game = _find_by_name(
            name,
            some,
            N_("{name!r} isn't a damaged game that can be resumed ({known}); nothing was changed."),
            lazy_gettext("there are none"),
        )
        target = _unused_path(data, stored_game_name(game))
        resume_game(data, resumable[game.game], _resume_entry(resumable[game.game]), target)
    return resumable[game.game], target


def _can_go_on(game: VerifiedPrefix, ports: Ports) -> bool:
    try:
        bodies = (*game.bodies, _resume_entry(game))
    except DECODE_ERRORS:
        return False
    return why_unplayable(StoredGame(game.game, game.code, bodies), set(), ports) is None


def _resume_entry(game: VerifiedPrefix) -> bytes:
    """Return the entry that tells the players, in chat and record. Raises msgspec.DecodeError."""
    entries = [read_entry(body) for body in game.bodies]
    said = _resume_message(game)
    talk = max((line.n for entry in entries for line in entry.said), default=0) + NUMBER_GAP
    lines = [line for entry in entries for line in entry.lines]
    runs = lines and msgspec.json.decode(lines[-1], type=dict).get("type") != "end"
    note = (msgspec.Raw(write_line(NoteLine(str(said)))),) if runs else ()
    return write_entry(
        JournalEntry(
            at=entries[-1].at,
            number=entries[-1].number + NUMBER_GAP,
            lines=note,
            said=(ChatLine(talk, SERVER_NAME, terminal_locale().render(said), "table"),),
        )
    )


def _resume_message(game: VerifiedPrefix) -> LazyMessage:
    if not game.missing:
        return lazy_gettext("The disk was damaged. The game resumes from here, and no move is lost.")
    return lazy_ngettext(
        "The disk was damaged. The game resumes from here; the next {n} move is lost.",
        "The disk was damaged. The game resumes from here; up to {n} of the next moves are lost.",
        game.missing,
    )


def _find_by_name(name: str, games: Sequence[DamagedGame], refusal: str, none: LazyMessage) -> DamagedGame:
    wanted = name.strip().upper()
    for game in games:
        if stored_game_name(game) == wanted or (
            game.code == wanted and len([g for g in games if g.code == wanted]) == 1
        ):
            return game
    raise CommandError(
        LazyMessage(refusal, {"name": name[:40], "known": ", ".join(map(stored_game_name, games)) or none}),
        NOT_FOUND,
    )


def _unused_path(data: Path, stem: str) -> Path:
    """Return an unused path: a forgotten game's number may be reused."""
    paths = (data / f"{stem}{more}{LEFT_OVER}" for more in ("", *(f".{n}" for n in range(1, 1000))))
    return next(path for path in paths if not path.exists())
