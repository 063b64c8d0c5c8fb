"""Entry point of `cartino`: parse the words, run the subcommand, turn errors into a sentence and an exit code."""

import io
import os
import signal
import sys
import traceback
from collections.abc import Sequence

from cartino_protocol.exit_status import FAILURE, INTERRUPTED
from cartino_server.commands.console import CommandError, err, out, terminal_locale
from cartino_server.commands.parser import HelpRequested


def main(argv: Sequence[str] | None = None) -> int:
    """Run `cartino` with the words in `argv` (by default those of the process); return the exit code."""
    try:
        if isinstance(sys.stdout, io.TextIOWrapper):
            # Print what the locale's encoding can show.
            sys.stdout.reconfigure(errors="replace")
        code = _run(sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
    except CommandError as error:
        err(error.sentence)
        return error.code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone; discard what Python would flush.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILURE
    except Exception:
        # Unlike Python, clean the text, which may quote a file.
        err(*traceback.format_exc().splitlines())
        return FAILURE
    return code


def _run(argv: Sequence[str]) -> int:
    if argv[:1] == ["serve"]:
        # A hangup would end the process; before the first reading of the settings it needs no action.
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    # Loaded late, so that a hangup is ignored before.
    from cartino_server.cli.commands import CLI, build_parser
    from cartino_server.process import tolerate_failed_library_search

    tolerate_failed_library_search()

    try:
        arguments = build_parser(argv, terminal_locale()).read(argv)
    except HelpRequested as asked:
        out(*asked.text.splitlines())
        return 0
    return CLI.find(arguments.command).read(arguments)


if __name__ == "__main__":
    sys.exit(main())
