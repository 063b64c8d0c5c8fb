"""The rules of Cartino for people, in our own words: both editions, with what they differ in and what we decided."""

from typing import Final

from cartino_games.cartino.moves import Rule
from cartino_protocol.text import N_
from cartino_tui.game_port.description import Paragraph, Section


def _both(text: str) -> Paragraph:
    return Paragraph(text)


def _ours(text: str) -> Paragraph:
    return Paragraph(text, ours=True)


def _in_1974(text: str) -> Paragraph:
    return Paragraph(text, only="1974")


def _in_1969(text: str, *, ours: bool = False) -> Paragraph:
    return Paragraph(text, only="1969", ours=ours)


RULES: Final[tuple[Section, ...]] = (
    Section(
        N_("What it is about"),
        (
            _both(
                N_(
                    "A game by Alex Randolph for two to four players. You lay wooden stones on a board of printed "
                    "cards, and each stone brings the values of the stones it touches. The highest total wins."
                )
            ),
        ),
    ),
    Section(
        N_("The two editions"),
        (
            _both(
                N_(
                    "There are two stones of every card, and two jokers. The spare stones in the box only replace "
                    "lost ones. Where the editions differ, the paragraph says which of them it is about."
                )
            ),
            _in_1974(N_("32 cards, from 7 to ace in four suits, and so 66 stones with the jokers.")),
            _in_1969(N_("All 52 cards, and so 106 stones with the jokers.")),
            _in_1969(
                N_("The year in its name: the sheet itself bears none."),
                ours=True,
            ),
        ),
    ),
    Section(
        N_("The board"),
        (
            _both(
                N_(
                    "Every card has its own cell, and a cell has an upper and a lower half. A half takes one stone, "
                    "so both stones of a card find room. Each suit fills a corner, with its ace next to the middle "
                    "of the board."
                )
            ),
            _ours(N_("Which suit has which corner.")),
            _in_1969(
                N_(
                    "The whole board, since no picture of it is left: the middle rows run from 8 to ace, the outer "
                    "rows from 7 to 2."
                ),
                ours=True,
            ),
        ),
    ),
    Section(
        N_("Values"),
        (
            _both(N_("An ace is worth 5, a king 4, a queen 3, a jack 2, every other card 1.")),
            _ours(N_("A joker on the board is worth the same as the card it stands for.")),
            _both(N_("The suits rank, weakest first: diamonds, hearts, spades, clubs.")),
        ),
    ),
    Section(
        N_("The start"),
        (
            _both(
                N_(
                    "All stones go into the bag, and everybody draws five and keeps them hidden. The player with the "
                    "lowest stone of the weakest suit begins: the suit decides first, then the rank. Turns go round "
                    "clockwise."
                )
            ),
            _ours(
                N_(
                    "Jokers don't count for who begins. If two players hold the same lowest stone, their next lowest "
                    "stones decide; if all are the same, the earlier seat begins."
                )
            ),
        ),
    ),
    Section(
        N_("Your turn"),
        (
            _both(
                N_(
                    "Lay one stone or more, all of a single suit. A stone goes on its own card, on whichever half you "
                    "like, and stays there for good. You end the turn when you want. Then you draw until you hold "
                    "five again, as long as the bag has stones."
                )
            ),
            _ours(N_("The turn ends by itself when you can lay nothing more.")),
        ),
    ),
    Section(
        N_("Points"),
        (
            _both(
                N_(
                    "A stone scores at the moment it is laid: add up the values of the stones it touches, not its "
                    "own. Two stones touch when their halves share a side: above, below, left or right, never across "
                    "a corner, and never when two cells lie side by side but one stone is up and the other down."
                )
            ),
            _both(
                N_(
                    "Any suit counts, and so do stones you laid a moment ago in the same turn, so the order matters. "
                    "A stone that touches nothing brings nothing."
                )
            ),
            _ours(N_("You may lay a stone that touches nothing even when you could do better.")),
        ),
    ),
    Section(
        N_("Five at once"),
        (
            _both(N_("Lay five stones in one turn and you get 10 points more.")),
            _ours(N_("Jokers count among the five.")),
        ),
    ),
    Section(
        N_("Jokers"),
        (
            _both(
                N_(
                    "A joker can stand for any stone of the turn's suit: lay it on a free half of such a card. A "
                    "player with the real stone may later lay it right on the joker."
                )
            ),
            _ours(N_("The first stone of a turn settles its suit, a joker by the card it stands for.")),
            _in_1974(N_("A joker that is taken out so is out of the game.")),
            _in_1969(
                N_(
                    "A joker that is taken out so comes into the hand of who did it, to be laid in a later turn, not "
                    "in this one."
                )
            ),
            _ours(
                N_(
                    "A stone that takes a joker out is laid like any other: it scores, and it counts towards five."
                )
            ),
        ),
    ),
    Section(
        N_("Track and chips"),
        (
            _both(
                N_(
                    "Your marker walks along a track of 20 fields, and every full round is a chip worth 20 points."
                )
            ),
            _in_1974(
                N_("You get the chip on reaching 20, and the marker leaves the track until your next point.")
            ),
            _in_1969(N_("The marker rests on field 20, and the chip comes when you pass it.")),
            _ours(N_("The box has 25 chips, but your total never stops growing for want of one.")),
        ),
    ),
    Section(
        N_("The end"),
        (
            _both(
                N_(
                    "The game is over at once when somebody has laid their last stone and the bag is empty: that "
                    "player gets 10 points. Everybody else loses the value of each stone still in hand, and 6 for a "
                    "joker; a total can fall below zero. The highest total wins."
                )
            ),
            _ours(
                N_(
                    "Who can lay nothing, because only jokers are left in hand and no half is free, is passed over. "
                    "When nobody can lay, the game ends and nobody gets the 10."
                )
            ),
            _ours(N_("Equal totals share the win.")),
        ),
    ),
    Section(
        N_("What is secret"),
        (
            _both(
                N_(
                    "Hands and the order of the bag. Everything else lies open to everybody: the board, the points, "
                    "how many stones each player holds and how many are in the bag."
                )
            ),
            _ours(N_("Spectators see no hand while the game runs. At the end all hands are shown.")),
        ),
    ),
    Section(
        N_("A fair bag"),
        (
            _ours(
                N_(
                    "Before the deal the house shows a fingerprint of the seed that shuffles the bag, and every "
                    "player may add a cut, any text at all. The seed is shown at the end, so everybody can check "
                    "that the order was fixed before the first stone was drawn."
                )
            ),
        ),
    ),
)

REFUSED: Final[dict[Rule, str]] = {
    "over": N_("The game is over, nothing more can be laid."),
    "no-such-stone": N_("There is no such stone; pick one of your hand."),
    "no-such-spot": N_("There is no such spot on this board; choose another."),
    "not-in-hand": N_("You don't hold that stone; pick one of your hand."),
    "own-cell": N_("A stone goes on its own card only; choose one of its two halves."),
    "one-suit": N_("All stones of a turn are of one suit; keep this one for a later turn."),
    "taken": N_("Something lies on that half already; choose another spot."),
    "joker-barred": N_("That joker came to you in this turn; you can lay it from your next turn on."),
    "lay-first": N_("A turn is at least one stone; lay one before you end it."),
}
"""The sentence for each rule that refuses a move."""
