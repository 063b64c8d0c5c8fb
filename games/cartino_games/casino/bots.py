"""Casino's bots: `random`, and levels from one that often errs to `careful`, which weighs what a play leaves."""

from collections.abc import Iterable, Sequence
from itertools import islice
from random import Random
from typing import ClassVar

import msgspec
from typing_extensions import override

from cartino_games.casino.arithmetic import after, biggest, plays
from cartino_games.casino.cards import CARDS, NUMBER
from cartino_games.casino.views import CasinoView, Play
from cartino_games.kit.levels import BEGINNER, CAREFUL, CASUAL, GREEDY, LEARNER, pick_softly
from cartino_server.engine.bots import Bot, CantChoose, Verdict

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
        then = after(seen, play)
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
