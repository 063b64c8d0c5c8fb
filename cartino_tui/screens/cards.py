"""A few cards and stones as they look now, for screens where somebody chooses how they look."""

from typing import Final

from cartino_tui.draw.canvas import Row
from cartino_tui.games.screen import Look
from cartino_tui.preferences import CardLetters
from cartino_tui.screens.parts import marks

COURTS: Final[dict[CardLetters, str]] = {"en": "AKQJ", "fr": "ARDV", "de": "AKDB"}
"""Ace, king, queen and jack in each set of letters."""

_SUITS: Final = "SHDC"


def printed(look: Look) -> Row:
    """The four courts, each of a suit, as they are printed on a board."""
    return _cards(look, "printed")


def stones(look: Look) -> Row:
    """The same as wooden stones, and a joker."""
    return (*_cards(look, "stone"), (f" {marks(look).won} ", "stone-*"))


def states(look: Look) -> Row:
    """A card where a stone may lie, one that the cursor stands on, and a stone that is up."""
    jack = COURTS[look.letters][3]
    names = [f" {jack}{suit} " for suit in marks(look).suits]
    return (
        (names[0], "legal-S"),
        (" ", "ground"),
        (names[1], "cursor-H"),
        (" ", "ground"),
        (names[2], "picked-D"),
    )


def _cards(look: Look, state: str) -> Row:
    runs = zip(COURTS[look.letters], marks(look).suits, _SUITS, strict=True)
    return tuple(
        run
        for court, mark, suit in runs
        for run in ((f" {court}{mark} ", f"{state}-{suit}"), (" ", "ground"))
    )
