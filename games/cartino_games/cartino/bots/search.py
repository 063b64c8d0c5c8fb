"""How the strongest bot finds its turn: by sampled deals or the network, and by all of the end once hands are known.

Where the network knows the table, it chooses without deals: deals with greedy replies made it no stronger. Elsewhere,
the stones that the seat hasn't seen are dealt at random many times. In each deal, every other player makes the turn
with the most points, then so does the seat, and the position after that is evaluated. Stopping before the seat's own
turn, or playing on to the end, was measured as weaker.
"""

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Final

from cartino_games.cartino.bots.evaluation import Known, hand_cost, rank, worth_after, worth_of
from cartino_games.cartino.bots.network import best_by_network, is_for
from cartino_games.cartino.bots.planning import OUT_BONUS, TurnEnd, TurnOutcome, TurnTree
from cartino_games.cartino.bots.reading import TurnPosition, Unseen, position_of

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
        """Return whether it was enough."""
        return self.ends > MOST_ENDS


def best_end(known: Known, chance: Random, worlds: int = WORLDS) -> TurnEnd:
    """Return the end of the best turn. `known` must be of a seat on turn."""
    exact = _exact_end(known)
    if exact is not None:
        return exact
    if is_for(known):
        return best_by_network(known)
    ranked = rank(known)
    if len(ranked) == 1 or ranked[0][1].out:
        return ranked[0][1]
    return _sampled(known, ranked[:CANDIDATES], chance, worlds)


def evaluated_end(known: Known) -> TurnEnd:
    """Return the end of the turn that `best_and_worth` calls the best."""
    return _exact_end(known) or rank(known)[0][1]


def _exact_end(known: Known) -> TurnEnd | None:
    """Return the end of the best turn where hands are known and the rest of the game can be played through."""
    if not known.ends_openly:
        return None
    try:
        return _End(known).best()
    except _TooLong:
        return None


def best_and_worth(known: Known, made: TurnOutcome) -> tuple[TurnEnd, float, float]:
    """Return the end of the best turn, what it is worth, and what the turn `made` is worth.

    By the evaluation; but exactly when the bag is empty between two: there the evaluation was six points off on
    average, measured in random games.
    """
    if known.ends_openly:
        try:
            return _End(known).compared(made)
        except _TooLong:
            pass
    worth, best = rank(known)[0]
    return best, worth, worth_of(known, made)


def _sampled(known: Known, ranked: Sequence[tuple[float, TurnEnd]], chance: Random, worlds: int) -> TurnEnd:
    """Return the best of `ranked` by the mean of its value and that in the deals."""
    deals = Deals(known)
    left, sums, dealt = list(range(len(ranked))), [0.0] * len(ranked), 0
    while dealt < worlds and len(left) > 1 and not deals.effort.is_spent():
        for _ in range(min(ROUND, worlds - dealt)):
            chance.shuffle(deals.pool)
            for at in left:
                sums[at] += deals.value(ranked[at][1])
            dealt += 1
            if deals.effort.is_spent():
                break
        means = {at: (ranked[at][0] + sums[at] / dealt) / 2 for at in left}
        most = max(means.values())
        left = [at for at in left if means[at] >= most - BEHIND]
        left.sort(key=means.__getitem__, reverse=True)
    return ranked[left[0]][1]


class Deals:
    """Deals of the unseen stones: the others hold the first ones of `pool`, in their order, and the bag is the rest."""

    def __init__(self, known: Known) -> None:
        """Deal nothing yet: shuffling `pool` deals."""
        self.effort = _Effort()
        self._known = known
        self._ground = known.position.ground
        self._joker = self._ground.board.joker
        self.pool = [*known.unseen.stones(), *[self._joker] * known.unseen.jokers]

    def value(self, end: TurnEnd) -> float:
        """Return what a turn scores in this deal, up to the seat's next turn and with what that is worth."""
        others = len(self._known.others)
        hands, first = list[list[int]](), 0
        for count in self._known.others:
            hands.append(self.pool[first : first + count])
            first += count
        bag = self.pool[first:]
        if end.out:
            return end.points + sum(map(self._cost, hands)) / others
        drawn = [bag.pop() for _ in range(min(HAND - len(end.kept) - end.kept_jokers, len(bag)))]
        own = [*end.kept, *[self._joker] * end.kept_jokers, *drawn]
        taken, jokers, value = end.taken, end.jokers, float(end.points)
        for at, hand in enumerate(hands):
            reply = self._reply(taken, jokers, hand, last=not bag)
            if reply is None:
                continue
            value -= reply.points / others
            taken, jokers = reply.taken, reply.jokers
            if reply.out:
                rest = sum(self._cost(other) for place, other in enumerate(hands) if place != at)
                return value + rest / others - self._cost(own)
            draws = min(HAND - len(reply.kept) - reply.kept_jokers, len(bag))
            hands[at] = [*reply.kept, *[self._joker] * reply.kept_jokers, *(bag.pop() for _ in range(draws))]
        mine = self._reply(taken, jokers, own, last=not bag)
        if mine is None:
            return value - self._cost(own) + sum(map(self._cost, hands)) / others
        if mine.out:
            return value + mine.points + sum(map(self._cost, hands)) / others
        return value + mine.points + self._worth(mine, bag, hands)

    def _worth(self, mine: TurnOutcome, bag: list[int], hands: list[list[int]]) -> float:
        """Return what the position after the seat's own next turn is worth."""
        hidden = Counter(bag)
        for hand in hands:
            hidden.update(hand)
        cards = tuple((card, n) for card, n in hidden.items() if card != self._joker)
        unseen = Unseen(cards, hidden[self._joker], hidden.total())
        table = mine.taken, mine.jokers, mine.kept, mine.kept_jokers
        counts = tuple(map(len, hands))
        return worth_after(self._known.weights, self._ground, table, unseen, len(bag), counts)

    def _reply(self, taken: int, jokers: int, hand: list[int], *, last: bool) -> TurnOutcome | None:
        """Return the turn with the most points, None where nothing can be laid; fast for the usual hands."""
        ground, ranks = self._ground, len(self._ground.board.ranks)
        cards = tuple(sorted(stone for stone in hand if stone != self._joker))
        suits: dict[int, list[int]] = {}
        for card in cards:
            suits.setdefault(card // ranks, []).append(card)
        if len(cards) < len(hand) or max(map(len, suits.values()), default=0) > 2:
            position = position_of(
                ground,
                (taken, jokers),
                (cards, len(hand) - len(cards)),
                last=last,
                swap_later=self._known.position.swap_later,
            )
            return self._searched(position)
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
        return TurnOutcome(points + OUT_BONUS * out, now, under, kept, swapped, out)

    def _searched(self, position: TurnPosition) -> TurnOutcome | None:
        """Return the turn with the most points, found by trying all."""
        ends = list(TurnTree(position).ends())
        self.effort.ends += len(ends)
        return max(ends, key=lambda end: end.points, default=None)

    def _cost(self, hand: Sequence[int]) -> int:
        cards = [stone for stone in hand if stone != self._joker]
        return hand_cost(self._ground, cards, len(hand) - len(cards))


class _End:
    """Two players and an empty bag: each knows what the other holds."""

    def __init__(self, known: Known) -> None:
        self._known = known
        self._ground = known.position.ground
        self._nodes = 0
        self._effort = _Effort()

    def best(self) -> TurnEnd:
        """Return the end of the best turn. Raises _TooLong."""
        return self._found()[1]

    def compared(self, made: TurnOutcome) -> tuple[TurnEnd, float, float]:
        """Return the end of the best turn, its value, and that of the turn `made`. Raises _TooLong."""
        value, best = self._found()
        unseen = self._known.unseen
        return best, value, self._after(made, tuple(unseen.stones()), unseen.jokers, -1e9, 1e9)

    def _found(self) -> tuple[float, TurnEnd]:
        unseen = self._known.unseen
        theirs = tuple(unseen.stones())
        found: tuple[float, TurnEnd] | None = None
        for end in _promising(self._known.tree):
            least = -1e9 if found is None else found[0]
            value = self._after(end, theirs, unseen.jokers, least, 1e9)
            if found is None or value > found[0]:
                found = value, end
        assert found is not None
        return found

    def _after(
        self, end: TurnOutcome, theirs: tuple[int, ...], their_jokers: int, least: float, most: float
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
        later = self._known.position.swap_later
        tree = TurnTree(position_of(ground, table, own, last=True, swap_later=later))
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
