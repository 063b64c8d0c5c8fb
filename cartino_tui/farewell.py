"""How a visit ends: the one sentence a person reads when their terminal is their own again, and the exit code."""

import msgspec

from cartino_protocol.views import Bye
from cartino_tui.door import Door
from cartino_tui.known import Known, has_seat

OWN_WISH, WRONG_VERSION, LINE_ENDED = 0, 1, 3


class Farewell(msgspec.Struct, frozen=True):
    """The sentence ("" for none) and the exit code. A command to type stands below it, on a line of its own."""

    sentence: str = ""
    code: int = OWN_WISH


VERSION = Farewell(
    "This program speaks another version of the protocol than the house; update the older of the two.",
    WRONG_VERSION,
)
UNREADABLE = Farewell(
    "The house showed a table that this program can't draw; update the older of the two.", WRONG_VERSION
)
KICKED = Farewell("The house ended this visit.", LINE_ENDED)


def closed(known: Known, door: Door) -> Farewell:
    """The line to the house is gone, for somebody who knew `known`; `door` as in `HouseApp`."""
    return Farewell(f"The line to the house is gone; {_way_back(known, door)}", LINE_ENDED)


def farewell(bye: Bye, known: Known, door: Door) -> Farewell:
    """What to tell the person whom the house says `bye`."""
    match bye.why:
        case "shutdown":
            return Farewell(f"Back in a moment; {_way_back(known, door)}", LINE_ENDED)
        case "version":
            return VERSION
        case "kicked":
            return KICKED


def own_wish(known: Known, door: Door) -> Farewell:
    """Somebody leaves: not a word, but how to come back where a seat in a running game waits for them.

    Without words for the `door` nobody comes back.
    """
    if not door.words or not has_seat(known, "playing"):
        return Farewell()
    way = _way_back(known, door)
    return Farewell(f"{way[0].upper()}{way[1:]}")


def _way_back(known: Known, door: Door) -> str:
    welcome = known.welcome
    if welcome is not None and welcome.word:
        return f"your seat is kept, and this brings you back to it:\n{door.back(welcome.word)}"
    # A guest without a word is somebody else the next time.
    if welcome is not None and not welcome.guest and has_seat(known, "open", "playing"):
        return "your seat is kept: connect again the same way."
    return "connect again the same way."
