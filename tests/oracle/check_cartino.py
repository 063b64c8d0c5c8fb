"""Checks game records of Cartino against the rules, and shares no code with the engine.

`python -m tests.oracle.check_cartino FILE ...` says `FILE: ok` or `FILE:LINE: why` for each, and returns 1 if anything
is wrong.
"""

import sys

from tests.oracle import record
from tests.oracle.record import Line, check_record, main, need, shuffled

Spot = tuple[int, int]

JOKER = "*"
SUITS = ["D", "H", "S", "C"]
RANKS = {"1974": ["7", "8", "9", "10", *"JQKA"], "1969": [*"23456789", "10", *"JQKA"]}
VALUES = {"A": 5, "K": 4, "Q": 3, "J": 2}
OPTIONS = {"edition": tuple(RANKS), "joker_swap": ("later", "any"), "bag": ("one", "apart")}
ABSENT = {"joker_swap": "any", "bag": "one"}
BOARDS = {
    "1974": [
        "10S 9S 8S 7S 7H 8H 9H 10H",
        " JS QS KS AS AH KH QH  JH",
        " JD QD KD AD AC KC QC  JC",
        "10D 9D 8D 7D 7C 8C 9C 10C",
    ],
    "1969": [
        "-- 7S  6S 5S 4S 3S 2S 2H 3H 4H 5H  6H 7H --",
        "8S 9S 10S JS QS KS AS AH KH QH JH 10H 9H 8H",
        "8D 9D 10D JD QD KD AD AC KC QC JC 10C 9C 8C",
        "-- 7D  6D 5D 4D 3D 2D 2C 3C 4C 5C  6C 7C --",
    ],
}
FIELDS = {
    "draw": "seat:int stones:strs",
    "lay": "seat:int stone:str spot:str points:int swapped:bool",
    "turn": "seat:int laid:int bonus:int total:int",
    "pass": "seat:int",
    "settle": "bonus:ints penalty:ints",
}


def value_of(stone: str) -> int:
    """Says what a stone, or the card of a cell, is worth."""
    return 6 if stone == JOKER else VALUES.get(stone[:-1], 1)


def all_stones(edition: str) -> list[str]:
    """Lists the stones in their canonical order."""
    return [rank + suit for suit in SUITS for rank in RANKS[edition] for _ in range(2)] + [JOKER, JOKER]


def starters(hands: list[list[str]], edition: str) -> set[int]:
    """Says who may begin: two, where a joker leaves one of two tied hands without a next stone."""
    seats = set()
    for missing in ((-1, -1), (9, 99)):
        keys = []
        for hand in hands:
            real = [(SUITS.index(s[-1]), RANKS[edition].index(s[:-1])) for s in hand if s != JOKER]
            keys.append(sorted(real) + [missing] * (5 - len(real)))
        seats.add(keys.index(min(keys)))
    return seats


class Cartino(record.Game):
    """One game as far as the lines of its record have told it."""

    name = "cartino"
    options = OPTIONS
    absent = ABSENT

    def __init__(self, first: Line, seed_hex: str | None) -> None:
        """Reads the first line; the seed is not known while a game runs."""
        super().__init__(first, seed_hex)
        self.edition = edition = self.chosen["edition"]
        stones = all_stones(edition)
        self.bag = list(enumerate(stones))  # things, since two of them may look alike
        self.queues = self.orders() if self.seed is not None else None  # a seat's things, its next one first
        self.cells: dict[Spot, str] = {}  # the card printed under each spot
        for row in range(8):
            for column, card in enumerate(BOARDS[edition][row // 2].split()):
                if card != "--":
                    self.cells[row, column] = card
        self.board: dict[Spot, str] = {}
        self.hands: list[list[str]] = [[] for _ in range(self.seats)]

        self.to_move: set[int] = set()  # one seat, or those that may begin; none while stones are dealt
        self.drawer = 0  # whose draw is due, and of how many
        self.due = 5
        self.laid = 0
        self.suit = ""  # of this turn
        self.barred = 0  # jokers that came to hand in this turn
        self.fresh: set[Spot] = set()  # where a joker was laid in this turn
        self.passes = 0  # in a row
        self.out: int | None = None
        self.settled: str | None = None  # the reason, once it is

    def orders(self) -> list[list[tuple[int, str]]]:
        """Says in which order each seat draws, were it alone."""
        assert self.seed is not None
        whole = shuffled(self.bag, self.seed, self.cuts + "\n")
        if self.chosen["bag"] == "one":
            return [whole] * self.seats
        if self.seats == 2:
            return [whole, list(reversed(whole))]
        return [shuffled(self.bag, self.seed, f"{self.cuts}:bag{k}\n") for k in range(self.seats)]

    def step(self, line: Line) -> None:
        """Plays a line of the game's own."""
        plays = {"draw": self.draw, "lay": self.lay, "turn": self.turn, "pass": self.pass_on}
        plays |= {"settle": self.settle}
        plays[line["type"]](line)

    def draw(self, line: Line) -> None:
        """Draws: the deal, or after a turn."""
        seat, stones = line["seat"], line["stones"]
        need(self.due > 0, "nothing is to be drawn now")
        need(seat == self.drawer, f"seat {self.drawer} draws now, not {seat}")
        need(len(stones) == self.due, f"{self.due} to be drawn, not {len(stones)}")
        for stone in stones:
            found = [thing for thing in self.bag if thing[1] == stone]
            need(bool(found), f"{stone} is not in the bag")
            if self.queues is not None:
                found = [thing for thing in self.queues[seat] if thing in self.bag]
                need(stone == found[0][1], f"the next stone of the bag is {found[0][1]}, not {stone}")
            self.bag.remove(found[0])
            self.hands[seat].append(stone)
        self.due = 0
        if not self.to_move and seat + 1 < self.seats:
            self.drawer, self.due = seat + 1, 5
        elif not self.to_move:
            self.to_move = starters(self.hands, self.edition)

    def need_between(self) -> None:
        """Stops where a draw is due, or the game is settled."""
        need(self.due == 0, f"the draw of seat {self.drawer} is missing")
        need(not self.settled, "after `settle` only `end`")

    def need_to_move(self, seat: int) -> None:
        """Stops unless the game goes on and this seat is to move."""
        self.need_between()
        need(self.out is None, f"the game is over, seat {self.out} went out")
        need(seat in self.to_move, f"not the turn of seat {seat} but of {sorted(self.to_move)}")

    def can_lay(self, hand: list[str]) -> bool:
        """Tells whether any stone of this hand can be laid now, in the suit of the turn if it has one."""
        joker = hand.count(JOKER) > self.barred
        for spot, card in self.cells.items():
            there = self.board.get(spot)
            free = there in (None, JOKER) and spot not in self.fresh
            fits = (joker and there is None) or (card in hand and free)
            if fits and self.suit in ("", card[-1]):
                return True
        return False

    def spot_named(self, name: str) -> Spot:
        """Finds the spot that a name means."""
        found = [spot for spot, card in self.cells.items() if name == card + "ul"[spot[0] % 2]]
        need(len(found) == 1, f"no spot {name}")
        return found[0]

    def lay(self, line: Line) -> None:
        """Lays a stone or a joker."""
        seat, stone = line["seat"], line["stone"]
        self.need_to_move(seat)
        hand = self.hands[seat]
        need(stone in hand, f"seat {seat} does not hold {stone}")
        spot = self.spot_named(line["spot"])
        card = self.cells[spot]
        need(self.suit in ("", card[-1]), f"{line['spot']} is not of this turn's suit {self.suit}")
        if stone == JOKER:
            need(hand.count(JOKER) > self.barred, "a joker that came to hand in this very turn")
            need(spot not in self.board, f"{line['spot']} is taken")
        else:
            need(stone == card, f"{stone} does not belong on {line['spot']}")
            need(self.board.get(spot, JOKER) == JOKER, f"{line['spot']} is taken")
            need(spot not in self.fresh, f"the joker on {line['spot']} was laid in this very turn")
        swapped = self.board.get(spot) == JOKER
        need(line["swapped"] == swapped, f"swapped is {swapped}")
        row, column = spot
        around = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
        points = sum(value_of(self.cells[near]) for near in around if near in self.board)
        need(line["points"] == points, f"{points} points, not {line['points']}")

        hand.remove(stone)
        self.board[spot] = stone
        if stone == JOKER and self.chosen["joker_swap"] == "later":
            self.fresh.add(spot)
        if swapped and self.edition == "1969":
            hand.append(JOKER)
            self.barred += 1
        self.totals[seat] += points
        self.to_move = {seat}
        self.suit = card[-1]
        self.laid += 1
        self.passes = 0

    def turn(self, line: Line) -> None:
        """Closes a turn."""
        seat = line["seat"]
        self.need_to_move(seat)
        need(self.laid > 0, "a turn without a stone laid")
        need(line["laid"] == self.laid, f"{self.laid} laid, not {line['laid']}")
        bonus = 10 if self.laid == 5 else 0
        self.totals[seat] += bonus
        need(line["bonus"] == bonus, f"the bonus is {bonus}, not {line['bonus']}")
        need(line["total"] == self.totals[seat], f"the total is {self.totals[seat]}, not {line['total']}")
        if not self.hands[seat] and not self.bag:
            self.out = seat
        self.drawer, self.due = seat, min(5 - len(self.hands[seat]), len(self.bag))
        self.laid, self.suit, self.barred, self.fresh = 0, "", 0, set()
        self.to_move = {(seat + 1) % self.seats}

    def pass_on(self, line: Line) -> None:
        """Passes, where nothing can be laid."""
        seat = line["seat"]
        self.need_to_move(seat)
        need(self.laid == 0, "a pass within a turn")
        need(self.passes < self.seats, "all have passed, the game is over")
        need(not self.can_lay(self.hands[seat]), f"seat {seat} passes but could lay")
        self.passes += 1
        self.to_move = {(seat + 1) % self.seats}

    def settle(self, line: Line) -> None:
        """Settles: when a player went out, or nobody can lay; whether all passed before makes no difference."""
        self.need_between()
        need(self.laid == 0, "`settle` within a turn")
        if self.out is None:
            need(not any(self.can_lay(hand) for hand in self.hands), "`settle` while someone could lay")
        bonus = [10 if seat == self.out else 0 for seat in range(self.seats)]
        penalty = [sum(value_of(stone) for stone in hand) for hand in self.hands]
        need(line["bonus"] == bonus, f"the bonus is {bonus}, not {line['bonus']}")
        need(line["penalty"] == penalty, f"the penalty is {penalty}, not {line['penalty']}")
        self.totals = [self.totals[seat] + bonus[seat] - penalty[seat] for seat in range(self.seats)]
        self.settled = "blocked" if self.out is None else "out"

    def need_running(self) -> None:
        """Stops unless the game could stand open just here."""
        self.need_between()
        need(self.out is None and self.passes < self.seats, "the game is over, but not settled")
        more = any(self.can_lay(self.hands[seat]) for seat in self.to_move)
        need(more or self.laid == 0, "nothing more can be laid, but the turn is not closed")

    def reason(self) -> str | None:
        """Says why the game is over; None while it is not."""
        return self.settled


def check(lines: list[str]) -> tuple[int, str] | None:
    """Checks a record; says the first line that is wrong, counted from 1, and why."""
    return check_record(lines, FIELDS, Cartino)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], check))
