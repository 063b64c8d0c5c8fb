"""Where stones may be laid, on the line and as the client reads it."""

import pytest

from cartino_games.cartino.board import BOARDS
from cartino_games.cartino.views import CartinoView, LayOption, Reach, reach

BOARD = BOARDS["1974"]


def view(*reaches: Reach) -> CartinoView:
    return CartinoView("1974", "." * 64, (), 0, 0, reach=reaches)


def test_each_stone_has_its_own() -> None:
    king, joker = BOARD.spot_number["KSu"], BOARD.spot_number["AHl"]
    seen = view(reach("KS", {king: 12}, 64), reach("*", {joker: 5}, 64))
    assert seen.lays == (LayOption("KS", "KSu", 12), LayOption("*", "AHl", 5))
    assert seen.lays_of("KS") == (LayOption("KS", "KSu", 12),)
    assert seen.lays_of("QS") == ()


@pytest.mark.parametrize("spots", ["", "..", "5" * 200, "♠!" * 32])
def test_a_reach_that_fits_no_board_is_no_crash(spots: str) -> None:
    assert len(view(Reach("*", spots)).lays) <= 64
