"""An argparse parser that reports errors as one translated sentence and never prints or exits.

It serves the command line and words that arrive over SSH. Argparse can translate its messages only for a whole process,
so they are matched and translated here.
"""

import argparse
import re
from collections.abc import Sequence
from functools import partial
from typing import Any, Final, NoReturn

from cartino_protocol.text import N_, LazyMessage, lazy_gettext
from cartino_server.commands.console import MISUSE, CommandError, shorten
from cartino_tui.draw.text import fold
from cartino_tui.i18n import ENGLISH, Translator

_ARGPARSE_MESSAGES: Final = tuple(
    (re.compile(rf"{pattern}\Z", re.DOTALL), sentence)
    for pattern, sentence in (
        (r"argument (?P<name>[^:]*): (?P<what>.*)", N_("argument {name}: {what}")),
        (
            r"the following arguments are required: (?P<names>.*)",
            N_("the following arguments are required: {names}"),
        ),
        (r"unrecognized arguments: (?P<words>.*)", N_("unrecognized arguments: {words}")),
        (r"one of the arguments (?P<names>.*) is required", N_("one of the arguments {names} is required")),
        (r"not allowed with argument (?P<name>.*)", N_("not allowed with argument {name}")),
        (r"expected one argument", N_("expected one argument")),
        (r"expected at most one argument", N_("expected at most one argument")),
        (r"expected at least one argument", N_("expected at least one argument")),
        (
            r"invalid choice: (?P<word>.*) \(choose from (?P<words>.*)\)",
            N_("invalid choice: {word} (choose from {words})"),
        ),
        (r"ignored explicit argument (?P<word>.*)", N_("ignored explicit argument {word}")),
        (
            r"ambiguous option: (?P<word>.*) could match (?P<words>.*)",
            N_("ambiguous option: {word} could match {words}"),
        ),
        (r"(?P<word>.*) is no whole number", N_("{word} is no whole number")),
    )
)
"""Its messages as patterns, and how they are said; `what` is one of the others."""


def translate_message(message: str, translator: Translator) -> str:
    """Argparse's `message` in `translator`; as it is where it is none that we know."""
    for pattern, sentence in _ARGPARSE_MESSAGES:
        found = pattern.match(message)
        if found is not None:
            places = found.groupdict()
            if "what" in places:
                places["what"] = translate_message(places["what"], translator)
            return translator.gettext(sentence, **places)
    return message


MAX_MESSAGE: Final = 200
"""Characters of an argparse message that are passed on: it may quote all that was typed."""

HELP_WIDTH: Final = 79
"""Columns that help takes at most, but for what can't be broken."""


class HelpRequested(Exception):
    """The words asked for help or the version: `text` is the answer, and nothing is wrong."""

    def __init__(self, text: str) -> None:
        """Answer with `text`."""
        super().__init__(text)
        self.text = text


class CommandParser(argparse.ArgumentParser):
    """Never prints and never exits: raises CommandError for bad words, Asked for help."""

    def __init__(
        self,
        *,
        translator: Translator = ENGLISH,
        description: str = "",
        epilog: str | None = None,
        **given: Any,
    ) -> None:
        """A parser that speaks `translator`; the rest is argparse's. An `epilog` stands as it is, line by line."""
        super().__init__(
            add_help=False,
            description="\n".join(fold(description, HELP_WIDTH)),
            epilog=epilog,
            formatter_class=partial(_Formatter, translator=translator),
            **given,
        )
        self.translator = translator
        self.refused: dict[str, LazyMessage] = {}
        """Options that are not taken here, and the sentence for whoever uses them."""
        self._positionals.title = translator.gettext("positional arguments")
        self._optionals.title = translator.gettext("options")
        self.add_argument(
            "-h", "--help", action="help", help=translator.gettext("show this help message and exit")
        )

    def gettext(self, sentence: str, /, **places: object) -> str:
        """`sentence` in the language of whoever typed the words; `default` is what holds where they say nothing."""
        return self.translator.gettext(sentence, **({"default": "%(default)s"} | places))

    @property
    def called(self) -> str:
        """What the words are for, at the beginning of a sentence about them."""
        return self.prog

    @property
    def help_command(self) -> str:
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
            lazy_gettext(
                "{called}: {message}; see `{help}`.",
                called=self.called,
                message=shorten(translate_message(message, self.translator), MAX_MESSAGE),
                help=self.help_command,
            ),
            MISUSE,
        )

    def print_help(self, file: object = None) -> None:
        """Hand the help text to whoever asked."""
        raise HelpRequested(self.format_help())

    def read(self, words: Sequence[str]) -> argparse.Namespace:
        """The arguments in `words`. Raises CommandError, Asked."""
        return self.parse_args(words)


class SshCommandParser(CommandParser):
    """For the words behind `ssh HOST VERB`, with help where those who type them find it."""

    def __init__(
        self,
        verb: str,
        about: str,
        explained: str = "",
        *,
        terminal: bool = False,
        translator: Translator = ENGLISH,
    ) -> None:
        """Read what follows `verb`: `about` is what it does, `explained` what stands below all that can follow.

        Both are said in `translator`. `terminal`: it leads to a table.
        """
        super().__init__(
            translator=translator,
            prog=f"ssh {'-t ' if terminal else ''}HOST {verb}",
            description=translator.gettext(about),
            epilog=wrap_paragraphs(translator.gettext(explained)),
        )
        self._verb = verb

    @property
    def called(self) -> str:
        """The verb alone: whoever reads it knows the host."""
        return self._verb

    @property
    def help_command(self) -> str:
        """What to type for all that can be said."""
        return f"ssh HOST help {self._verb}"


def wrap_paragraphs(text: str) -> str:
    """`text` in lines that fit; a blank line stays one."""
    return "\n\n".join("\n".join(fold(paragraph, HELP_WIDTH)) for paragraph in text.split("\n\n"))


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Argparse's, in the language `translator`."""

    def __init__(self, *given: Any, translator: Translator, **named: Any) -> None:
        super().__init__(*given, **named)
        self._tongue = translator

    def _split_lines(self, text: str, width: int) -> list[str]:
        return fold(" ".join(text.split()), width)

    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: str | None = None) -> None:
        super().add_usage(
            usage, actions, groups, self._tongue.gettext("usage: ") if prefix is None else prefix
        )


def whole_number(text: str) -> int:
    """`text` as an int, for an argument's type. Raises argparse's own error for the sentence."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number") from None


class VersionAction(argparse.Action):
    """Answers `--version`."""

    def __call__(self, parser: argparse.ArgumentParser, *args: object) -> None:
        """Hand the version to whoever asked."""
        raise HelpRequested(f"{self.const}\n")
