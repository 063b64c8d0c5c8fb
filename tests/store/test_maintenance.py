"""All data is verified once a week while the server runs, and its growth is measured."""

import os
from pathlib import Path

import msgspec
import pytest
from structlog.testing import capture_logs

from cartino_server.store.maintenance import (
    SCRUB_FILE,
    SCRUB_INTERVAL,
    Growth,
    Scrubber,
    ScrubState,
    Upkeep,
    data_bytes,
)
from cartino_server.store.people import PEOPLE_FILE as PEOPLE
from cartino_server.store.people import open_people
from tests.support.data import damage
from tests.support.finished import FOR_GOOD, finish, joined, on
from tests.support.journals import add, body_of, fill, opened

HOUR = 3600.0


async def test_growth_is_that_of_the_last_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    hours = [(hour * HOUR, 100 + hour * 10, hour * 10) for hour in range(1, 25)]
    last = [(24 * HOUR, 340, 240), (25 * HOUR, 350, 240), (26 * HOUR, 100, -20)]
    async with opened(tmp_path) as found:
        upkeep = Upkeep(found.journal, joined, lambda: FOR_GOOD, lambda: now, tmp_path)
        await finish(found.journal, on("2026-01-01"))
        await upkeep.pack_all()
        await upkeep.look()
        assert upkeep.growth == Growth(data_bytes(tmp_path), games=1)
        upkeep = Upkeep(found.journal, joined, lambda: FOR_GOOD, lambda: now, tmp_path)
        for moment, size, grew in [(0.0, 100, 0), (60.0, 150, 50), *hours, *last]:
            now = moment
            monkeypatch.setattr("cartino_server.store.maintenance.data_bytes", lambda _, size=size: size)
            await upkeep.look()
            assert upkeep.growth.grew == grew


GAMES = 250


async def round_of(scrub: Scrubber) -> int:
    """Prove everything; in how many pieces."""
    pieces = 1
    while not await scrub.piece():
        pieces += 1
    return pieces


async def closed_games(data: Path) -> None:
    """Games that no start looks at."""
    async with opened(data) as found:
        for _ in range(GAMES):
            game = found.journal.number("K7QP")
            await add(found.journal, game, body_of(game, 0), state="closed")


async def test_a_round_goes_through_every_game_in_pieces(tmp_path: Path) -> None:
    await closed_games(tmp_path)
    async with opened(tmp_path) as found:
        scrub = Scrubber(found.journal, tmp_path, lambda: 1000.0)
        assert scrub.due == 0.0
        with capture_logs() as logs:
            assert await round_of(scrub) > 2
    assert scrub.known == ScrubState(ended=1000.0)
    assert logs == [{"event": "all data verified", "games": GAMES, "damaged": 0, "log_level": "info"}]
    assert scrub.due == SCRUB_INTERVAL


async def test_damage_is_found_told_once_and_forgotten_when_it_has_gone(tmp_path: Path) -> None:
    await closed_games(tmp_path)
    damage(tmp_path, body_of(77, 0))
    async with opened(tmp_path) as found:
        scrub = Scrubber(found.journal, tmp_path)
        with capture_logs() as logs:
            await round_of(scrub)
            await round_of(scrub)
        assert found.journal.is_alive
    told = [(line["game"], line["why"]) for line in logs if line["event"] == "game damaged on disk"]
    assert told == [("K7QP-77", "entry 1 was altered")]
    assert scrub.known.damaged == (77,)
    damage(tmp_path, body_of(77, 0)[:-1] + b"/")
    async with opened(tmp_path) as found:
        scrub = Scrubber(found.journal, tmp_path)
        await round_of(scrub)
    assert scrub.known.damaged == ()


async def test_a_page_that_can_t_be_read_costs_no_running_game(tmp_path: Path) -> None:
    await closed_games(tmp_path)
    path = tmp_path / "journal.db"
    page = path.read_bytes().index(body_of(150, 0)) // 4096
    async with opened(tmp_path) as found:
        with path.open("r+b") as file:
            os.pwrite(file.fileno(), b"\xff" * 4096, page * 4096)
        scrub = Scrubber(found.journal, tmp_path)
        await round_of(scrub)
        assert 150 in scrub.known.damaged
        assert len(scrub.known.damaged) < 30
        assert found.journal.is_alive
        await add(found.journal, found.journal.number("WXYZ"), b"x")


async def test_a_damaged_people_db_is_found(tmp_path: Path) -> None:
    await fill(tmp_path, games=1)
    await open_people(tmp_path).close()
    path = tmp_path / PEOPLE
    path.write_bytes(path.read_bytes()[:4096] + b"\xff" * (path.stat().st_size - 4096))
    async with opened(tmp_path) as found:
        scrub = Scrubber(found.journal, tmp_path)
        with capture_logs() as logs:
            await round_of(scrub)
    assert scrub.known.people_db
    assert logs[0]["event"] == "register damaged on disk"


async def test_a_restart_goes_on_where_the_last_server_was(tmp_path: Path) -> None:
    await closed_games(tmp_path)
    async with opened(tmp_path) as found:
        scrub = Scrubber(found.journal, tmp_path)
        scrub.start()
        assert not await scrub.piece()
        await scrub.close()
        assert (tmp_path / SCRUB_FILE).stat().st_mode & 0o777 == 0o600
        again = Scrubber(found.journal, tmp_path)
        assert again.known == scrub.known
        assert 0 < again.known.after < GAMES
        assert again.due == 0.0
        await round_of(again)
        assert again.known.ended > 0


@pytest.mark.parametrize(
    "noted", [b"", b"{", b'{"after": "x"}', msgspec.json.encode(ScrubState((5,), ended=9.0))]
)
async def test_what_was_noted_of_damage_or_can_t_be_read_is_looked_at_anew(
    tmp_path: Path, noted: bytes
) -> None:
    await fill(tmp_path, games=1)
    (tmp_path / SCRUB_FILE).write_bytes(noted)
    async with opened(tmp_path) as found:
        assert Scrubber(found.journal, tmp_path).known == ScrubState()


async def test_the_week_runs_on_whatever_the_clock_does(tmp_path: Path) -> None:
    await fill(tmp_path, games=1)
    now = 5000.0
    async with opened(tmp_path) as found:
        scrub = Scrubber(found.journal, tmp_path, lambda: now)
        await round_of(scrub)
        now += SCRUB_INTERVAL - 10
        assert scrub.due == 10.0
        now += 100
        assert scrub.due == 0.0
        now = 1.0
        assert scrub.due == 0.0
