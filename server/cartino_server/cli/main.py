"""Entry point of `cartino`: parse the words, run the subcommand, turn errors into a sentence and an exit code."""

import signal
import sys
import traceback
from collections.abc import Sequence

from cartino_protocol.exit_status import FAILURE, INTERRUPTED
from cartino_server.cli.streams import check_output, open_streams, report_lost_output
from cartino_server.commands.console import CommandError, err, out, terminal_locale
from cartino_server.commands.parser import HelpRequested


def main(argv: Sequence[str] | None = None) -> int:
    """Run `cartino` with the words in `argv` (by default those of the process); return the exit code."""
    open_streams()
    try:
        code = _run(sys.argv[1:] if argv is None else argv)
        report_lost_output()
    except CommandError as error:
        err(error.sentence)
        return error.code
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception:
        # Unlike Python, clean the text, which may quote a file.
        err(*traceback.format_exc().splitlines())
        return FAILURE
    return code


def _run(argv: Sequence[str]) -> int:
    if argv[:1] == ["serve"] and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        # A hangup would end the process; before the server listens it needs no action. Whether it was ignored from
        # the start (nohup) is asked later.
        signal.signal(signal.SIGHUP, lambda *_: None)
    # Loaded late, so that a hangup does nothing before.
    from cartino_server.cli.commands import CLI, build_parser
    from cartino_server.process import tolerate_failed_library_search

    tolerate_failed_library_search()

    if argv[:1] in ([], ["help"]):
        argv = [*argv[1:], "--help"]
    try:
        arguments = build_parser(argv, terminal_locale()).read(argv)
    except HelpRequested as asked:
        out(*asked.text.splitlines())
        check_output()
        return 0
    return CLI.find(arguments.command).read(arguments)


if __name__ == "__main__":
    sys.exit(main())
