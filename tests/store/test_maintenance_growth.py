"""What the data take, and by how much they grew in a day."""

from pathlib import Path

from cartino_server.store.maintenance import Growth, GrowthSamples, Upkeep, data_bytes
from tests.support.finished import FOR_GOOD, finish, joined, on
from tests.support.journals import opened

HOUR = 3600.0


def test_growth_is_that_of_the_last_day() -> None:
    samples = GrowthSamples()
    assert samples.note(0, 100, 1) == Growth(100, 0, 1)
    assert samples.note(60, 150, 2) == Growth(150, 50, 2)
    for hour in range(1, 25):
        samples.note(hour * HOUR, 100 + hour * 10, 3)
    assert samples.note(24 * HOUR, 340, 3).grew == 240
    assert samples.note(25 * HOUR, 350, 3).grew == 240
    assert samples.note(26 * HOUR, 100, 3).grew == -20


def test_what_is_not_ours_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "journal.db").write_bytes(bytes(10))
    (tmp_path / "people.db-wal").write_bytes(bytes(5))
    (tmp_path / "host_key").write_bytes(bytes(100))
    assert data_bytes(tmp_path) == 15


async def test_the_upkeep_looks(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        upkeep = Upkeep(found.journal, joined, lambda: FOR_GOOD, lambda: 0.0, tmp_path)
        await finish(found.journal, on("2026-01-01"))
        await upkeep.pack_all()
        await upkeep.look()
        assert upkeep.growth.games == 1
        assert upkeep.growth.size == data_bytes(tmp_path)
