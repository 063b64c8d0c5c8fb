"""Declare each command once: its name, arguments, help and reader; and arguments that several commands share.

Parsing, help texts and completions come from the declarations.
"""

import argparse
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Generic, TypeVar

import msgspec

from cartino_protocol.base import game_name, parse_code, parse_game_name
from cartino_protocol.exit_status import EXIT_STATUSES, MISUSE, SIGNALLED
from cartino_protocol.text import N_, LazyMessage
from cartino_server.commands.console import CommandError, misuse, shorten
from cartino_server.commands.parser import HELP_WIDTH, CommandParser, wrap_paragraphs
from cartino_tui.draw.text import fold
from cartino_tui.i18n import Translator

Value = TypeVar("Value")
Values = argparse.Namespace
"""The parsed arguments of a command, by name."""
Reader = Callable[[Values], Value]
"""Turns parsed arguments into a command's value."""
Form = tuple[str, str]
"""A way to type a command, and the msgid that says what it does."""
Text = str | Callable[[Translator], str]
"""A msgid, or a function that returns translated text."""


class Argument:
    """An argument, or an option if its name begins with dashes."""

    def __init__(self, name: str, help: str | None, **settings: Any) -> None:
        """`help` is a msgid, None to hide the argument; `settings` go to argparse's `add_argument`.

        With a setting `convert`, the value is `convert(command, typed)`, which may raise CommandError.
        """
        if "convert" in settings:
            settings["action"] = _Convert
        self.name = name
        self.help = help
        self.settings = settings

    def add_to(self, group: Any, parser: CommandParser) -> None:
        """Add it to `group`, which is `parser` or a group of it."""
        about = argparse.SUPPRESS if self.help is None else parser.gettext(self.help)
        group.add_argument(self.name, help=about, **self.settings)


class _Convert(argparse.Action):
    def __init__(self, *given: Any, convert: Callable[[str, Any], object], **named: Any) -> None:
        super().__init__(*given, **named)
        self._convert = convert

    def __call__(self, parser: Any, namespace: Values, values: Any, option: str | None = None) -> None:
        setattr(namespace, self.dest, self._convert(parser.called, values))


class OneOf:
    """Arguments that exclude each other."""

    def __init__(self, *arguments: Argument, required: bool = False) -> None:
        """At most one of `arguments`; exactly one if `required`."""
        self._arguments = arguments
        self._required = required

    def add_to(self, group: Any, parser: CommandParser) -> None:
        """Add them to `group`."""
        either = group.add_mutually_exclusive_group(required=self._required)
        for argument in self._arguments:
            argument.add_to(either, parser)


Source = Callable[[CommandParser, Any], object]
"""Adds arguments that depend on the words typed over SSH, or on the games chosen on the command line."""
Parameter = Argument | OneOf | Source

JSON: Final = Argument("--json", N_("as JSON"), action="store_true")


class Call(msgspec.Struct, frozen=True):
    """The function of a command, and its arguments beside the context."""

    run: Callable[..., Awaitable[Any]]
    arguments: Mapping[str, Any]


class Command(msgspec.Struct, Generic[Value], frozen=True):
    """A declared command.

    `read` turns parsed arguments into the command's value or exit code. It may raise CommandError. `forms` are its
    lines in the list of commands; `about` begins its own help, by default with the sentence of its first form.
    `details` are the paragraphs below that help. `terminal`: it needs a terminal. `audited`: an admin's use of it goes
    to the audit log.
    """

    name: str
    parameters: Sequence[Parameter]
    read: Reader[Value]
    about: str = ""
    forms: Sequence[Form] = ()
    details: Sequence[Text] = ()
    terminal: bool = False
    audited: bool = True

    def description(self, translator: Translator) -> str:
        """Return the sentence that begins its help."""
        if self.about or not self.forms:
            return translator.gettext(self.about) if self.about else ""
        does = translator.gettext(self.forms[0][1])
        return f"{does[0].upper()}{does[1:]}."

    @property
    def is_fixed(self) -> bool:
        """Whether its arguments and help depend on nothing but the language."""
        return not any(map(callable, (*self.parameters, *self.details)))

    def add_arguments(self, parser: CommandParser, context: object) -> None:
        """Add the declared arguments to `parser`; `context` is for those that depend on it."""
        for parameter in self.parameters:
            if isinstance(parameter, Argument | OneOf):
                parameter.add_to(parser, parser)
            else:
                parameter(parser, context)


def command(name: str, *parameters: Parameter, **given: Any) -> Callable[[Reader[Value]], Command[Value]]:
    """Declare the command that the decorated function reads; `given` as for Command."""
    return lambda read: Command(name, parameters, read, **given)


class Registry(Generic[Value]):
    """The commands of one surface, in the order in which help lists them."""

    def __init__(
        self,
        prefix: str,
        unknown: str,
        commands: Iterable[Command[Value]] = (),
        shows_forms: bool = False,
    ) -> None:
        """Have `commands` typed after `prefix`.

        `unknown` is the msgid that refuses others by {name}. `shows_forms`: a command's help shows its forms instead
        of the usage that argparse makes.
        """
        self.commands = {each.name: each for each in commands}
        self._prefix = prefix
        self._unknown = unknown
        self._shows_forms = shows_forms
        self._parsers: dict[tuple[str, Translator], CommandParser] = {}

    def forms(self) -> tuple[Form, ...]:
        """Return every way to type a command."""
        return tuple(form for command in self.commands.values() for form in command.forms)

    def find(self, name: str) -> Command[Value]:
        """Return the command called `name`. Raises CommandError."""
        command = self.commands.get(name)
        if command is None:
            raise CommandError(LazyMessage(self._unknown, {"name": repr(shorten(name, 40))}), MISUSE)
        return command

    def read(self, words: Sequence[str], translator: Translator) -> Value:
        """Return what the command in `words` reads. Raises CommandError, and HelpRequested in `translator`."""
        command = self.find(words[0])
        return command.read(self.parser(command, words[1:], translator).read(words[1:]))

    def parser(self, command: Command[Value], words: Sequence[str], translator: Translator) -> CommandParser:
        """Return the parser for the `words` after the name of `command`.

        Kept unless it depends on the words or the games: building one makes argparse look for files.
        """
        kept = self._parsers.get((command.name, translator))
        if kept is not None:
            return kept
        said = (text(translator) if callable(text) else translator.gettext(text) for text in command.details)
        prefix = self._prefix.replace("ssh ", "ssh -t ") if command.terminal else self._prefix
        parser = CommandParser(
            translator=translator,
            prog=f"{prefix} {command.name}",
            description=command.description(translator),
            epilog=wrap_paragraphs("\n\n".join(said)),
            called=command.name,
            help_command=f"{self._prefix} help {command.name}",
        )
        if self._shows_forms:
            self._show_forms(parser, command.forms)
        command.add_arguments(parser, words)
        if command.is_fixed:
            self._parsers[command.name, translator] = parser
        return parser

    def _show_forms(self, parser: CommandParser, forms: Sequence[Form]) -> None:
        translator = parser.translator
        begins = f"\n{'':<{len(translator.gettext('usage: '))}}"
        parser.usage = begins.join(f"{self._prefix} {typed}" for typed, _ in forms)
        if len(forms) > 1:
            parser.description = "\n".join(help_columns(forms, translator))
        else:
            parser.description = "\n".join(fold(translator.gettext(forms[0][1]), HELP_WIDTH))


def help_columns(forms: Sequence[Form], translator: Translator, begins: int = 0) -> list[str]:
    """Return lines with what can be typed and, from column `begins` (0: as needed), what it does."""
    begins = begins or max(len(typed) for typed, _ in forms) + 2
    said = ((typed, fold(translator.gettext(does), HELP_WIDTH - begins)) for typed, does in forms)
    return [
        f"{typed if at == 0 else '':<{begins}}{line}"
        for typed, lines in said
        for at, line in enumerate(lines)
    ]


MAX_TYPED: Final = 64
"""Characters of a code, fingerprint or confirming name, as in the protocol."""


def exit_status_help(translator: Translator) -> str:
    """Return the exit statuses of commands over SSH, in a sentence."""
    known = (
        f"{code} {translator.gettext(EXIT_STATUSES[code])}" for code in EXIT_STATUSES if code < SIGNALLED
    )
    return translator.gettext("Exit status: {statuses}.", statuses="; ".join(known))


def parse_table_code(text: str) -> str:
    """Return the table's code in `text`. Raises CommandError."""
    code = parse_code(text)
    if code is None:
        raise misuse(
            "{text} isn't a table code; a code has four or eight letters or digits.",
            text=repr(shorten(text, 40)),
        )
    return code


def parse_game_or_table(text: str) -> str:
    """Return the table's code or the game's name in `text`. Raises CommandError."""
    return game_name(*parse_game_id(text)) if parse_game_name(text) else parse_table_code(text)


def parse_game_id(text: str) -> tuple[str, int]:
    """Return the code and number of the game called `text`. Raises CommandError."""
    name = parse_game_name(text)
    if name is None:
        raise misuse(
            "{text} isn't a game ID like K7QP-12; `games --finished` lists them.",
            text=repr(shorten(text, 40)),
        )
    return name


CODE: Final = Argument(
    "code", N_("the table's code, as its players see it"), metavar="CODE", type=parse_table_code
)
