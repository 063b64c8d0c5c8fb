"""The command that a client sends after the host name, as words."""

import shlex

from cartino_protocol.marking import SentenceError, later

MOST: int = 4096
"""Characters in a command."""
MOST_WORDS: int = 512
"""Words in it: reading them as options takes the square of their number."""


class WordsError(SentenceError, ValueError):
    """The command can't be read; the sentence is for the person."""


def split(command: str) -> list[str]:
    """The words of `command`, quotes as in a shell. Raises WordsError.

    Bytes that were no UTF-8 are lone surrogates here.
    """
    if len(command) > MOST:
        raise WordsError(later("That command is too long."))
    if "\0" in command or not _is_text(command):
        raise WordsError(later("That command is not plain UTF-8 text."))
    try:
        words = shlex.split(command)
    except ValueError:
        raise WordsError(later("That command has a quote without its end; try: help")) from None
    if len(words) > MOST_WORDS:
        raise WordsError(later("That command is too long."))
    return words


def _is_text(command: str) -> bool:
    try:
        command.encode()
    except UnicodeEncodeError:
        return False
    return True
