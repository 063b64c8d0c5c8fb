"""Which plays a table and a hand allow, and why not others: one judge for rules, screen, speech and bots."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, islice, product

import msgspec

from cartino_games.casino.cards import LOW
from cartino_games.casino.views import Act, Build, CasinoView, Play, Rule

HIGHEST = 16
MOST_CAPTURES = 64
"""Captures that are listed for a card."""
_GUARD = sum(8 << 4 * low for low in range(1, 14))


def gain(view: CasinoView, play: Play) -> tuple[int, int, int, int]:
    """Return what `play`, an allowed one, captures: cards, those of the special suit, their points, sweeps."""
    cards, customs = (play.card, *play.takes) if play.act == "capture" else (), view.customs
    suit = sum(card[-1] == customs.suit for card in cards)
    return len(cards), suit, sum(map(customs.points, cards)), int(len(cards) > len(view.cards))


def whole(view: CasinoView, chosen: Sequence[str]) -> tuple[str, ...]:
    """Return the `chosen` table cards, and at the end all cards of each build of which one is chosen."""
    stacks = [build.cards for build in view.builds if not set(chosen).isdisjoint(build.cards)]
    inside = [card for cards in stacks for card in cards]
    return (*(card for card in chosen if card not in inside), *inside)


def ordered(view: CasinoView, play: Play) -> Play:
    """Return `play` with the cards that it takes in the table's order, so that what is the same is equal."""
    return msgspec.structs.replace(play, takes=tuple(card for card in view.cards if card in play.takes))


def judge(view: CasinoView, play: Play) -> Rule | None:
    """Return the rule that refuses `play`, or None where it is allowed."""
    if play.card not in view.hand:
        return "not-in-hand"
    takes = set(play.takes)
    if len(takes) < len(play.takes):
        return "card-twice"
    loose = [card for card in view.loose if card in takes]
    builds = [build for build in view.builds if not takes.isdisjoint(build.cards)]
    if any(not takes.issuperset(build.cards) for build in builds):
        return "whole-build"
    if len(loose) + sum(len(build.cards) for build in builds) < len(takes):
        return "not-on-table"
    if play.act == "capture":
        return _judge_capture(view, play, loose, builds)
    if play.act != "trail":
        return _judge_build(view, play, loose, builds)
    if takes or play.value:
        return "wrong-cards" if takes else "not-a-value"
    return "own-a-build" if view.own else None


def _judge_capture(view: CasinoView, play: Play, loose: list[str], builds: list[Build]) -> Rule | None:
    own = view.own
    if not play.takes:
        return "nothing-taken"
    if play.value not in view.customs.in_hand(play.card):
        return "not-a-value"
    if view.customs.takes_all(play.card):
        return None if len(play.takes) == len(view.cards) else "five-takes-all"
    if any(build.value != play.value for build in builds):
        return "other-build"
    if sets_of(loose, play.value) is None:
        return "does-not-add-up"
    return None if not own or own in builds or view.keeps(play.card, own.value) else "keep-for-build"


def _judge_build(view: CasinoView, play: Play, loose: list[str], builds: list[Build]) -> Rule | None:
    own, low, value = view.own, LOW[play.card], play.value
    if play.act == "build" and own:
        return "own-a-build"
    # How many loose cards each of the three needs at least and at most; build needs no build, the others one.
    least, most = {"build": (1, 1), "raise": (0, 0)}.get(play.act, (0, 1))
    if len(builds) != (play.act != "build") or not least <= len(loose) <= most:
        return "wrong-cards"
    if own and own not in builds:
        return "not-your-build"
    if play.act == "raise" and builds[0].multiple:
        return "multiple-never-raised"
    total = low + sum(LOW[card] for card in loose) + (builds[0].value if play.act == "raise" else 0)
    equal = play.act == "build" and value == low == LOW[loose[0]]
    if not (equal or value == total) or (play.act == "add" and value != builds[0].value):
        return "does-not-add-up"
    if value > HIGHEST:
        return "above-16"
    if play.act == "build" and any(build.value == value for build in view.builds):
        return "use-add"
    return None if view.keeps(play.card, value) else "no-card-for-build"


def view_after_play(view: CasinoView, play: Play) -> CasinoView:
    """Return `view` after `play`, an allowed one; a raise joins a build of its new value."""
    assert view.you is not None
    loose = tuple(card for card in view.loose if card not in play.takes)
    builds = tuple(build for build in view.builds if build.cards[0] not in play.takes)
    if play.act == "trail":
        loose += (play.card,)
    elif play.act != "capture":
        joined = [build for build in builds if build.value == play.value]
        cards = (*play.takes, play.card, *(card for build in joined for card in build.cards))
        multiple = play.act == "add" or bool(joined) or play.value == LOW[play.card]
        others = (build for build in builds if build not in joined)
        builds = (*others, Build(play.value, cards, view.you, multiple))
    hand = tuple(card for card in view.hand if card != play.card)
    return msgspec.structs.replace(view, hand=hand, loose=loose, builds=builds)


def readings(view: CasinoView, card: str, chosen: Sequence[str]) -> list[tuple[Play, Rule | None]]:
    """Return every way to mean `card` with the `chosen` table cards, and its refusal; allowed ones first.

    A build counts as chosen with one of its cards. Nothing chosen is a trail, so there is always a way.
    """
    takes = whole(view, chosen)
    captures = [Play(card, "capture", value, takes) for value in view.customs.in_hand(card) if takes]
    plays = (
        *captures,
        *(Play(card, act, value, takes) for act, value in _without_capture(view, card, takes)),
    )
    return sorted(((play, judge(view, play)) for play in plays), key=lambda each: each[1] is not None)


def _without_capture(view: CasinoView, card: str, takes: Sequence[str]) -> Iterator[tuple[Act, int]]:
    """Every way to mean `card` with `takes`, which has all cards of a build or none, but to capture; with its value."""
    low = LOW[card]
    loose = [each for each in takes if each in view.loose]
    builds = [build for build in view.builds if build.cards[0] in takes]
    if not takes:
        yield "trail", 0
    elif loose and not builds:
        yield "build", low + sum(LOW[each] for each in loose)
        if [LOW[each] for each in loose] == [low]:
            yield "build", low
    elif len(builds) == 1:
        yield "add", builds[0].value
        if not loose:
            yield "raise", builds[0].value + low


def plays(view: CasinoView, card: str, captures: int = MOST_CAPTURES) -> Iterator[Play]:
    """Yield the allowed plays of `card` of the hand: the biggest `captures`, all builds, raises and adds, the trail."""
    yield from islice(biggest(view, card), captures)
    stacks = [build.cards for build in view.builds]
    singles = [(each,) for each in view.loose]
    for takes in (*singles, *stacks, *((*one, *stack) for one in singles for stack in stacks), ()):
        for act, value in _without_capture(view, card, takes):
            play = Play(card, act, value, takes)
            if judge(view, play) is None:
                yield play


def biggest(view: CasinoView, card: str) -> Iterator[Play]:
    """Captures with `card`, those of most cards first; all of them but on the fullest tables, see `_unions`."""
    if view.customs.takes_all(card):
        if view.cards:
            yield Play(card, "capture", LOW[card], view.cards)
        return
    own = view.own
    must = own.cards if own and not view.keeps(card, own.value) else None
    found: list[tuple[int, int, int, tuple[str, ...]]] = []
    for value in view.customs.in_hand(card):
        stacks = [(), *(build.cards for build in view.builds if build.value == value)]
        for union, size in _unions(_pack(view.loose), value).items():
            for stack in stacks:
                if (union or stack) and (must is None or stack == must):
                    found.append((size + len(stack), value, union, stack))
    if not found:
        return
    suit = view.customs.suit
    ranks: dict[int, list[str]] = {}
    for each in sorted(view.loose, key=lambda each: each[-1] != suit):
        ranks.setdefault(LOW[each], []).append(each)
    for _, value, union, stack in sorted(found, key=lambda each: -each[0]):
        choices = [combinations(cards, union >> 4 * low & 15) for low, cards in ranks.items()]
        for chosen in product(*choices):
            yield Play(card, "capture", value, (*(each for cards in chosen for each in cards), *stack))


def sets_of(cards: Sequence[str], value: int) -> list[list[str]] | None:
    """Return `cards` parted into sets that add up to `value` each, none left over; None where that can't be."""
    have = _pack(cards)
    fits = not have or (0 < value <= HIGHEST and sum(LOW[card] for card in cards) % value == 0)
    parted = _part(have, [one for one, *_ in _sums(have).get(value, ())], set()) if fits else None
    stock = {low: [card for card in cards if LOW[card] == low] for low in range(13, 0, -1)}
    if parted is None:
        return None
    return [[of.pop(0) for low, of in stock.items() for _ in range(one >> 4 * low & 15)] for one in parted]


def _part(have: int, sets: list[int], failed: set[int]) -> list[int] | None:
    """Packed `sets` that make up `have`: one of them has its biggest card."""
    if not have:
        return []
    top = (have.bit_length() - 1) // 4 * 4
    if have not in failed:
        for one in sets:
            if one >> top and _within(have, one):
                others = _part(have - one, sets, failed)
                if others is not None:
                    return [one, *others]
        failed.add(have)
    return None


def _pack(cards: Sequence[str]) -> int:
    """Return how many cards of each low value there are, in four bits a value."""
    return sum(1 << 4 * LOW[card] for card in cards)


def _within(have: int, part: int) -> bool:
    """Return whether `have` has all cards of `part`: a count that falls below 0 would clear its guard bit."""
    return (have | _GUARD) - part & _GUARD == _GUARD


@lru_cache(maxsize=512)
def _sums(have: int) -> dict[int, list[tuple[int, int, float]]]:
    """Return the packed sets out of `have` by sum, up to 16: the set, its number of cards, its rank for taking.

    Good are many cards and, measured by their squares, high ones, which fit into the fewest other sets.
    """
    found = [(0, 0, 0, 0)]
    for low in range(13, 0, -1):
        found += [
            (total + n * low, size + n, squares + n * low * low, one + (n << 4 * low))
            for total, size, squares, one in found
            for n in range(1, (have >> 4 * low & 15) + 1)
            if total + n * low <= HIGHEST
        ]
    sums: dict[int, list[tuple[int, int, float]]] = {}
    for total, size, squares, one in found[1:]:
        sums.setdefault(total, []).append((one, size, size + 0.3 * squares / total))
    return {total: sorted(sets, key=lambda each: -each[2]) for total, sets in sums.items()}


@lru_cache(maxsize=4096)
def _unions(have: int, value: int) -> dict[int, int]:
    """Packed unions of disjoint sets of `value`, the empty one too, each with its number of cards.

    Only the 64 best of each number of sets are kept and grown: there can be tens of thousands.
    """
    sets = _sums(have).get(value, [])
    found, front = {0: 0}, {0: (0, 0, 0.0)}
    while front:
        grown: dict[int, tuple[int, int, float]] = {}
        for union, (size, first, good) in front.items():
            for number in range(first, len(sets)):
                one, more, better = sets[number]
                wider = union + one
                if _within(have, wider) and (wider not in grown or grown[wider][1] > number):
                    grown[wider] = size + more, number, good + better
        front = dict(sorted(grown.items(), key=lambda each: -each[1][2])[:MOST_CAPTURES])
        found |= {union: size for union, (size, _, _) in front.items()}
    return found
