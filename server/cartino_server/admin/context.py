"""What an admin command gets beside its arguments, how it is declared, and the arguments that several share."""

import argparse
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import msgspec

from cartino_protocol.notices import MAX_NOTICE_LENGTH
from cartino_protocol.text import N_, LazyMessage
from cartino_server.admin.draining import Drainer
from cartino_server.admin.lookup import PersonLookup
from cartino_server.commands.console import misuse, shorten
from cartino_server.commands.parser import whole_number
from cartino_server.commands.registry import JSON, Argument, Call, Command, Form, Values
from cartino_server.operations.health import ServerStatus
from cartino_server.operations.login import ServerAuthenticator
from cartino_server.operations.settings import SettingsChange
from cartino_server.services import Services
from cartino_server.store.maintenance import Upkeep
from cartino_server.store.moderation import BanList
from cartino_server.store.people import PeopleDatabase, PersonKeys
from cartino_server.table.chat import clean_text
from cartino_tui.i18n import Translator


class AdminContext(msgspec.Struct, frozen=True):
    """What admin commands work with. Each may raise CommandError and NotSaved."""

    services: Services
    authenticator: ServerAuthenticator
    bans: BanList
    keys: PersonKeys
    people: PeopleDatabase
    drainer: Drainer
    reload: Callable[[], SettingsChange]
    health: Callable[[], Awaitable[ServerStatus]]
    now: Callable[[], float]
    """The wall clock."""
    upkeep: Upkeep | None = None
    """None if no games are kept."""
    by: str = ""
    """The admin who runs a command."""

    @property
    def lookup(self) -> PersonLookup:
        """Find the persons that admins name."""
        return PersonLookup(self.services, self.keys, self.people)

    def until(self, seconds: int | None) -> int | None:
        """Return the moment `seconds` from now (Unix seconds), None for ever."""
        return None if seconds is None else int(self.now()) + seconds


class AdminResult(msgspec.Struct, frozen=True):
    """The outcome of a command, as data for JSON and as text."""

    data: object
    say: Callable[[Translator], str]


def result(data: dict[str, object], *sentences: LazyMessage) -> AdminResult:
    """Return the outcome that `sentences` describe, a line each."""
    return AdminResult(data, lambda translator: "".join(f"{translator.render(each)}\n" for each in sentences))


WHO_HELP: Final = N_(
    "WHO is a name, a connection number, a fingerprint (SHA256:…), or `report:3` for the person that "
    "report 3 is about. A name that nobody has now means the person who had it before."
)
WHERE_HELP: Final = N_(
    "WHERE is an address, a network like 203.0.113.0/24, a connection number, or `report:3` for the "
    "address of the person that report 3 is about."
)
NAME_HELP: Final = N_("NAME is a name, or `report:3` for the name of the person that report 3 is about.")
TIME_HELP: Final = N_(
    "TIME is like 30m, 2h, 1h30m, 3d or 2w; without it, a mute or a ban is permanent, and `drain` waits at most "
    "two hours."
)
REASON_HELP: Final = N_("TEXT is shown to the person concerned.")
AUDIT_HELP: Final = N_("Every action is recorded in audit.log in the data directory.")


def admin_command(
    name: str,
    *parameters: Argument,
    forms: tuple[Form, ...],
    details: tuple[str, ...] = (),
    audited: bool = True,
    read: Callable[[Values], Mapping[str, Any]] = vars,
) -> Callable[[Callable[..., Awaitable[AdminResult]]], Command[Call]]:
    """Declare an admin command. The decorated function takes an AdminContext and the arguments by name.

    `read` makes these of the parsed ones. It may raise CommandError.
    """
    details = (*details, AUDIT_HELP) if audited else details

    def declare(run: Callable[..., Awaitable[AdminResult]]) -> Command[Call]:
        def read_call(values: Values) -> Call:
            return Call(run, {name: value for name, value in read(values).items() if name != "json"})

        return Command(name, (JSON, *parameters), read_call, forms=forms, details=details, audited=audited)

    return declare


_DURATION_PART: Final = re.compile("([0-9]{1,5})([smhdw])")
_DURATION: Final = re.compile(rf"(?:{_DURATION_PART.pattern})+")
_SECONDS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
MAX_DURATION: Final = 10 * 366 * 86_400
MAX_NUMBER: Final = 1 << 62
"""Bound of the numbers of bans and reports."""


def parse_duration(command: str, text: str) -> int:
    """Return the seconds of a duration like 1h30m. Raises CommandError."""
    seconds = sum(int(count) * _SECONDS[unit] for count, unit in _DURATION_PART.findall(text))
    if not (_DURATION.fullmatch(text) and 0 < seconds <= MAX_DURATION):
        raise misuse(
            "{verb}: {text} isn't a time; write `--for 30m`, `--for 2h`, `--for 1h30m` or `--for 3d` (s, m, h, "
            "d, w), ten years at most.",
            verb=command,
            text=repr(shorten(text, 40)),
        )
    return seconds


def parse_text(command: str, words: list[str]) -> str:
    """Return `words` as others will read them. Raises CommandError."""
    cleaned = clean_text(" ".join(words), MAX_NOTICE_LENGTH)
    if cleaned is None:
        raise misuse(
            "{verb}: the text is empty, longer than {n} characters, or contains control characters.",
            verb=command,
            n=MAX_NOTICE_LENGTH,
        )
    return cleaned


def refuse_words(command: str, words: list[str]) -> None:
    """Raise CommandError for words that a command doesn't take, if there are any."""
    if words:
        raise misuse(
            "{verb}: unexpected {word}; write a time as `--for 2h` and a reason as `--because TEXT`; see "
            "`admin help {verb}`.",
            verb=command,
            word=repr(shorten(words[0], 40)),
        )


def parse_number(text: str) -> int:
    """Return the number of a ban or report, within MAX_NUMBER; argparse reports the error it raises."""
    return max(0, min(MAX_NUMBER, whole_number(text)))


WHO: Final = Argument("who", None, metavar="WHO")
FOR: Final = Argument("--for", None, dest="time", metavar="TIME", convert=parse_duration)
BECAUSE: Final = Argument(
    "--because", None, dest="reason", metavar="TEXT", nargs="+", default="", convert=parse_text
)
MORE: Final = Argument(
    "rest", None, metavar="WORD", nargs="*", default=argparse.SUPPRESS, convert=refuse_words
)
"""Words that the command doesn't take: a time and a reason were once given without options."""
