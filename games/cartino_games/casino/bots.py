"""Casino's bots: `random`, `greedy`, which takes what counts most now, and `keen`, which also looks ahead."""

from collections.abc import Iterable
from itertools import islice
from random import Random
from typing import ClassVar

import msgspec

from cartino_games.casino.arithmetic import Position, after, biggest, gain, plays, position_of
from cartino_games.casino.cards import CARDS, NUMBER
from cartino_games.casino.views import CasinoView, Play
from cartino_server.bots.port import Bot, CantChoose

_FEW = 6
"""Captures of a card that a bot weighs, the biggest."""
_CARD, _SUIT = 0.06, 0.22
"""What a card, and one of the special suit, is worth towards having most of them, in points."""
_MINE, _NEXT = 0.5, 0.8
"""How much of what one could capture in the next turn counts, and of what the next player can."""

_views = msgspec.msgpack.Decoder(CasinoView)


def _read(view: bytes) -> tuple[CasinoView, Position, list[Play]]:
    """The view, the position and the plays to weigh. Raises CantChoose where there are none."""
    seen = _views.decode(view)
    position = position_of(seen)
    options = [play for card in position.hand for play in plays(position, card, _FEW)] if seen.plays else []
    if not options:
        raise CantChoose("nothing to play")
    return seen, position, options


def _worth(position: Position, play: Play) -> float:
    """What `play` captures, in points."""
    got = gain(position, play)
    return _CARD * got.cards + _SUIT * got.suit + got.points + got.sweep


def _value(position: Position, card: str) -> float:
    """What `card` is worth to who captures it, in points."""
    return _CARD + _SUIT * (card[-1] == position.customs.suit) + position.customs.points(card)


def _captures(position: Position, cards: Iterable[str]) -> list[float]:
    """The most that each of `cards` captures, those that capture something, the best first."""
    taken: dict[tuple[bool, tuple[int, ...]], float] = {}
    most = []
    for card in cards:
        kind = position.takes_all(card), position.customs.in_hand(card)
        if kind not in taken:
            worths = (_worth(position, play) for play in islice(biggest(position, card), 2))
            taken[kind] = max(worths, default=0.0) - _value(position, card)
        if taken[kind] > 0:
            most.append(taken[kind] + _value(position, card))
    return sorted(most, reverse=True)


class Chancer(Bot):
    """Plays any of the plays that it weighs, each as likely as the next."""

    game: ClassVar[str] = "casino"
    name: ClassVar[str] = "random"

    def choose(self, view: bytes, chance: Random) -> Play:
        """See Bot.choose."""
        return chance.choice(_read(view)[2])


class Greedy(Bot):
    """Captures what counts most; else trails what counts least. Never builds."""

    game: ClassVar[str] = "casino"
    name: ClassVar[str] = "greedy"

    def choose(self, view: bytes, chance: Random) -> Play:
        """See Bot.choose."""
        _, position, options = _read(view)
        plain = [play for play in options if play.act in ("capture", "trail")]
        return max(plain, key=lambda play: _worth(position, play) or -_value(position, play.card))


class Keen(Bot):
    """Weighs each play, builds too, by what it captures, what it leaves to the others, and to itself.

    It remembers the cards that were seen, so it knows which ones the others may hold.
    """

    game: ClassVar[str] = "casino"
    name: ClassVar[str] = "keen"

    def choose(self, view: bytes, chance: Random) -> Play:
        """See Bot.choose."""
        seen, position, options = _read(view)
        hidden = [card for card in CARDS if not seen.seen >> NUMBER[card] & 1 and card not in position.hand]
        others = [held for seat, held in enumerate(seen.held) if seat != seen.you and held]

        def weigh(play: Play) -> float:
            then = after(position, play)
            value = _worth(position, play) + _MINE * sum(_captures(then, then.hand)[:1])
            others_position = msgspec.structs.replace(then, seat=-1)
            threats = _captures(others_position, hidden)
            for number, held in enumerate(others):
                value -= _NEXT * _expected(threats, len(hidden), held) * 0.6**number
            return value

        return max(options, key=weigh)


def _expected(best: list[float], among: int, held: int) -> float:
    """The mean of the best of `held` cards drawn from `among`, of which all but `best` are worth 0."""
    expected, nothing_better = 0.0, 1.0
    for place, worth in enumerate(best):
        here = held / (among - place) if among - place > held else 1.0
        expected += nothing_better * here * worth
        nothing_better *= 1 - here
    return expected
