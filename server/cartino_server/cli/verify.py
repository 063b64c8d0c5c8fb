"""`cartino verify`: check every draw, point and total of records, without loading the store or a screen."""

import argparse
import sys
from pathlib import Path
from typing import Final

from cartino_engine.replay import MoveRefused, RecordError, read_record, verify
from cartino_games.registry import installed
from cartino_protocol.exit_status import FAILURE
from cartino_protocol.text import LazyMessage, lazy_gettext
from cartino_server.cli.streams import check_output
from cartino_server.commands.console import CommandError, err, failure, out, terminal_locale
from cartino_server.files import read_file, read_stream
from cartino_tui.game_port.description import game_title
from cartino_tui.i18n import Translator

MAX_RECORD_BYTES: Final = 1 << 24
"""Bytes of a record that are read; a long game has a few hundred thousand."""


def run_verify(arguments: argparse.Namespace) -> int:
    """Check each file; 0 where all are right, else 1 with the line at which each wrong one fails."""
    wrong, translator = 0, terminal_locale()
    for name in arguments.files:
        played = ""
        try:
            record = read_record(read_record_file(name), installed().rules)
            played = record.head.game
            end = verify(record)
        except RecordError as error:
            wrong += 1
            err(translator.render(record_error_message(name, error, played, translator)))
        except CommandError as error:
            wrong += 1
            err(translator.render(error.sentence))
        else:
            totals = ", ".join(
                f"{seat} {total}" for seat, total in zip(record.head.seats, end.totals, strict=True)
            )
            told = translator.ngettext(
                "{file}: {n} line verified; {game}, {totals}.",
                "{file}: {n} lines verified; {game}, {totals}.",
                len(record.lines),
                file=name,
                game=game_title(installed().speeches, played, record.head.options, translator),
                totals=totals,
            )
            out(told)
    check_output()
    return FAILURE if wrong else 0


def record_error_message(file: str, error: RecordError, game: str, translator: Translator) -> LazyMessage:
    """Return where and how `file` fails, a refused move in the words of `game` ("" where that is not known)."""
    speech = installed().speeches.get(game)
    if speech is None or not isinstance(error, MoveRefused):
        return lazy_gettext("{file}:{line}: {why}.", file=file, line=error.line, why=error.why)
    return lazy_gettext(
        "{file}:{line}: the rules refuse {move}. {why}",
        file=file,
        line=error.line,
        move=error.text,
        why=speech.describe_refusal(error.rule, translator),
    )


def read_record_file(name: str) -> bytes:
    """Return the bytes of a record file, `-` for standard input. Raises CommandError."""
    try:
        if name == "-":
            return read_stream(sys.stdin.buffer, MAX_RECORD_BYTES)
        return read_file(Path(name), MAX_RECORD_BYTES, pipes=True)
    except OSError as error:
        raise failure("Can't read {name}: {why}.", name=name, why=error.strerror) from None
