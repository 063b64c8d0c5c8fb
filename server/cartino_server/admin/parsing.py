"""Parse the words after `admin` into admin commands."""

import argparse
from collections.abc import Callable, Sequence
from itertools import dropwhile, takewhile
from typing import Final

from cartino_protocol.base import parse_code
from cartino_protocol.notices import MAX_NOTICE_LENGTH
from cartino_protocol.text import lazy_gettext
from cartino_server.admin.commands import (
    AddBan,
    AdminCommand,
    Announce,
    CloseTables,
    Drain,
    Kick,
    ListAllTables,
    ListBans,
    ListConnections,
    ListReports,
    Mute,
    PruneGames,
    ReloadSettings,
    RemoveBan,
    ShowAdminHelp,
    ShowHealth,
    Undrain,
    Unmute,
    command_forms,
    command_help,
    help_columns,
    is_unambiguous_code,
    split_codes,
)
from cartino_server.admin.durations import (
    DEFAULT_DURATION,
    DurationAndReason,
    parse_duration_and_reason,
    parse_timestamp,
    starts_with_time,
    strip_because,
)
from cartino_server.commands.console import MISUSE, CommandError, shorten
from cartino_server.commands.parser import SshCommandParser, whole_number, wrap_paragraphs
from cartino_server.commands.ssh_parsing import parse_table_code
from cartino_server.table.chat import clean_text
from cartino_tui.i18n import Translator

DEFAULT_DRAIN_SECONDS: Final = 7200.0
"""Seconds after which a house that drains ends whatever still runs, unless another time is said."""

MAX_NUMBER: Final = 1 << 62
"""No number of a ban or a report is larger."""

CommandReader = Callable[["_ArgumentReader"], AdminCommand]


def parse_admin_command(
    words: Sequence[str], now: float, translator: Translator
) -> tuple[AdminCommand, bool]:
    """What `words` ask for, and whether the answer is for programs; `now` is the wall clock in Unix seconds.

    Raises CommandError with one sentence, Asked for help on a verb, in `translator`.
    """
    words = _normalize_help(words)
    if not words or words[0] in {"-h", "--help"}:
        return ShowAdminHelp(), False
    read = _PARSERS.get(words[0])
    if read is None:
        raise CommandError(
            lazy_gettext(
                "There is no command {name} for hosts; `admin help` lists those there are.",
                name=repr(shorten(words[0], 40)),
            ),
            MISUSE,
        )
    given = _ArgumentReader(words[0], words[1:], now, translator)
    return read(given), given.json


def _normalize_help(words: Sequence[str]) -> Sequence[str]:
    """`words`, where they are `help VERB`, `VERB help` or `ban KIND help`, as what a parser takes for that.

    Whoever means a person, or a line, that is called so says it behind `--`.
    """
    match list(words):
        case ["help", "help" | "--json", *_] | ["help"]:
            return ["help"]
        case ["help", verb, *_] | [verb, "help"] | ["ban" as verb, "key" | "source" | "name", "help"]:
            return [verb, "--help"]
    return words


class AdminParser(SshCommandParser):
    """For the words behind `admin VERB`, which hosts say by ssh and on the machine itself."""

    def __init__(self, verb: str, translator: Translator) -> None:
        """Read what follows `verb`. Its help lists its forms as `admin help` does."""
        forms = command_forms(verb)
        super().__init__(verb, forms[0][1] if len(forms) == 1 else "", translator=translator)
        self.prog = f"admin {verb}"
        self.epilog = wrap_paragraphs(command_help(verb, translator))
        # Argparse makes it of what it was told to read, where a time and a reason are just words.
        begins = f"\n{'':<{len(translator.gettext('usage: '))}}"
        self.usage = begins.join(f"admin {typed}" for typed, _ in forms)
        if len(forms) > 1:
            self.description = "\n".join(help_columns(forms, translator))

    @property
    def help_command(self) -> str:
        """What to type for all that can be said."""
        return f"admin help {self._verb}"


class _ArgumentReader:
    """The words behind a verb, as far as they were read."""

    def __init__(self, verb: str, words: Sequence[str], now: float, translator: Translator) -> None:
        self.json = False
        self.now = now
        self._verb = verb
        self._words = words
        self.parser = AdminParser(verb, translator)
        self.parser.add_argument("--json", action="store_true", help=self.parser.gettext("as JSON"))

    def add(self, name: str, metavar: str, nargs: str | None = None) -> None:
        """One more word is expected, or several."""
        if nargs == "*":
            # With a default argparse knows that it may be missing.
            self.parser.add_argument(name, metavar=metavar, nargs=nargs, default=[], help=argparse.SUPPRESS)
        else:
            self.parser.add_argument(name, metavar=metavar, nargs=nargs, help=argparse.SUPPRESS)

    def read(self) -> argparse.Namespace:
        values = self.parser.read(self._words)
        self.json = values.json
        return values

    def tail(self, words: Sequence[str]) -> DurationAndReason:
        """What `words` say of a time and a reason."""
        tail = parse_duration_and_reason(self._verb, words, self.now)
        return DurationAndReason(tail.until, self.reason(tail.reason), tail.said)

    def for_a_while(self, words: Sequence[str]) -> DurationAndReason:
        """The same for what lasts a day where no time is said: without an end it is when a host has said so."""
        tail = self.tail(words)
        return (
            tail if tail.said else DurationAndReason(int(self.now) + DEFAULT_DURATION, tail.reason, tail.said)
        )

    def reason(self, text: str) -> str:
        """`text` as others will read it, or "" for none."""
        return self.text(text) if text else ""

    def text(self, text: str) -> str:
        """`text` as others will read it."""
        cleaned = clean_text(text, MAX_NOTICE_LENGTH)
        if cleaned is None:
            raise CommandError(
                lazy_gettext(
                    "{verb}: that text is empty, longer than {n} characters, or holds control characters.",
                    verb=self._verb,
                    n=MAX_NOTICE_LENGTH,
                ),
                MISUSE,
            )
        return cleaned


def _no_arguments(verb: AdminCommand) -> CommandReader:
    """A reader of what stands for itself."""

    def read(words: _ArgumentReader) -> AdminCommand:
        words.read()
        return verb

    return read


def _close(words: _ArgumentReader) -> AdminCommand:
    many = {
        "--from": words.parser.gettext("those that were opened from that address or network"),
        "--unplayed": words.parser.gettext("those at which nobody is and no person has made a move"),
    }
    words.parser.add_argument("--from", dest="source", metavar="WHERE", default="", help=many["--from"])
    words.parser.add_argument("--unplayed", action="store_true", help=many["--unplayed"])
    words.add("rest", "CODE", "*")
    values = words.read()
    codes: tuple[str, ...] = ()
    maybe: tuple[str, ...] = ()
    rest = values.rest
    if not (values.source or values.unplayed):
        if not rest:
            raise CommandError(
                lazy_gettext(
                    "close: say which table, as `close K7QP` or `close K7QP,ABCD`; see `admin help close`."
                ),
                MISUSE,
            )
        first, rest = rest[0], rest[1:]
        maybe = tuple(takewhile(_may_be_codes, rest))
        reason = rest[len(maybe) :]
        if reason[:1] == ["because"]:
            # The reason begins there, and not before.
            first, maybe, rest = ",".join((first, *maybe)), (), reason
        codes = tuple(dict.fromkeys(map(parse_table_code, split_codes(first) or [first])))
    elif rest and _may_be_codes(rest[0]):
        # Nobody knows which of both is meant, as with "spam".
        raise CommandError(
            lazy_gettext("close: say either codes or which tables; a reason stands behind `because` then."),
            MISUSE,
        )
    # Whatever of it turns out to be the reason, it is not too long.
    words.reason(_join_reason([*dropwhile(is_unambiguous_code, maybe), *rest[len(maybe) :]]))
    reason = words.reason(_join_reason(rest[len(maybe) :]))
    return CloseTables(codes, reason, values.source, values.unplayed, maybe)


def _may_be_codes(word: str) -> bool:
    """Whether a word behind a table's code may be one more, or several with commas between them."""
    codes = split_codes(word)
    return bool(codes) and all(code.isalnum() and parse_code(code) is not None for code in codes)


def _say(words: _ArgumentReader) -> AdminCommand:
    words.add("text", "TEXT", "+")
    return Announce(words.text(" ".join(words.read().text)))


def _kick(words: _ArgumentReader) -> AdminCommand:
    words.add("who", "WHO")
    words.add("rest", "REASON", "*")
    values = words.read()
    if starts_with_time(values.rest):
        raise CommandError(
            lazy_gettext(
                "kick: it ends a visit, and is over then; `admin ban` keeps somebody out for a time."
            ),
            MISUSE,
        )
    return Kick(values.who, words.reason(_join_reason(values.rest)))


def _mute(words: _ArgumentReader) -> AdminCommand:
    words.add("who", "WHO")
    words.add("rest", "TIME", "*")
    values = words.read()
    return Mute(values.who, *words.for_a_while(values.rest))


def _unmute(words: _ArgumentReader) -> AdminCommand:
    words.add("who", "WHO")
    return Unmute(words.read().who)


def _ban(words: _ArgumentReader) -> AdminCommand:
    words.add("kind", "KIND")
    words.add("what", "WHAT", "?")
    words.add("rest", "TIME", "*")
    values = words.read()
    if values.kind not in {"key", "source", "name"} or values.what is None:
        raise CommandError(
            lazy_gettext(
                "ban: say what, as `ban key ann for 2h` (a person), `ban source 203.0.113.7 for 2h` or "
                "`ban name ann for good`; see `admin help ban`."
            ),
            MISUSE,
        )
    return AddBan(values.kind, values.what, *words.for_a_while(values.rest))


def _unban(words: _ArgumentReader) -> AdminCommand:
    words.parser.add_argument("number", metavar="NUMBER", type=whole_number, help=argparse.SUPPRESS)
    return RemoveBan(max(0, min(MAX_NUMBER, words.read().number)))


def _reports(words: _ArgumentReader) -> AdminCommand:
    about = words.parser.gettext("the report of that number was dealt with")
    words.parser.add_argument("--done", metavar="NUMBER", type=whole_number, default=0, help=about)
    return ListReports(max(0, min(MAX_NUMBER, words.read().done)))


def _prune(words: _ArgumentReader) -> AdminCommand:
    about = words.parser.gettext("those that ended before that day, as 2026-01-31 (UTC)")
    words.parser.add_argument("--before", metavar="DATE", help=about)
    words.parser.add_argument("--dry-run", action="store_true", help=words.parser.gettext("remove none"))
    values = words.read()
    if values.before is None:
        return PruneGames(dry=values.dry_run)
    before = parse_timestamp(values.before)
    if before is None:
        text = repr(shorten(values.before, 40))
        raise CommandError(
            lazy_gettext("prune: {text} is no day; say it as `--before 2026-01-31` (UTC).", text=text), MISUSE
        )
    if before > words.now:
        raise CommandError(
            lazy_gettext(
                "prune: that day is yet to come; name one that has begun, as `--before 2026-01-31`."
            ),
            MISUSE,
        )
    return PruneGames(before, values.dry_run)


def _drain(words: _ArgumentReader) -> AdminCommand:
    words.add("rest", "TIME", "*")
    rest = words.read().rest
    try:
        tail = words.tail(rest)
    except CommandError:
        # What it says is of mutes and bans, which may be for good and have a reason.
        raise _invalid_drain_time() from None
    if tail.reason or (tail.said and tail.until is None):
        raise _invalid_drain_time()
    return Drain(DEFAULT_DRAIN_SECONDS if tail.until is None else tail.until - words.now)


def _invalid_drain_time() -> CommandError:
    return CommandError(
        lazy_gettext(
            "drain: say a time that is to come, as `drain for 2h` or `drain until 2026-01-31 12:00` (UTC); it has an "
            "end, and no reason is told."
        ),
        MISUSE,
    )


def _join_reason(words: Sequence[str]) -> str:
    return " ".join(strip_because(words))


_PARSERS: Final[dict[str, CommandReader]] = {
    "who": _no_arguments(ListConnections()),
    "rooms": _no_arguments(ListAllTables()),
    "close": _close,
    "say": _say,
    "kick": _kick,
    "mute": _mute,
    "unmute": _unmute,
    "ban": _ban,
    "bans": _no_arguments(ListBans()),
    "unban": _unban,
    "reports": _reports,
    "prune": _prune,
    "drain": _drain,
    "undrain": _no_arguments(Undrain()),
    "reload": _no_arguments(ReloadSettings()),
    "health": _no_arguments(ShowHealth()),
    "help": _no_arguments(ShowAdminHelp()),
}
