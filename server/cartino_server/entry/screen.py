"""The process's own terminal: whether a table can be shown there, and with which characters."""

import os
import sys

from cartino_protocol.marking import Sentence, later
from cartino_server.entry.errors import MISUSE, CommandError
from cartino_tui.draw.theme import Ground
from cartino_tui.driver.charset import ascii_only, can_draw
from cartino_tui.driver.ground import ground_of
from cartino_tui.driver.own_probe import ask_ground


def own_screen(without: Sentence) -> bool:
    """Whether this terminal shows no more than ASCII.

    Raises CommandError with the sentence `without` where there is no terminal, and with another one where the
    terminal can't show a table.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise CommandError(without, MISUSE)
    term = os.environ.get("TERM", "")
    if not can_draw(term):
        raise CommandError(
            later("This terminal can't show a table; if it can move its cursor, set TERM=vt100."), MISUSE
        )
    return ascii_only(term, os.environ)


def own_ground() -> Ground | None:
    """The ground of this terminal, as far as its environment or it itself tells."""
    named = ground_of(os.environ)
    if named is not None or ascii_only(os.environ.get("TERM", ""), os.environ):
        return named
    return ask_ground()
