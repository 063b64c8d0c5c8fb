"""The rules of Cartino for people, in our own words. What the two printed sheets leave open is marked [ours]."""

RULES = """\
CARTINO
A game by Alex Randolph for two to four players. You lay wooden stones on a board of printed cards, and \
each stone brings the values of the stones it touches. The highest total wins.

TWO EDITIONS
1974 has 32 cards (7 to ace in four suits) and 64 stones; 1969 has all 52 cards and 104 stones. Both have \
two stones of every card and two jokers on top; the spare stones in the box only replace lost ones. Where \
the editions differ, the text says so; everything else is the same.

THE BOARD
Every card has its own cell, and a cell has an upper and a lower half. A half takes one stone, so both \
stones of a card find room. Each suit fills a corner, with its ace next to the middle of the board. Which \
suit has which corner is our choice [ours], and so is the whole 1969 board, of which no picture is left: \
it follows the same plan [ours].

VALUES
An ace is worth 5, a king 4, a queen 3, a jack 2, every other card 1. A joker that lies on the board is \
worth what the card it stands for is worth. The suits rank, weakest first: diamonds, hearts, spades, \
clubs.

THE START
All stones go into the bag, and everybody draws five and keeps them hidden. Whoever holds the lowest stone \
of the weakest suit begins: the suit decides first, then the rank, and jokers don't count. If two hold the \
same one, their next lowest stones decide, and at last the earlier seat [ours]. Turns go round clockwise.

YOUR TURN
Lay one stone or more, all of a single suit. A stone goes on its own card, on whichever half you like, and \
stays there for good. You end the turn when you want; it ends by itself when you can lay nothing more \
[ours]. Then you draw until you hold five again, as long as the bag has stones.

POINTS
A stone scores at the moment it is laid: add up the values of the stones it touches, not its own. Two \
stones touch when their halves share a side: above, below, left or right, never across a corner, and never \
when two cells lie side by side but one stone is up and the other down. Any suit counts, and so do stones \
you laid a moment ago in the same turn, so the order matters. A stone that touches nothing brings nothing, \
and you may lay one like that even when you could do better [ours].

FIVE AT ONCE
Lay five stones in one turn and you get 10 points more. Jokers count among the five [ours].

JOKERS
A joker can stand for any stone of the turn's suit: lay it on a free half of such a card; laid first, it \
settles the suit. Who holds the real stone may later lay it right on the joker. That is a lay like any \
other: it scores, and it counts towards five [ours]. In 1974 the joker is then out of the game. In 1969 it \
comes into the hand of the player who swapped it out, to be laid in a later turn, not in this one.

TRACK AND CHIPS
Your marker walks along a track of 20 fields, and every full round is a chip worth 20 points. In 1974 you \
get the chip on reaching 20, and the marker leaves the track until your next point. In 1969 the marker \
rests on field 20, and the chip comes when you pass it. The box has 25 chips, but your total never stops \
growing for want of one [ours].

THE END
The game is over at once when somebody has laid their last stone and the bag is empty: that player gets 10 \
points. Everybody else loses the value of each stone still in hand, and 6 for a joker; a total can fall \
below zero. Who can lay nothing, because only jokers are left in hand and no half is free, is passed over; \
when nobody can lay, the game ends and nobody gets the 10 [ours]. The highest total wins, and equal totals \
share the win [ours].

WHAT IS SECRET
Hands and the order of the bag. Everything else lies open to everybody: the board, the points, how many \
stones each player holds and how many are in the bag. Watchers see no hand while the game runs. At the end \
all hands are shown.

A FAIR BAG
Before the deal the house shows a fingerprint of the seed that shuffles the bag, and every player may add \
a cut, any text at all. The seed is shown at the end, so everybody can check that the order was fixed \
before the first stone was drawn [ours].
"""
