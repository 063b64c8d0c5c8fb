"""A server with shared deals."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.deals import DealServer


@pytest.fixture
async def deals(tmp_path: Path) -> AsyncIterator[DealServer]:
    server = await DealServer(tmp_path).start()
    yield server
    await server.stop()
