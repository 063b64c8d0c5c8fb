"""An argparse parser whose errors are one sentence: for the command line and for words that come over SSH.

It speaks the language of whoever typed the words. Argparse's own words are said by `argparse_words`.
"""

import argparse
from collections.abc import Sequence
from functools import partial
from typing import Any, Final, NoReturn

from cartino_protocol.marking import Sentence, later
from cartino_server.entry.argparse_words import said
from cartino_server.entry.errors import MISUSE, CommandError, in_one_line
from cartino_tui.draw.text import fold
from cartino_tui.tongue import ENGLISH, Tongue

LONGEST: Final = 200
"""Characters of an argparse message that are passed on: it may quote all that was typed."""

WIDTH: Final = 79
"""Columns that help takes at most, but for what can't be broken."""


class Asked(Exception):
    """The words asked for help or the version: `text` is the answer, and nothing is wrong."""

    def __init__(self, text: str) -> None:
        """Answer with `text`."""
        super().__init__(text)
        self.text = text


class Parser(argparse.ArgumentParser):
    """Never prints and never exits: raises CommandError for bad words, Asked for help."""

    def __init__(
        self, *, tongue: Tongue = ENGLISH, description: str = "", epilog: str | None = None, **given: Any
    ) -> None:
        """A parser that speaks `tongue`; the rest is argparse's. An `epilog` stands as it is, line by line."""
        super().__init__(
            add_help=False,
            description="\n".join(fold(description, WIDTH)),
            epilog=epilog,
            formatter_class=partial(_Formatter, tongue=tongue),
            **given,
        )
        self.tongue = tongue
        self.refused: dict[str, Sentence] = {}
        """Options that are not taken here, and the sentence for whoever uses them."""
        self._positionals.title = tongue.say("positional arguments")
        self._optionals.title = tongue.say("options")
        self.add_argument("-h", "--help", action="help", help=tongue.say("show this help message and exit"))

    def say(self, sentence: str, /, **places: object) -> str:
        """`sentence` in the language of whoever typed the words; `default` is what holds where they say nothing."""
        return self.tongue.say(sentence, **({"default": "%(default)s"} | places))

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
        refused = (self.refused.get(word.partition("=")[0]) for word in unknown)
        sentence = next(filter(None, refused), None)
        if sentence is not None:
            raise CommandError(sentence, MISUSE)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return namespace, unknown

    def error(self, message: str) -> NoReturn:
        """Turn argparse's message into a sentence that says where help is; what was typed may be anything."""
        raise CommandError(
            later(
                "{called}: {message}; see `{help}`.",
                called=self.called,
                message=in_one_line(said(message, self.tongue), LONGEST),
                help=self.way_to_help,
            ),
            MISUSE,
        )

    def print_help(self, file: object = None) -> None:
        """Hand the help text to whoever asked."""
        raise Asked(self.format_help())

    def read(self, words: Sequence[str]) -> argparse.Namespace:
        """The arguments in `words`. Raises CommandError, Asked."""
        return self.parse_args(words)


class VerbParser(Parser):
    """For the words behind `ssh HOST VERB`, with help where those who type them find it."""

    def __init__(
        self, verb: str, about: str, explained: str = "", *, terminal: bool = False, tongue: Tongue = ENGLISH
    ) -> None:
        """Read what follows `verb`: `about` is what it does, `explained` what stands below all that can follow.

        Both are said in `tongue`. `terminal`: it leads to a table.
        """
        super().__init__(
            tongue=tongue,
            prog=f"ssh {'-t ' if terminal else ''}HOST {verb}",
            description=tongue.say(about),
            epilog=paragraphs(tongue.say(explained)),
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


def paragraphs(text: str) -> str:
    """`text` in lines that fit; a blank line stays one."""
    return "\n\n".join("\n".join(fold(paragraph, WIDTH)) for paragraph in text.split("\n\n"))


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Argparse's, in the language `tongue`."""

    def __init__(self, *given: Any, tongue: Tongue, **named: Any) -> None:
        super().__init__(*given, **named)
        self._tongue = tongue

    def _split_lines(self, text: str, width: int) -> list[str]:
        return fold(" ".join(text.split()), width)

    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: str | None = None) -> None:
        super().add_usage(usage, actions, groups, self._tongue.say("usage: ") if prefix is None else prefix)


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
