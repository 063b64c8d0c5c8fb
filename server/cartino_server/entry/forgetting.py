"""`cartino doctor --forget` and `--resume`: what becomes of a damaged game, on its host's word."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from cartino_protocol.marking import N_, Sentence, later, later_count
from cartino_protocol.records import NoteLine, write_line
from cartino_protocol.views import ChatLine
from cartino_server.entry.data import name_of
from cartino_server.entry.errors import MISUSE, CommandError
from cartino_server.entry.rebuilding import why_not
from cartino_server.entry.speaking import own_tongue
from cartino_server.rooms.facts import Entry, read_entry, write_entry
from cartino_server.rooms.house_clock import HouseClock
from cartino_server.rooms.ports import Ports
from cartino_server.store.forgetting import forget, resume
from cartino_server.store.lock import lock
from cartino_server.store.port import Damaged, Kept
from cartino_server.store.reading import reading
from cartino_server.store.recovery import Proven, proven

SERVER: Final = "server"
"""Whose line of talk it is; nobody can be called so."""
AHEAD: Final = 1000
"""By how much numbers of states and of talk go on, since nobody knows how many were given to what is lost."""


def forget_damaged(data: Path, name: str, damaged: Sequence[Damaged]) -> Path:
    """Take the game `name`, one of the `damaged`, out of the journal in `data`; the file with what is left of it.

    Raises CommandError where it is none of them, DataError where that can't be done, as while a server runs.
    """
    game = _named(
        name,
        damaged,
        N_("{name!r} is no damaged game of this journal ({known}); nothing was removed."),
        later("none is"),
    )
    with lock(data):
        target = _free(data, name_of(game).replace("????", "game"))
        forget(data, game.game, target)
    return target


def find_resumable(data: Path, damaged: Sequence[Damaged]) -> Mapping[int, Proven]:
    """Return those of the `damaged` games that can go on from their last proven move, by number. Raises DataError."""
    if not damaged:
        return {}
    found: dict[int, Proven] = {}
    ports = Ports(clock=HouseClock(0.0))
    with reading(data) as now:
        for game in damaged:
            each = proven(now.connection, now.heads.get(game.game), game.game)
            if each is not None and _can_go_on(each, ports):
                found[game.game] = each
    return found


def resume_damaged(data: Path, name: str, damaged: Sequence[Damaged]) -> tuple[Proven, Path]:
    """Have the game `name` go on from its last proven move, and tell its players; the file with all that it had.

    Raises CommandError where that game can't, DataError where it can't be done, as while a server runs.
    """
    with lock(data):
        resumable = find_resumable(data, damaged)
        some = [game for game in damaged if game.game in resumable]
        game = _named(
            name,
            some,
            N_("{name!r} is no damaged game that can go on ({known}); nothing was changed."),
            later("there is none"),
        )
        target = _free(data, name_of(game))
        resume(data, resumable[game.game], _last_entry(resumable[game.game]), target)
    return resumable[game.game], target


def _can_go_on(game: Proven, ports: Ports) -> bool:
    try:
        bodies = (*game.bodies, _last_entry(game))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return why_not(Kept(game.game, game.code, bodies), set(), ports) is None


def _last_entry(game: Proven) -> bytes:
    """The entry that tells players of it, in the talk and in the record. Raises msgspec.DecodeError."""
    entries = [read_entry(body) for body in game.bodies]
    said = _told(game)
    talk = max((line.n for entry in entries for line in entry.said), default=0) + AHEAD
    lines = [line for entry in entries for line in entry.lines]
    note = (msgspec.Raw(write_line(NoteLine(str(said)))),) if lines and not _has_end(lines[-1]) else ()
    return write_entry(
        Entry(
            at=entries[-1].at,
            number=entries[-1].number + AHEAD,
            lines=note,
            said=(ChatLine(talk, SERVER, own_tongue().tell(said), "table"),),
        )
    )


def _has_end(line: msgspec.Raw) -> bool:
    return msgspec.json.decode(line, type=dict).get("type") == "end"


def _told(game: Proven) -> Sentence:
    if not game.missing:
        return later("The disk was damaged; the game goes on from here, and no move is lost.")
    return later_count(
        "The disk was damaged; the game goes on from here, and the {n} move after this is lost.",
        "The disk was damaged; the game goes on from here, and up to {n} moves after this are lost.",
        game.missing,
    )


def _named(name: str, games: Sequence[Damaged], refusal: str, none: Sentence) -> Damaged:
    """The one of `games` that is called `name`. Raises CommandError: `refusal`, with `none` where there is no game."""
    wanted = name.strip().upper()
    for game in games:
        if name_of(game) == wanted or (
            game.code == wanted and len([g for g in games if g.code == wanted]) == 1
        ):
            return game
    raise CommandError(
        Sentence(refusal, {"name": name[:40], "known": ", ".join(map(name_of, games)) or none}),
        MISUSE,
    )


def _free(data: Path, stem: str) -> Path:
    """A name that no file has yet: a forgotten game's number may be another's later."""
    paths = (data / f"{stem}{more}.damaged.jsonl" for more in ("", *(f".{n}" for n in range(1, 1000))))
    return next(path for path in paths if not path.exists())
