"""An argparse parser whose errors are one sentence: for the command line and for words that come over SSH."""

import argparse
from collections.abc import Sequence
from typing import NoReturn

from cartino_server.entry.errors import MISUSE, CommandError

LONGEST = 160
"""Characters of an argparse message that are passed on: it may quote all that was typed."""


class Asked(Exception):
    """The words asked for help or the version: `text` is the answer, and nothing is wrong."""

    def __init__(self, text: str) -> None:
        """Answer with `text`."""
        super().__init__(text)
        self.text = text


class Parser(argparse.ArgumentParser):
    """Never prints and never exits: raises CommandError for bad words, Asked for help."""

    def error(self, message: str) -> NoReturn:
        """Turn argparse's message into a sentence that says where help is; what was typed may be anything."""
        message = "".join(char if char.isprintable() else "?" for char in message)
        message = message if len(message) <= LONGEST else message[:LONGEST] + "…"
        raise CommandError(f"{self.prog}: {message}; see `{self.prog} --help`.", MISUSE)

    def print_help(self, file: object = None) -> None:
        """Hand the help text to whoever asked."""
        raise Asked(self.format_help())

    def read(self, words: Sequence[str]) -> argparse.Namespace:
        """The arguments in `words`. Raises CommandError, Asked."""
        return self.parse_args(words)


class ShowVersion(argparse.Action):
    """Answers `--version`."""

    def __call__(self, parser: argparse.ArgumentParser, *args: object) -> None:
        """Hand the version to whoever asked."""
        raise Asked(f"{self.const}\n")
