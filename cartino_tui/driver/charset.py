"""Which characters a terminal can be trusted with, from what it says of itself."""

from collections.abc import Mapping

NO_TERMINALS = frozenset({"", "dumb", "unknown"})
"""Values of TERM that can't move a cursor: no screen can be drawn there."""

_OLD = ("vt52", "vt100", "vt102", "vt220", "vt320", "ansi")


def can_draw(term: str) -> bool:
    """Whether a terminal with that TERM can show a screen at all."""
    return term.lower() not in NO_TERMINALS


def ascii_only(term: str, env: Mapping[str, str]) -> bool:
    """Whether to draw with ASCII alone: an old terminal, or a locale that is named and isn't UTF-8.

    The first of LC_ALL, LC_CTYPE and LANG that is set counts; where none is, UTF-8 is what everybody has.
    """
    if term.lower().split("-")[0] in _OLD:
        return True
    locale = next((env[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if env.get(name)), "")
    return bool(locale) and "utf8" not in locale.lower().replace("-", "")
