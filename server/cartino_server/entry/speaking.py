"""How the command line speaks: the language it was started in, and lines that steer no terminal.

Whatever a command prints goes through here, since it may quote a file of a stranger, or its name.
"""

import os
import sys
from collections.abc import Iterable

from cartino_protocol.legible import is_visible, legible
from cartino_tui.preferences import language_of
from cartino_tui.tongue import Language, Tongue, tongue_of


def own_language() -> Language:
    """The language that this process's own terminal names."""
    return language_of(os.environ)


def own_tongue() -> Tongue:
    """That language as one to speak."""
    return tongue_of(own_language())


def out(*lines: str) -> None:
    """Print `lines` on stdout at once. What a terminal would obey in them, also a line end, becomes a "?"."""
    print(_harmless(lines), end="", flush=True)  # noqa: T201 - the one place


def err(*lines: str) -> None:
    """Print `lines` on stderr at once, as `out` does."""
    print(_harmless(lines), end="", file=sys.stderr, flush=True)  # noqa: T201 - the one place


def prompt(text: str) -> str:
    """Return `text`, lines of which the last stays open, for what prints it itself."""
    return _harmless(text.split("\n"))[:-1]


def write_record(record: bytes) -> None:
    """Write `record` (JSON Lines) to stdout as it is; to a terminal, unseen letters are written as JSON escapes."""
    if sys.stdout.isatty():
        record = "".join(map(_escaped, record.decode(errors="replace"))).encode()
    sys.stdout.buffer.write(record)


def _harmless(lines: Iterable[str]) -> str:
    return "".join(f"{legible(line, '?')}\n" for line in lines)


def _escaped(letter: str) -> str:
    if letter == "\n" or is_visible(letter):
        return letter
    pair = letter.encode("utf-16-be").hex()
    return "".join(f"\\u{pair[at : at + 4]}" for at in range(0, len(pair), 4))
