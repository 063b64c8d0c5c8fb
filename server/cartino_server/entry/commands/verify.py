"""`cartino verify FILE…`: every draw, point and total of finished games, checked with the engine."""

import argparse
import sys
from pathlib import Path

from cartino_games.registry import installed
from cartino_protocol.marking import later
from cartino_server.engine.replay import RecordError, read_record, verify
from cartino_server.entry.errors import FAILURE, CommandError
from cartino_server.entry.speaking import err, out, own_tongue


def run(arguments: argparse.Namespace) -> int:
    """Check each file; 0 where all are right, else 1 with the line at which each wrong one fails."""
    wrong, tongue = 0, own_tongue()
    for name in arguments.files:
        try:
            record = read_record(read_file(name), installed().rules)
            end = verify(record)
        except RecordError as error:
            wrong += 1
            why = tongue.tell(error.why)
            err(tongue.say("{file}:{line}: {why}.", file=name, line=error.line, why=why))
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
                game=record.head.game,
                totals=totals,
            )
            out(told)
    return FAILURE if wrong else 0


def read_file(name: str) -> bytes:
    """The bytes of a record file, `-` for standard input. Raises CommandError."""
    if name == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise CommandError(later("{name} can't be read: {why}.", name=name, why=error.strerror)) from None
