"""What whoever keeps the house has to say: to everybody, to one, and to those whom they send away."""

import re
from typing import Annotated, Final, Literal

import msgspec

from cartino_protocol.base import Message
from cartino_protocol.marking import N_, Sentence

LONGEST: Final = 300
"""Characters of what the host says, and of a reason."""
MARK: Final = "***"
"""Stands before what the host says, wherever it is shown, and in no name and no line of talk."""
_MARK_OF_OTHERS: Final = re.compile(r"[*٭⁎∗﹡＊★𐌟]{3,}")
"""What looks like it, or is drawn so where there is only ASCII."""

AnnouncedWord = Literal["says", "ends", "stays", "muted", "heard", "reason", "lost"]

SENTENCES: Final[dict[AnnouncedWord, str]] = {
    "says": N_("The host says: {text}"),
    "ends": N_("The house ends when the games that run are over; no new ones begin."),
    "stays": N_("The house goes on after all; new games may begin."),
    "muted": N_("The host has muted you: others don't hear what you say."),
    "heard": N_("You are no longer muted: others hear what you say."),
    "reason": N_("The host's reason: {text}"),
    "lost": N_("Given up while you were away, since the house had too many tables: {text}."),
}
_MUTED: Final = {
    (False, True): N_("The host has muted you until {until} UTC."),
    (True, False): N_("The host has muted you: {text}"),
    (True, True): N_("The host has muted you until {until} UTC: {text}"),
}
"""With a reason, with an end."""

Expulsion = Literal["kicked", "banned", "banned-name", "banned-source", "full"]
"""Why somebody has to go, or doesn't come in: for now, or because they, their name or their address is banned.

"full": they had no seat, and somebody else has come.
"""

_FULL: Final = N_(
    "The house is full, and your place went to a newcomer; come back in a while, or at once to a game that runs."
)

_EXPELLED: Final[dict[Expulsion, tuple[str, str, str, str]]] = {
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
    "full": (_FULL, _FULL, _FULL, _FULL),
}
"""Bare, with a reason, with an end, with both."""

Text = Annotated[str, msgspec.Meta(max_length=LONGEST)]
When = Annotated[str, msgspec.Meta(max_length=16)]


class Announced(Message, frozen=True):
    """The host says something, or has had something done that concerns whoever gets this.

    `text` is what is said, the reason, or the codes of tables that were lost; "reason" comes with the refusal of what
    a muted person says. `until` is when it ends, as "2026-01-31 12:00" (UTC), "" for never.
    """

    word: AnnouncedWord
    text: Text = ""
    until: When = ""

    def words(self) -> Sentence:
        """The sentence, to be told."""
        places = {"text": self.text, "until": self.until}
        form = SENTENCES[self.word]
        if self.word == "muted":
            form = _MUTED.get((bool(self.text), bool(self.until)), form)
        return Sentence(form, places)


def expelled(why: Expulsion, text: str = "", until: str = "") -> Sentence:
    """What somebody reads who is sent away: with the reason `text` and the end `until`, where there are any."""
    form = _EXPELLED[why][bool(text) + 2 * bool(until)]
    return Sentence(form, {"text": text, "until": until})


def unmarked(text: str) -> str:
    """`text` as somebody may say it who is not the host: with a star less."""
    return _MARK_OF_OTHERS.sub(MARK[1:], text)
