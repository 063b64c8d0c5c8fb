"""The characters that a Cartino table is drawn with, for terminals with and without the suits."""

from functools import cache

import msgspec

from cartino_games.cartino.board import BOARDS, JOKER
from cartino_tui.draw.text import plain
from cartino_tui.games.screen import Look
from cartino_tui.preferences import CardLetters


class Marks(msgspec.Struct, frozen=True):
    """A set of characters, each one cell wide.

    `suits` by letter; `laid`, `joker`, `legal`, `touched` are the states of a spot; `left` and `right` stand
    on both sides of the cursor's spot, `turn` before the name of who is on turn; `field`, `fifth` and `here`
    make a track; `chip` stands for one and `won` before a winner's name; `across`, `down`, `thin` (between halves)
    and `corners` (by which arms they have: up 8, right 4, down 2, left 1) are the lines of the board; `halves` the
    hint for the keys that choose one; `courts` are the letters of the court cards where they aren't those of English;
    `names` are those of all cards, once they are worked out.
    """

    suits: dict[str, str]
    laid: str
    joker: str
    legal: str
    touched: str
    left: str
    right: str
    turn: str
    field: str
    fifth: str
    here: str
    chip: str
    won: str
    across: str
    thin: str
    down: str
    corners: str
    box: str
    picked_box: str
    minus: str
    dot: str
    more: str
    halves: str
    courts: dict[str, str] = {}
    names: dict[str, str] = {}

    def rank(self, name: str) -> str:
        """A card's rank as people read it: `10`, `A`, in French `R` for a king."""
        return self.courts.get(name[:-1], name[:-1])

    def card(self, name: str) -> str:
        """A card's or stone's name as people read it: `10♠`, `A♥`, `★`."""
        return self.names.get(name) or self._name(name)

    def _name(self, name: str) -> str:
        return self.joker if name == JOKER else self.rank(name) + self.suits[name[-1]]


UNICODE = Marks(
    suits={"S": "♠", "H": "♥", "D": "♦", "C": "♣"},
    laid="■",
    joker="★",
    legal="○",
    touched="+",
    left="►",
    right="◄",
    turn="►",
    field="·",
    fifth=":",
    here="█",
    chip="●",
    won="▲",
    across="─",
    thin="╌",
    down="│",
    corners=" ╴╷┐╶─┌┬╵┘│┤└┴├┼",
    box="┌─┐│└┘",
    picked_box="╔═╗║╚╝",
    minus="−",
    dot="·",
    more="…",
    halves="↑↓",
)

ASCII = Marks(
    suits={"S": "S", "H": "H", "D": "D", "C": "C"},
    laid="#",
    joker="*",
    legal="o",
    touched="+",
    left=">",
    right="<",
    turn=">",
    field=".",
    fifth=":",
    here="#",
    chip="o",
    won="^",
    across="-",
    thin=".",
    down="|",
    corners=" +++++++++++++++",
    box="+-+|++",
    picked_box="#=#|##",
    minus="-",
    dot="-",
    more="~",
    halves="up/dn",
)


COURTS: dict[CardLetters, dict[str, str]] = {
    "en": {},
    "fr": {"K": "R", "Q": "D", "J": "V"},
    "de": {"Q": "D", "J": "B"},
}
"""Ace, king, queen, jack: A K Q J; as, roi, dame, valet: A R D V; Ass, König, Dame, Bube: A K D B."""


def marks(ascii: bool, letters: CardLetters = "en") -> Marks:
    """The characters for a terminal that shows only ASCII, or all, and a person who reads those `letters`."""
    return _marks(ascii, letters)


def marks_for(look: Look) -> Marks:
    """The characters for `look`."""
    return _marks(look.ascii, look.letters)


def halves(look: Look) -> str:
    """The keys that choose a half, in as few cells as can be."""
    keys = look.keymap.arrows[:2]
    if keys == "↑↓":
        return marks_for(look).halves
    return plain(keys) if look.ascii else keys


@cache
def _marks(ascii: bool, letters: CardLetters) -> Marks:
    found = msgspec.structs.replace(ASCII if ascii else UNICODE, courts=COURTS[letters])
    names = {name: found.card(name) for name in BOARDS["1969"].stone_names}
    return msgspec.structs.replace(found, names=names)
