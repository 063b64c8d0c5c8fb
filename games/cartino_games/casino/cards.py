"""The pack, and what each card is worth: by rank and suit letter (`10D`, `AH`), as in the record."""

from typing import Literal

from cartino_protocol.base import Part

CARDS = tuple(rank + suit for suit in "DHSC" for rank in ("A", *"23456789", "10", *"JQK"))
"""The pack in its canonical order (RECORD, the provable shuffle)."""
NUMBER = {card: number for number, card in enumerate(CARDS)}
LOW = {card: number % 13 + 1 for card, number in NUMBER.items()}
"""What a card counts on the table, and however it is laid down: 1 to 13 (rules, Values)."""
BIG = "10D"


class Customs(Part, frozen=True):
    """The game's options, by the record's names and values."""

    special_suit: Literal["clubs", "spades"] = "clubs"
    sweeps_cancel: Literal["on", "off"] = "on"
    hand_values: Literal["either", "high"] = "either"
    target: Literal["21", "16", "11"] = "21"

    @property
    def suit(self) -> str:
        """The letter of the suit of little casino, of the taking five and of the 2 points."""
        return "C" if self.special_suit == "clubs" else "S"

    def in_hand(self, card: str) -> tuple[int, ...]:
        """Return the values at which `card` takes, or is held for a build, the lower first (rules, Values)."""
        return _IN_HAND[self.special_suit, self.hand_values][card]

    def takes_all(self, card: str) -> bool:
        """Return whether `card` is the taking five."""
        return card == "5" + self.suit

    def points(self, card: str) -> int:
        """Return the points of a captured card by itself: 10♦ 2, little casino and each ace 1 (rules, Scoring)."""
        return _POINTS[self.special_suit][card]


def _points(card: str, suit: str) -> int:
    return 2 if card == BIG else int(LOW[card] == 1 or card == "2" + suit)


_POINTS = {
    special: {card: _points(card, special[0].upper()) for card in CARDS} for special in ("clubs", "spades")
}


def _in_hand(card: str, suit: str, values: str) -> tuple[int, ...]:
    high = {BIG: 16, "2" + suit: 15}.get(card, 14 if LOW[card] == 1 else LOW[card])
    return (LOW[card], high) if values == "either" and high != LOW[card] else (high,)


_IN_HAND = {
    (special, values): {card: _in_hand(card, special[0].upper(), values) for card in CARDS}
    for special in ("clubs", "spades")
    for values in ("either", "high")
}
