"""Every spot that a joker may go to can be typed, in the letters of every language; more of it is in screen.txt."""

import pytest

from cartino_games.cartino.board import JOKER, Edition
from cartino_games.cartino.marks import marks_for
from cartino_games.cartino.screen.jumping import is_typing
from cartino_games.cartino.screen.pointer import lays_of, pick
from cartino_games.cartino.views import CartinoView
from cartino_protocol.views import TableView
from cartino_tui.game_port.screen import Look
from cartino_tui.preferences import CardLetters
from tests.support.cartino import random_game
from tests.support.cartino_table import CARTINO_SCREEN, table_of, view_of


def with_joker(edition: Edition) -> tuple[TableView, CartinoView, int]:
    """A table at which a joker may go to many spots, and its place in the hand."""
    for seed in range(40):
        for state, _ in random_game(seed, edition, 2):
            table = table_of(state, state.seat)
            view = view_of(table)
            if JOKER in view.hand and len(lays_of(view, view.hand.index(JOKER))) > 20:
                return table, view, view.hand.index(JOKER)
    raise AssertionError("no joker in forty games")


@pytest.mark.parametrize("letters", ["en", "fr", "de"])
@pytest.mark.parametrize("edition", ["1974", "1969"])
def test_every_open_spot_can_be_typed(edition: Edition, letters: CardLetters) -> None:
    look = Look(80, 24, letters=letters)
    table, view, place = with_joker(edition)
    lays = lays_of(view, place)
    for lay in lays:
        name = f"{marks_for(look).rank(lay.spot[:-1])}{lay.spot[-2:]}"
        # Where one half alone is open the card is enough, and its half would be typed on.
        halves = [other for other in lays if other.spot[:-1] == lay.spot[:-1]]
        pointer = pick(view, place)
        for key in ("slash", *(name if len(halves) == 2 else name[:-1])):
            reaction = CARTINO_SCREEN.key(table, view, pointer, key, look)
            assert reaction.taken
            assert reaction.move is None
            pointer = reaction.pointer
        assert (pointer.spot, pointer.stone, is_typing(pointer)) == (lay.spot, JOKER, False)
