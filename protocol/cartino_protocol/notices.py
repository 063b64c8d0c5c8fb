"""Notices of the server's host and of a table: closed lists of kinds, each with its English sentence.

A notice travels as its kind with the names it needs, so every reader reads it in their own language. Host notices begin
with a mark that is removed from everything that players type.
"""

import re
from typing import Annotated, Final, Literal

import msgspec

from cartino_protocol.base import Message, Row
from cartino_protocol.text import N_, LazyMessage, legible

MAX_NOTICE_LENGTH: Final = 300
"""Characters of what the host says, and of a reason."""
HOST_MARK: Final = "***"
"""Stands before what the host says, wherever it is shown, and in no name and no line of talk."""
_LOOKS_LIKE_HOST_MARK: Final = re.compile(r"[*٭⁎∗﹡＊★𐌟]{3,}")
"""What looks like it, or is drawn so where there is only ASCII."""

AnnouncementKind = Literal["says", "ends", "stays", "muted", "heard", "reason", "lost"]

ANNOUNCEMENTS: Final[dict[AnnouncementKind, str]] = {
    "says": N_("The host says: {text}"),
    "ends": N_("The house ends when the games that run are over; no new ones begin."),
    "stays": N_("The house goes on after all; new games may begin."),
    "muted": N_("The host has muted you: others don't hear what you say."),
    "heard": N_("You are no longer muted: others hear what you say."),
    "reason": N_("The host's reason: {text}"),
    "lost": N_("Given up while you were away, since the house had too many tables: {text}."),
}
_MUTE_MESSAGES: Final = {
    (False, True): N_("The host has muted you until {until} UTC."),
    (True, False): N_("The host has muted you: {text}"),
    (True, True): N_("The host has muted you until {until} UTC: {text}"),
}
"""With a reason, with an end."""

Expulsion = Literal["kicked", "banned", "banned-name", "banned-source", "full"]
"""Why somebody has to go, or doesn't come in: for now, or because they, their name or their address is banned.

"full": they had no seat, and somebody else has come.
"""

_FULL_MESSAGE: Final = N_(
    "The house is full, and your place went to a newcomer; come back in a while, or at once to a game that runs."
)

_EXPULSION_MESSAGES: Final[dict[Expulsion, tuple[str, str, str, str]]] = {
    "kicked": (
        N_("The host has ended your visit."),
        N_("The host has ended your visit: {text}"),
        N_("The host has ended your visit."),
        N_("The host has ended your visit: {text}"),
    ),
    "banned": (
        N_("You are banned from this house."),
        N_("You are banned from this house: {text}"),
        N_("You are banned from this house until {until} UTC."),
        N_("You are banned from this house until {until} UTC: {text}"),
    ),
    "banned-name": (
        N_("That name is banned here; come by another one."),
        N_("That name is banned here, so come by another one: {text}"),
        N_("That name is banned here until {until} UTC; come by another one."),
        N_("That name is banned here until {until} UTC, so come by another one: {text}"),
    ),
    "banned-source": (
        N_("Your address is banned from this house."),
        N_("Your address is banned from this house: {text}"),
        N_("Your address is banned from this house until {until} UTC."),
        N_("Your address is banned from this house until {until} UTC: {text}"),
    ),
    "full": (_FULL_MESSAGE, _FULL_MESSAGE, _FULL_MESSAGE, _FULL_MESSAGE),
}
"""Bare, with a reason, with an end, with both."""

NoticeText = Annotated[str, msgspec.Meta(max_length=MAX_NOTICE_LENGTH)]
NoticeEnd = Annotated[str, msgspec.Meta(max_length=16)]


class Announced(Message, frozen=True):
    """The host says something, or has had something done that concerns whoever gets this.

    `text` is what is said, the reason, or the codes of tables that were lost; "reason" comes with the refusal of what
    a muted person says. `until` is when it ends, as "2026-01-31 12:00" (UTC), "" for never.
    """

    word: AnnouncementKind
    text: NoticeText = ""
    until: NoticeEnd = ""

    def words(self) -> LazyMessage:
        """The sentence, to be told."""
        places = {"text": self.text, "until": self.until}
        form = ANNOUNCEMENTS[self.word]
        if self.word == "muted":
            form = _MUTE_MESSAGES.get((bool(self.text), bool(self.until)), form)
        return LazyMessage(form, places)


def expulsion_message(why: Expulsion, text: str = "", until: str = "") -> LazyMessage:
    """What somebody reads who is sent away: with the reason `text` and the end `until`, where there are any."""
    form = _EXPULSION_MESSAGES[why][bool(text) + 2 * bool(until)]
    return LazyMessage(form, {"text": text, "until": until})


def strip_host_mark(text: str) -> str:
    """`text` as somebody may say it who is not the host: with a star less."""
    return _LOOKS_LIKE_HOST_MARK.sub(HOST_MARK[1:], text)


NoticeKind = Literal[
    "watches",
    "sits",
    "stands",
    "left",
    "cut-off",
    "back",
    "not-back",
    "renamed",
    "time-up",
    "away",
    "plays-again",
    "replaced",
    "first-move",
    "paused",
    "goes-on",
    "restarts",
    "not-kept",
]

NOTICES: dict[NoticeKind, str] = {
    "watches": N_("{name} is watching"),
    "sits": N_("{name} sits down"),
    "stands": N_("{name} stands up"),
    "left": N_("{name} left"),
    "cut-off": N_("{name} was cut off"),
    "back": N_("{name} is back"),
    "not-back": N_("{name} did not come back"),
    "renamed": N_("{name} is now {other}"),
    "time-up": N_("{name}'s time is up: a stand-in plays this turn"),
    "away": N_("a stand-in plays for {name}, who is away"),
    "plays-again": N_("{name} plays again"),
    "replaced": N_("{name} can't go on: {other} plays"),
    "first-move": N_("{name} can't go on: the first legal move plays"),
    "paused": N_("the game is paused"),
    "goes-on": N_("the game goes on"),
    "restarts": N_("The house restarts in a moment; your seat is kept."),
    "not-kept": N_("Today's limit of games is reached: this one isn't kept and doesn't count."),
}


class News(Row, frozen=True):
    """What happened: its `word`, whose it is, and the `other` name that the sentence has, "" for none.

    `replaced` and `first-move`: a bot, `name`, is taken away; `renamed`: somebody is `other` from now on.
    """

    word: NoticeKind
    name: str = ""
    other: str = ""

    def words(self) -> LazyMessage:
        """The sentence, to be told."""
        return LazyMessage(NOTICES[self.word], {"name": legible(self.name), "other": legible(self.other)})


class Notice(Row, frozen=True):
    """A notice at a table: `n` is its place among the lines of chat, which it shares its numbers with."""

    n: int
    news: News
