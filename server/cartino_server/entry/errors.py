"""What the command line says when something is wrong: one sentence on stderr, and an exit code."""

from cartino_protocol.legible import legible
from cartino_protocol.marking import Sentence, SentenceError

MISUSE = 2
FAILURE = 1
REFUSED = 3
"""The rules, or the table as it is, don't allow it."""
NO_TABLE = 4
"""There is no such table."""
INTERRUPTED = 130


class CommandError(SentenceError):
    """A sentence for the person at the terminal (what, why, what now) and the exit code that goes with it."""

    def __init__(self, sentence: Sentence, code: int = FAILURE) -> None:
        """Have `sentence` told; `code` is FAILURE, or MISUSE where the person asked for something that can't be."""
        super().__init__(sentence)
        self.code = code


def in_one_line(text: str, most: int) -> str:
    """What somebody typed, to be quoted in a sentence: its first `most` characters, none that a terminal obeys."""
    shown = legible(text[:most], "?")
    return shown if len(text) <= most else shown + "…"
