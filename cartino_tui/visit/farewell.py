"""How a visit ends: the last sentence a person reads, and the exit code.

The sentence says how to come back, if a seat is kept for them.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

import msgspec

from cartino_protocol.exit_status import BROKEN_OFF, FAILURE, REFUSED, SUCCESS
from cartino_protocol.notices import expulsion_message
from cartino_protocol.text import EMPTY_MESSAGE, N_, LazyMessage, lazy_gettext, legible
from cartino_protocol.views import Bye
from cartino_tui.draw.text import fold
from cartino_tui.visit.routes import ShellCommands
from cartino_tui.visit.state import ClientState, has_seat

_EndReason = Literal["closed", "shutdown", "own wish"]
_ReturnKind = Literal["word", "seat", "again"]
"""How people come back: with a resume code, to a seat kept for their key, or as new guests."""

_SENTENCES: Final[Mapping[_EndReason, Mapping[_ReturnKind, str]]] = MappingProxyType(
    {
        "closed": {
            "word": N_("Connection lost. Your seat is kept. To come back:\n{command}"),
            "seat": N_("Connection lost. Your seat is kept: connect again the same way."),
            "again": N_("Connection lost. Connect again the same way."),
        },
        "shutdown": {
            "word": N_("The server will be back in a moment. Your seat is kept. To come back:\n{command}"),
            "seat": N_("The server will be back in a moment. Your seat is kept: connect again the same way."),
            "again": N_("The server will be back in a moment. Connect again the same way."),
        },
        "own wish": {
            "word": N_("Your seat is kept. To come back:\n{command}"),
            "seat": N_("Your seat is kept: connect again the same way."),
            "again": N_("Connect again the same way."),
        },
    }
)


class Farewell(msgspec.Struct, frozen=True):
    """The sentence ("" for none) and the exit code. A command to type stands below it, on a line of its own."""

    sentence: LazyMessage = EMPTY_MESSAGE
    code: int = SUCCESS


VERSION_MISMATCH = Farewell(
    lazy_gettext("This program and the server use different protocol versions. Update the older of the two."),
    FAILURE,
)
UNREADABLE = Farewell(
    lazy_gettext("This program can't draw a table that the server sent. Update the older of the two."),
    FAILURE,
)

KEY_GONE = Farewell(
    lazy_gettext(
        "The key you connected with was removed from your account. Connect with another of your keys."
    ),
    REFUSED,
)


ACCOUNT_DELETED: Final = N_("Your account is deleted. Your key will start a new one.")
KEY_ADDED: Final = N_(
    "This key will belong to your account the next time you connect. What you played with it so far "
    "stays under its old name."
)


def wrap_farewell(told: str, cells: int) -> str:
    """Wrap the sentence `told` to `cells` columns; commands on the lines below it stay whole."""
    sentence, *commands = told.split("\n")
    return "\n".join([*fold(sentence, max(cells, 1), unbroken=True), *commands])


def connection_lost(known: ClientState, shell_commands: ShellCommands) -> Farewell:
    """Return the farewell for a connection that is gone; `known` is what the client knew."""
    return Farewell(_return_message("closed", known, shell_commands), BROKEN_OFF)


def server_farewell(bye: Bye, known: ClientState, shell_commands: ShellCommands) -> Farewell:
    """Return the farewell for the server's `bye`."""
    match bye.why:
        case "shutdown":
            return Farewell(_return_message("shutdown", known, shell_commands), BROKEN_OFF)
        case "version":
            return VERSION_MISMATCH
        case "key":
            return KEY_GONE
        case "key-added":
            return Farewell(LazyMessage(KEY_ADDED))
        case "deleted":
            return Farewell(LazyMessage(ACCOUNT_DELETED))
        case "kicked" | "banned" | "banned-name" | "banned-source" | "full":
            return Farewell(expulsion_message(bye.why, legible(bye.text), legible(bye.until)), REFUSED)


def player_left(known: ClientState, shell_commands: ShellCommands) -> Farewell:
    """Return the farewell for a player who leaves: how to come back, if a seat in a running game is kept.

    Empty where `shell_commands` has no command: then the server ends with the visit.
    """
    if not shell_commands.words or not has_seat(known, "playing"):
        return Farewell()
    return Farewell(_return_message("own wish", known, shell_commands))


def _return_message(why: _EndReason, known: ClientState, shell_commands: ShellCommands) -> LazyMessage:
    welcome = known.welcome
    if welcome is not None and welcome.word:
        return LazyMessage(_SENTENCES[why]["word"], {"command": shell_commands.describe_return(welcome.word)})
    # A guest without a resume code comes back as another guest.
    if welcome is not None and not welcome.guest and has_seat(known, "open", "playing"):
        return LazyMessage(_SENTENCES[why]["seat"])
    return LazyMessage(_SENTENCES[why]["again"])
