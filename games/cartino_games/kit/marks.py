"""The characters that any table is drawn with, for terminals with and without the suits."""

from functools import cache
from typing import Final

import msgspec

from cartino_tui.game_port.screen import Look
from cartino_tui.preferences import CardLetters

JOKER: Final = "*"
"""The name of a joker."""


class Marks(msgspec.Struct, frozen=True, kw_only=True):
    """A set of characters, each one cell wide. A game with more of them extends this class.

    `suits` by letter (S H D C), `joker` for a joker; `left` and `right` stand on both sides of the cursor, `legal`
    marks a place where something may go; `turn` stands before the name of the player on turn, `won` before a
    winner's; `seats` has a sign for each seat; `chip` stands for a chip or a point won. `across`, `down` and
    `corners` (by which arms they have: up 8, right 4, down 2, left 1) are lines; `edge` is the lower edge of a card.
    `minus` stands before negative numbers, `dot` between two facts and for nothing,
    `more` for what was left out, `since` before what happened since one's turn, `above` and `below` for more rows
    there. `courts` are the letters of court cards where they differ from English; `names` are cards by name,
    precomputed.
    """

    suits: dict[str, str]
    joker: str
    left: str
    right: str
    legal: str
    turn: str
    won: str
    seats: str
    chip: str
    across: str
    down: str
    corners: str
    edge: str
    minus: str
    dot: str
    more: str
    since: str
    above: str
    below: str
    courts: dict[str, str] = {}
    names: dict[str, str] = {}

    def rank(self, name: str) -> str:
        """Return a card's rank as people read it: `10`, `A`, in French `R` for a king."""
        return self.courts.get(name[:-1], name[:-1])

    def card(self, name: str) -> str:
        """Return a card's name as people read it: `10♠` for `10S`, `A♥`, `★` for a joker."""
        return self.names.get(name) or self._name(name)

    def _name(self, name: str) -> str:
        return self.joker if name == JOKER else self.rank(name) + self.suits[name[-1]]


UNICODE: Final = Marks(
    suits={"S": "♠", "H": "♥", "D": "♦", "C": "♣"},
    joker="★",
    left="►",
    right="◄",
    legal="○",
    turn="►",
    won="▲",
    seats="●▼■◆",
    chip="●",
    across="─",
    down="│",
    corners=" ╴╷┐╶─┌┬╵┘│┤└┴├┼",
    edge="▄",
    minus="−",
    dot="·",
    more="…",
    since="▌",
    above="↑",
    below="↓",
)

ASCII: Final = Marks(
    suits={"S": "S", "H": "H", "D": "D", "C": "C"},
    joker="*",
    left=">",
    right="<",
    legal="o",
    turn=">",
    won="^",
    seats="oxv%",
    chip="o",
    across="-",
    down="|",
    corners=" +++++++++++++++",
    edge="_",
    minus="-",
    dot="-",
    more="~",
    since="|",
    above="^",
    below="v",
)

COURTS: Final[dict[CardLetters, dict[str, str]]] = {
    "en": {},
    "fr": {"K": "R", "Q": "D", "J": "V"},
    "de": {"Q": "D", "J": "B"},
}
"""Ace, king, queen, jack: A K Q J; as, roi, dame, valet: A R D V; Ass, König, Dame, Bube: A K D B."""

CARDS: Final = tuple(
    rank + suit
    for suit in "SHDC"
    for rank in ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
)
"""The 52 cards by name: the English letter or number of the rank, then the suit's letter."""


@cache
def marks_for_letters(ascii: bool, letters: CardLetters) -> Marks:
    """Return the marks for a terminal that shows ASCII only, or all, with court cards in those `letters`."""
    found = msgspec.structs.replace(ASCII if ascii else UNICODE, courts=COURTS[letters])
    return msgspec.structs.replace(found, names={name: found.card(name) for name in (*CARDS, JOKER)})


def marks_for(look: Look) -> Marks:
    """Return the marks for `look`."""
    return marks_for_letters(look.ascii, look.letters)


def signed(points: int, marks: Marks) -> str:
    """Return points with their sign: `+9`, `−3`."""
    return f"+{points}" if points >= 0 else f"{marks.minus}{-points}"


def number(points: int, marks: Marks) -> str:
    """Return points with a sign only where they are negative: `9`, `−3`."""
    return str(points) if points >= 0 else f"{marks.minus}{-points}"
