"""Command errors with their exit status, and safe output to the process's own terminal.

All output goes through `out` and `err`: it may quote a stranger's file or name, so control characters are replaced.
"""

import os
import sys
from collections.abc import Iterable
from typing import Final

from cartino_protocol.exit_status import FAILURE, MISUSE, NOT_FOUND, refusal_status
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import LazyMessage, LazyMessageError, is_visible, legible
from cartino_tui.i18n import Language, Translator, translator_for
from cartino_tui.preferences import language_of
from cartino_tui.visit.messages import shell_sentence


class CommandError(LazyMessageError):
    """A sentence for the user (what, why, what next) and the exit status (see `cartino_protocol.exit_status`)."""

    def __init__(self, sentence: LazyMessage, code: int = FAILURE) -> None:
        """Report `sentence`; `code` is MISUSE if the words were wrong."""
        super().__init__(sentence)
        self.code = code


def misuse(sentence: str, /, **places: object) -> CommandError:
    """Return the error for wrong words."""
    return CommandError(LazyMessage(sentence, places), MISUSE)


def failure(sentence: str, /, **places: object) -> CommandError:
    """Return the error for something that can't be done."""
    return CommandError(LazyMessage(sentence, places))


def not_found(sentence: str, /, **places: object) -> CommandError:
    """Return the error for something that doesn't exist."""
    return CommandError(LazyMessage(sentence, places), NOT_FOUND)


def refusal_error(refusal: Refusal) -> CommandError:
    """Return the error for a refusal by the server."""
    return CommandError(shell_sentence(refusal), refusal_status(refusal.reason))


def shorten(text: str, most: int) -> str:
    """Return the first `most` characters of typed `text`, without control characters, to quote it."""
    shown = legible(text[:most], "?")
    return shown if len(text) <= most else shown + "…"


MOST_LETTERS: Final = 1000
"""Characters of a printed line, which may quote a whole file."""
_LAST_LETTERS: Final = 200
"""Characters kept from the end of a longer line, where sentences say what to do."""


def terminal_language() -> Language:
    """Return the language of this process's own terminal."""
    return language_of(os.environ)


def terminal_locale() -> Translator:
    """Return the translator for that language."""
    return translator_for(terminal_language())


def out(*lines: str | LazyMessage) -> None:
    """Print `lines` on stdout, each within MOST_LETTERS; control characters become "?"; messages are translated."""
    print(_printable_lines(lines), end="", flush=True)  # noqa: T201 - the one place


def err(*lines: str | LazyMessage) -> None:
    """Print `lines` on stderr, like `out`."""
    print(_printable_lines(lines), end="", file=sys.stderr, flush=True)  # noqa: T201 - the one place


def safe_prompt(text: str) -> str:
    """Return `text`, cleaned line by line, for functions that print their prompt."""
    return _printable_lines(text.split("\n"))[:-1]


def write_record(record: bytes) -> None:
    """Write `record` (JSON Lines) to stdout; for a terminal, escape invisible characters."""
    if sys.stdout.isatty():
        record = "".join(map(_json_escaped, record.decode(errors="replace"))).encode()
    sys.stdout.buffer.write(record)


def _printable_lines(lines: Iterable[str | LazyMessage]) -> str:
    return "".join(f"{legible(_bounded(line), '?')}\n" for line in lines)


def _bounded(line: str | LazyMessage) -> str:
    """Translate `line`, and shorten it to MOST_LETTERS by cutting its middle."""
    text = terminal_locale().render(line) if isinstance(line, LazyMessage) else line
    if len(text) <= MOST_LETTERS:
        return text
    return f"{text[: MOST_LETTERS - _LAST_LETTERS - 1]}…{text[-_LAST_LETTERS:]}"


def _json_escaped(letter: str) -> str:
    if letter == "\n" or is_visible(letter):
        return letter
    pair = letter.encode("utf-16-be").hex()
    return "".join(f"\\u{pair[at : at + 4]}" for at in range(0, len(pair), 4))
