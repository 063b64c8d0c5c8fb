"""How a visit ends: the one sentence a person reads when their terminal is their own again, and the exit code."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

import msgspec

from cartino_protocol.hosts_words import expelled
from cartino_protocol.marking import N_, NOTHING, Sentence, later
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Bye
from cartino_tui.account import deleted_words
from cartino_tui.door import Door
from cartino_tui.draw.text import fold
from cartino_tui.hosts_words import printable
from cartino_tui.known import Known, has_seat
from cartino_tui.own_keys import added_words

OWN_WISH, WRONG_VERSION, LINE_ENDED = 0, 1, 3

_Why = Literal["closed", "shutdown", "own wish"]
_Way = Literal["word", "seat", "again"]
"""How somebody comes back: by a guest's word, to a seat that is kept for them, as somebody who is new."""

_SENTENCES: Final[Mapping[_Why, Mapping[_Way, str]]] = MappingProxyType(
    {
        "closed": {
            "word": N_(
                "The line to the house is gone; your seat is kept, and this brings you back to it:\n{command}"
            ),
            "seat": N_("The line to the house is gone; your seat is kept: connect again the same way."),
            "again": N_("The line to the house is gone; connect again the same way."),
        },
        "shutdown": {
            "word": N_("Back in a moment; your seat is kept, and this brings you back to it:\n{command}"),
            "seat": N_("Back in a moment; your seat is kept: connect again the same way."),
            "again": N_("Back in a moment; connect again the same way."),
        },
        "own wish": {
            "word": N_("Your seat is kept, and this brings you back to it:\n{command}"),
            "seat": N_("Your seat is kept: connect again the same way."),
            "again": N_("Connect again the same way."),
        },
    }
)


class Farewell(msgspec.Struct, frozen=True):
    """The sentence ("" for none) and the exit code. A command to type stands below it, on a line of its own."""

    sentence: Sentence = NOTHING
    code: int = OWN_WISH


VERSION = Farewell(
    later("This program speaks another version of the protocol than the house; update the older of the two."),
    WRONG_VERSION,
)
UNREADABLE = Farewell(
    later("The house showed a table that this program can't draw; update the older of the two."),
    WRONG_VERSION,
)

KEY_GONE = Farewell(
    later("The key that you came with was dropped, so it is somebody else's; come with another of yours."),
    LINE_ENDED,
)
KEY_ADDED = Farewell(Sentence(added_words()), OWN_WISH)
DELETED = Farewell(Sentence(deleted_words()), OWN_WISH)


def in_lines(told: str, cells: int) -> str:
    """The last word `told`, broken between its words for a terminal of so many cells; commands below it stay whole."""
    sentence, *commands = told.split("\n")
    return "\n".join([*fold(sentence, max(cells, 1), unbroken=True), *commands])


def closed(known: Known, door: Door) -> Farewell:
    """The line to the house is gone, for somebody who knew `known`; `door` as in `HouseApp`."""
    return Farewell(_way_back("closed", known, door), LINE_ENDED)


def farewell(bye: Bye | Refusal, known: Known, door: Door) -> Farewell:
    """What to tell the person whom the house says `bye`, or whose greeting it refuses: the versions differ."""
    if isinstance(bye, Refusal):
        return VERSION
    match bye.why:
        case "shutdown":
            return Farewell(_way_back("shutdown", known, door), LINE_ENDED)
        case "version":
            return VERSION
        case "key":
            return KEY_GONE
        case "key-added":
            return KEY_ADDED
        case "deleted":
            return DELETED
        case "kicked" | "banned" | "banned-name" | "banned-source" | "full":
            return Farewell(expelled(bye.why, printable(bye.text), printable(bye.until)), LINE_ENDED)


def own_wish(known: Known, door: Door) -> Farewell:
    """Somebody leaves: not a word, but how to come back where a seat in a running game waits for them.

    Without words for the `door` nobody comes back.
    """
    if not door.words or not has_seat(known, "playing"):
        return Farewell()
    return Farewell(_way_back("own wish", known, door))


def _way_back(why: _Why, known: Known, door: Door) -> Sentence:
    welcome = known.welcome
    if welcome is not None and welcome.word:
        return Sentence(_SENTENCES[why]["word"], {"command": door.back(welcome.word)})
    # A guest without a word is somebody else the next time.
    if welcome is not None and not welcome.guest and has_seat(known, "open", "playing"):
        return Sentence(_SENTENCES[why]["seat"])
    return Sentence(_SENTENCES[why]["again"])
