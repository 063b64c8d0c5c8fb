"""What a host may say behind `admin`, and what is told of it. How the words are read is in `reading.py`."""

from typing import Final, Literal

import msgspec

from cartino_protocol.marking import N_
from cartino_server.entry.words import WIDTH
from cartino_tui.draw.text import fold
from cartino_tui.tongue import Tongue

BanKind = Literal["key", "source", "name"]

OFFERED: Final = (
    ("who", N_("who is connected, with the number of each connection; with --json, their keys")),
    ("rooms", N_("all tables, private ones too")),
    ("close CODE [REASON]", N_("close a table, or (CODE,CODE) several; their people go on in the lobby")),
    ("close --from WHERE", N_("those that were opened from an address or a network; a REASON may follow")),
    ("close --unplayed", N_("those at which nobody is and no person has made a move; a REASON may follow")),
    ("say TEXT", N_("say something to everybody who is here")),
    ("kick NAME [REASON]", N_("end the visit of a person, or (NUMBER) of one connection")),
    ("mute NAME [TIME] [REASON]", N_("nobody hears any more what that person says")),
    ("unmute NAME", N_("they are heard again")),
    ("ban key WHO [TIME] [REASON]", N_("a person, with all their keys")),
    ("ban source WHERE [TIME] [REASON]", N_("an address or a network, as 203.0.113.0/24")),
    ("ban name NAME [TIME] [REASON]", N_("nobody comes in under that name, or one that looks like it")),
    ("bans", N_("the bans, by their numbers")),
    ("unban NUMBER", N_("end that ban")),
    ("reports", N_("lines of talk that were reported; --done NUMBER: one was dealt with")),
    ("drain [TIME]", N_("no new games; the house ends with the last that runs, or after that time")),
    ("undrain", N_("the house goes on after all")),
    ("reload", N_("read the settings again")),
    ("health", N_("how the house does")),
    ("help [VERB]", N_("this, or all about a verb; so does help behind it")),
)
"""What can be typed, and what it does."""

EXPLAINED: Final = N_(
    "TIME is `for 2h` (s, m, h, d, w; `1h30m` too), `until 2026-01-31` (UTC; a clock time may follow) or `for good`; "
    "without it, a mute or a ban lasts a day. A REASON may begin with `because`; whoever it concerns reads it. WHO is "
    "a fingerprint (SHA256:…), a name, or the number of a connection. Add --json for programs. All that is done "
    "stands in audit.log in the data directory."
)


def help_text(begin: str, tongue: Tongue) -> str:
    """What can be said behind `begin`, a line each, in `tongue`."""
    begins = max(len(typed) for typed, _ in OFFERED) + 2
    said = ((typed, fold(tongue.say(does), WIDTH - begins)) for typed, does in OFFERED)
    lines = [
        f"{typed if at == 0 else '':<{begins}}{line}"
        for typed, parts in said
        for at, line in enumerate(parts)
    ]
    return "\n".join([f"{begin}:", *lines, "", *fold(tongue.say(EXPLAINED), WIDTH), ""])


class Who(msgspec.Struct, frozen=True):
    """List who is connected."""


class Rooms(msgspec.Struct, frozen=True):
    """List all tables."""


class CloseRoom(msgspec.Struct, frozen=True):
    """Close the tables `codes`, those that were opened from `source`, and (`unplayed`) those that nobody has begun."""

    codes: tuple[str, ...]
    reason: str
    source: str = ""
    unplayed: bool = False


class SayAll(msgspec.Struct, frozen=True):
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


class MakeBan(msgspec.Struct, frozen=True):
    """Ban `what` until then (Unix seconds, None for ever); `said`: whether the host has said a time."""

    kind: BanKind
    what: str
    until: int | None
    reason: str
    said: bool = True


class ListBans(msgspec.Struct, frozen=True):
    """List the bans."""


class Unban(msgspec.Struct, frozen=True):
    """End the ban of that number."""

    number: int


class Reports(msgspec.Struct, frozen=True):
    """List what was reported; or (`done`, not 0) the report of that number was dealt with."""

    done: int = 0


class Drain(msgspec.Struct, frozen=True):
    """Let the house end with its games, at the latest `within` seconds from now."""

    within: float


class Undrain(msgspec.Struct, frozen=True):
    """The house goes on."""


class Reload(msgspec.Struct, frozen=True):
    """Read the settings again."""


class Health(msgspec.Struct, frozen=True):
    """Say how the house does."""


class Help(msgspec.Struct, frozen=True):
    """Say what can be said."""


Verb = (
    Who
    | Rooms
    | CloseRoom
    | SayAll
    | Kick
    | Mute
    | Unmute
    | MakeBan
    | ListBans
    | Unban
    | Reports
    | Drain
    | Undrain
    | Reload
    | Health
    | Help
)

HARMLESS: Final = (Who, Rooms, ListBans, Health, Help)
"""Those that change nothing."""
