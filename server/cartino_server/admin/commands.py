"""Declare the commands that follow `admin`, over SSH and on the server's own machine."""

from collections.abc import Callable, Sequence, Set
from enum import Enum
from itertools import dropwhile, takewhile
from typing import Final, Literal, NamedTuple

import msgspec

from cartino_protocol.base import parse_code
from cartino_protocol.notices import MAX_NOTICE_LENGTH
from cartino_protocol.text import N_
from cartino_server.admin.durations import (
    DEFAULT_DURATION,
    DurationAndReason,
    parse_duration_and_reason,
    parse_timestamp,
    starts_with_time,
    strip_because,
)
from cartino_server.commands.console import CommandError, misuse, shorten
from cartino_server.commands.parser import HELP_WIDTH, whole_number
from cartino_server.commands.registry import JSON, Argument, Form, Reader, Registry, Values, help_columns
from cartino_server.commands.ssh_commands import parse_table_code
from cartino_server.deals.deal import read_date
from cartino_server.table.chat import clean_text
from cartino_tui.draw.text import fold
from cartino_tui.i18n import Translator

BanKind = Literal["key", "source", "name"]

_WHO_HELP: Final = N_(
    "WHO is a name, a connection number, a fingerprint (SHA256:…), or `report:3` for the person that "
    "report 3 is about. A name that nobody has now means the person who had it before."
)
_WHERE_HELP: Final = N_(
    "WHERE is an address, a network like 203.0.113.0/24, a connection number, or `report:3` for the "
    "address of the person that report 3 is about."
)
_NAME_HELP: Final = N_("NAME is a name, or `report:3` for the name of the person that report 3 is about.")
_TIME_HELP: Final = N_(
    "TIME is `for 2h` (s, m, h, d, w; also `1h30m`), `until 2026-01-31` (UTC; a time of day may "
    "follow) or `for good`; without it, a mute or a ban lasts one day."
)
_DRAIN_TIME_HELP: Final = N_(
    "TIME is `for 2h` (s, m, h, d, w; also `1h30m`) or `until 2026-01-31` (UTC; a time of day may "
    "follow); without it, the server waits at most two hours."
)
_REASON_HELP: Final = N_("A REASON may begin with `because`; it is shown to the person concerned.")
_JSON_HELP: Final = N_("Add --json for machine-readable output.")
_AUDIT_HELP: Final = N_("Every action is recorded in audit.log in the data directory.")


class SimpleCommand(Enum):
    """A command without arguments, by the word that is typed."""

    WHO = "who"
    ROOMS = "rooms"
    BANS = "bans"
    UNDRAIN = "undrain"
    RELOAD = "reload"
    HEALTH = "health"
    HELP = "help"


class CloseTables(msgspec.Struct, frozen=True):
    """Close the tables `codes`, those opened from `source`, or (`unplayed`) those without a human move.

    `maybe` are words after the codes that look like codes; the reason begins with the first that is none.
    """

    codes: tuple[str, ...]
    reason: str
    source: str = ""
    unplayed: bool = False
    maybe: tuple[str, ...] = ()

    def named(self, opened: Set[str]) -> tuple[tuple[str, ...], str]:
        """Return the codes, each once, and the reason, given the codes of the open tables.

        A word like `spam` is a code only if there is such a table. One in capitals or with a digit always is: in a
        reason, a mistyped code would tell strangers what to look for.
        """
        codes, words = list(self.codes), list(self.maybe)
        while words:
            found = split_codes(words[0])
            if not (is_unambiguous_code(words[0]) or opened & set(found)):
                break
            codes += found
            del words[0]
        return tuple(dict.fromkeys(codes)), " ".join(filter(None, (*words, self.reason)))


def split_codes(word: str) -> list[str]:
    """Split `word` at its commas, in capitals."""
    return [code for code in word.upper().split(",") if code]


def is_unambiguous_code(word: str) -> bool:
    """Return whether a word that looks like a code can be no word of a reason."""
    return word.isupper() or any(map(str.isdigit, word))


class Announce(msgspec.Struct, frozen=True):
    """Announce `text` to all."""

    text: str


class Kick(msgspec.Struct, frozen=True):
    """Disconnect `who`."""

    who: str
    reason: str


class Mute(msgspec.Struct, frozen=True):
    """Mute `who` until then (Unix seconds, None for ever); `said`: whether the admin gave a time."""

    who: str
    until: int | None
    reason: str
    said: bool = True


class Unmute(msgspec.Struct, frozen=True):
    """Unmute `who`."""

    who: str


class AddBan(msgspec.Struct, frozen=True):
    """Ban `what` until then (Unix seconds, None for ever); `said`: whether the admin gave a time."""

    kind: BanKind
    what: str
    until: int | None
    reason: str
    said: bool = True


class RemoveBan(msgspec.Struct, frozen=True):
    """End the ban of that number."""

    number: int


class ListReports(msgspec.Struct, frozen=True):
    """List the reports, or remove report `done` if it isn't 0."""

    done: int = 0


class PruneGames(msgspec.Struct, frozen=True):
    """Remove the games that ended `before` then (Unix seconds, None: by the settings); `dry`: only count them."""

    before: int | None = None
    dry: bool = False


class Drain(msgspec.Struct, frozen=True):
    """Stop the server after its games, at the latest in `within` seconds."""

    within: float


class ChangeLeagues(msgspec.Struct, frozen=True):
    """Make a league of `game` over the days `first` to `last` (since 1970), or drop it if there are none."""

    name: str
    game: str = ""
    first: int = 0
    last: int = 0


AdminCommand = (
    SimpleCommand
    | CloseTables
    | Announce
    | Kick
    | Mute
    | Unmute
    | AddBan
    | RemoveBan
    | ListReports
    | PruneGames
    | Drain
    | ChangeLeagues
)


class ParsedCommand(NamedTuple):
    """An admin command, whether the reply is JSON, and whether running it goes to the audit log."""

    command: AdminCommand
    json: bool
    audited: bool


ADMIN: Final = Registry[AdminCommand](
    "admin",
    N_("There is no admin command {name}. `admin help` lists them."),
    JSON,
    shows_forms=True,
)
DEFAULT_DRAIN_SECONDS: Final = 7200.0
"""Seconds after which a draining server ends games that still run."""
MAX_LEAGUE_DAYS: Final = 366
MAX_LEAGUE_NAME: Final = 40
MAX_NUMBER: Final = 1 << 62
"""Bound of the numbers of bans and reports."""
_WHO: Final = Argument("who", None, metavar="WHO")
_REASON: Final = Argument("rest", None, metavar="REASON", nargs="*", default=[])
_TIME: Final = Argument("rest", None, metavar="TIME", nargs="*", default=[])


def parse_admin_command(words: Sequence[str], now: float, translator: Translator) -> ParsedCommand:
    """Parse the `words` after `admin`; `now` is the wall clock in Unix seconds.

    Raises CommandError, and HelpRequested with the help of a command in `translator`.
    """
    words = _normalize_help(words)
    if not words or words[0] in {"-h", "--help"}:
        words = ["help"]
    command = ADMIN.find(words[0])
    parser = ADMIN.parser(command, words[1:], translator)
    values = parser.read(words[1:], Values(now=now, verb=command.name))
    return ParsedCommand(command.read(values), values.json, command.audited)


def _normalize_help(words: Sequence[str]) -> Sequence[str]:
    """Rewrite `help VERB`, `VERB help` and `ban KIND help` to `VERB --help`.

    Somebody or something called "help" stands behind `--`.
    """
    match list(words):
        case ["help", "help" | "--json", *_] | ["help"]:
            return ["help"]
        case ["help", verb, *_] | [verb, "help"] | ["ban" as verb, "key" | "source" | "name", "help"]:
            return [verb, "--help"]
    return words


def admin_help(begin: str, translator: Translator) -> str:
    """Return the list of commands that follow `begin`."""
    paragraphs = (_WHO_HELP, _WHERE_HELP, _TIME_HELP, _REASON_HELP, _JSON_HELP, _AUDIT_HELP)
    about = fold(" ".join(map(translator.gettext, paragraphs)), HELP_WIDTH)
    return "\n".join([f"{begin}:", *help_columns(ADMIN.forms(), translator), "", *about, ""])


def _declare(
    name: str, *parameters: Argument, forms: Sequence[Form], details: Sequence[str] = (), audited: bool = True
) -> Callable[[Reader[AdminCommand]], Reader[AdminCommand]]:
    details = (*details, _AUDIT_HELP) if audited else details
    return ADMIN.command(name, "", *parameters, forms=forms, details=details, audited=audited)


def _declare_simple(command: SimpleCommand, about: str, *, audited: bool = True) -> None:
    _declare(command.value, forms=((command.value, about),), audited=audited)(lambda _: command)


def _text(values: Values, text: str) -> str:
    cleaned = clean_text(text, MAX_NOTICE_LENGTH)
    if cleaned is None:
        raise misuse(
            "{verb}: the text is empty, longer than {n} characters, or contains control characters.",
            verb=values.verb,
            n=MAX_NOTICE_LENGTH,
        )
    return cleaned


def _reason(values: Values, words: Sequence[str]) -> str:
    """Return the reason in `words` as others will read it, "" for none."""
    text = strip_because(" ".join(words))
    return _text(values, text) if text else ""


def _time_and_reason(values: Values) -> DurationAndReason:
    """Return the time and reason given; without a time it lasts a day."""
    until, reason, said = parse_duration_and_reason(values.verb, values.rest, values.now)
    reason = _text(values, reason) if reason else ""
    return DurationAndReason(until if said else int(values.now) + DEFAULT_DURATION, reason, said)


_declare_simple(
    SimpleCommand.WHO,
    N_("list connections with their numbers; with --json, also their keys"),
    audited=False,
)
_declare_simple(SimpleCommand.ROOMS, N_("list all tables, including private ones"), audited=False)


@_declare(
    "close",
    Argument(
        "--from",
        N_("tables opened from that address or network"),
        dest="source",
        metavar="WHERE",
        default="",
    ),
    Argument("--unplayed", N_("empty tables where no person has made a move"), action="store_true"),
    Argument("rest", None, metavar="CODE", nargs="*", default=[]),
    forms=(
        (
            "close CODE [REASON]",
            N_("close a table, or several (CODE,CODE); their players return to the lobby"),
        ),
        (
            "close --from WHERE",
            N_("close tables opened from an address or a network; a REASON may follow"),
        ),
        (
            "close --unplayed",
            N_("close empty tables where no person has made a move; a REASON may follow"),
        ),
    ),
    details=(_WHERE_HELP, _REASON_HELP),
)
def _close(values: Values) -> CloseTables:
    codes: tuple[str, ...] = ()
    maybe: tuple[str, ...] = ()
    rest = values.rest
    if not (values.source or values.unplayed):
        if not rest:
            raise misuse(
                "close: name a table, like `close K7QP` or `close K7QP,ABCD`; see `admin help close`."
            )
        first, rest = rest[0], rest[1:]
        maybe = tuple(takewhile(_may_be_codes, rest))
        reason = rest[len(maybe) :]
        if reason[:1] == ["because"]:
            # The reason begins there, and not before.
            first, maybe, rest = ",".join((first, *maybe)), (), reason
        codes = tuple(dict.fromkeys(map(parse_table_code, split_codes(first) or [first])))
    elif rest and _may_be_codes(rest[0]):
        # "spam" may be a code or a reason.
        raise misuse(
            "close: give either codes or an option, not both; if that was a reason, put `because` before it."
        )
    # Check the length of the longest reason that this can turn out to be.
    _reason(values, [*dropwhile(is_unambiguous_code, maybe), *rest[len(maybe) :]])
    return CloseTables(codes, _reason(values, rest[len(maybe) :]), values.source, values.unplayed, maybe)


def _may_be_codes(word: str) -> bool:
    """Return whether a word behind a table's code may be one more, or several with commas between them."""
    codes = split_codes(word)
    return bool(codes) and all(code.isalnum() and parse_code(code) is not None for code in codes)


_declare(
    "say",
    Argument("text", None, metavar="TEXT", nargs="+"),
    forms=(("say TEXT", N_("announce something to everyone online")),),
)(lambda values: Announce(_text(values, " ".join(values.text))))


@_declare(
    "kick",
    _WHO,
    _REASON,
    forms=(("kick WHO [REASON]", N_("disconnect a person, or one connection")),),
    details=(_WHO_HELP, _REASON_HELP),
)
def _kick(values: Values) -> Kick:
    if starts_with_time(values.rest):
        raise misuse(
            "kick: no duration possible, since people can come back at once; to keep someone out, use `admin "
            "ban`."
        )
    return Kick(values.who, _reason(values, values.rest))


_declare(
    "mute",
    _WHO,
    _TIME,
    forms=(("mute WHO [TIME] [REASON]", N_("hide what a person says from everyone")),),
    details=(_WHO_HELP, _TIME_HELP, _REASON_HELP),
)(lambda values: Mute(values.who, *_time_and_reason(values)))


_declare("unmute", _WHO, forms=(("unmute WHO", N_("unmute a person")),), details=(_WHO_HELP,))(
    lambda values: Unmute(values.who)
)


@_declare(
    "ban",
    Argument("kind", None, metavar="KIND"),
    Argument("what", None, metavar="WHAT", nargs="?"),
    _TIME,
    forms=(
        ("ban key WHO [TIME] [REASON]", N_("ban a person, with all their keys")),
        ("ban source WHERE [TIME] [REASON]", N_("ban everyone from an address or a network")),
        ("ban name NAME [TIME] [REASON]", N_("ban a name, and all that look like it")),
    ),
    details=(_WHO_HELP, _WHERE_HELP, _NAME_HELP, _TIME_HELP, _REASON_HELP),
)
def _ban(values: Values) -> AddBan:
    if values.kind not in {"key", "source", "name"} or values.what is None:
        raise misuse(
            "ban: say what to ban, like `ban key ann for 2h` (a person), `ban source 203.0.113.7 for 2h` or "
            "`ban name ann for good`; see `admin help ban`."
        )
    return AddBan(values.kind, values.what, *_time_and_reason(values))


_declare_simple(SimpleCommand.BANS, N_("list bans with their numbers"), audited=False)


_declare(
    "unban",
    Argument("number", None, metavar="NUMBER", type=whole_number),
    forms=(("unban NUMBER", N_("lift that ban")),),
)(lambda values: RemoveBan(max(0, min(MAX_NUMBER, values.number))))


_declare(
    "reports",
    Argument(
        "--done",
        N_("close the report with that number"),
        metavar="NUMBER",
        type=whole_number,
        default=0,
    ),
    forms=(
        ("reports", N_("list reported messages and who wrote them")),
        ("reports --done NUMBER", N_("close a report and delete it")),
    ),
)(lambda values: ListReports(max(0, min(MAX_NUMBER, values.done))))


@_declare(
    "prune",
    Argument("--before", N_("games that ended before that day, like 2026-01-31 (UTC)"), metavar="DATE"),
    Argument("--dry-run", N_("remove nothing"), action="store_true"),
    forms=(
        (
            "prune",
            N_("remove finished games that the settings no longer keep, and games of closed deals, now"),
        ),
        (
            "prune --before DATE",
            N_("remove all games that ended before that day (UTC), like 2026-01-31"),
        ),
        ("prune --dry-run", N_("only count the games, remove nothing; also with --before")),
    ),
)
def _prune(values: Values) -> PruneGames:
    if values.before is None:
        return PruneGames(dry=values.dry_run)
    before = parse_timestamp(values.before)
    if before is None:
        text = repr(shorten(values.before, 40))
        raise misuse("prune: {text} isn't a date; write it like `--before 2026-01-31` (UTC).", text=text)
    if before > values.now:
        raise misuse("prune: that day is in the future; name one that has begun, like `--before 2026-01-31`.")
    return PruneGames(before, values.dry_run)


@_declare(
    "league",
    Argument("action", None, metavar="ACTION", choices=("new", "drop")),
    Argument("name", None, metavar="NAME", nargs="+"),
    Argument("--from", N_("its first day, like 2026-01-31 (UTC)"), metavar="DATE", dest="first", default=""),
    Argument("--to", N_("its last day"), metavar="DATE", dest="last", default=""),
    Argument("--game", N_("which game; else the first"), metavar="GAME", default=""),
    forms=(
        (
            "league new NAME --from DATE --to DATE [--game GAME]",
            N_("make a league over the daily games of these days"),
        ),
        ("league drop NAME", N_("delete a league; the days and their results stay")),
    ),
)
def _league(values: Values) -> ChangeLeagues:
    name = _text(values, " ".join(values.name))
    if values.action == "drop":
        return ChangeLeagues(name)
    first, last = read_date(values.first), read_date(values.last)
    if first is None or last is None or not first <= last < first + MAX_LEAGUE_DAYS:
        raise misuse(
            "league: give the first and the last day, a year apart at most, like `--from 2026-01-01 --to 2026-01-31`."
        )
    if len(name) > MAX_LEAGUE_NAME:
        raise misuse("league: a name has at most {most} characters.", most=MAX_LEAGUE_NAME)
    return ChangeLeagues(name, values.game, first, last)


@_declare(
    "drain",
    _TIME,
    forms=(("drain [TIME]", N_("start no new games, and stop after the last running one or at that time")),),
    details=(_DRAIN_TIME_HELP,),
)
def _drain(values: Values) -> Drain:
    try:
        until, reason, said = parse_duration_and_reason(values.verb, values.rest, values.now)
    except CommandError:
        # Its sentence is about mutes and bans, which may be for good and have a reason.
        raise _invalid_drain_time() from None
    if reason or (said and until is None):
        raise _invalid_drain_time()
    return Drain(DEFAULT_DRAIN_SECONDS if until is None else until - values.now)


def _invalid_drain_time() -> CommandError:
    return misuse(
        "drain: give a time in the future, like `drain for 2h` or `drain until 2026-01-31 12:00` (UTC); it "
        "needs an end and takes no reason."
    )


_declare_simple(SimpleCommand.UNDRAIN, N_("stop draining; the server keeps running"))
_declare_simple(SimpleCommand.RELOAD, N_("reload the settings"))
_declare_simple(SimpleCommand.HEALTH, N_("show the server's health"), audited=False)
_declare(
    "help",
    forms=(("help [VERB]", N_("show this help, or everything about a command; also VERB help")),),
    audited=False,
)(lambda _: SimpleCommand.HELP)
