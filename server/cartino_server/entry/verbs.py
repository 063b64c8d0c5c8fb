"""What may be said behind `ssh host`: the words that lead to a table, and those answered without a terminal.

How the words are read is in `reading.py`.
"""

import textwrap
from typing import Final

import msgspec

from cartino_protocol.ids import Absence, Clock
from cartino_protocol.marking import N_
from cartino_server.entry.words import WIDTH
from cartino_tui.tongue import ENGLISH, Tongue

_OFFERED: Final = (
    ("ssh HOST", N_("the lobby")),
    ("ssh -t HOST join CODE", N_("straight to a table, to sit down there")),
    ("ssh -t HOST watch CODE", N_("straight to a table, to look on")),
    ("ssh -t HOST new [OPTIONS]", N_("open a table; `help new` has the options")),
    ("ssh -t HOST back WORD", N_("a guest's seat again, by the word that came with it")),
    ("ssh -t HOST learn", N_("how to play, at a table of your own, in three minutes")),
    ("ssh HOST games [--json]", N_("the tables here; --finished: the games that are over")),
    ("ssh HOST export CODE", N_("a game's record; a running one's without its secrets")),
    ("ssh HOST help [COMMAND]", N_("this, or all that one of these can do")),
)
"""What can be typed, and what it does."""

GAMES_EXPLAINED = N_(
    "A line for people: the table's code, the game and its options, how far it is (open: not begun; playing, "
    "paused, finished), then the seats in order. "
    '"(to move)" stands behind those whose move the table waits for.\n\n'
    "With --finished: the game's name, the day it ended (UTC), the game and its options, the seats in order with "
    'their totals, and why it ended. "(won)" stands behind who has won; several have won together.'
)
"""What `games` prints."""


def help_text(tongue: Tongue = ENGLISH) -> str:
    """What can be said behind `ssh`, a line each, in `tongue`."""
    begins = max(len(typed) for typed, _ in _OFFERED) + 3
    said = ((typed, textwrap.wrap(tongue.say(does), WIDTH - begins)) for typed, does in _OFFERED)
    return "".join(
        f"{typed if at == 0 else '':<{begins}}{line}\n"
        for typed, lines in said
        for at, line in enumerate(lines)
    )


AT_A_TERMINAL = frozenset({"join", "watch", "new", "back", "learn"})


class Go(msgspec.Struct, frozen=True):
    """To the table `code`, to sit down or to `watch`."""

    code: str
    watch: bool


class Open(msgspec.Struct, frozen=True):
    """To a new table; fields as in the protocol's `Create`."""

    game: str
    options: dict[str, str]
    seats: int
    bots: tuple[str, ...]
    open: bool
    clock: Clock = "none"
    absence: Absence = "2m"


class Return(msgspec.Struct, frozen=True):
    """Back to the seat of the guest who was given `word`."""

    word: str


class Learn(msgspec.Struct, frozen=True):
    """To the first lesson of a game."""


class Games(msgspec.Struct, frozen=True):
    """List the tables, `json` or for people."""

    json: bool


class Finished(msgspec.Struct, frozen=True):
    """List the games that are over, newest first, `json` or for people.

    `mine`: those one has played; `player`: those of the player of that name, "" for any; `before`: those that came
    before the game of that number, 0 for all.
    """

    json: bool
    mine: bool = False
    player: str = ""
    before: int = 0


class Export(msgspec.Struct, frozen=True):
    """Hand out the record of the game `name`: a table's code, or a game's name ("K7QP-12")."""

    name: str


class Help(msgspec.Struct, frozen=True):
    """Say what can be said."""


Verb = Go | Open | Return | Learn | Games | Finished | Export | Help
