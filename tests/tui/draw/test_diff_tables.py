"""Real tables on a terminal that gets nothing but differences: it always shows what a whole painting would."""

from typing import get_args

import pytest

from cartino_games.cartino.board import Edition
from cartino_games.cartino.screen.pointer import NOWHERE
from cartino_tui.game_port.screen import Look
from cartino_tui.terminal.colour_depth import ColourDepth
from tests.support.cartino import random_game
from tests.support.cartino_table import (
    AROUND,
    CARTINO_SCREEN,
    LARGE,
    MIDDLE,
    SMALL,
    table_of,
    view_of,
    with_status,
)
from tests.support.wandering import Wanderer


@pytest.mark.parametrize(
    "steps", [40, pytest.param(2600, marks=[pytest.mark.soak, pytest.mark.timeout(900)])]
)
@pytest.mark.parametrize("depth", get_args(ColourDepth))
@pytest.mark.parametrize("seed", [1, 2])
def test_after_any_steps_the_terminal_shows_what_a_whole_painting_would(
    depth: ColourDepth, seed: int, steps: int
) -> None:
    wanderer = Wanderer(seed, depth)
    for _ in range(steps):
        wanderer.step()


@pytest.mark.parametrize("edition", ["1974", "1969"])
@pytest.mark.parametrize("look", [SMALL, MIDDLE, LARGE])
def test_what_was_drawn_for_one_pointer_serves_for_another(edition: Edition, look: Look) -> None:
    state = next(state for state, _ in random_game(5, edition, 2) if len(state.hands[0]) == 5 and state.taken)
    table = table_of(state, state.seat)
    view = view_of(table)
    under = CARTINO_SCREEN.under(table, view, look, with_status("Something else was said."))
    for key in ("1", "2", "3", "4", "5", "escape"):
        pointer = CARTINO_SCREEN.key(table, view, NOWHERE, key).pointer
        kept = CARTINO_SCREEN.draw(table, view, pointer, look, AROUND, under)
        assert kept == CARTINO_SCREEN.draw(table, view, pointer, look, AROUND)
        assert under is not None
        assert sum(one is other for one, other in zip(kept.rows, under.rows, strict=True)) > look.height // 3
