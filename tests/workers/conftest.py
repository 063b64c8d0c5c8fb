"""What the tests of workers share."""

import pytest

from tests.support.house import World


@pytest.fixture
def world() -> World:
    """Ports that repeat themselves."""
    return World()
