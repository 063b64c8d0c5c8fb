"""What the faults share: dice that a run can repeat, and servers that are about to suffer."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.support.faulty import Faulty


@pytest.fixture
def chance(request: pytest.FixtureRequest) -> Random:
    """Seeded with the test's name."""
    return Random(request.node.name)


@pytest.fixture
def faulty(tmp_path: Path) -> Iterator[Faulty]:
    """Below the test's own directory."""
    with Faulty(tmp_path) as opening:
        yield opening
