"""Declare the commands that follow `admin`, over SSH and on the server's own machine."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, NamedTuple, NoReturn

import msgspec

from cartino_protocol.base import parse_code
from cartino_protocol.notices import MAX_NOTICE_LENGTH
from cartino_protocol.text import N_
from cartino_server.admin.actions import ActionResult, AdminActions
from cartino_server.admin.durations import parse_duration, parse_timestamp
from cartino_server.commands.arguments import parse_table_code
from cartino_server.commands.console import misuse, shorten
from cartino_server.commands.parser import HELP_WIDTH, HelpRequested, whole_number
from cartino_server.commands.registry import JSON, Argument, Form, Reader, Registry, Values, help_columns
from cartino_server.deals.deal import read_date
from cartino_server.table.chat import clean_text
from cartino_tui.draw.text import fold
from cartino_tui.i18n import Translator

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
    "TIME is like 30m, 2h, 1h30m, 3d or 2w; without it, a mute or a ban is permanent, and `drain` waits at most "
    "two hours."
)
_REASON_HELP: Final = N_("TEXT is shown to the person concerned.")
_JSON_HELP: Final = N_("Add --json for machine-readable output.")
_AUDIT_HELP: Final = N_("Every action is recorded in audit.log in the data directory.")


Run = Callable[..., Awaitable[ActionResult]]
"""A method of AdminActions."""
Arguments = dict[str, object]
"""What such a method is given."""


class AdminCommand(msgspec.Struct, frozen=True):
    """A parsed command: what runs it, and with which arguments."""

    run: Run
    arguments: Arguments


class ParsedCommand(NamedTuple):
    """An admin command by its name, whether the reply is JSON, and whether running it goes to the audit log."""

    name: str
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
_FOR: Final = Argument("--for", None, dest="time", metavar="TIME")
_BECAUSE: Final = Argument("--because", None, dest="reason", metavar="TEXT", nargs="+", default=[])
_MORE: Final = Argument("rest", None, metavar="WORD", nargs="*", default=[])
"""Words that the command doesn't take: a time and a reason were once given without options."""


_OLD_VERBS: Final = {"rooms": "tables"}
"""Read for one more release."""


def parse_admin_command(
    words: Sequence[str], now: float, translator: Translator, begin: str = "admin"
) -> ParsedCommand:
    """Parse the `words` after `begin`; `now` is the wall clock in Unix seconds.

    Raises CommandError, and HelpRequested with help in `translator`.
    """
    words = _normalize_help(words)
    if not words or words[0] in {"-h", "--help"}:
        words = ["help"]
    command = ADMIN.find(_OLD_VERBS.get(words[0], words[0]))
    parser = ADMIN.parser(command, words[1:], translator)
    values = parser.read(words[1:], Values(now=now, verb=command.name, begin=begin, translator=translator))
    return ParsedCommand(command.name, command.read(values), values.json, command.audited)


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
    name: str,
    run: Run,
    *parameters: Argument,
    forms: Sequence[Form],
    details: Sequence[str] = (),
    audited: bool = True,
) -> Callable[[Reader[Arguments]], Reader[AdminCommand]]:
    """Declare the command that `run` carries out with the arguments that the decorated function reads."""
    details = (*details, _AUDIT_HELP) if audited else details
    declare = ADMIN.command(name, "", *parameters, forms=forms, details=details, audited=audited)
    return lambda read: declare(lambda values: AdminCommand(run, read(values)))


def _declare_simple(name: str, run: Run, about: str, *, audited: bool = True) -> None:
    _declare(name, run, forms=((name, about),), audited=audited)(lambda _: {})


def _text(values: Values, text: str) -> str:
    cleaned = clean_text(text, MAX_NOTICE_LENGTH)
    if cleaned is None:
        raise misuse(
            "{verb}: the text is empty, longer than {n} characters, or contains control characters.",
            verb=values.verb,
            n=MAX_NOTICE_LENGTH,
        )
    return cleaned


def _reason(values: Values) -> str:
    """Return the reason as others will read it, "" for none."""
    _refuse_words(values, values.rest)
    return _because(values)


def _because(values: Values) -> str:
    return _text(values, " ".join(values.reason)) if values.reason else ""


def _refuse_words(values: Values, words: Sequence[str]) -> None:
    if words:
        raise misuse(
            "{verb}: unexpected {word}; write a time as `--for 2h` and a reason as `--because TEXT`; see "
            "`admin help {verb}`.",
            verb=values.verb,
            word=repr(shorten(words[0], 40)),
        )


def _seconds(values: Values) -> int | None:
    """Return the time given, in seconds, None for none."""
    if values.time is None:
        return None
    seconds = parse_duration(values.time)
    if seconds is None:
        raise misuse(
            "{verb}: {text} isn't a time; write `--for 30m`, `--for 2h`, `--for 1h30m` or `--for 3d` (s, m, h, "
            "d, w), ten years at most.",
            verb=values.verb,
            text=repr(shorten(values.time, 40)),
        )
    return seconds


def _until(values: Values) -> int | None:
    """Return until when something lasts (Unix seconds), None for ever."""
    seconds = _seconds(values)
    return None if seconds is None else int(values.now) + seconds


_declare_simple(
    "who",
    AdminActions.list_connections,
    N_("list connections with their numbers; with --json, also their keys"),
    audited=False,
)
_declare_simple(
    "tables", AdminActions.list_tables, N_("list all tables, including private ones"), audited=False
)


@_declare(
    "close",
    AdminActions.close,
    Argument(
        "--from",
        N_("tables opened from that address or network"),
        dest="source",
        metavar="WHERE",
        default="",
    ),
    Argument("--unplayed", N_("empty tables where no person has made a move"), action="store_true"),
    Argument("codes", None, metavar="CODE", nargs="*", default=[]),
    _BECAUSE,
    forms=(
        (
            "close CODE [CODE ...] [--because TEXT]",
            N_("close one or more tables; their players return to the lobby"),
        ),
        (
            "close --from WHERE [--because TEXT]",
            N_("close tables opened from an address or a network"),
        ),
        (
            "close --unplayed [--because TEXT]",
            N_("close empty tables where no person has made a move"),
        ),
    ),
    details=(_WHERE_HELP, _REASON_HELP),
)
def _close(values: Values) -> Arguments:
    words: Sequence[str] = values.codes
    codes: tuple[str, ...] = ()
    if values.source or values.unplayed:
        if words and parse_code(words[0]) is not None:
            raise misuse("close: give either codes or an option, not both.")
        _refuse_words(values, words)
    elif not words:
        raise misuse("close: name a table, like `close K7QP` or `close K7QP ABCD`; see `admin help close`.")
    else:
        first, *more = (code for word in words for code in word.upper().split(",") if code)
        _refuse_words(values, [word for word in more if parse_code(word) is None])
        codes = tuple(dict.fromkeys(map(parse_table_code, (first, *more))))
    return {
        "codes": codes,
        "reason": _because(values),
        "source": values.source,
        "unplayed": values.unplayed,
    }


_declare(
    "say",
    AdminActions.announce,
    Argument("text", None, metavar="TEXT", nargs="+"),
    forms=(("say TEXT", N_("announce something to everyone online")),),
)(lambda values: {"text": _text(values, " ".join(values.text))})


@_declare(
    "kick",
    AdminActions.kick,
    _WHO,
    _MORE,
    _BECAUSE,
    forms=(("kick WHO [--because TEXT]", N_("disconnect a person, or one connection; they can come back")),),
    details=(_WHO_HELP, _REASON_HELP),
)
def _kick(values: Values) -> Arguments:
    return {"who": values.who, "reason": _reason(values)}


_declare(
    "mute",
    AdminActions.mute,
    _WHO,
    _MORE,
    _FOR,
    _BECAUSE,
    forms=(("mute WHO [--for TIME] [--because TEXT]", N_("hide what a person says from everyone")),),
    details=(_WHO_HELP, _TIME_HELP, _REASON_HELP),
)(lambda values: {"who": values.who, "until": _until(values), "reason": _reason(values)})


_declare(
    "unmute", AdminActions.unmute, _WHO, forms=(("unmute WHO", N_("unmute a person")),), details=(_WHO_HELP,)
)(lambda values: {"who": values.who})


_declare(
    "ban",
    AdminActions.ban,
    Argument("kind", None, metavar="KIND", choices=("key", "source", "name")),
    Argument("what", None, metavar="WHAT"),
    _MORE,
    _FOR,
    _BECAUSE,
    forms=(
        ("ban key WHO [--for TIME] [--because TEXT]", N_("ban a person, with all their keys")),
        ("ban source WHERE [--for TIME] [--because TEXT]", N_("ban everyone from an address or a network")),
        ("ban name NAME [--for TIME] [--because TEXT]", N_("ban a name, and all that look like it")),
    ),
    details=(_WHO_HELP, _WHERE_HELP, _NAME_HELP, _TIME_HELP, _REASON_HELP),
)(
    lambda values: {
        "kind": values.kind,
        "what": values.what,
        "until": _until(values),
        "reason": _reason(values),
    }
)


_declare_simple("bans", AdminActions.list_bans, N_("list bans with their numbers"), audited=False)


_declare(
    "unban",
    AdminActions.unban,
    Argument("number", None, metavar="NUMBER", type=whole_number),
    forms=(("unban NUMBER", N_("lift that ban")),),
)(lambda values: {"number": max(0, min(MAX_NUMBER, values.number))})


_declare(
    "reports",
    AdminActions.reports,
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
)(lambda values: {"done": max(0, min(MAX_NUMBER, values.done))})


@_declare(
    "prune",
    AdminActions.prune,
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
def _prune(values: Values) -> Arguments:
    if values.before is None:
        return {"before": None, "dry": values.dry_run}
    before = parse_timestamp(values.before)
    if before is None:
        text = repr(shorten(values.before, 40))
        raise misuse("prune: {text} isn't a date; write it like `--before 2026-01-31` (UTC).", text=text)
    if before > values.now:
        raise misuse("prune: that day is in the future; name one that has begun, like `--before 2026-01-31`.")
    return {"before": before, "dry": values.dry_run}


@_declare(
    "league",
    AdminActions.league,
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
def _league(values: Values) -> Arguments:
    name = _text(values, " ".join(values.name))
    if values.action == "drop":
        return {"name": name}
    first, last = read_date(values.first), read_date(values.last)
    if first is None or last is None or not first <= last < first + MAX_LEAGUE_DAYS:
        raise misuse(
            "league: give the first and the last day, a year apart at most, like `--from 2026-01-01 --to 2026-01-31`."
        )
    if len(name) > MAX_LEAGUE_NAME:
        raise misuse("league: a name has at most {most} characters.", most=MAX_LEAGUE_NAME)
    return {"name": name, "game": values.game, "first": first, "last": last}


@_declare(
    "drain",
    AdminActions.drain,
    _MORE,
    _FOR,
    forms=(
        (
            "drain [--for TIME]",
            N_("start no new games, and stop after the last running one or when that time is over"),
        ),
    ),
    details=(_TIME_HELP,),
)
def _drain(values: Values) -> Arguments:
    _refuse_words(values, values.rest)
    return {"within": _seconds(values) or DEFAULT_DRAIN_SECONDS}


_declare_simple("undrain", AdminActions.undrain, N_("stop draining; the server keeps running"))
_declare_simple("reload", AdminActions.reload_settings, N_("reload the settings"))
_declare_simple("health", AdminActions.show_health, N_("show the server's health"), audited=False)


@ADMIN.command(
    "help",
    "",
    forms=(("help [VERB]", N_("show this help, or everything about a command; also VERB help")),),
    audited=False,
)
def _help(values: Values) -> NoReturn:
    raise HelpRequested(admin_help(values.begin, values.translator))
