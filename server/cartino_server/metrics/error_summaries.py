"""Summarise an unforeseen error for the log: its type and place, never its message, which may reveal cards."""

import builtins
import re
import traceback
from typing import Final

import msgspec

from cartino_protocol.text import LazyMessage, lazy_gettext

_PLACE: Final = re.compile(rb'\s*File "(?:[^"]*/)?([\w.]+\.py)", line ([0-9]+)\b')
_KIND: Final = re.compile(rb"(?:\w+\.)*(\w+)(?::|$)")


class LineSummary(msgspec.Struct, frozen=True):
    """What may be logged about a line that another process wrote.

    Its `size` in bytes, the `kind` of a built-in error and the place (`where`) in the program that it names.
    """

    size: int
    kind: str = ""
    where: str = ""


def summarize_error(error: BaseException) -> str:
    """Return text like "KeyError at laying.py:53, from match.py:71", the innermost place first."""
    frames = traceback.extract_tb(error.__traceback__)[-3:]
    places = [f"{frame.filename.rpartition('/')[2]}:{frame.lineno}" for frame in reversed(frames)]
    return f"{type(error).__name__} at {', from '.join(places)}" if places else type(error).__name__


def cannot_replay(error: BaseException) -> LazyMessage:
    """Return the clause for a game whose replay failed with an unexpected error."""
    return lazy_gettext("it can't be replayed ({account})", account=summarize_error(error))


def summarize_line(line: bytes) -> LineSummary:
    """Return the place and error kind that a line of a traceback names; for any other line only its size."""
    place, named = _PLACE.match(line), _KIND.match(line)
    where = f"{place[1].decode()}:{place[2].decode()}" if place is not None else ""
    kind = named[1].decode(errors="replace") if named is not None else ""
    error = getattr(builtins, kind, None)
    is_error = isinstance(error, type) and issubclass(error, BaseException)
    return LineSummary(len(line), kind if is_error else "", where)
