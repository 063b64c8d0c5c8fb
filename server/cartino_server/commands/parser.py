"""An argparse parser that reports errors as one translated sentence and never prints or exits.

Argparse can translate its messages only for a whole process, but SSH commands need each visitor's language: so its
messages are matched and translated here.
"""

import argparse
import re
from collections.abc import Sequence
from functools import partial
from typing import Any, Final, NoReturn

from cartino_protocol.exit_status import MISUSE
from cartino_protocol.text import N_, LazyMessage
from cartino_server.commands.console import CommandError, misuse, shorten
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
        (r"(?P<word>.*) is no whole number", N_("{word} isn't a whole number")),
    )
)
"""Argparse's messages and ours for them; `what` is itself one of these."""


def translate_message(message: str, translator: Translator) -> str:
    """Return argparse's `message` in `translator`, or as it is if it isn't known."""
    for pattern, sentence in _ARGPARSE_MESSAGES:
        found = pattern.match(message)
        if found is not None:
            places = found.groupdict()
            if "what" in places:
                places["what"] = translate_message(places["what"], translator)
            return translator.gettext(sentence, **places)
    return message


MAX_MESSAGE: Final = 200
"""Most characters of an argparse message: it quotes what was typed."""

HELP_WIDTH: Final = 79
"""Columns of help texts."""


class HelpRequested(Exception):
    """The words asked for help or the version, which is `text`."""

    def __init__(self, text: str) -> None:
        """Answer with `text`, which ends with a newline."""
        super().__init__(text)
        self.text = text


class CommandParser(argparse.ArgumentParser):
    """Never prints and never exits: raises CommandError for wrong words, HelpRequested for help."""

    def __init__(
        self,
        *,
        translator: Translator = ENGLISH,
        description: str = "",
        called: str = "",
        help_command: str = "",
        **given: Any,
    ) -> None:
        """Speak `translator`; `called` begins each error and `help_command` ends it (by default those of a shell).

        Whatever is `given` goes to argparse.
        """
        super().__init__(
            add_help=False,
            description="\n".join(fold(description, HELP_WIDTH)),
            formatter_class=partial(_Formatter, translator=translator),
            **given,
        )
        self.translator = translator
        self.called = called or self.prog
        self._help_command = help_command or f"{self.prog} --help"
        self.refused: dict[str, LazyMessage] = {}
        """Options of other games, and the sentence that refuses each."""
        self._positionals.title = translator.gettext("positional arguments")
        self._optionals.title = translator.gettext("options")
        self.add_argument(
            "-h", "--help", action="help", help=translator.gettext("show this help message and exit")
        )

    def gettext(self, sentence: str, /, **places: object) -> str:
        """Translate `sentence`; `{default}` in it is the argument's default."""
        return self.translator.gettext(sentence, **({"default": "%(default)s"} | places))

    # Any instead of argparse's two overloads.
    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Refuse unknown words here: argparse leaves that to the top parser, which would name the wrong help."""
        namespace, unknown = super().parse_known_args(args, namespace)
        refused = (self.refused.get(word.partition("=")[0]) for word in unknown)
        sentence = next(filter(None, refused), None)
        if sentence is not None:
            raise CommandError(sentence, MISUSE)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return namespace, unknown

    def error(self, message: str) -> NoReturn:
        """Raise argparse's message as a sentence that says where help is."""
        raise misuse(
            "{called}: {message}; see `{help}`.",
            called=self.called,
            message=shorten(translate_message(message, self.translator), MAX_MESSAGE),
            help=self._help_command,
        )

    def print_help(self, file: object = None) -> None:
        """Raise the help text as HelpRequested."""
        raise HelpRequested(self.format_help())

    def read(self, words: Sequence[str], values: argparse.Namespace | None = None) -> argparse.Namespace:
        """Return `values` with the arguments in `words`. Raises CommandError, HelpRequested."""
        return self.parse_args(words, values)


def wrap_paragraphs(text: str) -> str:
    """Fold `text` to the help width; blank lines stay."""
    return "\n\n".join("\n".join(fold(paragraph, HELP_WIDTH)) for paragraph in text.split("\n\n"))


class _Formatter(argparse.RawDescriptionHelpFormatter):
    def __init__(self, *given: Any, translator: Translator, **named: Any) -> None:
        super().__init__(*given, **named)
        self._translator = translator

    def start_section(self, heading: str | None) -> None:
        """Begin a section below `heading`; French has a blank before the colon that argparse adds."""
        colon = None if heading is None else self._translator.gettext("{heading}:", heading=heading)
        super().start_section(None if colon is None else colon.removesuffix(":"))

    def _split_lines(self, text: str, width: int) -> list[str]:
        return fold(" ".join(text.split()), width)

    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: str | None = None) -> None:
        super().add_usage(
            usage, actions, groups, self._translator.gettext("usage: ") if prefix is None else prefix
        )


def whole_number(text: str) -> int:
    """Convert an argument to int; argparse reports the error it raises."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number") from None


class VersionAction(argparse.Action):
    """Answers `--version`."""

    def __call__(self, parser: argparse.ArgumentParser, *args: object) -> None:
        """Raise the version as HelpRequested."""
        raise HelpRequested(f"{self.const}\n")
