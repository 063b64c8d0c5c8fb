"""The strongest bot of Casino: it plays the hand out in many deals of the cards that it hasn't seen."""

from collections.abc import Sequence
from itertools import islice
from random import Random
from typing import Final

from msgspec.structs import replace
from typing_extensions import override

from cartino_games.casino.arithmetic import after, biggest, plays
from cartino_games.casino.bots import capture_worth, ranked, read_plays, unseen, value_of
from cartino_games.casino.views import CasinoView, Play
from cartino_games.kit.levels import EXPERT
from cartino_protocol.base import Seat
from cartino_server.engine.bots import Bot

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
        table = after(table, play)
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
