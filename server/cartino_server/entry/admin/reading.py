"""Reads what a host has said behind `admin`, each verb with a parser of its own."""

import argparse
from collections.abc import Callable, Sequence
from itertools import dropwhile, takewhile
from typing import Final

from cartino_protocol.hosts_words import LONGEST
from cartino_protocol.ids import read_code
from cartino_protocol.marking import later
from cartino_server.entry.admin.times import (
    UNSAID,
    Tail,
    begins_with_a_time,
    read_moment,
    read_tail,
    without_because,
)
from cartino_server.entry.admin.verbs import (
    CloseRoom,
    Drain,
    Health,
    Help,
    Kick,
    ListBans,
    MakeBan,
    Mute,
    Prune,
    Reload,
    Reports,
    Rooms,
    SayAll,
    Unban,
    Undrain,
    Unmute,
    Verb,
    Who,
    codes_in,
    explained,
    forms_of,
    in_columns,
    surely_codes,
)
from cartino_server.entry.errors import MISUSE, CommandError, in_one_line
from cartino_server.entry.reading_tables import read_table
from cartino_server.entry.words import VerbParser, paragraphs, whole_number
from cartino_server.rooms.text import clean_text
from cartino_tui.tongue import Tongue

DRAIN_WITHIN: Final = 7200.0
"""Seconds after which a house that drains ends whatever still runs, unless another time is said."""

MOST: Final = 1 << 62
"""No number of a ban or a report is larger."""

Reader = Callable[["_Words"], Verb]


def read_admin(words: Sequence[str], now: float, tongue: Tongue) -> tuple[Verb, bool]:
    """What `words` ask for, and whether the answer is for programs; `now` is the wall clock in Unix seconds.

    Raises CommandError with one sentence, Asked for help on a verb, in `tongue`.
    """
    words = _asking_for_help(words)
    if not words or words[0] in {"-h", "--help"}:
        return Help(), False
    read = _READERS.get(words[0])
    if read is None:
        raise CommandError(
            later(
                "There is no command {name} for hosts; `admin help` lists those there are.",
                name=repr(in_one_line(words[0], 40)),
            ),
            MISUSE,
        )
    given = _Words(words[0], words[1:], now, tongue)
    return read(given), given.json


def _asking_for_help(words: Sequence[str]) -> Sequence[str]:
    """`words`, where they are `help VERB`, `VERB help` or `ban KIND help`, as what a parser takes for that.

    Whoever means a person, or a line, that is called so says it behind `--`.
    """
    match list(words):
        case ["help", "help" | "--json", *_] | ["help"]:
            return ["help"]
        case ["help", verb, *_] | [verb, "help"] | ["ban" as verb, "key" | "source" | "name", "help"]:
            return [verb, "--help"]
    return words


class HostParser(VerbParser):
    """For the words behind `admin VERB`, which hosts say by ssh and on the machine itself."""

    def __init__(self, verb: str, tongue: Tongue) -> None:
        """Read what follows `verb`. Its help lists its forms as `admin help` does."""
        forms = forms_of(verb)
        super().__init__(verb, forms[0][1] if len(forms) == 1 else "", tongue=tongue)
        self.prog = f"admin {verb}"
        self.epilog = paragraphs(explained(verb, tongue))
        # Argparse makes it of what it was told to read, where a time and a reason are just words.
        begins = f"\n{'':<{len(tongue.say('usage: '))}}"
        self.usage = begins.join(f"admin {typed}" for typed, _ in forms)
        if len(forms) > 1:
            self.description = "\n".join(in_columns(forms, tongue))

    @property
    def way_to_help(self) -> str:
        """What to type for all that can be said."""
        return f"admin help {self._verb}"


class _Words:
    """The words behind a verb, as far as they were read."""

    def __init__(self, verb: str, words: Sequence[str], now: float, tongue: Tongue) -> None:
        self.json = False
        self.now = now
        self._verb = verb
        self._words = words
        self.parser = HostParser(verb, tongue)
        self.parser.add_argument("--json", action="store_true", help=self.parser.say("as JSON"))

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

    def tail(self, words: Sequence[str]) -> Tail:
        """What `words` say of a time and a reason."""
        tail = read_tail(self._verb, words, self.now)
        return Tail(tail.until, self.reason(tail.reason), tail.said)

    def for_a_while(self, words: Sequence[str]) -> Tail:
        """The same for what lasts a day where no time is said: without an end it is when a host has said so."""
        tail = self.tail(words)
        return tail if tail.said else Tail(int(self.now) + UNSAID, tail.reason, tail.said)

    def reason(self, text: str) -> str:
        """`text` as others will read it, or "" for none."""
        return self.text(text) if text else ""

    def text(self, text: str) -> str:
        """`text` as others will read it."""
        cleaned = clean_text(text, LONGEST)
        if cleaned is None:
            raise CommandError(
                later(
                    "{verb}: that text is empty, longer than {n} characters, or holds control characters.",
                    verb=self._verb,
                    n=LONGEST,
                ),
                MISUSE,
            )
        return cleaned


def _alone(verb: Verb) -> Reader:
    """A reader of what stands for itself."""

    def read(words: _Words) -> Verb:
        words.read()
        return verb

    return read


def _close(words: _Words) -> Verb:
    many = {
        "--from": words.parser.say("those that were opened from that address or network"),
        "--unplayed": words.parser.say("those at which nobody is and no person has made a move"),
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
                later(
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
        codes = tuple(dict.fromkeys(map(read_table, codes_in(first) or [first])))
    elif rest and _may_be_codes(rest[0]):
        # Nobody knows which of both is meant, as with "spam".
        raise CommandError(
            later("close: say either codes or which tables; a reason stands behind `because` then."), MISUSE
        )
    # Whatever of it turns out to be the reason, it is not too long.
    words.reason(_reason([*dropwhile(surely_codes, maybe), *rest[len(maybe) :]]))
    reason = words.reason(_reason(rest[len(maybe) :]))
    return CloseRoom(codes, reason, values.source, values.unplayed, maybe)


def _may_be_codes(word: str) -> bool:
    """Whether a word behind a table's code may be one more, or several with commas between them."""
    codes = codes_in(word)
    return bool(codes) and all(code.isalnum() and read_code(code) is not None for code in codes)


def _say(words: _Words) -> Verb:
    words.add("text", "TEXT", "+")
    return SayAll(words.text(" ".join(words.read().text)))


def _kick(words: _Words) -> Verb:
    words.add("who", "WHO")
    words.add("rest", "REASON", "*")
    values = words.read()
    if begins_with_a_time(values.rest):
        raise CommandError(
            later("kick: it ends a visit, and is over then; `admin ban` keeps somebody out for a time."),
            MISUSE,
        )
    return Kick(values.who, words.reason(_reason(values.rest)))


def _mute(words: _Words) -> Verb:
    words.add("who", "WHO")
    words.add("rest", "TIME", "*")
    values = words.read()
    return Mute(values.who, *words.for_a_while(values.rest))


def _unmute(words: _Words) -> Verb:
    words.add("who", "WHO")
    return Unmute(words.read().who)


def _ban(words: _Words) -> Verb:
    words.add("kind", "KIND")
    words.add("what", "WHAT", "?")
    words.add("rest", "TIME", "*")
    values = words.read()
    if values.kind not in {"key", "source", "name"} or values.what is None:
        raise CommandError(
            later(
                "ban: say what, as `ban key ann for 2h` (a person), `ban source 203.0.113.7 for 2h` or "
                "`ban name ann for good`; see `admin help ban`."
            ),
            MISUSE,
        )
    return MakeBan(values.kind, values.what, *words.for_a_while(values.rest))


def _unban(words: _Words) -> Verb:
    words.parser.add_argument("number", metavar="NUMBER", type=whole_number, help=argparse.SUPPRESS)
    return Unban(max(0, min(MOST, words.read().number)))


def _reports(words: _Words) -> Verb:
    about = words.parser.say("the report of that number was dealt with")
    words.parser.add_argument("--done", metavar="NUMBER", type=whole_number, default=0, help=about)
    return Reports(max(0, min(MOST, words.read().done)))


def _prune(words: _Words) -> Verb:
    about = words.parser.say("those that ended before that day, as 2026-01-31 (UTC)")
    words.parser.add_argument("--before", metavar="DATE", help=about)
    words.parser.add_argument("--dry-run", action="store_true", help=words.parser.say("remove none"))
    values = words.read()
    if values.before is None:
        return Prune(dry=values.dry_run)
    before = read_moment(values.before)
    if before is None:
        text = repr(in_one_line(values.before, 40))
        raise CommandError(
            later("prune: {text} is no day; say it as `--before 2026-01-31` (UTC).", text=text), MISUSE
        )
    if before > words.now:
        raise CommandError(
            later("prune: that day is yet to come; name one that has begun, as `--before 2026-01-31`."),
            MISUSE,
        )
    return Prune(before, values.dry_run)


def _drain(words: _Words) -> Verb:
    words.add("rest", "TIME", "*")
    rest = words.read().rest
    try:
        tail = words.tail(rest)
    except CommandError:
        # What it says is of mutes and bans, which may be for good and have a reason.
        raise _no_drain() from None
    if tail.reason or (tail.said and tail.until is None):
        raise _no_drain()
    return Drain(DRAIN_WITHIN if tail.until is None else tail.until - words.now)


def _no_drain() -> CommandError:
    return CommandError(
        later(
            "drain: say a time that is to come, as `drain for 2h` or `drain until 2026-01-31 12:00` (UTC); it has an "
            "end, and no reason is told."
        ),
        MISUSE,
    )


def _reason(words: Sequence[str]) -> str:
    return " ".join(without_because(words))


_READERS: Final[dict[str, Reader]] = {
    "who": _alone(Who()),
    "rooms": _alone(Rooms()),
    "close": _close,
    "say": _say,
    "kick": _kick,
    "mute": _mute,
    "unmute": _unmute,
    "ban": _ban,
    "bans": _alone(ListBans()),
    "unban": _unban,
    "reports": _reports,
    "prune": _prune,
    "drain": _drain,
    "undrain": _alone(Undrain()),
    "reload": _alone(Reload()),
    "health": _alone(Health()),
    "help": _alone(Help()),
}
