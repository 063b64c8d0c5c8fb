"""How turns close and games end: the cases of turning.txt."""

from pathlib import Path

import pytest

from tests.support.cartino import NOTATION
from tests.support.rules_script import cases, run


@pytest.mark.parametrize("case", cases(Path(__file__).with_name("turning.txt")))
def test_rules(case: list[str]) -> None:
    run(NOTATION, case)
