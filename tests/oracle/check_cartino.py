"""Checks game records of Cartino against the rules, and shares no code with the engine.

`python check_record.py FILE ...` says `FILE: ok` or `FILE:LINE: why` for each, and returns 1 if anything is wrong.
"""

import hashlib
import hmac
import json
import re
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

Line = dict[str, Any]
Spot = tuple[int, int]

JOKER = "*"
SUITS = ["D", "H", "S", "C"]
RANKS = {"1974": ["7", "8", "9", "10", *"JQKA"], "1969": [*"23456789", "10", *"JQKA"]}
VALUES = {"A": 5, "K": 4, "Q": 3, "J": 2}
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
    "game": "format:int game:str options:dict seats:strs commitment:str cuts:strs started:str",
    "draw": "seat:int stones:strs",
    "lay": "seat:int stone:str spot:str points:int swapped:bool",
    "turn": "seat:int laid:int bonus:int total:int",
    "pass": "seat:int",
    "settle": "bonus:ints penalty:ints",
    "end": "totals:ints winners:ints reason:str seed:str ended:str",
    "note": "text:str",
}


def need(fine: bool, why: str) -> None:
    """Stops unless it is fine; whatever is wrong with a record is a ValueError."""
    if not fine:
        raise ValueError(why)


def has_kind(value: Any, kind: str) -> bool:
    """Tells whether a field holds what it should: true is no number, 5.0 no whole one."""
    if kind in ("ints", "strs"):
        return isinstance(value, list) and all(has_kind(one, kind[:-1]) for one in value)
    return type(value).__name__ == kind


def no_doubles(pairs: list[tuple[str, Any]]) -> Line:
    """Makes an object of its fields, unless a field is there twice."""
    need(len(dict(pairs)) == len(pairs), "a field stands twice in one object")
    return dict(pairs)


def read_line(text: str) -> Line:
    """Reads one line and checks which fields it has."""
    line: Any = json.loads(text, object_pairs_hook=no_doubles)
    need(isinstance(line, dict) and next(iter(line), None) == "type", "no object with `type` first")
    kind = line["type"]
    need(isinstance(kind, str) and kind in FIELDS, f"unknown type {kind!r}")
    fields = dict(field.split(":") for field in FIELDS[kind].split())
    if kind == "note" and "seat" in line:
        fields["seat"] = "NoneType" if line["seat"] is None else "int"
    need(set(line) == {"type", *fields}, f"{kind} has {sorted(line)}, not type and {sorted(fields)}")
    for name, what in fields.items():
        need(has_kind(line[name], what), f"{name} is {line[name]!r}")
    return dict(line)


def check_hex(text: str, what: str) -> bytes:
    """Reads 32 bytes in hex."""
    need(re.fullmatch(r"[0-9a-fA-F]{64}", text) is not None, f"{what} is not 32 bytes in hex")
    return bytes.fromhex(text)


def check_time(text: str, what: str) -> None:
    """Checks a moment in UTC, as RFC 3339 writes it."""
    shape = r"[0-9]{4}-[0-9][0-9]-[0-9][0-9][Tt ][0-9][0-9]:[0-9][0-9]:[0-9][0-9](\.[0-9]+)?([Zz]|\+00:00)"
    need(re.fullmatch(shape, text) is not None, f"{what} is not RFC 3339 in UTC: {text}")
    datetime.fromisoformat(text[:19].upper())


def value_of(stone: str) -> int:
    """Says what a stone, or the card of a cell, is worth."""
    return 6 if stone == JOKER else VALUES.get(stone[:-1], 1)


def all_stones(edition: str) -> list[str]:
    """Lists the stones in their canonical order."""
    return [rank + suit for suit in SUITS for rank in RANKS[edition] for _ in range(2)] + [JOKER, JOKER]


def shuffled(stones: list[str], seed: bytes, cuts: list[str]) -> list[str]:
    """Puts the stones in the order in which they are drawn."""
    start = "\n".join(cuts) + "\n"
    keys = [hmac.digest(seed, (start + str(i)).encode(), "sha256") for i in range(len(stones))]
    return [stone for _, stone in sorted(zip(keys, stones, strict=True))]


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


class Game:
    """One game as far as the lines of its record have told it."""

    def __init__(self, first: Line, seed_hex: str | None) -> None:
        """Reads the first line; the seed is not known while a game runs."""
        need(first["type"] == "game", "the first line is not `game`")
        need(first["format"] == 1 and first["game"] == "cartino", "not a record of Cartino, format 1")
        edition = first["options"].get("edition")
        need(isinstance(edition, str) and edition in RANKS, f"edition {edition!r}")
        self.edition: str = edition
        self.seats = len(first["seats"])
        need(2 <= self.seats <= 4, f"{self.seats} players")
        need(len(first["cuts"]) == self.seats, "not one cut a seat")
        check_time(first["started"], "started")
        commitment = check_hex(first["commitment"], "commitment")
        self.bag = all_stones(edition)
        self.shuffled = seed_hex is not None
        if seed_hex is not None:
            seed = check_hex(seed_hex, "the seed of `end`")
            need(hashlib.sha256(seed).digest() == commitment, "the seed of `end` does not fit the commitment")
            self.bag = shuffled(self.bag, seed, first["cuts"])
        self.cells: dict[Spot, str] = {}  # the card printed under each spot
        for row in range(8):
            for column, card in enumerate(BOARDS[edition][row // 2].split()):
                if card != "--":
                    self.cells[row, column] = card
        self.board: dict[Spot, str] = {}
        self.hands: list[list[str]] = [[] for _ in range(self.seats)]
        self.totals = [0] * self.seats

        self.to_move: set[int] = set()  # one seat, or those that may begin; none while stones are dealt
        self.drawer = 0  # whose draw is due, and of how many
        self.due = 5
        self.laid = 0
        self.suit = ""  # of this turn
        self.barred = 0  # jokers that came to hand in this turn
        self.passes = 0  # in a row
        self.out: int | None = None
        self.settled: str | None = None  # the reason, once it is
        self.ended = False

    def play(self, line: Line) -> None:
        """Plays one line."""
        need(not self.ended, "a line after `end`")
        if line.get("seat") is not None:
            need(0 <= line["seat"] < self.seats, f"no seat {line['seat']}")
        need(line["type"] != "game", "a second first line")
        plays = {"draw": self.draw, "lay": self.lay, "turn": self.turn, "pass": self.pass_on}
        plays |= {"settle": self.settle, "end": self.end}
        if line["type"] != "note":
            plays[line["type"]](line)

    def draw(self, line: Line) -> None:
        """Draws: the deal, or after a turn."""
        seat, stones = line["seat"], line["stones"]
        need(self.due > 0, "nothing is to be drawn now")
        need(seat == self.drawer, f"seat {self.drawer} draws now, not {seat}")
        need(len(stones) == self.due, f"{self.due} to be drawn, not {len(stones)}")
        for stone in stones:
            need(stone in self.bag, f"{stone} is not in the bag")
            next_one = self.bag[0] if self.shuffled else stone
            need(stone == next_one, f"the next stone of the bag is {next_one}, not {stone}")
            self.bag.remove(stone)
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
            fits = (joker and there is None) or (card in hand and there in (None, JOKER))
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
        swapped = self.board.get(spot) == JOKER
        need(line["swapped"] == swapped, f"swapped is {swapped}")
        row, column = spot
        around = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
        points = sum(value_of(self.cells[near]) for near in around if near in self.board)
        need(line["points"] == points, f"{points} points, not {line['points']}")

        hand.remove(stone)
        self.board[spot] = stone
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
        self.laid, self.suit, self.barred = 0, "", 0
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

    def end(self, line: Line) -> None:
        """Ends the game; the seed has been looked at before the first line."""
        check_time(line["ended"], "ended")
        winners = [seat for seat in range(self.seats) if self.totals[seat] == max(self.totals)]
        if line["reason"] == "abandoned":
            self.need_running()
            winners = []
        else:
            need(line["reason"] == self.settled, f"the reason is {self.settled or 'not settled'}")
        need(line["totals"] == self.totals, f"the totals are {self.totals}, not {line['totals']}")
        need(sorted(line["winners"]) == winners, f"the winners are {winners}, not {line['winners']}")
        self.ended = True


def check(lines: list[str]) -> tuple[int, str] | None:
    """Checks a record; says the first line that is wrong, counted from 1, and why."""
    number = 0
    read: list[Line] = []
    try:
        for text in lines:
            number += 1
            read.append(read_line(text))
        number = 1
        need(bool(read), "an empty record")
        game = Game(read[0], read[-1].get("seed"))
        for line in read[1:]:
            number += 1
            game.play(line)
        if not game.ended:
            game.need_running()
    except ValueError as error:
        return number, str(error)
    return None


def main(files: list[str]) -> int:
    """Checks files and says what it found."""
    status = 0
    for name in files:
        try:
            found = check(Path(name).read_bytes().decode().removesuffix("\n").split("\n"))
        except UnicodeDecodeError:
            found = (1, "not UTF-8")
        print(f"{name}: ok" if found is None else f"{name}:{found[0]}: {found[1]}")
        status = status if found is None else 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
