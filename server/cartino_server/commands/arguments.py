"""Arguments that several commands share, and how codes and game IDs are read."""

from typing import Final

from cartino_protocol.base import game_name, parse_code, parse_game_name
from cartino_protocol.exit_status import EXIT_STATUSES, SIGNALLED
from cartino_protocol.text import N_
from cartino_server.commands.console import misuse, shorten
from cartino_server.commands.registry import Argument
from cartino_tui.i18n import Translator

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
