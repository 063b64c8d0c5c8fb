"""What people read of a game's chance, which a seed settles that is promised before: by default a shuffle."""

from typing import Final

import msgspec

from cartino_protocol.marking import N_


class ChanceWords(msgspec.Struct, frozen=True):
    """Sentences in English, to be said. The hash follows `open`, before the game, and `begun`, from its start on."""

    heading: str
    open: str
    begun: str
    cut: str
    kept: str
    broken: str


SHUFFLE: Final = ChanceWords(
    N_("The shuffle"),
    N_("A seed fixes this shuffle before the deal; this is its SHA-256, the end shows it:"),
    N_("A seed fixed this shuffle before the deal; its SHA-256 was shown then:"),
    N_("x cuts it: any text of yours goes into the shuffle. You need not."),
    N_("The shuffle was as promised: the seed has the SHA-256 that was shown before the deal."),
    N_("The seed does not have the SHA-256 that was shown before the deal: this was another shuffle."),
)
LOT: Final = ChanceWords(
    N_("The lot"),
    N_("A seed decides who begins. This is its SHA-256; the end shows the seed:"),
    N_("A seed decided who begins. Its SHA-256 was shown before the game:"),
    N_("Optional: press x to add your own text to the lot that decides who begins."),
    N_("The lot is verified: the seed matches the hash shown before the game."),
    N_("The seed doesn't match the hash shown before the game: this was another lot."),
)
"""For games in which chance decides no more than who begins."""
