"""Halves and spots by name, as they are spoken and typed: "king of spades, upper half"."""

import re
from typing import Final

from cartino_games.cartino.board import JOKER, Board
from cartino_games.kit.spoken import card_name, rank_name, suit_name
from cartino_tui.games.speech import folded
from cartino_tui.tongue import Tongue

_WRITTEN: Final = re.compile(r"(\*?)(10|[2-9]|[AKQJ])([DHSC])([UL]?)", re.IGNORECASE)


def half_name(half: str, tongue: Tongue) -> str:
    """`u` is "upper half"."""
    return tongue.say("upper half") if half == "u" else tongue.say("lower half")


def spot_name(spot: str, tongue: Tongue) -> str:
    """`KSu` is "king of spades, upper half"."""
    return tongue.say("{card}, {half}", card=card_name(spot[:-1], tongue), half=half_name(spot[-1], tongue))


def lying_name(board: Board, marks: str, spot: int, tongue: Tongue) -> str:
    """What lies on a spot by its number, "joker as king of spades" for one; `marks` is the view's board."""
    card = card_name(board.cards[spot // 2], tongue)
    return tongue.say("joker as {card}", card=card) if marks[spot] == JOKER else card


class Written:
    """A card or a spot as somebody wrote it: `ks`, `KSu`, `*ksl`, "king of spades", "king spades upper"."""

    def __init__(self, card: str, half: str, *, joker: bool) -> None:
        """`half` is "" where none was named; `joker`: a joker is meant for it."""
        self.card = card
        self.half = half
        self.joker = joker


def read_written(text: str, board: Board, tongue: Tongue) -> Written | None:
    """The card or spot that somebody meant by `text`; None for nothing on this board."""
    head, _, rest = text.partition(" ")
    if rest and head.casefold() in {"joker", card_name(JOKER, tongue).casefold()}:
        text = JOKER + rest
    found = _WRITTEN.fullmatch(text.replace(" ", ""))
    if found is not None:
        card = (found[2] + found[3]).upper()
        return Written(card, found[4].lower(), joker=bool(found[1])) if card in board.card_number else None
    return _read_spoken(text, board, tongue)


def _read_spoken(text: str, board: Board, tongue: Tongue) -> Written | None:
    """The same in words of the reader's language: every word of the card's name has to be there, or without accents."""
    said = _words(text)
    for card in board.cards:
        names = {*_words(rank_name(card[:-1], tongue)), *_words(suit_name(card[-1], tongue))}
        if names <= said:
            upper, lower = (_words(half_name(half, tongue)) for half in "ul")
            half = "u" if said & (upper - lower) else "l" if said & (lower - upper) else ""
            return Written(card, half, joker=text.startswith(JOKER))
    return None


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", folded(text)))
