"""What a log may say of an error: where, and of what kind. Never in its words, which may tell of a hand or a secret."""

import re
from typing import Final

from structlog.typing import EventDict

TRACEBACKS: Final = ("exception", "crash")
"""The keys behind which a traceback stands."""
_BEGINS: Final = "Traceback (most recent call last):"
_GROUP: Final = "Exception Group Traceback"
_BETWEEN: Final = (
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
)
_KIND: Final = re.compile(r"[A-Za-z_][\w.<>]*")
_PLACE: Final = re.compile(r'[\s|]*File "[^"]*", line \d+')


def wordless(logger: object, method: str, event: EventDict) -> EventDict:
    """A structlog processor: of every traceback its places and kinds are left."""
    for key in TRACEBACKS:
        if isinstance(event.get(key), str):
            event[key] = without_words(event[key])
    return event


def without_words(traceback: str) -> str:
    """`traceback` without what the errors say, and without all that is no traceback."""
    if _GROUP in traceback:
        places = [found[0].strip(" |") for line in traceback.split("\n") if (found := _PLACE.match(line))]
        return "\n".join([_GROUP, *places])
    kept: list[str] = []
    is_inside = False
    for line in traceback.split("\n"):
        if line == _BEGINS or line in _BETWEEN:
            is_inside = line == _BEGINS
            kept.append(line)
        elif is_inside and line.startswith("  "):
            kept.append(line)
        elif is_inside:
            # Here ends what Python says of the places; the rest is the error's own.
            is_inside = False
            kind = _KIND.match(line)
            kept.append(kind[0] if kind else "?")
    return "\n".join(kept) if kept else "?"
