"""What the tables of whole games cost on the wire, at three sizes, in 256 colours and in true colour.

Nothing here is measured by a clock: the same game gives the same bytes everywhere. A bound that breaks is a regression,
or a better picture that is worth its bytes: then say so in the commit that raises the bound.
"""

from statistics import mean
from typing import Final

import pytest

from cartino_games.casino.story import is_fresh
from cartino_tui.game_port.screen import Look
from tests.support.played import PLAYED

WANTED_A_KEY = 150
"""The bytes that a cursor key is to cost."""
WANTED_A_TABLE, WANTED_A_BROADCAST = 15_000, 1_000
"""The most bytes of the first table, and of a move that others see."""
TABLE_MOST: Final = {("caro strict", 160): 15_400, ("caro honour", 160): 15_500, ("casino", 160): 15_300}
"""Those of the games whose first table is larger: 160x50 has 195 places, or the largest cards."""

LOOKS: Final = {f"{look.width}x{look.height}": look for look in (Look(80, 24), Look(120, 40), Look(160, 50))}

sizes = pytest.mark.parametrize("size", ["80x24", pytest.param("120x40", marks=pytest.mark.soak), "160x50"])
games = pytest.mark.parametrize("name", PLAYED)


@games
@sizes
def test_the_first_table(name: str, size: str) -> None:
    found = list(PLAYED[name].first_tables(LOOKS[size]))
    assert len(found) > 10
    assert max(found) <= TABLE_MOST.get((name, LOOKS[size].width), WANTED_A_TABLE)


@games
@sizes
def test_a_cursor_key(name: str, size: str) -> None:
    found = list(PLAYED[name].cursor_keys(LOOKS[size]))
    assert len(found) > 50
    assert max(found) <= WANTED_A_KEY


@pytest.mark.parametrize("edition", ["1974", "1969"])
@sizes
def test_a_move_in_cartino(edition: str, size: str) -> None:
    found = [sent for _, _, sent in PLAYED[f"cartino {edition}"].broadcasts(LOOKS[size])]
    assert len(found) > 50
    assert mean(found) <= 560
    assert max(found) <= WANTED_A_BROADCAST


@pytest.mark.parametrize("referee", ["strict", "honour"])
@sizes
def test_a_move_in_caro(referee: str, size: str) -> None:
    """A board that has to be moved, since pieces would lie out of sight, is drawn again."""
    game, look = PLAYED[f"caro {referee}"], LOOKS[size]
    found = {True: list[int](), False: list[int]()}
    for before, state, sent in game.broadcasts(look, 3):
        grids = [
            game.screen.scene(
                game.table_of(each, None), game.rules.view(each, None), game.screen.fresh(), look, game.around
            ).plan.grid
            for each in (before, state)
        ]
        found[grids[0] != grids[1]].append(sent)
    assert len(found[False]) > 25
    assert max(found[False]) <= WANTED_A_BROADCAST
    assert len(found[True]) <= 4


@sizes
def test_a_play_in_casino(size: str) -> None:
    """Large cards are many cells: from 120x40 on, what is asked of other games can't be kept by every play."""
    most, mean_most = {"80x24": (1_060, 650), "120x40": (1_600, 850), "160x50": (2_700, 1_300)}[size]
    found = {True: list[int](), False: list[int]()}
    for before, state, sent in PLAYED["casino"].broadcasts(LOOKS[size]):
        dealt = is_fresh(before.table) or state.table.hand_number != before.table.hand_number
        found[dealt or is_fresh(state.table)].append(sent)
    assert len(found[False]) > 100
    assert mean(found[False]) <= mean_most
    assert max(found[False]) <= most
    assert max(found[True]) <= {"80x24": 1_300, "120x40": 4_000, "160x50": 6_000}[size]
