"""Entry point of `cartino`: parse the words, run the subcommand, turn errors into a sentence and an exit code."""

import importlib
import io
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from typing import Final

from cartino_server.commands.console import FAILURE, INTERRUPTED, CommandError, err, out, terminal_locale
from cartino_server.commands.parser import HelpRequested

MODULES: Final = {
    "check-game": "game_packages",
    "health": "admin",
    "new-game": "game_packages",
    "replay": "play",
    "restore": "backup",
}
"""The module of a subcommand, where it isn't named like it. Each is loaded when it runs: some load Textual."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run `cartino` with the words in `argv` (the process's own by default); the exit code."""
    try:
        if isinstance(sys.stdout, io.TextIOWrapper):
            # A locale without some letter of a language is no reason to say nothing in it.
            sys.stdout.reconfigure(errors="replace")
        code = _run(sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
    except CommandError as error:
        err(terminal_locale().render(error.sentence))
        return error.code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has gone; what Python would still flush goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILURE
    except Exception:
        # Python would print what a file holds as it is.
        err(*traceback.format_exc().splitlines())
        return FAILURE
    return code


def _run(argv: Sequence[str]) -> int:
    if argv[:1] == ["serve"]:
        # A hangup would end the process. Until the settings are read for the first time it asks for nothing more.
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    # That takes a while to load.
    from cartino_server.commands.cli_arguments import build_parser

    try:
        arguments = build_parser(argv, terminal_locale()).read(argv)
    except HelpRequested as asked:
        out(*asked.text.splitlines())
        return 0
    name: str = arguments.command
    module = importlib.import_module(f"cartino_server.cli.{MODULES.get(name, name)}")
    code: int = getattr(module, f"run_{name.replace('-', '_')}")(arguments)
    return code


if __name__ == "__main__":
    sys.exit(main())
