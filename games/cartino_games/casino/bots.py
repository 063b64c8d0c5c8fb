"""Casino's bots: `random`, and levels from one that often errs to `careful`, which weighs what a play leaves.

`expert` also thinks through what the others may hold.
"""

from collections.abc import Iterable, Sequence
from itertools import islice
from random import Random
from typing import ClassVar, Final

import msgspec
from msgspec.structs import replace
from typing_extensions import override

from cartino_engine.bots import Bot, CantChoose, Verdict
from cartino_games.casino.arithmetic import biggest, plays, view_after_play
from cartino_games.casino.cards import CARDS, NUMBER
from cartino_games.casino.views import CasinoView, Play
from cartino_games.kit.levels import BEGINNER, CAREFUL, CASUAL, EXPERT, GREEDY, LEARNER, pick_softly
from cartino_protocol.base import Seat

_FEW = 6
"""Captures of a card that a bot weighs, the biggest."""
_CARD, _SUIT = 0.06, 0.22
"""What a card, and one of the special suit, is worth towards having most of them, in points."""
_MINE, _NEXT = 0.5, 0.8
"""How much of what one could capture in the next turn counts, and of what the next player can."""

_views = msgspec.msgpack.Decoder(CasinoView)
_plays = msgspec.msgpack.Decoder(Play)


def read_plays(view: bytes) -> tuple[CasinoView, list[Play]]:
    """Return the view and the plays to weigh. Raises CantChoose where there are none."""
    seen = _views.decode(view)
    if not seen.plays:
        raise CantChoose("nothing to play")
    return seen, [play for card in seen.hand for play in plays(seen, card, _FEW)]


def value_of(view: CasinoView, *cards: str) -> float:
    """Return what captured `cards` are worth, in points."""
    special = view.customs.suit
    suit = sum(card[-1] == special for card in cards)
    return _CARD * len(cards) + _SUIT * suit + sum(map(view.customs.points, cards))


def capture_worth(view: CasinoView, play: Play) -> float:
    """Return what `play` captures, in points; nothing unless it is a capture."""
    sweep = len(play.takes) == len(view.cards)
    return value_of(view, play.card, *play.takes) + sweep if play.act == "capture" else 0.0


def _captures(view: CasinoView, cards: Iterable[str]) -> list[float]:
    """Return the most that each of `cards` captures, the best first; those that capture nothing are left out."""
    taken: dict[tuple[int, ...], float] = {}
    most = []
    for card in cards:
        # Cards that count the same take the same, but for the one that takes everything.
        kind = (0,) if view.customs.takes_all(card) else view.customs.in_hand(card)
        own = value_of(view, card)
        if kind not in taken:
            best = max((capture_worth(view, play) for play in islice(biggest(view, card), 2)), default=0)
            taken[kind] = best - own
        if taken[kind] > 0:
            most.append(taken[kind] + own)
    return sorted(most, reverse=True)


class CasinoChancer(Bot):
    """Plays any of the plays that it weighs, each as likely as the next."""

    game, name = "casino", "random"

    @override
    def choose(self, view: bytes, chance: Random) -> Play:
        return chance.choice(read_plays(view)[1])


class CasinoGreedy(Bot):
    """Captures what counts most; else trails what counts least. Never builds."""

    game, name = "casino", GREEDY

    @override
    def choose(self, view: bytes, chance: Random) -> Play:
        seen, options = read_plays(view)
        plain = [play for play in options if play.act in ("capture", "trail")]
        return max(plain, key=lambda play: capture_worth(seen, play) or -value_of(seen, play.card))


def ranked(seen: CasinoView, options: Sequence[Play]) -> list[tuple[float, Play]]:
    """Return what each play is worth, in points: what it captures, and what it leaves to oneself and to the others.

    The cards that were seen in this deal are known, so the others hold some of the rest.
    """
    hidden = unseen(seen)
    held = [count for seat, count in enumerate(seen.held) if seat != seen.you and count]

    def worth(play: Play) -> float:
        then = view_after_play(seen, play)
        mine = _captures(then, then.hand)
        theirs = _captures(msgspec.structs.replace(then, you=None), hidden)
        risk = sum(_expected(theirs, len(hidden), count) * 0.6**place for place, count in enumerate(held))
        return capture_worth(seen, play) + _MINE * max(mine, default=0) - _NEXT * risk

    return [(worth(play), play) for play in options]


def unseen(view: CasinoView) -> list[str]:
    """Return the cards that the others may hold, or that are still in the pack."""
    return [card for card in CARDS if not view.seen >> NUMBER[card] & 1 and card not in view.hand]


class CasinoCareful(Bot):
    """Takes the play that is worth most, builds too."""

    game, name = "casino", CAREFUL
    evaluation = 1

    @override
    def choose(self, view: bytes, chance: Random) -> Play:
        return _best(ranked(*read_plays(view)))[1]

    @override
    def judge(self, view: bytes, made: Sequence[bytes]) -> Verdict:
        seen, options = read_plays(view)
        most, best = _best(ranked(seen, options))
        ((worth, _),) = ranked(seen, [_plays.decode(made[0])])
        return Verdict(max(0.0, most - worth), (best,))


def _best(options: Sequence[tuple[float, Play]]) -> tuple[float, Play]:
    return max(options, key=lambda each: each[0])


class _ErringBot(Bot):
    """Prefers plays that are worth much, but errs the more, the hotter it is."""

    game = "casino"
    heat: ClassVar[float]

    @override
    def choose(self, view: bytes, chance: Random) -> Play:
        return pick_softly(ranked(*read_plays(view)), self.heat, chance)


class CasinoCasual(_ErringBot):
    """Errs now and then."""

    name = CASUAL
    heat = 0.75


class CasinoLearner(_ErringBot):
    """Errs often."""

    name = LEARNER
    heat = 1.4


class CasinoBeginner(_ErringBot):
    """Hardly sees which play is better."""

    name = BEGINNER
    heat = 2.8


def best_play(view: CasinoView) -> Play:
    """Return what `careful` would play. Raises CantChoose."""
    return CasinoCareful().choose(msgspec.msgpack.encode(view), Random(0))


def _expected(best: list[float], among: int, held: int) -> float:
    """Return the mean of the best of `held` cards drawn from `among`, of which all but `best` are worth 0."""
    expected, none_better = 0.0, 1.0
    for place, worth in enumerate(best):
        chance = min(1.0, held / (among - place))
        expected += none_better * chance * worth
        none_better *= 1 - chance
    return expected


CANDIDATES: Final = 5
"""Plays that are looked at more closely."""
WORLDS: Final = 16
"""Deals in which each of them is played out."""
_TRUST: Final = 0.8
"""How much of a play's own worth counts beside what the deals say."""


class CasinoExpert(Bot):
    """Takes the play after which it captures most, by its worth and by what follows in deals of the unseen cards."""

    game, name = "casino", EXPERT

    def __init__(self, worlds: int = WORLDS) -> None:
        """Play each candidate out in so many deals."""
        self._worlds = worlds

    @override
    def choose(self, view: bytes, chance: Random) -> Play:
        seen, options = read_plays(view)
        best = sorted(ranked(seen, options), key=lambda each: -each[0])[:CANDIDATES]
        if len(best) == 1:
            return best[0][1]
        sums = [_TRUST * self._worlds * worth for worth, _ in best]
        hidden = unseen(seen)
        for _ in range(self._worlds):
            chance.shuffle(hidden)
            hands = _deal(seen, hidden)
            for at, (_, play) in enumerate(best):
                sums[at] += play_out(seen, play, hands)
        return best[max(range(len(best)), key=sums.__getitem__)][1]


def _deal(view: CasinoView, hidden: Sequence[str]) -> list[tuple[str, ...]]:
    """Return a hand for each seat: the viewer's own, and the first cards of `hidden` for the others."""
    hands, first = list[tuple[str, ...]](), 0
    for seat, count in enumerate(view.held):
        if seat == view.you:
            hands.append(view.hand)
        else:
            hands.append(tuple(hidden[first : first + count]))
            first += count
    return hands


def play_out(view: CasinoView, first: Play, dealt: Sequence[tuple[str, ...]]) -> float:
    """Return what the viewer captures from the play `first` to the end of the hand, less the others' mean.

    Everybody takes what counts most. In the last hand the cards left go to the last to capture.
    """
    me, hands, table, play = view.you or 0, list(dealt), view, first
    seats = len(hands)
    share = 1 / (seats - 1)
    seat, taker, total = me, None, 0.0
    while True:
        table = replace(table, you=seat, hand=hands[seat])
        if play.act == "capture":
            total += capture_worth(table, play) * (1 if seat == me else -share)
            taker = seat
        table = view_after_play(table, play)
        hands[seat] = table.hand
        seat = _next(hands, seat)
        if not hands[seat]:
            break
        play = _plain_play(replace(table, you=seat, hand=hands[seat]))
    if not view.pack and taker is not None and table.cards:
        total += value_of(table, *table.cards) * (1 if taker == me else -share)
    return total


def _next(hands: Sequence[tuple[str, ...]], seat: Seat) -> Seat:
    """Return the next seat with cards; any if none has."""
    seats = len(hands)
    return next((each for step in range(1, seats + 1) if hands[each := (seat + step) % seats]), seat)


def _plain_play(view: CasinoView) -> Play:
    """Return the capture that counts most, or else the trail that counts least."""
    captures = [play for card in view.hand for play in islice(biggest(view, card), 2)]
    if captures:
        return max(captures, key=lambda play: capture_worth(view, play))
    least = Play(min(view.hand, key=lambda card: value_of(view, card)), "trail")
    if view.own is None:
        return least
    # A deal may give a build's owner no card for it.
    return next((play for card in view.hand for play in plays(view, card)), least)
