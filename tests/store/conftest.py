"""A journal in memory, for tests that need no files."""

import pytest

from cartino_server.store.journal import Journal, MemoryJournal


@pytest.fixture
async def journal() -> Journal:
    return MemoryJournal()
