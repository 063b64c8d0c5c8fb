"""How a visit ends: the one sentence a person reads when their terminal is their own again, and the exit code."""

import msgspec

from cartino_protocol.views import Bye

OWN_WISH, WRONG_VERSION, LINE_ENDED = 0, 1, 3


class Farewell(msgspec.Struct, frozen=True):
    """The sentence ("" for none) and the exit code."""

    sentence: str = ""
    code: int = OWN_WISH


VERSION = Farewell(
    "This program speaks another version of the protocol than the house; update the older of the two.",
    WRONG_VERSION,
)
UNREADABLE = Farewell(
    "The house showed a table that this program can't draw; update the older of the two.", WRONG_VERSION
)
CLOSED = Farewell("The line to the house is gone; your seat is kept, so come back the same way.", LINE_ENDED)
GUEST_CLOSED = Farewell("The line to the house is gone; come back the same way.", LINE_ENDED)
_BYES = {
    "shutdown": Farewell(
        "The house closes, and running games with it; try again in a few minutes.", LINE_ENDED
    ),
    "version": VERSION,
    "kicked": Farewell("The house ended this visit.", LINE_ENDED),
}


def farewell(bye: Bye) -> Farewell:
    """What to tell the person whom the house says `bye`."""
    return _BYES[bye.why]
