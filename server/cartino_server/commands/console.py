"""Exit codes, command errors, and safe output to the process's own terminal.

All output goes through `out` and `err`: it may quote a stranger's file or name, so control characters are replaced.
"""

import os
import sys
from collections.abc import Iterable
from typing import Final

from cartino_protocol.text import LazyMessage, LazyMessageError, is_visible, legible
from cartino_tui.i18n import Language, Translator, translator_for
from cartino_tui.preferences import language_of

MISUSE = 2
FAILURE = 1
REFUSED = 3
"""The rules, or the table as it is, don't allow it."""
NO_TABLE = 4
"""There is no such table."""
INTERRUPTED = 130


class CommandError(LazyMessageError):
    """A sentence for the person at the terminal (what, why, what now) and the exit code that goes with it."""

    def __init__(self, sentence: LazyMessage, code: int = FAILURE) -> None:
        """Have `sentence` told; `code` is FAILURE, or MISUSE where the person asked for something that can't be."""
        super().__init__(sentence)
        self.code = code


def shorten(text: str, most: int) -> str:
    """What somebody typed, to be quoted in a sentence: its first `most` characters, none that a terminal obeys."""
    shown = legible(text[:most], "?")
    return shown if len(text) <= most else shown + "…"


MOST_LETTERS: Final = 1000
"""Letters of a printed line: what it quotes may be a whole file of a stranger."""
_LAST_LETTERS: Final = 200
"""Letters kept of the end of a longer line, where sentences say what to do."""


def terminal_language() -> Language:
    """The language that this process's own terminal names."""
    return language_of(os.environ)


def terminal_locale() -> Translator:
    """That language as one to speak."""
    return translator_for(terminal_language())


def out(*lines: str) -> None:
    """Print `lines` on stdout at once, each within MOST_LETTERS.

    What a terminal would obey in them, also a line end, becomes a "?".
    """
    print(_printable_lines(lines), end="", flush=True)  # noqa: T201 - the one place


def err(*lines: str) -> None:
    """Print `lines` on stderr at once, as `out` does."""
    print(_printable_lines(lines), end="", file=sys.stderr, flush=True)  # noqa: T201 - the one place


def safe_prompt(text: str) -> str:
    """Return `text`, lines of which the last stays open, for what prints it itself."""
    return _printable_lines(text.split("\n"))[:-1]


def write_record(record: bytes) -> None:
    """Write `record` (JSON Lines) to stdout as it is; to a terminal, unseen letters are written as JSON escapes."""
    if sys.stdout.isatty():
        record = "".join(map(_json_escaped, record.decode(errors="replace"))).encode()
    sys.stdout.buffer.write(record)


def _printable_lines(lines: Iterable[str]) -> str:
    return "".join(f"{legible(_bounded(line), '?')}\n" for line in lines)


def _bounded(line: str) -> str:
    """Return `line` within MOST_LETTERS, "…" in the place of its middle where it is longer."""
    if len(line) <= MOST_LETTERS:
        return line
    return f"{line[: MOST_LETTERS - _LAST_LETTERS - 1]}…{line[-_LAST_LETTERS:]}"


def _json_escaped(letter: str) -> str:
    if letter == "\n" or is_visible(letter):
        return letter
    pair = letter.encode("utf-16-be").hex()
    return "".join(f"\\u{pair[at : at + 4]}" for at in range(0, len(pair), 4))
