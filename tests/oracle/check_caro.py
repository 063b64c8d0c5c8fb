"""Checks game records of Caro against the rules, and shares no code with the engine.

`python -m tests.oracle.check_caro FILE ...` says `FILE: ok` or `FILE:LINE: why` for each, and returns 1 if anything
is wrong.
"""

import sys

from tests.oracle import record
from tests.oracle.record import Line, check_record, main, need, shuffled

Spot = tuple[int, int]

VALUES = ["red/black 10", "red/grey 8", "red/white 6", "black/grey 4", "black/white 2", "grey/white 1"]
LETTER = {"red": "R", "black": "B", "grey": "G", "white": "W"}
OPTIONS = {"referee": ["strict", "honour"], "rounds": ["1", "2", "3", "4"], "begins": ["lot", "opener"]}
FIELDS = {
    "round": "round:int first:int",
    "lay": "seat:int colour:str x:int y:int points:int doubled:bool total:int penalty?:int",
    "call": "seat:int against:int right:bool penalty?:int total?:int",
    "undo": "seat:int x:int y:int points:int total:int",
    "forfeit": "seat:int colour:str penalty:int total:int",
    "accept": "seat:int",
    "skip": "seat:int",
}


def value_of(one: str, other: str) -> int:
    """Looks up what two colours side by side are worth."""
    for entry in VALUES:
        pair, points = entry.split()
        if sorted(LETTER[colour] for colour in pair.split("/")) == sorted([one, other]):
            return int(points)
    return 0


def beside(spot: Spot) -> list[Spot]:
    """Lists the four places that share a side with one."""
    x, y = spot
    return [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]


def sins(board: dict[Spot, str], spot: Spot, colour: str) -> list[int]:
    """Lists the rules, 1 to 3, that a caro breaks which is laid on this board."""
    after = {**board, spot: colour}
    found = []
    if any(board.get(near) == colour for near in beside(spot)):
        found.append(1)
    own = [after[near] for near in beside(spot) if near in after]
    crowds = [own.count(each) for each in "RBGW"]
    for centre in beside(spot):
        if centre in after:
            crowds.append(sum(after.get(near) == colour for near in beside(centre)))
    if max(crowds) > 2:
        found.append(2)
    for slope in (1, -1):
        # From the upper end of the whole diagonal to the lower, cut where another colour or none lies.
        diagonal = "".join(after.get((spot[0] + slope * k, spot[1] + k), " ") for k in range(-8, 9))
        before, behind = diagonal[:8], diagonal[9:]
        run = len(before) - len(before.rstrip(colour)) + 1 + len(behind) - len(behind.lstrip(colour))
        if run > 3:
            found.append(3)
    return found


class Caro(record.Game):
    """One game as far as the lines of its record have told it."""

    name = "caro"
    options = OPTIONS

    def __init__(self, first: Line, seed_hex: str | None) -> None:
        """Reads the first line; the seed is not known while a game runs."""
        super().__init__(first, seed_hex)
        self.honour = self.chosen["referee"] == "honour"
        self.rounds = int(self.chosen["rounds"])
        self.widest = {2: 6, 3: 7, 4: 8}[self.seats]
        self.beginners = [0]
        if self.chosen["begins"] == "lot":
            self.beginners = list(range(self.seats))
            if self.seed is not None:
                self.beginners = shuffled(self.beginners, self.seed, self.cuts + "\n")[:1]
        self.round = -1
        self.at_start = [0] * self.seats  # totals when the round began
        self.first = 0
        self.board: dict[Spot, str] = {}
        self.hands: list[list[str]] = []
        self.turn: int | None = None  # who lays
        self.forced = ""  # the colour to be laid again
        self.last: Line | None = None  # the lay that may be called
        self.heard: list[int] = []  # who called or accepted it
        self.due: list[tuple[str, int]] = [("round", -1)]  # the lines that have to come next
        self.waiting = False  # for answers to the last lay of a round
        self.over: str | None = None  # the reason

    def step(self, line: Line) -> None:
        """Plays a line of the game's own."""
        kind, seat = line["type"], line.get("seat")
        need(self.over is None, "the game is over")
        if self.due:
            due = self.due.pop(0)
            need(due in ((kind, seat), (kind, -1)), f"a `{due[0]}` of seat {due[1]} is due")
        else:
            need(kind in ("lay", "call", "accept"), f"no `{kind}` is due")
        plays = {"round": self.begin, "lay": self.lay, "call": self.call, "undo": self.undo}
        plays |= {"forfeit": self.forfeit, "accept": self.accept}
        if kind != "skip":
            plays[kind](line)

    def begin(self, line: Line) -> None:
        """Begins a round."""
        self.round += 1
        need(line["round"] == self.round, f"this is round {self.round}")
        need(line["first"] in self.beginners, f"{self.beginners} may begin, not {line['first']}")
        self.first = line["first"]
        self.at_start = list(self.totals)
        self.board = {}
        self.hands = [list("RRRBBBGGGWWW") for _ in range(self.seats)]
        self.turn, self.last, self.heard = self.first, None, []

    def open_spots(self) -> list[Spot]:
        """Lists the free places that touch a caro and leave the area no wider than it may be."""
        if not self.board:
            return [(0, 0)]
        near = {spot for taken in self.board for spot in beside(taken)} - set(self.board)
        for axis in (0, 1):
            least, most = min(spot[axis] for spot in self.board), max(spot[axis] for spot in self.board)
            near = {
                spot for spot in near if max(most, spot[axis]) - min(least, spot[axis]) + 1 <= self.widest
            }
        return sorted(near)

    def can_lay(self, colours: list[str]) -> bool:
        """Tells whether one of these colours has a place by the rules."""
        spots = self.open_spots()
        return any(not sins(self.board, spot, one) for one in set(colours) for spot in spots)

    def need_total(self, line: Line) -> None:
        """Checks the total that a line tells of its seat."""
        total = self.totals[line["seat"]]
        need(line["total"] == total, f"the total is {total}, not {line['total']}")

    def lay(self, line: Line) -> None:
        """Lays a caro."""
        seat, colour, spot = line["seat"], line["colour"], (line["x"], line["y"])
        need(not self.waiting, "the round's last lay waits for answers")
        need(seat == self.turn, f"seat {self.turn} is on turn, not {seat}")
        need(colour in self.hands[seat], f"seat {seat} has no {colour}")
        need(self.forced in ("", colour), f"{self.forced} has to be laid again, not {colour}")
        need(spot in self.open_spots(), f"{spot} is taken, outside or touches nothing")
        if self.forced or not self.honour:
            broken = sins(self.board, spot, colour)
            need(not broken, f"{colour} on {spot} breaks the rules {broken}")
        points = sum(value_of(colour, self.board[near]) for near in beside(spot) if near in self.board)
        points = points if self.board else 10
        doubled = self.hands[seat].count(colour) == 1
        points *= 2 if doubled else 1
        need(line["points"] == points, f"{points} points, not {line['points']}")
        need(line["doubled"] == doubled, f"doubled is {doubled}")
        need(line.get("penalty") == (10 if self.forced else None), "a penalty only for a lay after a call")
        self.board[spot] = colour
        self.hands[seat].remove(colour)
        self.totals[seat] += points - (10 if self.forced else 0)
        self.need_total(line)
        self.last, self.heard, self.forced = line, [], ""
        self.pass_on()

    def pass_on(self) -> None:
        """Finds who comes next, and which skips that takes."""
        assert self.turn is not None
        order = [(self.turn + k) % self.seats for k in range(1, self.seats + 1)]
        able = [seat for seat in order if self.can_lay(self.hands[seat])]
        if able:
            passed = order[: order.index(able[0])]
            self.due = [("skip", seat) for seat in passed if self.hands[seat]]
            self.turn = able[0]
        elif self.honour and self.last is not None:
            self.waiting = True
        else:
            self.close()

    def may_answer(self, seat: int) -> Line:
        """Stops unless this seat may call or accept the last lay, and says which that is."""
        need(self.honour, "nobody calls or accepts under a strict referee")
        last = self.last
        if last is None:
            raise ValueError("no lay to call or accept")
        need(seat != last["seat"], "the seat's own lay")
        need(seat not in self.heard, f"seat {seat} has called or accepted already")
        return last

    def call(self, line: Line) -> None:
        """Calls the last lay."""
        seat = line["seat"]
        last = self.may_answer(seat)
        need(line["against"] == last["seat"], f"seat {last['seat']} laid last")
        spot = (last["x"], last["y"])
        rest = {place: colour for place, colour in self.board.items() if place != spot}
        right = bool(sins(rest, spot, last["colour"]))
        need(line["right"] == right, f"right is {right}")
        if right:
            need("penalty" not in line and "total" not in line, "a right call costs nothing")
            self.due = [("undo", last["seat"])]
            return
        self.totals[seat] -= 10
        need(line.get("penalty") == 10 and "total" in line, "a wrong call costs 10")
        self.need_total(line)
        self.answered(seat)

    def accept(self, line: Line) -> None:
        """Accepts the last lay of a round."""
        self.may_answer(line["seat"])
        need(self.waiting, "only the last lay of a round is accepted")
        self.answered(line["seat"])

    def answered(self, seat: int) -> None:
        """Notes an answer, which may be the last of a round."""
        self.heard.append(seat)
        if self.waiting and len(self.heard) == self.seats - 1:
            self.close()

    def undo(self, line: Line) -> None:
        """Takes the caro back."""
        seat, last = line["seat"], self.last
        assert last is not None
        need(all(line[name] == last[name] for name in ("x", "y", "points")), "not the lay that was called")
        del self.board[last["x"], last["y"]]
        self.hands[seat].append(last["colour"])
        self.totals[seat] -= last["points"]
        self.need_total(line)
        self.turn, self.forced, self.last, self.waiting = seat, last["colour"], None, False
        if not self.can_lay([self.forced]):
            self.due = [("forfeit", seat)]

    def forfeit(self, line: Line) -> None:
        """Loses the turn."""
        need(line["colour"] == self.forced, f"{self.forced} was called back")
        need(line["penalty"] == 10, "the penalty is 10")
        self.totals[line["seat"]] -= 10
        self.need_total(line)
        self.forced = ""
        self.pass_on()

    def close(self) -> None:
        """Ends a round."""
        self.waiting, self.last = False, None
        if self.round + 1 == self.rounds:
            self.over = "blocked" if any(self.hands) else "laid"
            return
        made = [self.totals[seat] - self.at_start[seat] for seat in range(self.seats)]
        order = [(self.first + k) % self.seats for k in range(1, self.seats + 1)]
        self.beginners = [next(seat for seat in order if made[seat] == min(made))]
        self.due = [("round", -1)]

    def need_running(self) -> None:
        """Stops unless the game could stand open just here."""
        need(not self.due, f"{self.due} is due")
        need(self.over is None, "the game is over")

    def reason(self) -> str | None:
        """Says why the game is over; None while it is not."""
        return self.over


def check(lines: list[str]) -> tuple[int, str] | None:
    """Checks a record; says the first line that is wrong, counted from 1, and why."""
    return check_record(lines, FIELDS, Caro)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], check))
