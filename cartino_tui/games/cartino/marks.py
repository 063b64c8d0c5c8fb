"""The characters that a Cartino table is drawn with, for terminals with and without the suits."""

import msgspec

from cartino_protocol.games.cartino.board import JOKER


class Marks(msgspec.Struct, frozen=True):
    """A set of characters, each one cell wide.

    `suits` by letter; `laid`, `joker`, `legal`, `touched` are the states of a spot; `left` and `right` stand
    on both sides of the cursor's spot, `turn` before the name of who is on turn; `field`, `fifth` and `here`
    make a track; `across`, `down`, `thin` (between halves) and `corners` (by which arms they have: up 8,
    right 4, down 2, left 1) are the lines of the board; `halves` the hint for the keys that choose one.
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

    def card(self, name: str) -> str:
        """A card's or stone's name as people read it: `10♠`, `A♥`, `★`."""
        return self.joker if name == JOKER else name[:-1] + self.suits[name[-1]]


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


def marks(ascii: bool) -> Marks:
    """The characters for a terminal that shows only ASCII, or for one that shows them all."""
    return ASCII if ascii else UNICODE
