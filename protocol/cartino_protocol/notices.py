"""Notices of the server's host and of a table: closed lists of kinds, each with its English sentence.

A notice travels as its kind with the names it needs, so everybody reads it in their own language.
"""

import re
from typing import Annotated, Final, Literal

import msgspec

from cartino_protocol.base import Message, Row
from cartino_protocol.text import N_, LazyMessage, legible

MAX_NOTICE_LENGTH: Final = 300
"""Characters of a host's notice or reason."""
HOST_MARK: Final = "***"
"""Stands before every notice of the host; removed from everything that players type."""
_LOOKS_LIKE_HOST_MARK: Final = re.compile(r"[*٭⁎∗﹡＊★𐌟]{3,}")
"""What looks like it, at least in ASCII."""

AnnouncementKind = Literal["says", "ends", "stays", "muted", "heard", "reason", "lost", "guest"]

ANNOUNCEMENTS: Final[dict[AnnouncementKind, str]] = {
    "says": N_("The host says: {text}"),
    "ends": N_("The server stops when the running games are over; no new ones can start."),
    "stays": N_("The server keeps running after all; new games can start."),
    "muted": N_("The host muted you: others don't see your messages."),
    "heard": N_("You're no longer muted: others see your messages again."),
    "reason": N_("The host's reason: {text}"),
    "lost": N_("Closed while you were away, because the server had too many tables: {text}."),
    "guest": N_("You're a guest: your key can't be used here ({text}). Use an Ed25519 key."),
}
_MUTE_MESSAGES: Final = {
    (False, True): N_("The host muted you until {until} UTC."),
    (True, False): N_("The host muted you: {text}"),
    (True, True): N_("The host muted you until {until} UTC: {text}"),
}
"""With a reason, with an end."""

Expulsion = Literal["kicked", "banned", "banned-name", "banned-source", "full"]
"""Why somebody is sent away or not let in; "full": they had no seat and their place was needed."""

_EXPULSION_MESSAGES: Final[dict[Expulsion, tuple[str, ...]]] = {
    "kicked": (N_("The host disconnected you."), N_("The host disconnected you: {text}")),
    "banned": (
        N_("You're banned from this server."),
        N_("You're banned from this server: {text}"),
        N_("You're banned from this server until {until} UTC."),
        N_("You're banned from this server until {until} UTC: {text}"),
    ),
    "banned-name": (
        N_("That name is banned here. Use another one."),
        N_("That name is banned here, so use another one: {text}"),
        N_("That name is banned here until {until} UTC. Use another one."),
        N_("That name is banned here until {until} UTC, so use another one: {text}"),
    ),
    "banned-source": (
        N_("Your address is banned from this server."),
        N_("Your address is banned from this server: {text}"),
        N_("Your address is banned from this server until {until} UTC."),
        N_("Your address is banned from this server until {until} UTC: {text}"),
    ),
    "full": (
        N_(
            "The server is full, and your place went to a new player. With a running game you can come back now; "
            "otherwise try later."
        ),
    ),
}
"""Bare, with a reason, with an end, with both; some have no end, or neither."""

NoticeText = Annotated[str, msgspec.Meta(max_length=MAX_NOTICE_LENGTH)]
NoticeEnd = Annotated[str, msgspec.Meta(max_length=16)]


class Announced(Message, frozen=True):
    """A notice or an action of the host.

    `text`: the notice, the reason, the codes of lost tables, or what is wrong with a guest's key; "reason" answers chat
    of a muted person. `until`: when it ends, as "2026-01-31 12:00" (UTC), "" for never.
    """

    word: AnnouncementKind
    text: NoticeText = ""
    until: NoticeEnd = ""

    def words(self) -> LazyMessage:
        """Return the notice as a message."""
        places = {"text": self.text, "until": self.until}
        form = ANNOUNCEMENTS[self.word]
        if self.word == "muted":
            form = _MUTE_MESSAGES.get((bool(self.text), bool(self.until)), form)
        return LazyMessage(form, places)


def expulsion_message(why: Expulsion, text: str = "", until: str = "") -> LazyMessage:
    """Return the message for somebody sent away for `text` and until `until`, "" for none."""
    forms = _EXPULSION_MESSAGES[why]
    form = forms[(bool(text) + 2 * bool(until)) % len(forms)]
    return LazyMessage(form, {"text": text, "until": until})


def strip_host_mark(text: str) -> str:
    """Return `text` without what looks like the host's mark."""
    return _LOOKS_LIKE_HOST_MARK.sub(HOST_MARK[1:], text)


_SeatNotice = Literal["watches", "sits", "stands", "left", "cut-off", "back", "not-back", "renamed", "leads"]
_GameNotice = Literal[
    "time-up", "away", "plays-again", "replaced", "first-move", "paused", "goes-on", "not-kept"
]
_DealNotice = Literal["daily", "practice", "duplicate", "duplicate-played", "deal-closed", "deal-opened"]
NoticeKind = Literal[_SeatNotice, _GameNotice, _DealNotice, "restarts"]

NOTICES: dict[NoticeKind, str] = {
    "watches": N_("{name} is watching"),
    "sits": N_("{name} takes a seat"),
    "stands": N_("{name} leaves the seat"),
    "left": N_("{name} left"),
    "cut-off": N_("{name} lost the connection"),
    "back": N_("{name} is back"),
    "not-back": N_("{name} hasn't returned"),
    "renamed": N_("{name} is now {other}"),
    "time-up": N_("{name}'s time is up: a substitute bot plays this turn"),
    "away": N_("{name} is away: a substitute bot plays"),
    "plays-again": N_("{name} plays again"),
    "replaced": N_("bot {name} failed: {other} takes over"),
    "first-move": N_("bot {name} failed: the first legal move is played"),
    "paused": N_("the game is paused"),
    "goes-on": N_("the game resumes"),
    "leads": N_("{name} leads the review: f opens it"),
    "restarts": N_("The server restarts in a moment; your seat is kept."),
    "daily": N_("One attempt, until 00:00 UTC."),
    "practice": N_("One attempt, until 00:00 UTC: practice, without ranks."),
    "duplicate": N_("Code {name}: others play this deal, until {other} UTC."),
    "duplicate-played": N_("Code {name}: the results of this duplicate match."),
    "deal-closed": N_("This deal is over: you can play on, but the game no longer counts."),
    "deal-opened": N_("This deal is over: its results are complete, and this game can be reviewed."),
    "not-kept": N_("You've reached today's limit of games: this one isn't kept and doesn't count."),
}


class News(Row, frozen=True):
    """A kind of event (`word`), whose it is, and the `other` name in its sentence, "" for none.

    `replaced` and `first-move`: a bot, `name`, is taken away; `renamed`: the person is now `other`.
    """

    word: NoticeKind
    name: str = ""
    other: str = ""

    def words(self) -> LazyMessage:
        """Return the event as a message."""
        return LazyMessage(NOTICES[self.word], {"name": legible(self.name), "other": legible(self.other)})


class Notice(Row, frozen=True):
    """An event at a table; `n` counts together with the lines of chat."""

    n: int
    news: News
