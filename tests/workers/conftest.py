"""What the tests of workers share."""

import pytest

from tests.support.game_server import World


@pytest.fixture
def world() -> World:
    """Ports that repeat themselves."""
    return World()
