"""`cartino verify FILE…`: every draw, point and total of finished games, checked with the engine."""

import argparse
import sys
from pathlib import Path

from cartino_server.engine.registry import GAMES
from cartino_server.engine.replay import RecordError, read_record, verify
from cartino_server.entry.errors import FAILURE, CommandError


def run(arguments: argparse.Namespace) -> int:
    """Check each file; 0 where all are right, else 1 with the line at which each wrong one fails."""
    wrong = 0
    for name in arguments.files:
        try:
            record = read_record(read_file(name), GAMES)
            end = verify(record)
        except RecordError as error:
            wrong += 1
            print(f"{name}:{error.line}: {error.why}.", file=sys.stderr)
        except CommandError as error:
            wrong += 1
            print(error, file=sys.stderr)
        else:
            totals = ", ".join(
                f"{seat} {total}" for seat, total in zip(record.head.seats, end.totals, strict=True)
            )
            print(f"{name}: {len(record.lines)} lines verified; {record.head.game}, {totals}.")
    return FAILURE if wrong else 0


def read_file(name: str) -> bytes:
    """The bytes of a record file, `-` for standard input. Raises CommandError."""
    if name == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise CommandError(f"{name} can't be read: {error.strerror}.") from None
