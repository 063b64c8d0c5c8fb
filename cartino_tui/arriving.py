"""What is said to somebody who comes to the lobby, or back to a table."""

from collections.abc import Mapping
from typing import Final

from cartino_protocol.marking import N_, Sentence
from cartino_protocol.views import Left, Mine, MissedFor, Welcome
from cartino_tui.hosts_words import printable
from cartino_tui.tongue import Tongue

LEFT: Final[Mapping[str, str]] = {
    "left": "",
    "closed": N_("The table was closed."),
    "broken": N_("Sorry: something broke at that table, so it was closed. The others go on."),
    "host": N_("The host has closed that table."),
    "moved": N_("Your seat is at your other terminal now; Enter brings it back here."),
}
"""Why one is back in the lobby, by what the house says."""
HOST_CLOSED: Final = N_("The host has closed that table: {text}")
BACK: Final = N_("Welcome back.")
LINE_BACK: Final = N_("The line is back.")
NOT_NEW: Final = N_("You are back at your table; n in the lobby opens another.")
NO_TABLE: Final = N_("You are who you were, but no table waits for you any more.")


KEPT: Final = N_("Your table {code} is kept, but {game} can't be played here now. Ask the host.")


MISSED: Final[Mapping[MissedFor, str]] = {
    "name-taken": N_("You are {name} here: {missed} is somebody else's name, or looks like one."),
    "bad-name": N_(
        "You are {name} here: {missed} is no name of 2 to 16 letters (wide ones count twice) or digits with - _ . ' "
        "between them."
    ),
    "mixed-name": N_("You are {name} here: {missed} is written in several scripts."),
    "house-name": N_('"{missed}" is reserved, so you are playing as {name}.'),
}
"""Why one is called otherwise than one asked to be, by what the house says."""


def name_missed(welcome: Welcome) -> Sentence:
    """Why one is called otherwise than one asked to be."""
    named = {"missed": printable(welcome.missed), "name": printable(welcome.name)}
    return Sentence(MISSED[welcome.missed_for], named)


def kept_tables(mine: Mine, tongue: Tongue) -> str:
    """Say which of one's tables wait for a game that is not installed; "" where there are none."""
    return " ".join(tongue.say(KEPT, code=code, game=printable(game)) for code, game in mine.kept)


def why_left(left: Left) -> Sentence:
    """Why one is back in the lobby; an empty sentence where one wanted to be."""
    if left.why == "host" and left.text:
        return Sentence(HOST_CLOSED, {"text": printable(left.text)})
    return Sentence(LEFT[left.why])
