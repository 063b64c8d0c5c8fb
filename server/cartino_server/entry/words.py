"""An argparse parser whose errors are one sentence: for the command line and for words that come over SSH."""

import argparse
from collections.abc import Sequence
from typing import Any, NoReturn

from cartino_server.entry.errors import MISUSE, CommandError, in_one_line

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

    @property
    def called(self) -> str:
        """What the words are for, at the beginning of a sentence about them."""
        return self.prog

    @property
    def way_to_help(self) -> str:
        """What to type for all that can be said."""
        return f"{self.prog} --help"

    # Any and no overloads: argparse's own say the same in two ways.
    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Refuse here what is not known: argparse leaves that to the topmost parser, and so the way to its help."""
        namespace, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return namespace, unknown

    def error(self, message: str) -> NoReturn:
        """Turn argparse's message into a sentence that says where help is; what was typed may be anything."""
        raise CommandError(
            f"{self.called}: {in_one_line(message, LONGEST)}; see `{self.way_to_help}`.", MISUSE
        )

    def print_help(self, file: object = None) -> None:
        """Hand the help text to whoever asked."""
        raise Asked(self.format_help())

    def read(self, words: Sequence[str]) -> argparse.Namespace:
        """The arguments in `words`. Raises CommandError, Asked."""
        return self.parse_args(words)


class VerbParser(Parser):
    """For the words behind `ssh HOST VERB`, with help where those who type them find it."""

    def __init__(self, verb: str, about: str, explained: str = "", *, terminal: bool = False) -> None:
        """Read what follows `verb`: `about` is what it does, `explained` what stands below all that can follow.

        `terminal`: it leads to a table.
        """
        super().__init__(
            prog=f"ssh {'-t ' if terminal else ''}HOST {verb}",
            description=about,
            epilog=explained,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        self._verb = verb

    @property
    def called(self) -> str:
        """The verb alone: whoever reads it knows the host."""
        return self._verb

    @property
    def way_to_help(self) -> str:
        """What to type for all that can be said."""
        return f"ssh HOST help {self._verb}"


def whole_number(text: str) -> int:
    """`text` as an int, for an argument's type. Raises argparse's own error for the sentence."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number") from None


class ShowVersion(argparse.Action):
    """Answers `--version`."""

    def __call__(self, parser: argparse.ArgumentParser, *args: object) -> None:
        """Hand the version to whoever asked."""
        raise Asked(f"{self.const}\n")
