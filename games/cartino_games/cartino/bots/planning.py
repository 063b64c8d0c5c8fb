"""The best turn from a position: every suit, order and half, jokers anywhere, swaps, the tens on top.

What a turn brings depends only on which spots are covered when a stone is laid, so two orders that lead to the
same table with the same hand are one node, and the search is a walk over nodes with a memory. With five stones in
hand there are at most some ten thousand of them (three of a suit and both jokers on the 1969 board), whatever lies
on the board.
"""

from collections.abc import Iterator

import msgspec

from cartino_games.cartino.bots.reading import TurnPosition

FIVE, FIVE_BONUS, OUT_BONUS = 5, 10, 10


class Node(msgspec.Struct, frozen=True, order=True):
    """Somewhere in a turn: the spots covered, those under jokers, stones in hand by position, jokers to lay."""

    taken: int
    jokers: int
    left: int
    in_hand: int


class PlannedLay(msgspec.Struct, frozen=True, order=True):
    """A lay: `card` is the stone's number, that of a joker where it is one past the last card."""

    card: int
    spot: int


class Outlook(msgspec.Struct, frozen=True):
    """The best that can be made of a node: points to come, then what is left open to others (less is better)."""

    points: int
    left_open: int

    def beats(self, other: "Outlook") -> bool:
        """Whether this is strictly the better one."""
        return (self.points, -self.left_open) > (other.points, -other.left_open)


class Turn:
    """The search of one suit's turns from one position."""

    def __init__(self, position: TurnPosition, suit: int) -> None:
        """Nothing is searched yet."""
        self._position = position
        self._ground = position.ground
        self._joker = position.ground.board.joker
        spots = position.ground.suits[suit]
        self._spots = [
            (spot, 1 << spot, self._ground.reach[spot], self._ground.worth[spot]) for spot in spots
        ]
        self._by_spot = {entry[0]: entry for entry in self._spots}
        self._stones = tuple(card for card in position.stones if 2 * card in self._by_spot)
        self._others = len(position.stones) - len(self._stones) + position.barred
        self._points: dict[Node, int] = {}
        self._open: dict[Node, int] = {}
        everything = (1 << len(self._stones)) - 1
        self.root = Node(position.taken, position.jokers, everything, position.free_jokers)

    def outlook(self, node: Node) -> Outlook:
        """What can be made of `node` by laying on or stopping."""
        return Outlook(self._best(node), self._least_open(node))

    def lays(self, node: Node) -> Iterator[tuple[PlannedLay, int, Node]]:
        """Each lay from `node`, its points and where it leads; stones before jokers, spots rising."""
        taken, jokers = node.taken, node.jokers
        before = -1
        for at, card in enumerate(self._stones):
            # Of twins in hand the first goes first, or every turn would be found twice.
            if not node.left >> at & 1 or card == before:
                continue
            before = card
            for half in (2 * card, 2 * card + 1):
                _, bit, reach, worth = self._by_spot[half]
                if not taken & bit or jokers & bit:
                    after = Node(taken | bit, jokers & ~bit, node.left & ~(1 << at), node.in_hand)
                    yield PlannedLay(card, half), worth[taken & reach], after
        if node.in_hand:
            for spot, bit, reach, worth in self._spots:
                if not taken & bit:
                    after = Node(taken | bit, jokers | bit, node.left, node.in_hand - 1)
                    yield PlannedLay(self._joker, spot), worth[taken & reach], after

    def stop(self, node: Node) -> int | None:
        """The points on top for ending the turn at `node`; None where nothing was laid yet."""
        position = self._position
        laid = self._laid(node)
        if laid == 0:
            return None
        bonus = FIVE_BONUS if laid == FIVE else 0
        return bonus + (OUT_BONUS if position.last and self._hand_is_empty(node) else 0)

    def left_open(self, node: Node) -> int:
        """The points that others could touch on the free spots next to what this turn has laid."""
        position, ground = self._position, self._ground
        laid = position.mine | node.taken & ~position.taken | position.jokers & ~node.jokers
        beside = sum(
            1 << near
            for near in range(len(ground.reach))
            if ground.reach[near] & laid and not node.taken >> near & 1
        )
        return sum(
            ground.worth[spot][node.taken & ground.reach[spot]]
            for spot in range(len(ground.reach))
            if beside >> spot & 1
        )

    def _best(self, node: Node) -> int:
        known = self._points.get(node)
        if known is not None:
            return known
        # A node from which nothing can be laid was led to by a lay, so stopping is open to it.
        best = self.stop(node) or 0
        for _, points, after in self.lays(node):
            best = max(best, points + self._best(after))
        self._points[node] = best
        return best

    def _least_open(self, node: Node) -> int:
        """What is left open by the best of those ends that bring the most points."""
        known = self._open.get(node)
        if known is not None:
            return known
        best = self._best(node)
        ends = [
            self._least_open(after)
            for _, points, after in self.lays(node)
            if points + self._best(after) == best
        ]
        if self.stop(node) == best:
            ends.append(self.left_open(node))
        self._open[node] = min(ends)
        return self._open[node]

    def _laid(self, node: Node) -> int:
        position = self._position
        stones = len(self._stones) - node.left.bit_count()
        return position.laid + stones + position.free_jokers - node.in_hand

    def _hand_is_empty(self, node: Node) -> bool:
        if node.left or node.in_hand or self._others:
            return False
        # In 1969 a joker that was swapped out is in the hand again, and keeps its player from going out.
        return self._ground.board.edition == "1974" or not self._swapped(node)

    def _swapped(self, node: Node) -> bool:
        covered = node.taken.bit_count() - self._position.taken.bit_count()
        return self._laid(node) - self._position.laid > covered


class TurnPlan(msgspec.Struct, frozen=True):
    """A turn: its lays in order, each with its points, and all it makes, bonuses included.

    `closes`: nothing can be laid after it, so that it ends by itself.
    """

    lays: tuple[tuple[PlannedLay, int], ...]
    points: int
    closes: bool


def best_lay(position: TurnPosition) -> PlannedLay | None:
    """The first lay of the best turn from here, or None where it is best to end the turn (or nothing can be laid).

    Most points first, then least left open, then stopping before laying, weak suits before strong ones, stones
    before jokers, spots rising.
    """
    found = _best_step(position)
    return None if found is None else found[1]


def best_turn(position: TurnPosition) -> TurnPlan:
    """The best turn from here, by the same order as `best_lay`; no lays where it is best to end the turn."""
    found, lays = _best_step(position), list[tuple[PlannedLay, int]]()
    if found is None:
        return TurnPlan((), 0, closes=False)
    turn, *_ = found
    step: tuple[PlannedLay, int, Node] | None = found[1:]
    node = turn.root
    while step is not None:
        lay, points, node = step
        lays.append((lay, points))
        step = _step_from(turn, node)[1]
    total = sum(points for _, points in lays) + (turn.stop(node) or 0)
    return TurnPlan(tuple(lays), total, closes=not any(turn.lays(node)))


def _best_step(position: TurnPosition) -> tuple[Turn, PlannedLay, int, Node] | None:
    suits = range(len(position.ground.suits)) if position.suit == -1 else (position.suit,)
    best: Outlook | None = None
    choice: tuple[Turn, PlannedLay, int, Node] | None = None
    for suit in suits:
        turn = Turn(position, suit)
        outlook, step = _step_from(turn, turn.root)
        if outlook is not None and (best is None or outlook.beats(best)):
            best, choice = outlook, None if step is None else (turn, *step)
    return choice


def _step_from(turn: Turn, node: Node) -> tuple[Outlook | None, tuple[PlannedLay, int, Node] | None]:
    """The best that `node` leads to and the lay towards it, None for stopping there; (None, None): a dead end."""
    on_top = turn.stop(node)
    best = None if on_top is None else Outlook(on_top, turn.left_open(node))
    choice: tuple[PlannedLay, int, Node] | None = None
    for lay, points, after in turn.lays(node):
        rest = turn.outlook(after)
        outlook = Outlook(points + rest.points, rest.left_open)
        if best is None or outlook.beats(best):
            best, choice = outlook, (lay, points, after)
    return best, choice
