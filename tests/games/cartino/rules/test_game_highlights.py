"""The best turn and the best lay of a record are those that replay comes to."""

from pathlib import Path

import pytest

from cartino_engine.replay import read_record, replay
from cartino_games.cartino.lines import LayLine, SettleLine
from tests.support.cartino import GAME
from tests.support.games import GAMES

GOLDEN = sorted((Path(__file__).parents[3] / "golden").glob("cartino-*.jsonl"))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_of_a_golden_game(path: Path) -> None:
    record = read_record(path.read_bytes(), GAMES)
    seats = range(len(record.head.seats))
    turn, lay = [0 for _ in seats], [0 for _ in seats]
    at_turn, turns = [0 for _ in seats], 0
    for moment in replay(record):
        settled = next((line for line in moment.lines if isinstance(line, SettleLine)), None)
        lays = [line for line in moment.lines if isinstance(line, LayLine)]
        if GAME.turns(moment.state) > turns:
            turns = GAME.turns(moment.state)
            totals = list(moment.state.totals)
            if settled is not None:
                totals = [
                    total - bonus + penalty
                    for total, bonus, penalty in zip(totals, settled.bonus, settled.penalty, strict=True)
                ]
            for seat in seats:
                turn[seat] = max(turn[seat], totals[seat] - at_turn[seat])
            at_turn = totals
        for line in lays:
            lay[line.seat] = max(lay[line.seat], line.points)
    assert GAME.highlights(record.lines) == {"turn": turn, "lay": lay}
    assert max(turn) > max(lay) > 0


def test_of_nothing() -> None:
    assert GAME.highlights(read_record(GOLDEN[0].read_bytes(), GAMES).lines[:1]) == {
        "turn": [0, 0],
        "lay": [0, 0],
    }
