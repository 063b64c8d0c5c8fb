"""The admin commands as values, and their help."""

from collections.abc import Mapping, Sequence, Set
from typing import Final, Literal

import msgspec

from cartino_protocol.text import N_
from cartino_server.commands.parser import HELP_WIDTH
from cartino_tui.draw.text import fold
from cartino_tui.i18n import Translator

BanKind = Literal["key", "source", "name"]

ADMIN_COMMANDS: Final = (
    ("who", N_("who is connected, with the number of each connection; with --json, their keys")),
    ("rooms", N_("all tables, private ones too")),
    ("close CODE [REASON]", N_("close a table, or (CODE,CODE) several; their people go on in the lobby")),
    ("close --from WHERE", N_("those that were opened from an address or a network; a REASON may follow")),
    ("close --unplayed", N_("those at which nobody is and no person has made a move; a REASON may follow")),
    ("say TEXT", N_("say something to everybody who is here")),
    ("kick WHO [REASON]", N_("end the visit of a person, or of one connection")),
    ("mute WHO [TIME] [REASON]", N_("nobody hears any more what that person says")),
    ("unmute WHO", N_("they are heard again")),
    ("ban key WHO [TIME] [REASON]", N_("a person, with all their keys")),
    ("ban source WHERE [TIME] [REASON]", N_("all who come from an address or a network")),
    ("ban name NAME [TIME] [REASON]", N_("nobody comes in under that name, or one that looks like it")),
    ("bans", N_("the bans, by their numbers")),
    ("unban NUMBER", N_("end that ban")),
    ("reports", N_("lines of talk that were reported, and by whom they were said")),
    ("reports --done NUMBER", N_("that one was dealt with, and is gone then")),
    ("prune", N_("remove the finished games that the settings let go, at once")),
    ("prune --before DATE", N_("remove all finished games that ended before that day (UTC), as 2026-01-31")),
    ("prune --dry-run", N_("say how many that would be, and remove none; with --before too")),
    ("drain [TIME]", N_("no new games; the house ends with the last that runs, or after that time")),
    ("undrain", N_("the house goes on after all")),
    ("reload", N_("read the settings again")),
    ("health", N_("how the house does")),
    ("help [VERB]", N_("this, or all about a verb; so does help behind it")),
)
"""What can be typed, and what it does."""

_WHO_HELP: Final = N_(
    "WHO is a name, the number of a connection, a fingerprint (SHA256:…), or `report:3` for whoever said what report 3 "
    "is about. A name that nobody here has is that of whoever was called so before."
)
_WHERE_HELP: Final = N_(
    "WHERE is an address, a network as 203.0.113.0/24, the number of a connection, or `report:3` for where they came "
    "from who said what report 3 is about."
)
_NAME_HELP: Final = N_("NAME is a name, or `report:3` for that of whoever said what report 3 is about.")
_TIME_HELP: Final = N_(
    "TIME is `for 2h` (s, m, h, d, w; `1h30m` too), `until 2026-01-31` (UTC; a clock time may follow) or `for good`; "
    "without it, a mute or a ban lasts a day."
)
_DRAIN_TIME_HELP: Final = N_(
    "TIME is `for 2h` (s, m, h, d, w; `1h30m` too) or `until 2026-01-31` (UTC; a clock time may follow); without it "
    "the house waits for two hours at most."
)
_REASON_HELP: Final = N_("A REASON may begin with `because`; whoever it concerns reads it.")
_JSON_HELP: Final = N_("Add --json for programs.")
_AUDIT_HELP: Final = N_("All that is done stands in audit.log in the data directory.")

GENERAL_HELP: Final = (_WHO_HELP, _WHERE_HELP, _TIME_HELP, _REASON_HELP, _JSON_HELP, _AUDIT_HELP)
"""What is told of all words that stand behind verbs."""
_UNAUDITED_NAMES: Final = frozenset({"who", "rooms", "bans", "health"})
"""Verbs that do nothing; that somebody has read reports is noted."""
_COMMAND_HELP: Final[Mapping[str, Sequence[str]]] = {
    "close": (_WHERE_HELP, _REASON_HELP),
    "kick": (_WHO_HELP, _REASON_HELP),
    "mute": (_WHO_HELP, _TIME_HELP, _REASON_HELP),
    "unmute": (_WHO_HELP,),
    "ban": (_WHO_HELP, _WHERE_HELP, _NAME_HELP, _TIME_HELP, _REASON_HELP),
    "drain": (_DRAIN_TIME_HELP,),
}
"""What is told of those behind one verb, besides what holds for all."""


def command_forms(verb: str) -> tuple[tuple[str, str], ...]:
    """What can be typed that begins with `verb`, and what it does."""
    return tuple(offered for offered in ADMIN_COMMANDS if offered[0].split()[0] == verb)


def command_help(verb: str, translator: Translator) -> str:
    """What is told of the words that stand behind `verb`, in `translator`, a paragraph each."""
    about = (*_COMMAND_HELP.get(verb, ()), *(() if verb in _UNAUDITED_NAMES else (_AUDIT_HELP,)))
    return "\n\n".join(map(translator.gettext, about))


def help_columns(forms: Sequence[tuple[str, str]], translator: Translator) -> list[str]:
    """Lines that say what can be typed, and beside it in `translator` what it does."""
    begins = max(len(typed) for typed, _ in forms) + 2
    said = ((typed, fold(translator.gettext(does), HELP_WIDTH - begins)) for typed, does in forms)
    return [
        f"{typed if at == 0 else '':<{begins}}{line}"
        for typed, parts in said
        for at, line in enumerate(parts)
    ]


def admin_help(begin: str, translator: Translator) -> str:
    """What can be said behind `begin`, a line each, in `translator`."""
    return "\n".join(
        [
            f"{begin}:",
            *help_columns(ADMIN_COMMANDS, translator),
            "",
            *fold(" ".join(map(translator.gettext, GENERAL_HELP)), HELP_WIDTH),
            "",
        ]
    )


class ListConnections(msgspec.Struct, frozen=True):
    """List who is connected."""


class ListAllTables(msgspec.Struct, frozen=True):
    """List all tables."""


class CloseTables(msgspec.Struct, frozen=True):
    """Close the tables `codes`, those that were opened from `source`, and (`unplayed`) those that nobody has begun.

    `maybe`: words behind the first codes that look like more of them; the reason begins with those that are none.
    """

    codes: tuple[str, ...]
    reason: str
    source: str = ""
    unplayed: bool = False
    maybe: tuple[str, ...] = ()

    def named(self, opened: Set[str]) -> tuple[tuple[str, ...], str]:
        """The codes that are named where the tables `opened` are, each once, and the reason.

        A word as `spam` is a code only where there is such a table. One in capitals or with a digit always is: as the
        reason, a code with a slip in it would tell strangers what to look for.
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
    """What stands between the commas of `word`, in capitals; a comma at its end is none, as in `K7QP, ABCD`."""
    return [code for code in word.upper().split(",") if code]


def is_unambiguous_code(word: str) -> bool:
    """Whether a word that looks like codes is written as no word of a reason is."""
    return word.isupper() or any(map(str.isdigit, word))


class Announce(msgspec.Struct, frozen=True):
    """Say `text` to everybody."""

    text: str


class Kick(msgspec.Struct, frozen=True):
    """End the visit of `who`: a name, or a connection's number."""

    who: str
    reason: str


class Mute(msgspec.Struct, frozen=True):
    """Nobody hears `who` until then (Unix seconds, None for ever); `said`: whether the host has said a time."""

    who: str
    until: int | None
    reason: str
    said: bool = True


class Unmute(msgspec.Struct, frozen=True):
    """`who` is heard again."""

    who: str


class AddBan(msgspec.Struct, frozen=True):
    """Ban `what` until then (Unix seconds, None for ever); `said`: whether the host has said a time."""

    kind: BanKind
    what: str
    until: int | None
    reason: str
    said: bool = True


class ListBans(msgspec.Struct, frozen=True):
    """List the bans."""


class RemoveBan(msgspec.Struct, frozen=True):
    """End the ban of that number."""

    number: int


class ListReports(msgspec.Struct, frozen=True):
    """List what was reported; or (`done`, not 0) the report of that number was dealt with."""

    done: int = 0


class PruneGames(msgspec.Struct, frozen=True):
    """Remove finished games: that ended `before` then (Unix seconds), or those that the settings let go (None).

    `dry`: only count them.
    """

    before: int | None = None
    dry: bool = False


class Drain(msgspec.Struct, frozen=True):
    """Let the house end with its games, at the latest `within` seconds from now."""

    within: float


class Undrain(msgspec.Struct, frozen=True):
    """The house goes on."""


class ReloadSettings(msgspec.Struct, frozen=True):
    """Read the settings again."""


class ShowHealth(msgspec.Struct, frozen=True):
    """Say how the house does."""


class ShowAdminHelp(msgspec.Struct, frozen=True):
    """Say what can be said."""


AdminCommand = (
    ListConnections
    | ListAllTables
    | CloseTables
    | Announce
    | Kick
    | Mute
    | Unmute
    | AddBan
    | ListBans
    | RemoveBan
    | ListReports
    | PruneGames
    | Drain
    | Undrain
    | ReloadSettings
    | ShowHealth
    | ShowAdminHelp
)

READ_ONLY: Final = (ListConnections, ListAllTables, ListBans, ShowHealth, ShowAdminHelp)
"""Those that change nothing."""
