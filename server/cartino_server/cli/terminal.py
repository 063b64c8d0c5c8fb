"""The process's own terminal: what it can show, plain mode on it, questions before drawing, the final message."""

import getpass
import os
import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from cartino_games.kit.declared.package import foreign_speech
from cartino_games.registry import installed
from cartino_protocol.exit_status import FAILURE, MISUSE, SIGNALLED
from cartino_protocol.link import Link, LinkWithStatus
from cartino_protocol.text import N_, LazyMessage
from cartino_server.client.connection import UnknownHostKey
from cartino_server.commands.console import (
    CommandError,
    err,
    misuse,
    out,
    safe_prompt,
    terminal_language,
    terminal_locale,
)
from cartino_tui.draw.theme import Ground
from cartino_tui.game_port.description import GameCatalog
from cartino_tui.plain.conversation import Conversation
from cartino_tui.plain.line_handler import PlainHandler
from cartino_tui.plain.local_terminal import LocalTerminal
from cartino_tui.preferences import Preferences
from cartino_tui.terminal.environment import ascii_only, can_draw
from cartino_tui.terminal.hangup import watch_terminal
from cartino_tui.terminal.probe import background_from_env, query_local_background
from cartino_tui.visit.routes import ShellCommands, StartRoute


def check_terminal(without: LazyMessage) -> bool:
    """Return whether this terminal shows only ASCII.

    Raises CommandError, with `without` if there is no terminal, or if it can't show a table.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise CommandError(without, MISUSE)
    term = os.environ.get("TERM", "")
    if not can_draw(term):
        raise misuse("This terminal can't show a table. If it can move its cursor, set TERM=vt100.")
    return ascii_only(term, os.environ)


def end_with_terminal(before: Callable[[], object] = lambda: None) -> None:
    """End this process when its terminal is gone, as a hangup does, even if hangups are ignored.

    `before()` is called first, in a thread. Nothing else is done: what still writes to the terminal might never end.
    """

    def end() -> None:
        before()
        os._exit(SIGNALLED + signal.SIGHUP)

    if sys.stdin.isatty():
        watch_terminal(end)


def terminal_background() -> Ground | None:
    """Return the background of this terminal, None if unknown."""
    named = background_from_env(os.environ)
    if named is not None or ascii_only(os.environ.get("TERM", ""), os.environ):
        return named
    return query_local_background()


BAD_SERVER_MESSAGE: Final = N_(
    "Disconnected: this program doesn't understand the server's data ({error}). Update the older of "
    "the two. If updating doesn't help, don't reconnect."
)
_FRAME_LINE: Final = re.compile(r'^  File "(?:.*[/\\])?([\w.-]+)", line (\d+), in ', re.MULTILINE)
_ERROR_KIND: Final = re.compile(r"^(?:[\w.]+\.)?(\w+)(?::|$)", re.MULTILINE)
_CAUSE_LINE: Final = "\nThe above exception was the direct cause"


def print_result(app: Any, *, far: bool = False) -> int:
    """Print the final message of `app` (a SessionApp) or its crash; return the exit code. See `print_crash`."""
    if app.crash:
        return print_crash(app.crash, far=far)
    if app.return_value:
        out(*str(app.return_value).splitlines())
    return app.return_code or 0


def print_crash(crash: str, *, far: bool) -> int:
    """Print on stderr that the app ended with the traceback `crash`; return the exit code.

    `far`: a remote server may have caused it and may have chosen its text, so no traceback is shown.
    """
    if far:
        err(terminal_locale().gettext(BAD_SERVER_MESSAGE, error=_crash_summary(crash)))
    else:
        sorry = terminal_locale().gettext("Sorry, the table crashed. Please include this in a bug report:")
        err(sorry, *crash.splitlines())
    return FAILURE


def _crash_summary(crash: str) -> str:
    """Return the kind and place of the error, in no text that a server can choose."""
    first = crash.partition(_CAUSE_LINE)[0]
    places = _FRAME_LINE.findall(first)
    kinds = _ERROR_KIND.findall(first[first.rfind('  File "') :])
    kind = kinds[-1] if kinds else "error"
    return " ".join([kind, *(f"{file}:{line}" for file, line in places[-1:])])


def wants_plain_mode(plain: bool) -> bool:
    """Return whether to use plain mode: on request, or if this terminal can't show a table."""
    return plain or (_stdio_is_terminal() and not can_draw(os.environ.get("TERM", "")))


async def run_plain_mode(
    open_link: Callable[[], Link | LinkWithStatus],
    intent: StartRoute,
    *,
    ascii: bool,
    shell_commands: ShellCommands = ShellCommands(),  # noqa: B008 - a constant
    own_shell_commands: ShellCommands = ShellCommands(),  # noqa: B008 - a constant
    far: bool = False,
) -> int:
    """Run a visit in plain mode; return the exit code. See `Conversation` and `print_crash`."""
    terminal = LocalTerminal(os.environ, is_terminal=_stdio_is_terminal())
    simple = ascii or ascii_only(terminal.facts.term, os.environ)
    preferences = Preferences(terminal_language(), ascii=simple)
    handler = PlainHandler(
        terminal,
        open_link,
        lambda send: Conversation(
            send,
            preferences,
            GameCatalog(installed().speeches, foreign_speech),
            intent,
            shell_commands,
            own_shell_commands,
        ),
    )
    code = await terminal.run(handler)
    return code if handler.crash is None else print_crash(handler.crash, far=far)


def _stdio_is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


HOST_KEY_QUESTION = N_(
    "First connection to {name}. {kind} key:\n{fingerprint}\nTrust it and connect? (yes/no) [no] "
)
YES_ANSWER = N_("yes")
"""Accepted in full or as its first letter; English too."""


def confirm_host_key(unknown: UnknownHostKey) -> bool:
    """Ask whether to trust the key; anything but yes means no."""
    translator = terminal_locale()
    question = translator.gettext(
        HOST_KEY_QUESTION, name=unknown.name, kind=unknown.kind, fingerprint=unknown.fingerprint
    )
    yes = translator.gettext(YES_ANSWER)
    return _ask_user(input, question).strip().lower() in {"y", YES_ANSWER, yes, yes[0]}


def ask_passphrase(file: Path) -> str:
    """Ask for the passphrase of the key in `file`; "" for none."""
    return _ask_user(
        getpass.getpass,
        terminal_locale().gettext("Passphrase for {file} (empty: continue without it): ", file=file),
    )


def _ask_user(read: Callable[[str], str], question: str) -> str:
    """Return what is typed, "" at the end of input. Ctrl-C ends the program, even under an event loop."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return read(safe_prompt(question))
    except EOFError:
        out("")
        return ""
    finally:
        signal.signal(signal.SIGINT, before)
