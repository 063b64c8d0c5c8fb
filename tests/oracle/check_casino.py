"""Checks game records of Casino against the rules, and shares no code with the engine or the game.

`python -m tests.oracle.check_casino FILE ...` says `FILE: ok` or `FILE:LINE: why` for each, and returns 1 if anything
is wrong.
"""

import sys
from itertools import combinations

from tests.oracle import record
from tests.oracle.record import Line, check_record, has_kind, main, need, shuffled

RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]
PACK = [rank + suit for suit in ["D", "H", "S", "C"] for rank in RANKS]
OPTIONS = {
    "special_suit": ["clubs", "spades"],
    "sweeps_cancel": ["on", "off"],
    "hand_values": ["either", "high"],
    "target": ["21", "16", "11"],
}
FIELDS = {
    "deal": "deal:int hand:int dealer:int hands:list table:strs last:bool",
    "play": "seat:int card:str act:str value:int takes:strs sweep:bool",
    "left": "seat:int cards:strs",
    "score": "suit:ints cards:ints big:ints little:ints aces:ints last:ints sweeps:ints points:ints total:ints",
}


def low(card: str) -> int:
    """Says what a card counts on the table."""
    return RANKS.index(card[:-1]) + 1


def parts(cards: list[str], value: int) -> bool:
    """Tells whether cards fall into sets of a value: the first card is in one of them, with some of the others."""
    if not cards:
        return True
    first, others = cards[0], cards[1:]
    for count in range(len(others) + 1):
        for some in combinations(others, count):
            if low(first) + sum(map(low, some)) == value and parts(
                [card for card in others if card not in some], value
            ):
                return True
    return False


class Build:
    """A build on the table."""

    def __init__(self, value: int, cards: set[str], owner: int, multiple: bool) -> None:
        """Puts the cards together."""
        self.value = value
        self.cards = cards
        self.owner = owner
        self.multiple = multiple


class Casino(record.Game):
    """One game as far as the lines of its record have told it."""

    name = "casino"
    options = OPTIONS

    def __init__(self, first: Line, seed_hex: str | None) -> None:
        """Reads the first line; the seed is not known while a game runs."""
        super().__init__(first, seed_hex)
        options = self.chosen
        self.suit = "C" if options["special_suit"] == "clubs" else "S"
        self.cancel = options["sweeps_cancel"] == "on"
        self.only_high = options["hand_values"] == "high"
        self.target = int(options["target"])
        self.deal_number = -1
        self.won = False
        self.scored = True  # nothing is left to score before the first deal
        self.new_deal()

    def new_deal(self) -> None:
        """Clears the table for the next deal."""
        self.hand_number = -1
        self.out: list[str] = []  # every card that has come off the pack, in that order
        self.hands: list[list[str]] = [[] for _ in range(self.seats)]
        self.piles: list[list[str]] = [[] for _ in range(self.seats)]
        self.sweeps = [0] * self.seats
        self.loose: set[str] = set()
        self.builds: list[Build] = []
        self.turn = 0
        self.last: int | None = None
        self.gave_left = False

    def step(self, line: Line) -> None:
        """Plays a line of the game's own."""
        kinds = {"deal": self.deal, "play": self.card, "left": self.left, "score": self.score}
        kinds[line["type"]](line)

    def deal(self, line: Line) -> None:
        """Deals: the next hand, or the first of the next deal."""
        need(not any(self.hands), "cards are dealt while a hand is played")
        if self.scored:
            need(not self.won, "a deal after the target was reached")
            self.new_deal()
            self.deal_number += 1
            self.scored = False
        else:
            need(len(self.out) < 52, "a hand is dealt, but the pack is used up")
        self.hand_number += 1
        need(line["deal"] == self.deal_number, f"this is deal {self.deal_number}")
        need(line["hand"] == self.hand_number, f"this is hand {self.hand_number} of the deal")
        dealer = (self.seats - 1 + self.deal_number) % self.seats
        need(line["dealer"] == dealer, f"seat {dealer} deals")
        need(len(line["hands"]) == self.seats, "not one hand a seat")
        for hand in line["hands"]:
            need(has_kind(hand, "strs") and len(hand) == 4, f"{hand} is no hand of four cards")
        need(
            len(line["table"]) == (4 if self.hand_number == 0 else 0), "four cards to the table at first only"
        )
        for part in (0, 2):
            for step in range(1, self.seats + 1):
                self.out += line["hands"][(dealer + step) % self.seats][part : part + 2]
            self.out += line["table"][part : part + 2]
        need(len(set(self.out)) == len(self.out), "a card is dealt twice")
        need(set(self.out) <= set(PACK), "a card that does not exist")
        if self.seed is not None:
            pack = shuffled(PACK, self.seed, f"{self.cuts}:{self.deal_number}\n")
            need(self.out == pack[: len(self.out)], "not the cards that the seed gives")
        need(line["last"] == (len(self.out) == 52), "`last` is wrong")
        self.hands = [list(hand) for hand in line["hands"]]
        self.loose |= set(line["table"])
        self.turn = (dealer + 1 + self.hand_number) % self.seats

    def values(self, card: str) -> list[int]:
        """Says what a card counts when it takes or is held for a build."""
        high = {"10D": 16, "2" + self.suit: 15}.get(card)
        if card[:-1] == "A":
            high = 14
        if high is None:
            return [low(card)]
        return [high] if self.only_high else [low(card), high]

    def holds(self, seat: int, value: int) -> bool:
        """Tells whether a seat has a card of that value now."""
        return any(value in self.values(card) for card in self.hands[seat])

    def card(self, line: Line) -> None:
        """Plays a card."""
        seat, card, value = line["seat"], line["card"], line["value"]
        need(any(self.hands), "nobody has a card to play")
        need(seat == self.turn, f"seat {self.turn} is to play")
        need(card in self.hands[seat], f"{card} is not in the hand of seat {seat}")
        takes = set(line["takes"])
        need(len(takes) == len(line["takes"]), "a card is taken twice")
        loose = takes & self.loose
        builds = [build for build in self.builds if build.cards & takes]
        for build in builds:
            need(build.cards <= takes, "a build is taken apart")
        need(
            takes == loose.union(*(build.cards for build in builds)),
            "a card is taken that does not lie there",
        )
        mine = [build for build in self.builds if build.owner == seat]
        acts = {"trail": self.trail, "capture": self.capture, "build": self.build}
        acts |= {"raise": self.raise_, "add": self.add}
        need(line["act"] in acts, f"there is no act {line['act']}")
        self.hands[seat].remove(card)
        sweep = acts[line["act"]](seat, card, value, loose, builds)
        need(line["sweep"] == bool(sweep), f"sweep is {bool(sweep)}")
        if mine and line["act"] in ("trail", "build"):
            need(False, f"{line['act']} while a build of one's own lies")
        if mine and line["act"] in ("raise", "add"):
            need(builds == mine, "raises or adds to another's build while one's own lies")
        for build in self.builds:
            if build.owner == seat:
                need(
                    self.holds(seat, build.value), f"seat {seat} holds no card for its build of {build.value}"
                )
        self.turn = (seat + 1) % self.seats

    def trail(self, seat: int, card: str, value: int, loose: set[str], builds: list[Build]) -> bool:
        """Lays a card on the table."""
        need(value == 0 and not loose and not builds, "a trail takes nothing and has value 0")
        self.loose.add(card)
        return False

    def capture(self, seat: int, card: str, value: int, loose: set[str], builds: list[Build]) -> bool:
        """Takes cards."""
        need(bool(loose or builds), "a capture of nothing")
        if card == "5" + self.suit:
            need(value == 5, "the five takes as a 5")
            need(loose == self.loose and builds == self.builds, "the five takes everything")
        else:
            need(value in self.values(card), f"{card} does not count {value}")
            need(all(build.value == value for build in builds), "a build of another value is taken")
            need(parts(sorted(loose, key=low, reverse=True), value), f"no sets of {value}")
        self.loose -= loose
        self.builds = [build for build in self.builds if build not in builds]
        self.piles[seat] += [card, *loose, *(one for build in builds for one in build.cards)]
        self.last = seat
        cleared = not self.loose and not self.builds
        self.sweeps[seat] += cleared
        return cleared

    def build(self, seat: int, card: str, value: int, loose: set[str], builds: list[Build]) -> None:
        """Lays a card on a loose one."""
        need(len(loose) == 1 and not builds, "a build is laid on one loose card")
        (other,) = loose
        more = value == low(card) == low(other)
        need(more or value == low(card) + low(other), f"that does not make {value}")
        need(value <= 16, "above 16")
        need(all(build.value != value for build in self.builds), "a build of this value lies already")
        need(self.holds(seat, value), f"no other card of {value}")
        self.loose -= loose
        self.builds.append(Build(value, {card, other}, seat, more))

    def raise_(self, seat: int, card: str, value: int, loose: set[str], builds: list[Build]) -> None:
        """Raises a build; it joins one that has the value already."""
        need(len(builds) == 1 and not loose, "one build is raised")
        raised = builds[0]
        need(not raised.multiple, "a multiple build is raised")
        need(value == raised.value + low(card), f"that does not make {value}")
        need(value <= 16, "above 16")
        need(self.holds(seat, value), f"no other card of {value}")
        raised.cards.add(card)
        raised.value, raised.owner = value, seat
        for other in self.builds:
            if other is not raised and other.value == value:
                raised.cards |= other.cards
                raised.multiple = True
        self.builds = [other for other in self.builds if other is raised or other.value != value]

    def add(self, seat: int, card: str, value: int, loose: set[str], builds: list[Build]) -> None:
        """Puts a further set to a build."""
        need(len(builds) == 1 and len(loose) <= 1, "a set is put to one build, with one loose card at most")
        need(value == builds[0].value, "the build has another value")
        need(low(card) + sum(map(low, loose)) == value, f"that does not make {value}")
        need(self.holds(seat, value), f"no other card of {value}")
        self.loose -= loose
        builds[0].cards |= {card, *loose}
        builds[0].owner, builds[0].multiple = seat, True

    def need_played(self) -> None:
        """Stops unless all cards of the deal were played."""
        need(not self.scored, "nothing is to be scored")
        need(len(self.out) == 52 and not any(self.hands), "the deal is not played to its end")

    def left(self, line: Line) -> None:
        """Gives what is left to the last who captured."""
        self.need_played()
        need(not self.gave_left, "a second `left`")
        need(not self.builds, "a build is left")
        need(self.last is not None and line["seat"] == self.last, f"seat {self.last} captured last")
        need(set(line["cards"]) == self.loose != set(), f"left are {sorted(self.loose)}")
        need(len(line["cards"]) == len(self.loose), "a card is left twice")
        self.piles[line["seat"]] += line["cards"]
        self.gave_left = True

    def score(self, line: Line) -> None:
        """Scores the deal."""
        self.need_played()
        need(self.gave_left or not self.loose or self.last is None, "`left` is missing")
        clubs = [sum(card.endswith(self.suit) for card in pile) for pile in self.piles]
        sizes = [len(pile) for pile in self.piles]
        least = min(self.sweeps) if self.cancel else 0
        for seat in range(self.seats):
            pile = self.piles[seat]
            most_suit = all(clubs[seat] > clubs[other] for other in range(self.seats) if other != seat)
            most_cards = all(sizes[seat] > sizes[other] for other in range(self.seats) if other != seat)
            want = {
                "suit": 2 if most_suit else 0,
                "cards": 1 if most_cards else 0,
                "big": 2 if "10D" in pile else 0,
                "little": 1 if "2" + self.suit in pile else 0,
                "aces": len({"AD", "AH", "AS", "AC"} & set(pile)),
                "last": 1 if seat == self.last else 0,
                "sweeps": self.sweeps[seat] - least,
            }
            want["points"] = sum(want.values())
            self.totals[seat] += want["points"]
            want["total"] = self.totals[seat]
            for name, value in want.items():
                need(len(line[name]) == self.seats, f"{name} has not one number a seat")
                need(line[name][seat] == value, f"{name} of seat {seat} is {value}, not {line[name][seat]}")
        self.scored = True
        self.won = max(self.totals) >= self.target

    def need_running(self) -> None:
        """Stops unless the game could stand open just here."""
        need(not self.won, "the target is reached, but the game is not ended")
        need(any(self.hands), "cards are to be dealt, or the deal is to be scored")

    def reason(self) -> str | None:
        """Says why the game is over; None while it is not."""
        return "points" if self.won else None


def check(lines: list[str]) -> tuple[int, str] | None:
    """Checks a record; says the first line that is wrong, counted from 1, and why."""
    return check_record(lines, FIELDS, Casino)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], check))
