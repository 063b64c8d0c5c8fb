"""Casino's bots: `random`, `greedy`, which takes what counts most now, and `keen`, which also looks ahead."""

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from random import Random

import msgspec
from typing_extensions import override

from cartino_games.casino.arithmetic import after, biggest, plays
from cartino_games.casino.cards import CARDS, NUMBER
from cartino_games.casino.views import CasinoView, Play
from cartino_server.engine.bots import Bot, CantChoose, Verdict

_FEW = 6
"""Captures of a card that a bot weighs, the biggest."""
_CARD, _SUIT = 0.06, 0.22
"""What a card, and one of the special suit, is worth towards having most of them, in points."""
_MINE, _NEXT = 0.5, 0.8
"""How much of what one could capture in the next turn counts, and of what the next player can."""

_views = msgspec.msgpack.Decoder(CasinoView)
_plays = msgspec.msgpack.Decoder(Play)


def _read(view: bytes) -> tuple[CasinoView, list[Play]]:
    """The view and the plays to weigh. Raises CantChoose where there are none."""
    seen = _views.decode(view)
    if not seen.plays:
        raise CantChoose("nothing to play")
    return seen, [play for card in seen.hand for play in plays(seen, card, _FEW)]


def _value(view: CasinoView, *cards: str) -> float:
    """What captured `cards` are worth, in points."""
    suit = sum(card[-1] == view.customs.suit for card in cards)
    return _CARD * len(cards) + _SUIT * suit + sum(map(view.customs.points, cards))


def _worth(view: CasinoView, play: Play) -> float:
    """What `play` captures, in points; nothing unless it is a capture."""
    sweep = len(play.takes) == len(view.cards)
    return _value(view, play.card, *play.takes) + sweep if play.act == "capture" else 0.0


def _captures(view: CasinoView, cards: Iterable[str]) -> list[float]:
    """The most that each of `cards` captures, the best first; those that capture nothing are left out."""
    taken: dict[tuple[int, ...], float] = {}
    most = []
    for card in cards:
        # Cards that count the same take the same, but for the one that takes everything.
        kind = (0,) if view.customs.takes_all(card) else view.customs.in_hand(card)
        own = _value(view, card)
        if kind not in taken:
            best = max((_worth(view, play) for play in islice(biggest(view, card), 2)), default=0)
            taken[kind] = best - own
        if taken[kind] > 0:
            most.append(taken[kind] + own)
    return sorted(most, reverse=True)


class CasinoChancer(Bot):
    """Plays any of the plays that it weighs, each as likely as the next."""

    game, name = "casino", "random"

    @override
    def choose(self, view: bytes, chance: Random) -> Play:
        return chance.choice(_read(view)[1])


class CasinoGreedy(Bot):
    """Captures what counts most; else trails what counts least. Never builds."""

    game, name = "casino", "greedy"

    @override
    def choose(self, view: bytes, chance: Random) -> Play:
        seen, options = _read(view)
        plain = [play for play in options if play.act in ("capture", "trail")]
        return max(plain, key=lambda play: _worth(seen, play) or -_value(seen, play.card))


class Keen(Bot):
    """Weighs each play, builds too, by what it captures, what it leaves to the others, and to itself.

    It remembers the cards that were seen in this deal, so it knows which ones the others may hold.
    """

    game, name = "casino", "keen"
    evaluation = 1

    @override
    def choose(self, view: bytes, chance: Random) -> Play:
        seen, options = _read(view)
        return max(options, key=self._weighing(seen))

    @override
    def judge(self, view: bytes, made: Sequence[bytes]) -> Verdict:
        seen, options = _read(view)
        weigh = self._weighing(seen)
        best = max(options, key=weigh)
        return Verdict(max(0.0, weigh(best) - weigh(_plays.decode(made[0]))), (best,))

    def _weighing(self, seen: CasinoView) -> Callable[[Play], float]:
        """What a play is worth, in points."""
        hidden = [card for card in CARDS if not seen.seen >> NUMBER[card] & 1 and card not in seen.hand]
        held = [count for seat, count in enumerate(seen.held) if seat != seen.you and count]

        def weigh(play: Play) -> float:
            then = after(seen, play)
            mine = _captures(then, then.hand)
            theirs = _captures(msgspec.structs.replace(then, you=None), hidden)
            risk = sum(_expected(theirs, len(hidden), count) * 0.6**place for place, count in enumerate(held))
            return _worth(seen, play) + _MINE * max(mine, default=0) - _NEXT * risk

        return weigh


def best_play(view: CasinoView) -> Play:
    """Return what `keen` would play. Raises CantChoose."""
    return Keen().choose(msgspec.msgpack.encode(view), Random(0))


def _expected(best: list[float], among: int, held: int) -> float:
    """The mean of the best of `held` cards drawn from `among`, of which all but `best` are worth 0."""
    expected, none_better = 0.0, 1.0
    for place, worth in enumerate(best):
        chance = min(1.0, held / (among - place))
        expected += none_better * chance * worth
        none_better *= 1 - chance
    return expected
