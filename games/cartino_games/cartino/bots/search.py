"""The search of the strongest bot: sampled deals for its best turns, and all of the end once hands are known.

Hands and bag are dealt anew from the stones that the seat hasn't seen. In each deal the others answer with their best
turn, and the search stops after the seat's own next turn, whose position is evaluated: to stop after the others' turn
or to play on to the end was measured as weaker.
"""

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Final, NamedTuple

from cartino_games.cartino.bots.evaluation import Known, hand_cost, rank, worth_after
from cartino_games.cartino.bots.planning import TurnEnd, TurnTree
from cartino_games.cartino.bots.reading import Ground, TurnPosition, Unseen

CANDIDATES: Final = 6
"""Turns that are looked at more closely."""
WORLDS: Final = 48
"""Deals for each of them."""
ROUND: Final = 12
"""Deals after which turns that are far behind are given up."""
BEHIND: Final = 3.0
"""Points by which such a turn is behind."""
MOST_NODES: Final = 1_500
"""Positions of the end that are looked at; in a longer one deals are sampled."""
MOST_ENDS: Final = 60_000
"""Ends of turns that are looked at, in the deals or in an exact end; jokers in hand make very many."""
HAND: Final = 5


class _TooLong(Exception):
    """The end has too many positions."""


class _Effort:
    """Counts the ends of turns that were looked at."""

    def __init__(self) -> None:
        self.ends = 0

    def is_spent(self) -> bool:
        """Whether it was enough."""
        return self.ends > MOST_ENDS


class _Reply(NamedTuple):
    """A turn that only counts points: what it brings and what it leaves."""

    points: int
    taken: int
    jokers: int
    kept: tuple[int, ...]
    kept_jokers: int
    out: bool


def best_end(known: Known, chance: Random, worlds: int = WORLDS) -> TurnEnd:
    """Return the end of the best turn. `known` must be of a seat on turn."""
    if known.bag == 0 and known.others == (known.unseen.count,):
        try:
            return _End(known).best()
        except _TooLong:
            pass
    ranked = rank(known)
    if len(ranked) == 1 or ranked[0][1].out:
        return ranked[0][1]
    return _sampled(known, ranked[:CANDIDATES], chance, worlds)


def _sampled(known: Known, ranked: Sequence[tuple[float, TurnEnd]], chance: Random, worlds: int) -> TurnEnd:
    """Return the best of `ranked` by the mean of its value and that in the deals."""
    joker = known.position.ground.board.joker
    pool = [card for card, count in known.unseen.cards for _ in range(count)] + [joker] * known.unseen.jokers
    left, sums, dealt, effort = list(range(len(ranked))), [0.0] * len(ranked), 0, _Effort()
    while dealt < worlds and len(left) > 1 and not effort.is_spent():
        for _ in range(min(ROUND, worlds - dealt)):
            chance.shuffle(pool)
            for at in left:
                sums[at] += _in_deal(known, ranked[at][1], pool, effort)
            dealt += 1
            if effort.is_spent():
                break
        means = {at: (ranked[at][0] + sums[at] / dealt) / 2 for at in left}
        most = max(means.values())
        left = [at for at in left if means[at] >= most - BEHIND]
        left.sort(key=means.__getitem__, reverse=True)
    return ranked[left[0]][1]


def _in_deal(known: Known, end: TurnEnd, pool: Sequence[int], effort: _Effort) -> float:
    """Return what a turn is worth if the others hold the first stones of `pool`, and the bag is the rest."""
    ground = known.position.ground
    joker, others = ground.board.joker, len(known.others)
    hands, first = list[list[int]](), 0
    for count in known.others:
        hands.append(list(pool[first : first + count]))
        first += count
    bag = list(pool[first:])
    if end.out:
        return end.points + sum(_cost(ground, hand) for hand in hands) / others
    drawn = [bag.pop() for _ in range(min(HAND - len(end.kept) - end.kept_jokers, len(bag)))]
    own = tuple(sorted([*end.kept, *(stone for stone in drawn if stone != joker)]))
    own_jokers = end.kept_jokers + drawn.count(joker)
    taken, jokers, value = end.taken, end.jokers, float(end.points)
    for at, hand in enumerate(hands):
        cards = tuple(sorted(stone for stone in hand if stone != joker))
        reply = best_reply(ground, taken, jokers, cards, len(hand) - len(cards), effort, last=not bag)
        if reply is None:
            continue
        value -= reply.points / others
        taken, jokers = reply.taken, reply.jokers
        if reply.out:
            costs = sum(_cost(ground, other) for place, other in enumerate(hands) if place != at) / others
            return value + costs - hand_cost(ground, own, own_jokers)
        draws = min(HAND - len(reply.kept) - reply.kept_jokers, len(bag))
        hands[at] = [*reply.kept, *[joker] * reply.kept_jokers, *(bag.pop() for _ in range(draws))]
    mine = best_reply(ground, taken, jokers, own, own_jokers, effort, last=not bag)
    if mine is None:
        return (
            value - hand_cost(ground, own, own_jokers) + sum(_cost(ground, hand) for hand in hands) / others
        )
    value += mine.points
    if mine.out:
        return value + sum(_cost(ground, hand) for hand in hands) / others
    hidden = Counter(bag)
    for hand in hands:
        hidden.update(hand)
    count = hidden.total()
    unseen = Unseen(tuple((card, n) for card, n in hidden.items() if card != joker), hidden[joker], count)
    return value + worth_after(
        known.weights,
        ground,
        (mine.taken, mine.jokers, mine.kept, mine.kept_jokers),
        unseen,
        len(bag),
        tuple(map(len, hands)),
    )


def best_reply(
    ground: Ground,
    taken: int,
    jokers: int,
    cards: tuple[int, ...],
    free_jokers: int,
    effort: _Effort,
    *,
    last: bool,
) -> _Reply | None:
    """Return the turn with the most points, None where nothing can be laid; fast for the usual hands."""
    suits: dict[int, list[int]] = {}
    ranks = len(ground.board.ranks)
    for card in cards:
        suits.setdefault(card // ranks, []).append(card)
    if free_jokers or max(map(len, suits.values()), default=0) > 2:
        return _searched(ground, taken, jokers, cards, free_jokers, effort, last=last)
    reach, worth = ground.reach, ground.worth
    best: tuple[int, int, int, int] | None = None
    for suit, stones in suits.items():
        for order in (stones,) if stones[0] == stones[-1] else (stones, stones[::-1]):
            states = [(0, taken, jokers)]
            for card in order:
                states = [
                    (points + worth[spot][now & reach[spot]], now | 1 << spot, under & ~(1 << spot))
                    for points, now, under in states
                    for spot in (2 * card, 2 * card + 1)
                    if not now >> spot & 1 or under >> spot & 1
                ]
            for points, now, under in states:
                if best is None or points > best[0]:
                    best = points, now, under, suit
    if best is None:
        return None
    points, now, under, suit = best
    kept = tuple(card for card in cards if card // ranks != suit)
    swapped = (jokers & ~under).bit_count() if ground.board.edition == "1969" else 0
    out = last and not kept and not swapped
    return _Reply(points + 10 * out, now, under, kept, swapped, out)


def _searched(
    ground: Ground,
    taken: int,
    jokers: int,
    cards: tuple[int, ...],
    free_jokers: int,
    effort: _Effort,
    *,
    last: bool,
) -> _Reply | None:
    if not cards and not free_jokers:
        return None
    tree = TurnTree(_position(ground, taken, jokers, cards, free_jokers, last=last))
    best: TurnEnd | None = None
    for end in tree.ends():
        effort.ends += 1
        if best is None or end.points > best.points:
            best = end
    if best is None:
        return None
    return _Reply(best.points, best.taken, best.jokers, best.kept, best.kept_jokers, best.out)


def _position(
    ground: Ground, taken: int, jokers: int, cards: tuple[int, ...], free_jokers: int, *, last: bool
) -> TurnPosition:
    """The position at the beginning of a turn."""
    return TurnPosition(
        ground=ground,
        taken=taken,
        jokers=jokers,
        stones=cards,
        free_jokers=free_jokers,
        barred=0,
        suit=-1,
        laid=0,
        mine=0,
        last=last,
    )


def _cost(ground: Ground, hand: Sequence[int]) -> int:
    joker = ground.board.joker
    cards = [stone for stone in hand if stone != joker]
    return hand_cost(ground, cards, len(hand) - len(cards))


class _End:
    """Two players and an empty bag: each knows what the other holds."""

    def __init__(self, known: Known) -> None:
        self._known = known
        self._ground = known.position.ground
        self._nodes = 0
        self._effort = _Effort()

    def best(self) -> TurnEnd:
        """Return the end of the best turn. Raises _TooLong."""
        position, unseen = self._known.position, self._known.unseen
        theirs = tuple(card for card, count in unseen.cards for _ in range(count))
        found: tuple[float, TurnEnd] | None = None
        for end in _promising(TurnTree(position)):
            least = -1e9 if found is None else found[0]
            value = self._after(end, theirs, unseen.jokers, least, 1e9)
            if found is None or value > found[0]:
                found = value, end
        assert found is not None
        return found[1]

    def _after(
        self, end: TurnEnd, theirs: tuple[int, ...], their_jokers: int, least: float, most: float
    ) -> float:
        """Return what is to come from a turn on, its points included; any value outside (least, most) is a bound."""
        if end.out:
            return end.points + hand_cost(self._ground, theirs, their_jokers)
        table, own = (end.taken, end.jokers), (end.kept, end.kept_jokers)
        return end.points - self._value(
            table, (theirs, their_jokers), own, (end.points - most, end.points - least)
        )

    def _value(
        self,
        table: tuple[int, int],
        own: tuple[tuple[int, ...], int],
        theirs: tuple[tuple[int, ...], int],
        bounds: tuple[float, float],
        *,
        passed: bool = False,
    ) -> float:
        """Return the points to come for the player on turn with `own` stones, less those of the other."""
        self._nodes += 1
        if self._nodes > MOST_NODES or self._effort.is_spent():
            raise _TooLong
        ground, (least, most) = self._ground, bounds
        tree = TurnTree(_position(ground, *table, *own, last=True))
        ends = _promising(tree) if own[0] or own[1] else []
        self._effort.ends += len(ends)
        if not ends:
            if passed:
                return hand_cost(ground, *theirs) - hand_cost(ground, *own)
            return -self._value(table, theirs, own, (-most, -least), passed=True)
        best = -1e9
        for end in ends:
            best = max(best, self._after(end, *theirs, max(least, best), most))
            if best >= most:
                break
        return best


def _promising(tree: TurnTree) -> list[TurnEnd]:
    return sorted(tree.ends(), key=lambda end: -end.points)
