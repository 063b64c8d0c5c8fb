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


def _in_1969(text: str) -> Paragraph:
    return Paragraph(text, only="1969")


def _of_both(text: str) -> Paragraph:
    return Paragraph(text, compares=True)


RULES: Final[tuple[Section, ...]] = (
    Section(
        N_("About the game"),
        (
            _both(
                N_(
                    "A game by Alex Randolph for two to four players. You lay wooden stones on a board of "
                    "printed cards and score the values of the stones they touch. The highest total wins."
                )
            ),
        ),
    ),
    Section(
        N_("The two editions"),
        (
            _of_both(
                N_(
                    "Cartino has two editions. Where they differ, the paragraph says which one it applies to. "
                    "The year 1969 is our name for the older one: its printed rules give none."
                )
            ),
        ),
    ),
    Section(
        N_("The stones"),
        (
            _both(N_("There are two stones for every card, and two jokers.")),
            _in_1974(N_("32 cards, from 7 to ace in four suits: 66 stones with the jokers.")),
            _in_1969(N_("All 52 cards: 106 stones with the jokers.")),
        ),
    ),
    Section(
        N_("The board"),
        (
            _both(
                N_(
                    "Every card has its own cell, divided into an upper and a lower half. Each half takes "
                    "one stone, so there is room for both stones of a card. Each suit fills a corner, with "
                    "its ace next to the middle of the board."
                )
            ),
            _both(N_("The printed rules don't say which suit goes in which corner; we chose.")),
            _in_1969(
                N_(
                    "No picture of the board survives, so we drew one: the middle rows run from 8 to ace, the "
                    "outer rows from 7 to 2."
                )
            ),
        ),
    ),
    Section(
        N_("Values"),
        (
            _both(N_("An ace is worth 5, a king 4, a queen 3, a jack 2, every other card 1.")),
            _ours(N_("A joker on the board is worth as much as the card it stands for.")),
            _both(N_("The suits from weakest to strongest: diamonds, hearts, spades, clubs.")),
        ),
    ),
    Section(
        N_("Setup"),
        (
            _both(
                N_(
                    "All stones go into the bag, and each player draws five and keeps them hidden. The "
                    "player with the lowest stone of the weakest suit starts: the suit decides first, then "
                    "the rank. Play goes clockwise."
                )
            ),
            _ours(
                N_(
                    "Jokers don't count when deciding who starts. If two players hold the same lowest "
                    "stone, their next lowest stones decide; if all are the same, the player seated first "
                    "starts."
                )
            ),
        ),
    ),
    Section(
        N_("Your turn"),
        (
            _both(
                N_(
                    "Lay one or more stones, all of one suit. A stone goes on its own card, on either "
                    "half, and never moves again. You end the turn when you like. Then you draw back up to "
                    "five, as long as there are stones in the bag."
                )
            ),
            _ours(N_("The turn ends automatically when you can't lay anything more.")),
        ),
    ),
    Section(
        N_("Points"),
        (
            _both(
                N_(
                    "A stone scores when it is laid: add up the values of the stones it touches, not its "
                    "own. Two stones touch if their halves share a side: above, below, left or right. "
                    "Corners don't count, nor do neighbouring cells if one stone is up and the other down."
                )
            ),
            _both(
                N_(
                    "Stones of any suit count, including those you laid earlier in the same turn, so the "
                    "order matters. A stone that touches nothing scores nothing."
                )
            ),
            _ours(N_("You may lay a stone that touches nothing, even if you have a better choice.")),
        ),
    ),
    Section(
        N_("Five in one turn"),
        (
            _both(N_("Lay five stones in one turn and you get 10 extra points.")),
            _ours(N_("Jokers count towards the five.")),
        ),
    ),
    Section(
        N_("Jokers"),
        (
            _both(
                N_(
                    "A joker can stand for any stone of the turn's suit: lay it on a free half of a card "
                    "of that suit. A player who has the real stone may later lay it directly on the joker."
                )
            ),
            _ours(N_("The first stone of a turn sets its suit; a joker sets it by the card it stands for.")),
            _ours(
                N_(
                    "A joker can't be replaced in the turn in which it is laid, only from the next turn on. "
                    "Option: at once."
                )
            ),
            _in_1974(N_("A joker that is replaced leaves the game.")),
            _in_1969(
                N_("The player who replaces a joker takes it in hand and may lay it from their next turn on.")
            ),
            _ours(
                N_(
                    "A stone that replaces a joker counts like any other: it scores, and it counts towards "
                    "the five."
                )
            ),
        ),
    ),
    Section(
        N_("Track and chips"),
        (
            _both(
                N_(
                    "Your marker moves along a track of 20 fields, and every full lap earns a chip worth "
                    "20 points."
                )
            ),
            _in_1974(
                N_(
                    "You get the chip when you reach 20, and the marker leaves the track until your next point."
                )
            ),
            _in_1969(
                N_("At exactly 20 the marker stays on field 20, and you get the chip when you pass it.")
            ),
            _ours(N_("The box has 25 chips, but your total keeps growing even if they run out.")),
        ),
    ),
    Section(
        N_("Ending the game"),
        (
            _both(
                N_(
                    "The game ends at once when a player has laid their last stone and the bag is empty: "
                    "that player gets 10 points. Everyone else loses the value of each stone still in "
                    "hand, and 6 for a joker; a total can fall below zero. The highest total wins."
                )
            ),
            _ours(
                N_(
                    "A player who can't lay anything, with only jokers in hand and no free half, passes. "
                    "When nobody can lay a stone, the game ends without the 10 points."
                )
            ),
            _ours(N_("Players with equal totals share the win.")),
        ),
    ),
    Section(
        N_("What is secret"),
        (
            _both(
                N_(
                    "Hands and the order of the bag. Everyone can see the rest: the board, the points, and "
                    "how many stones there are in each hand and in the bag."
                )
            ),
            _ours(
                N_(
                    "Spectators don't see any hand while the game is running. At the end, all hands are shown."
                )
            ),
        ),
    ),
    Section(
        N_("Fair shuffle"),
        (
            _ours(
                N_(
                    "Before the deal, the server shows a hash of the seed that shuffles the bag, and every "
                    "player can cut by adding any text. The seed is revealed at the end, so everyone can "
                    "verify that the order was fixed before the first stone was drawn."
                )
            ),
        ),
    ),
    Section(
        N_("Bots"),
        (
            _both(
                N_(
                    "From weak to strong: random lays anything, beginner and learner make many mistakes, casual "
                    "makes a few, greedy takes as many points as it can each turn, careful also weighs what it "
                    "keeps and what it leaves to others, and expert does so best. They know only what you would "
                    "know in their seat."
                )
            ),
            _in_1974(
                N_(
                    "With two players, each level from learner to careful beats the one below it about 2 times in "
                    "3. Expert beats greedy about 7 times in 10, and careful about 5 times in 9."
                )
            ),
        ),
    ),
)

REFUSED: Final[dict[Rule, str]] = {
    "over": N_("The game is over; no more stones can be laid."),
    "no-such-stone": N_("There's no such stone; pick one from your hand."),
    "no-such-spot": N_("There's no such spot on this board; choose another."),
    "not-in-hand": N_("You don't hold that stone; pick one from your hand."),
    "own-cell": N_("A stone can only go on its own card; choose one of the two halves."),
    "one-suit": N_("All stones of a turn must be of one suit; keep this one for a later turn."),
    "taken": N_("That half is already taken; choose another spot."),
    "joker-fresh": N_("That joker was laid this turn; it can be replaced from the next turn on."),
    "joker-barred": N_("You took that joker this turn; you can lay it from your next turn on."),
    "lay-first": N_("Lay at least one stone before you end your turn."),
}
"""The sentence for each rule that refuses a move."""
