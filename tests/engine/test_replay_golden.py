"""Golden games: records that once verified must verify for ever, and no game goes without."""

from pathlib import Path

import pytest

from cartino_engine.replay import read_record, verify
from tests.oracle import check_caro, check_cartino, check_casino
from tests.support.games import GAMES

ORACLES = {"cartino": check_cartino.check, "caro": check_caro.check, "casino": check_casino.check}
"""The rules of each game, read a second time."""

GOLDEN = sorted(
    path
    for path in (Path(__file__).parent.parent / "golden").glob("*.jsonl")
    if path.stem.partition("-")[0] in GAMES
)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_golden_game_verifies(path: Path) -> None:
    record = read_record(path.read_bytes(), GAMES)
    verify(record)
    check = ORACLES[record.game.name]
    assert check(path.read_text(encoding="utf-8").splitlines()) is None, (
        "the rules read a second time disagree"
    )


def test_every_game_with_every_option_and_number_of_seats_has_a_golden_one() -> None:
    heads = [read_record(path.read_bytes(), GAMES).head for path in GOLDEN]
    for game in GAMES.values():
        for seats in range(game.seats[0], game.seats[1] + 1):
            for option in game.options:
                for choice in option.choices:
                    assert any(
                        (head.game, len(head.seats), head.options.get(option.name))
                        == (game.name, seats, choice)
                        for head in heads
                    ), f"{game.name} {option.name}={choice} with {seats} seats"
