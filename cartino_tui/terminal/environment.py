"""Read a terminal's environment variables: can it draw, is it ASCII only, which to remove.

A server calls `clear_terminal_variables` before it imports Textual or Rich, which read the server's own variables. So
this module imports neither.
"""

import os
from collections.abc import Mapping, MutableMapping

UNDRAWABLE_TERMS = frozenset({"", "dumb", "unknown"})
"""Values of TERM without cursor movement: no screen can be drawn there."""

_ASCII_TERMS = ("vt52", "vt100", "vt102", "vt220", "vt320", "ansi")


def can_draw(term: str) -> bool:
    """Return whether a terminal with this TERM can show a screen."""
    return term.lower() not in UNDRAWABLE_TERMS


def ascii_only(term: str, env: Mapping[str, str]) -> bool:
    """Return whether to draw in ASCII: an old terminal, or a locale that is set and not UTF-8.

    The first of LC_ALL, LC_CTYPE and LANG that is set counts.
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
    """Remove the variables that describe one terminal from `environ`; return them."""
    names = [
        name for name in environ if name in TERMINAL_VARIABLES or name.startswith(TERMINAL_VARIABLE_PREFIXES)
    ]
    return {name: environ.pop(name) for name in names}
