"""What a terminal's environment variables say: whether it can draw, only ASCII, and which to remove.

A server calls `clear` before it imports Textual or Rich, which read variables of the server's own terminal. So this
module imports neither.
"""

import os
from collections.abc import Mapping, MutableMapping

UNDRAWABLE_TERMS = frozenset({"", "dumb", "unknown"})
"""Values of TERM that can't move a cursor: no screen can be drawn there."""

_ASCII_TERMS = ("vt52", "vt100", "vt102", "vt220", "vt320", "ansi")


def can_draw(term: str) -> bool:
    """Whether a terminal with that TERM can show a screen at all."""
    return term.lower() not in UNDRAWABLE_TERMS


def ascii_only(term: str, env: Mapping[str, str]) -> bool:
    """Whether to draw with ASCII alone: an old terminal, or a locale that is named and isn't UTF-8.

    The first of LC_ALL, LC_CTYPE and LANG that is set counts; where none is, UTF-8 is what everybody has.
    """
    if term.lower().split("-")[0] in _ASCII_TERMS:
        return True
    locale = next((env[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if env.get(name)), "")
    return bool(locale) and "utf8" not in locale.lower().replace("-", "")


TERMINAL_VARIABLES = frozenset(
    {"COLORTERM", "COLUMNS", "ESCDELAY", "FORCE_COLOR", "LC_TERMINAL", "LINES", "NO_COLOR"}
)
TERMINAL_VARIABLE_PREFIXES = ("TERM_PROGRAM", "TEXTUAL")


def clear_terminal_variables(environ: MutableMapping[str, str] = os.environ) -> dict[str, str]:
    """Take the variables that speak of one terminal out of `environ`; what was taken."""
    names = [
        name for name in environ if name in TERMINAL_VARIABLES or name.startswith(TERMINAL_VARIABLE_PREFIXES)
    ]
    return {name: environ.pop(name) for name in names}
