"""The environment of a process that serves many terminals: what it says of its own terminal must not reach theirs.

Textual and Rich read some variables when they are imported and some when an app is made. A server calls `clear`
before it imports anything that imports Textual. A program that draws on its own terminal doesn't call it, and so
keeps NO_COLOR, COLORTERM and the rest as the person set them.
"""

import os
from collections.abc import MutableMapping

NAMES = frozenset({"COLORTERM", "COLUMNS", "ESCDELAY", "FORCE_COLOR", "LC_TERMINAL", "LINES", "NO_COLOR"})
PREFIXES = ("TERM_PROGRAM", "TEXTUAL")


def clear(environ: MutableMapping[str, str] = os.environ) -> dict[str, str]:
    """Take the variables that speak of one terminal out of `environ`; what was taken."""
    names = [name for name in environ if name in NAMES or name.startswith(PREFIXES)]
    return {name: environ.pop(name) for name in names}
