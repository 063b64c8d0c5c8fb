"""Halves and spots by name, as they are spoken and typed: "king of spades, upper half"."""

import re
from typing import Final

from cartino_games.cartino.board import JOKER, Board
from cartino_games.kit.spoken import card_name, in_english, rank_name, suit_name
from cartino_tui.game_port.speech import normalize_typed
from cartino_tui.i18n import Translator

_WRITTEN: Final = re.compile(r"(\*?)(10|[2-9]|[AKQJ])([DHSC])([UL]?)")


def half_name(half: str, translator: Translator) -> str:
    """Return "upper half" for `u`."""
    return translator.gettext("upper half") if half == "u" else translator.gettext("lower half")


def spot_name(spot: str, translator: Translator) -> str:
    """`KSu` is "king of spades, upper half"."""
    return translator.gettext(
        "{card}, {half}", card=card_name(spot[:-1], translator), half=half_name(spot[-1], translator)
    )


def lying_name(board: Board, marks: str, spot: int, translator: Translator) -> str:
    """Return what lies on a spot by its number, "joker as king of spades" for one; `marks` is the view's board."""
    card = card_name(board.cards[spot // 2], translator)
    return translator.gettext("joker as {card}", card=card) if marks[spot] == JOKER else card


class Written:
    """A card or a spot as somebody wrote it: `ks`, `KSu`, `*ksl`, "king of spades", "king spades upper"."""

    def __init__(self, card: str, half: str, *, joker: bool) -> None:
        """`half` is "" where none was named; `joker`: a joker is meant for it."""
        self.card = card
        self.half = half
        self.joker = joker


def read_written(text: str, board: Board, translator: Translator) -> Written | None:
    """Return the card or spot that somebody meant by `text`; None for nothing on this board."""
    head, _, rest = text.partition(" ")
    if rest and head.casefold() in {"joker", card_name(JOKER, translator).casefold()}:
        text = JOKER + rest
    found = _WRITTEN.fullmatch(in_english(text.replace(" ", "")))
    if found is not None:
        card = found[2] + found[3]
        return Written(card, found[4].lower(), joker=bool(found[1])) if card in board.card_number else None
    return _read_spoken(text, board, translator)


def _read_spoken(text: str, board: Board, translator: Translator) -> Written | None:
    """Return the same by the words of the card's name in the reader's language, with or without accents."""
    said = _words(text)
    for card in board.cards:
        names = {*_words(rank_name(card[:-1], translator)), *_words(suit_name(card[-1], translator))}
        if names <= said:
            upper, lower = (_words(half_name(half, translator)) for half in "ul")
            half = "u" if said & (upper - lower) else "l" if said & (lower - upper) else ""
            return Written(card, half, joker=text.startswith(JOKER))
    return None


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", normalize_typed(text)))
