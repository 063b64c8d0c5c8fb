"""The turns that can be made from a position: for each end of one, the most points on the way to it; and the best.

What a turn scores depends only on which spots are covered when a stone is laid, so orders that lead to the same table
with the same hand are one end. With five stones in hand there are some 25 ends on average and at most some ten thousand
(three of a suit and both jokers on the 1969 board).
"""

from collections.abc import Iterable, Iterator

import msgspec

from cartino_games.cartino.bots.reading import TurnPosition

FIVE, FIVE_BONUS, OUT_BONUS = 5, 10, 10

_Key = tuple[int, int, int, int]
"""Spots covered, those under jokers, stones in hand as a mask of their places, jokers that may be laid."""


class PlannedLay(msgspec.Struct, frozen=True, order=True):
    """A lay: `card` is the stone's number, that of a joker where it is one past the last card."""

    card: int
    spot: int


class TurnOutcome(msgspec.Struct, frozen=True):
    """What a turn leads to: spots `taken`, those under `jokers`, the stones `kept` (rising) and jokers kept.

    `points` are all that the turn scores from here on, bonuses included; `out`: it ends the game.
    """

    points: int
    taken: int
    jokers: int
    kept: tuple[int, ...]
    kept_jokers: int
    out: bool


class TurnEnd(TurnOutcome, frozen=True):
    """Where a turn may end; `suit` and `key` find the lays that lead there."""

    suit: int
    key: _Key


class TurnTree:
    """The turns of every suit that `position` allows; the lays of each are found again by its end."""

    def __init__(self, position: TurnPosition) -> None:
        """Walk through all turns."""
        self._position = position
        self._reached: dict[int, dict[_Key, tuple[int, _Key | None, PlannedLay | None]]] = {}
        """By suit: the most points on the way to a node, the node before it, and the lay between them."""
        suits = range(len(position.ground.suits)) if position.suit == -1 else (position.suit,)
        for suit in suits:
            self._walk(suit)

    def ends(self) -> Iterator[TurnEnd]:
        """Yield where the turn may end; every one has at least one lay, but for a turn that already has some."""
        position = self._position
        for suit, reached in self._reached.items():
            stones = self._stones(suit)
            others = tuple(card for card in position.stones if card not in stones)
            for key, (points, before, _) in reached.items():
                if before is None and position.laid == 0:
                    continue
                yield self._end(suit, stones, others, key, points)

    def lays_to(self, end: TurnEnd) -> tuple[PlannedLay, ...]:
        """Return the lays of the turn that ends there, in their order."""
        reached, lays = self._reached[end.suit], list[PlannedLay]()
        key: _Key | None = end.key
        while key is not None:
            _, key, lay = reached[key]
            if lay is not None:
                lays.append(lay)
        return tuple(reversed(lays))

    def goes_on(self, end: TurnEnd) -> bool:
        """Return whether something can be laid after `end`."""
        taken, jokers, left, in_hand = end.key
        if in_hand and any(not taken >> spot & 1 for spot in self._spots(end.suit)):
            return True
        closed = taken & ~(jokers & self._position.open_jokers)
        stones = self._stones(end.suit)
        return any(left >> at & 1 and ~closed >> 2 * card & 0b11 for at, card in enumerate(stones))

    def _spots(self, suit: int) -> tuple[int, ...]:
        return self._position.ground.suits[suit]

    def _stones(self, suit: int) -> tuple[int, ...]:
        spots = self._spots(suit)
        return tuple(card for card in self._position.stones if spots[0] <= 2 * card <= spots[-1])

    def _end(
        self, suit: int, stones: tuple[int, ...], others: tuple[int, ...], key: _Key, points: int
    ) -> TurnEnd:
        position = self._position
        taken, jokers, left, in_hand = key
        kept = tuple(card for at, card in enumerate(stones) if left >> at & 1)
        laid = position.laid + len(stones) - len(kept) + position.free_jokers - in_hand
        swapped = laid - position.laid - (taken.bit_count() - position.taken.bit_count())
        comes_in = swapped if position.ground.board.edition == "1969" else 0
        kept_jokers = in_hand + position.barred + comes_in
        out = position.last and not (kept or others or kept_jokers)
        points += FIVE_BONUS * (laid == FIVE) + OUT_BONUS * out
        return TurnEnd(points, taken, jokers, tuple(sorted(kept + others)), kept_jokers, out, suit, key)

    def _walk(self, suit: int) -> None:
        position, ground = self._position, self._position.ground
        reach, worth, joker = ground.reach, ground.worth, ground.board.joker
        open_jokers = position.open_jokers
        stones = self._stones(suit)
        root = (position.taken, position.jokers, (1 << len(stones)) - 1, position.free_jokers)
        reached: dict[_Key, tuple[int, _Key | None, PlannedLay | None]] = {root: (0, None, None)}
        layer = [root]
        while layer:
            following: dict[_Key, None] = {}
            for key in layer:
                taken, jokers, left, in_hand = key
                so_far = reached[key][0]
                before = -1
                for at, card in enumerate(stones):
                    # Of twins in hand the first goes first, or every turn would be found twice.
                    if not left >> at & 1 or card == before:
                        continue
                    before = card
                    for spot in (2 * card, 2 * card + 1):
                        bit = 1 << spot
                        if taken & bit and not jokers & open_jokers & bit:
                            continue
                        after = (taken | bit, jokers & ~bit, left & ~(1 << at), in_hand)
                        points = so_far + worth[spot][taken & reach[spot]]
                        known = reached.get(after)
                        if known is None or points > known[0]:
                            reached[after] = (points, key, PlannedLay(card, spot))
                            following[after] = None
                if in_hand:
                    for spot in ground.suits[suit]:
                        bit = 1 << spot
                        if taken & bit:
                            continue
                        after = (taken | bit, jokers | bit, left, in_hand - 1)
                        points = so_far + worth[spot][taken & reach[spot]]
                        known = reached.get(after)
                        if known is None or points > known[0]:
                            reached[after] = (points, key, PlannedLay(joker, spot))
                            following[after] = None
            layer = list(following)
        self._reached[suit] = reached


def outcome_of(position: TurnPosition, lays: Iterable[PlannedLay]) -> TurnOutcome:
    """Return what a turn of those legal `lays` leads to."""
    ground, points, laid = position.ground, 0, position.laid
    taken, jokers, kept = position.taken, position.jokers, list(position.stones)
    kept_jokers = position.free_jokers + position.barred
    for lay in lays:
        bit = 1 << lay.spot
        points += ground.worth[lay.spot][taken & ground.reach[lay.spot]]
        if lay.card == ground.board.joker:
            jokers |= bit
            kept_jokers -= 1
        else:
            kept_jokers += bool(jokers & bit) and ground.board.edition == "1969"
            jokers &= ~bit
            kept.remove(lay.card)
        taken |= bit
        laid += 1
    out = position.last and not kept and not kept_jokers
    points += FIVE_BONUS * (laid == FIVE) + OUT_BONUS * out
    return TurnOutcome(points, taken, jokers, tuple(kept), kept_jokers, out)


class TurnPlan(msgspec.Struct, frozen=True):
    """A turn: its lays in order, each with its points, and all it makes, bonuses included.

    `closes`: nothing can be laid after it, so that it ends by itself.
    """

    lays: tuple[tuple[PlannedLay, int], ...]
    points: int
    closes: bool


def best_turn(position: TurnPosition) -> TurnPlan:
    """Return the turn with the most points; no lays where it is best to end the turn, or nothing can be laid.

    Of equal turns the one with the most stones, since a stone kept for nothing only costs; then the one that leaves
    least open to others, and then the first by suit, weakest first.
    """
    tree = TurnTree(position)
    found = most_points(position, tree.ends())
    return TurnPlan((), 0, closes=False) if found is None else plan_of(position, tree, found)


def most_points(position: TurnPosition, ends: Iterable[TurnEnd]) -> TurnEnd | None:
    """Return the best of `ends` by the order of `best_turn`."""
    best: list[TurnEnd] = []
    order = (0, 0)
    for end in ends:
        found = (end.points, -len(end.kept) - end.kept_jokers)
        if not best or found > order:
            best, order = [end], found
        elif found == order:
            best.append(end)
    if len(best) > 1:
        return min(best, key=lambda end: left_open(position, end))
    return best[0] if best else None


def left_open(position: TurnPosition, end: TurnEnd) -> int:
    """Return the points that others could touch on the free spots next to what the turn has laid."""
    ground = position.ground
    laid = position.mine | end.taken & ~position.taken | position.jokers & ~end.jokers
    return sum(
        ground.worth[spot][end.taken & near]
        for spot, near in enumerate(ground.reach)
        if near & laid and not end.taken >> spot & 1
    )


def plan_of(position: TurnPosition, tree: TurnTree, end: TurnEnd) -> TurnPlan:
    """Return the turn of `tree` that leads to `end`, lay by lay."""
    ground, taken = position.ground, position.taken
    lays = list[tuple[PlannedLay, int]]()
    for lay in tree.lays_to(end):
        lays.append((lay, ground.worth[lay.spot][taken & ground.reach[lay.spot]]))
        taken |= 1 << lay.spot
    return TurnPlan(tuple(lays), end.points, closes=not tree.goes_on(end))
