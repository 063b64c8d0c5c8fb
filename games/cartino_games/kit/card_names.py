"""Playing cards by name, as they are spoken: "king of spades"."""

import re
from typing import Final

from cartino_tui.tongue import Tongue

_CARD: Final = re.compile("(?:10|[2-9AJQK])[CDHS]")


def is_playing_card(code: str) -> bool:
    """Return whether `code` is that of one of the 52 cards: `10H`, `KS`."""
    return _CARD.fullmatch(code) is not None


def card_name(code: str, tongue: Tongue) -> str:
    """Return "king of spades" for `KS`."""
    return tongue.say("{rank} of {suit}", rank=_rank(code[:-1], tongue), suit=_suit(code[-1], tongue))


def _rank(rank: str, tongue: Tongue) -> str:
    match rank:
        case "A":
            return tongue.say_in("card", "ace")
        case "K":
            return tongue.say_in("card", "king")
        case "Q":
            return tongue.say_in("card", "queen")
        case "J":
            return tongue.say_in("card", "jack")
        case _:
            return rank


def _suit(suit: str, tongue: Tongue) -> str:
    match suit:
        case "S":
            return tongue.say_in("suit", "spades")
        case "H":
            return tongue.say_in("suit", "hearts")
        case "D":
            return tongue.say_in("suit", "diamonds")
        case _:
            return tongue.say_in("suit", "clubs")
