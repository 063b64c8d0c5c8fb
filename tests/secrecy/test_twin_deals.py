"""No byte that is sent to anybody depends on a card of Casino that they may not see.

Up to some moment of a deal the same cards are played in two shuffles; what is still in others' hands or in the pack
is another one. What a card that lies in the open tells is said here by the rules, never by the game's own `view`.
"""

from collections.abc import Mapping, Sequence
from random import Random

import msgspec
import pytest

from cartino_engine.chance import Chance, GivenOrder
from cartino_engine.port import Step
from cartino_games.casino.cards import CARDS
from cartino_games.casino.rules import Casino, CasinoState
from cartino_games.casino.typing_moves import write
from cartino_games.casino.views import CasinoView
from cartino_protocol.base import Audience
from tests.support.casino import DEFAULTS, NAMES
from tests.support.onlooking import TO_WATCH, by, differences, looked_on
from tests.support.twins import Order, Twins


class Rigged(Casino):
    """The game, always dealt in one order, whatever was promised."""

    def __init__(self, order: Order) -> None:
        self._order = order

    def start(self, options: Mapping[str, str], seats: Sequence[str], chance: Chance) -> Step[CasinoState]:
        return super().start(options, seats, GivenOrder(self._order))


class Leaking(Rigged):
    """Shows the number of court cards in a hand as a total."""

    def view(self, state: CasinoState, audience: Audience) -> CasinoView:
        held = state.hands[((audience or 0) + 1) % len(state.hands)]
        shown = super().view(state, audience)
        courts = sum(card[0] in "JQK" for card in held)
        return msgspec.structs.replace(shown, totals=(courts, *shown.totals[1:]))


def twins(seed: int, seats: int, audience: Audience, moves: int, rigged: type[Rigged] = Rigged) -> Twins:
    """So many moves of a first deal; then all cards that `audience` has not seen have changed places."""
    dice = Random(seed)
    order = tuple(dice.sample(range(len(CARDS)), len(CARDS)))
    game = Rigged(order)
    state = game.start(DEFAULTS, NAMES[:seats], GivenOrder(order)).state
    words = []
    for _ in range(moves):
        (seat,) = game.on_turn(state)
        move = dice.choice(list(game.legal(state, seat)))
        words.append((seat, write(move)))
        step = game.apply(state, seat, move)
        assert isinstance(step, Step)
        state = step.state
    hands = [card for seat, hand in enumerate(state.hands) if seat != audience for card in hand]
    hidden = {CARDS.index(card) for card in (*hands, *state.pack)}
    places = [place for place, number in enumerate(order) if number in hidden]
    other = list(order)
    for place, onto in zip(places, places[1:] + places[:1], strict=True):
        other[place] = order[onto]
    return Twins(rigged, DEFAULTS, seats, audience, tuple(words), (order, tuple(other)), 1.0)


@pytest.mark.parametrize(
    ("seats", "audience", "moves"),
    [
        (2, 1, 5),
        (3, None, 17),
        (4, 2, 22),
        pytest.param(2, None, 0, marks=pytest.mark.soak),
        pytest.param(3, 2, 13, marks=pytest.mark.soak),
        pytest.param(4, None, 31, marks=pytest.mark.soak),
    ],
)
def test_a_deal_is_the_same_to_whoever_may_see_no_difference(
    seats: int, audience: Audience, moves: int
) -> None:
    game = twins(moves, seats, audience, moves)
    for ways in by(game):
        here, there = (looked_on(game, order, ways) for order in game.orders)
        assert differences(here, there) == {}
        assert all(any(sent[way] for sent in here) for way in ways), "something was sent"


def test_a_view_that_leaks_is_found_out() -> None:
    game = twins(3, 2, None, 3, Leaking)
    here, there = (looked_on(game, order, TO_WATCH) for order in game.orders)
    assert set(differences(here, there)) >= {"wire", "screen", "lines", "json", "show --json"}
