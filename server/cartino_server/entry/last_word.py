"""What a visit leaves on the terminal when it has ended."""

import re
from typing import Any, Final

from cartino_protocol.marking import N_
from cartino_server.entry.errors import FAILURE
from cartino_server.entry.speaking import err, out, own_tongue

NONSENSE: Final = N_(
    "The visit broke off, since this program can't deal with what the house said ({error}); update the older of the "
    "two, and don't go there again if that doesn't help."
)
_PLACE: Final = re.compile(r'^  File "(?:.*[/\\])?([\w.-]+)", line (\d+), in ', re.MULTILINE)
_KIND: Final = re.compile(r"^(?:[\w.]+\.)?(\w+)(?::|$)", re.MULTILINE)
_CAUSED: Final = "\nThe above exception was the direct cause"


def finish(app: Any, *, far: bool = False) -> int:
    """Say the last word of `app` (a SessionApp), or on stderr why it crashed; its exit code. `far` as in `broke`."""
    if app.crash:
        return broke(app.crash, far=far)
    if app.return_value:
        out(*str(app.return_value).splitlines())
    return app.return_code or 0


def broke(crash: str, *, far: bool) -> int:
    """Say on stderr that a visit ended with the traceback `crash`; the exit code.

    `far`: the house is somebody else's, and may say what it likes, so what broke may well be its doing: nobody is
    shown a traceback for that.
    """
    if far:
        err(own_tongue().say(NONSENSE, error=_in_short(crash)))
    else:
        sorry = own_tongue().say("The table has crashed, sorry; this is what a report of it should hold:")
        err(sorry, *crash.splitlines())
    return FAILURE


def _in_short(crash: str) -> str:
    """What kind of error and where, in no words that a house may have chosen."""
    first = crash.partition(_CAUSED)[0]
    places = _PLACE.findall(first)
    kinds = _KIND.findall(first[first.rfind('  File "') :])
    kind = kinds[-1] if kinds else "error"
    return " ".join([kind, *(f"{file}:{line}" for file, line in places[-1:])])
