"""The proof of the shuffle as rows, whole in every width."""

import hashlib

import msgspec
import pytest

from cartino_games.kit.result import Proof, kept_promise, proof_rows
from cartino_games.kit.scene import TableScene
from cartino_games.kit.text import rows_width
from cartino_tui.game_port.description import LOT, SHUFFLE
from tests.support.kit_table import kit_scene, kit_table

SEED = "3fa9c2d1" * 8
PROMISE = hashlib.sha256(bytes.fromhex(SEED)).hexdigest()


def over(seed: str = SEED, promise: str = PROMISE) -> TableScene:
    return kit_scene(msgspec.structs.replace(kit_table(), seed=seed, commitment=promise))


@pytest.mark.parametrize(("width", "rows"), [(120, 3), (76, 3), (69, 6), (58, 8)])
def test_all_of_it_stands_in_any_width(width: int, rows: int) -> None:
    found = proof_rows(over(), width, SHUFFLE)
    assert len(found) == rows
    assert rows_width(found) <= width
    text = "".join(text for row in found for _, text, _ in row)
    assert PROMISE in text
    assert SEED in text


def test_the_verdict_is_worked_out_here_and_not_believed() -> None:
    assert Proof.from_scene(over(), SHUFFLE).verdict.startswith("Fair shuffle verified")
    assert Proof.from_scene(over(), LOT).verdict.startswith("Fair draw verified")
    assert Proof.from_scene(over(promise="0" * 64), SHUFFLE).verdict.endswith("this was a different shuffle.")


def test_without_a_seed_there_is_nothing_to_prove() -> None:
    assert proof_rows(over(seed=""), 80, SHUFFLE) == []
    assert Proof.from_scene(over(seed=""), SHUFFLE).width == 2


@pytest.mark.parametrize(
    ("seed", "promised", "kept"),
    [
        ("ab" * 32, hashlib.sha256(b"\xab" * 32).hexdigest(), True),
        ("AB" * 32, hashlib.sha256(b"\xab" * 32).hexdigest().upper(), True),
        ("ab" * 32, hashlib.sha256(b"\xac" * 32).hexdigest(), False),
        ("no hex", "ab" * 32, False),
        ("", "ab" * 32, None),
    ],
)
def test_a_promise_is_kept_by_the_seed_that_has_the_hash(seed: str, promised: str, kept: bool | None) -> None:
    table = msgspec.structs.replace(kit_table(), seed=seed, commitment=promised)
    assert kept_promise(table) is kept
