"""The proof of the shuffle as rows, whole in every width."""

import hashlib

import msgspec
import pytest

from cartino_games.cartino.screen.proof import Proof, proof_rows
from cartino_games.cartino.screen.rows import rows_width
from cartino_games.cartino.screen.scene import Scene
from tests.support.cartino import random_game
from tests.support.cartino_table import scene_of

OVER = [state for state, _ in random_game(3, "1974", 2)][-1]
SEED = "3fa9c2d1" * 8
PROMISE = hashlib.sha256(bytes.fromhex(SEED)).hexdigest()


def over(seed: str = SEED, promise: str = PROMISE) -> Scene:
    scene = scene_of(OVER, None)
    room = msgspec.structs.replace(scene.room, seed=seed, commitment=promise)
    return msgspec.structs.replace(scene, room=room)


@pytest.mark.parametrize(("width", "rows"), [(120, 3), (76, 4), (70, 6), (58, 8)])
def test_all_of_it_stands_in_any_width(width: int, rows: int) -> None:
    found = proof_rows(over(), width)
    assert len(found) == rows
    assert rows_width(found) <= width
    text = "".join(text for row in found for _, text, _ in row)
    assert PROMISE in text
    assert SEED in text


def test_the_verdict_is_worked_out_here_and_not_believed() -> None:
    assert Proof.of(over()).verdict.startswith("The shuffle was as promised")
    assert Proof.of(over(promise="0" * 64)).verdict.endswith("this was another shuffle.")


def test_without_a_seed_there_is_nothing_to_prove() -> None:
    assert proof_rows(over(seed=""), 80) == []
    assert Proof.of(over(seed="")).width == 2
