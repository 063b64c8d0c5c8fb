"""What may be laid where and what it scores: the cases of laying.txt, and that no other lay is taken."""

from pathlib import Path

import pytest

from cartino_games.cartino.moves import Lay
from cartino_games.cartino.rules.laying import can_lay
from tests.support.cartino import GAME, NOTATION, position
from tests.support.rules_script import cases, run


@pytest.mark.parametrize("case", cases(Path(__file__).with_name("laying.txt")))
def test_rules(case: list[str]) -> None:
    run(NOTATION, case)


def test_legal_moves_are_those_that_are_taken() -> None:
    state = position("KS KS * 7D", "7C", stones=("KSu",), jokers=("7Du",))
    legal = set(GAME.legal(state, 0))
    names = {*state.tables.board.stone_names, "?"}
    every = {Lay(stone, spot) for stone in names for spot in state.tables.board.spots}
    taken = {move for move in every if not hasattr(GAME.apply(state, 0, move), "reason")}
    assert taken == legal


def test_can_lay_knows_the_free_spots_of_jokers() -> None:
    full = [spot for spot in position("*", "*").tables.board.spots if spot != "7Cl"]
    assert can_lay(position("*", "7C", stones=full))
    assert not can_lay(position("*", "7C", stones=[*full, "7Cl"]))
