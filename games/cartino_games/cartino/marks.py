"""The characters that a Cartino table is drawn with, beside those of every table."""

from functools import cache

import msgspec

from cartino_games.kit import marks as kit
from cartino_tui.draw.text import plain
from cartino_tui.game_port.screen import Look
from cartino_tui.preferences import CardLetters


class BoardMarks(kit.Marks, frozen=True, kw_only=True):
    """The marks of a table and those of the board, each one cell wide.

    `laid`, `touched`, and of every table's `joker` and `legal` are the states of a spot; `field` and `fifth`, every
    fifth one, or `here` and `full_fifth` where they are full, make a track; `halves` is the hint for the keys that
    choose a half.
    """

    laid: str
    touched: str
    field: str
    fifth: str
    here: str
    full_fifth: str
    halves: str


UNICODE = BoardMarks(
    **msgspec.structs.asdict(kit.UNICODE),
    laid="■",
    touched="+",
    field="□",
    fifth="▣",
    here="■",
    full_fifth="█",
    halves="↑↓",
)

ASCII = BoardMarks(
    **msgspec.structs.asdict(kit.ASCII),
    laid="#",
    touched="+",
    field="-",
    fifth="+",
    here="#",
    full_fifth="@",
    halves="up/dn",
)


def marks(ascii: bool, letters: CardLetters = "en") -> BoardMarks:
    """Return the characters for a terminal that shows only ASCII, or all, and a person who reads those `letters`."""
    return _marks(ascii, letters)


def marks_for(look: Look) -> BoardMarks:
    """Return the characters for `look`."""
    return _marks(look.ascii, look.letters)


def halves(look: Look) -> str:
    """Return the keys that choose a half, in as few cells as can be."""
    keys = look.keymap.arrows[:2]
    if keys == "↑↓":
        return marks_for(look).halves
    return plain(keys) if look.ascii else keys


@cache
def _marks(ascii: bool, letters: CardLetters) -> BoardMarks:
    shared = kit.marks_for_letters(ascii, letters)
    own = ASCII if ascii else UNICODE
    return msgspec.structs.replace(own, courts=shared.courts, names=shared.names)
