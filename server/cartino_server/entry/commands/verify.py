"""`cartino verify FILE…`: every draw, point and total of finished games, checked with the engine."""

import argparse
import sys
from pathlib import Path

from cartino_games.registry import installed
from cartino_protocol.marking import Sentence, later
from cartino_server.engine.replay import MoveRefused, RecordError, read_record, verify
from cartino_server.entry.errors import FAILURE, CommandError
from cartino_server.entry.speaking import err, out, own_tongue
from cartino_tui.games.description import titled
from cartino_tui.tongue import Tongue


def run(arguments: argparse.Namespace) -> int:
    """Check each file; 0 where all are right, else 1 with the line at which each wrong one fails."""
    wrong, tongue = 0, own_tongue()
    for name in arguments.files:
        played = ""
        try:
            record = read_record(read_file(name), installed().rules)
            played = record.head.game
            end = verify(record)
        except RecordError as error:
            wrong += 1
            err(tongue.tell(trouble(name, error, played, tongue)))
        except CommandError as error:
            wrong += 1
            err(tongue.tell(error.sentence))
        else:
            totals = ", ".join(
                f"{seat} {total}" for seat, total in zip(record.head.seats, end.totals, strict=True)
            )
            told = tongue.count(
                "{file}: {n} line verified; {game}, {totals}.",
                "{file}: {n} lines verified; {game}, {totals}.",
                len(record.lines),
                file=name,
                game=titled(installed().speeches, played, record.head.options, tongue),
                totals=totals,
            )
            out(told)
    return FAILURE if wrong else 0


def trouble(file: str, error: RecordError, game: str, tongue: Tongue) -> Sentence:
    """Return where and how `file` fails, a refused move in the words of `game` ("" where that is not known)."""
    speech = installed().speeches.get(game)
    if speech is None or not isinstance(error, MoveRefused):
        return later("{file}:{line}: {why}.", file=file, line=error.line, why=error.why)
    return later(
        "{file}:{line}: the rules refuse {move}. {why}",
        file=file,
        line=error.line,
        move=error.text,
        why=speech.refused(error.rule, tongue),
    )


def read_file(name: str) -> bytes:
    """The bytes of a record file, `-` for standard input. Raises CommandError."""
    if name == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise CommandError(later("{name} can't be read: {why}.", name=name, why=error.strerror)) from None
