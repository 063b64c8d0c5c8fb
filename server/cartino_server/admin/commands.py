"""The commands that follow `admin`, over SSH and on the server's own machine: read words, list them in help."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from cartino_protocol.text import N_
from cartino_server.admin.context import (
    AUDIT_HELP,
    REASON_HELP,
    TIME_HELP,
    WHERE_HELP,
    WHO_HELP,
)
from cartino_server.admin.people_commands import ban, bans, kick, mute, reports, unban, unmute, who
from cartino_server.admin.server_commands import (
    close,
    drain,
    league,
    prune,
    reload_settings,
    say,
    show_health,
    tables,
    undrain,
)
from cartino_server.commands.parser import HELP_WIDTH, HelpRequested
from cartino_server.commands.registry import Call, Registry, help_columns
from cartino_tui.draw.text import fold
from cartino_tui.i18n import Translator

_JSON_HELP: Final = N_("Add --json for machine-readable output.")
_OLD_VERBS: Final = {"rooms": "tables"}
"""Read for one more release."""


class ParsedCommand(NamedTuple):
    """An admin command by its name, whether the reply is JSON, and whether running it goes to the audit log."""

    name: str
    call: Call
    json: bool
    audited: bool


ADMIN: Final = Registry[Call](
    "admin",
    N_("There is no admin command {name}. `admin help` lists them."),
    commands=(
        *(who, tables, close, say, kick, mute, unmute, ban, bans, unban, reports, prune, league),
        *(drain, undrain, reload_settings, show_health),
    ),
    shows_forms=True,
)
"""All commands but `help`, in the order in which help lists them."""
ADMIN_FORMS: Final = (
    *ADMIN.forms(),
    ("help [VERB]", N_("show this help, or everything about a command; also VERB help")),
)
"""Every way to type an admin command."""


def parse_admin_command(words: Sequence[str], translator: Translator, begin: str = "admin") -> ParsedCommand:
    """Parse the `words` after `begin`. Raises CommandError, and HelpRequested with help in `translator`."""
    words = _normalize_help(words)
    if words == ["help"]:
        raise HelpRequested(admin_help(begin, translator))
    command = ADMIN.find(_OLD_VERBS.get(words[0], words[0]))
    values = ADMIN.parser(command, words[1:], translator).read(words[1:])
    return ParsedCommand(command.name, command.read(values), values.json, command.audited)


def _normalize_help(words: Sequence[str]) -> Sequence[str]:
    """Rewrite `help VERB`, `VERB help` and `ban KIND help` to `VERB --help`.

    Somebody or something called "help" stands behind `--`.
    """
    match list(words):
        case [] | ["-h" | "--help", *_] | ["help"] | ["help", "help" | "--json", *_]:
            return ["help"]
        case ["help", verb, *_] | [verb, "help"] | ["ban" as verb, "key" | "source" | "name", "help"]:
            return [verb, "--help"]
    return words


def admin_help(begin: str, translator: Translator) -> str:
    """Return the list of commands that follow `begin`."""
    paragraphs = (WHO_HELP, WHERE_HELP, TIME_HELP, REASON_HELP, _JSON_HELP, AUDIT_HELP)
    about = fold(" ".join(map(translator.gettext, paragraphs)), HELP_WIDTH)
    return "\n".join([f"{begin}:", *help_columns(ADMIN_FORMS, translator), "", *about, ""])
