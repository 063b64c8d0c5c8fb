"""Whether a server is well, fact by fact."""

from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from cartino_server.operations import health
from cartino_server.operations.health import (
    DISK_FULL_DAYS,
    IGNORED_DAILY_GROWTH,
    MAX_JOURNAL_QUEUE,
    MAX_LOOP_DELAY,
    MIN_FREE_BYTES,
    PROBLEM_MESSAGES,
    HealthProblem,
    HealthSources,
    check_health,
    free_bytes,
    measure_loop_delay,
    with_age,
)
from cartino_server.store.maintenance import Growth, ScrubState
from cartino_tui.i18n import ENGLISH


def subject(data: Path, **facts: Any) -> HealthSources:
    return msgspec.structs.replace(
        HealthSources(lambda: True, lambda: 0, lambda: 2, 2, lambda: True, data),
        **{name: (lambda value=value: value) for name, value in facts.items()},
    )


def test_where_nothing_is_wrong_it_is_well(tmp_path: Path) -> None:
    found = check_health(subject(tmp_path), 0.01)
    assert found.well
    assert found.troubles == ()
    assert found.words(ENGLISH) == "The server is healthy."
    assert found.free > 0


@pytest.mark.parametrize(
    ("facts", "late", "trouble"),
    [
        ({"journal": False}, 0.0, "journal"),
        ({"waiting": MAX_JOURNAL_QUEUE + 1}, 0.0, "queue"),
        ({"standing": 1}, 0.0, "workers"),
        ({}, MAX_LOOP_DELAY + 0.1, "loop"),
        ({"accepting": False}, 0.0, "door"),
        ({"is_full": True}, 0.0, "tables"),
    ],
)
def test_each_trouble_is_told(
    tmp_path: Path, facts: dict[str, Any], late: float, trouble: HealthProblem
) -> None:
    found = check_health(subject(tmp_path, **facts), late)
    assert not found.well
    assert found.troubles == (trouble,)
    assert "{" not in found.words(ENGLISH)


@pytest.mark.parametrize(
    ("grew", "free", "well"),
    [
        (IGNORED_DAILY_GROWTH * 2, IGNORED_DAILY_GROWTH * 2 * DISK_FULL_DAYS - 1, False),
        (IGNORED_DAILY_GROWTH * 2, IGNORED_DAILY_GROWTH * 2 * DISK_FULL_DAYS, True),
        (IGNORED_DAILY_GROWTH, MIN_FREE_BYTES, True),
        (IGNORED_DAILY_GROWTH * 2, -1, True),
    ],
)
def test_data_that_soon_fill_the_disk_are_a_trouble(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, grew: int, free: int, well: bool
) -> None:
    monkeypatch.setattr(health, "free_bytes", lambda _: free)
    found = check_health(subject(tmp_path, growth=Growth(grew, grew, 7)), 0.0)
    assert found.well == well
    assert well or "grew by 100 MB" in found.words(ENGLISH)


def test_what_the_data_take_is_told_in_a_line(tmp_path: Path) -> None:
    found = check_health(subject(tmp_path, growth=Growth(12_340_000, -500_000, 7)), 0.0)
    assert (
        found.disk_space(ENGLISH)
        == "Data: 12.3 MB, -0.5 MB in the last day; 7 finished games are kept (parked: 0)."
    )


@pytest.mark.parametrize(("free", "well"), [(MIN_FREE_BYTES - 1, False), (MIN_FREE_BYTES, True), (-1, True)])
def test_a_disk_that_is_nearly_full_is_a_trouble(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, well: bool
) -> None:
    monkeypatch.setattr(health, "free_bytes", lambda _: free)
    assert check_health(subject(tmp_path), 0.0).well is well


def test_where_nobody_knows_what_is_free_nothing_is_said_of_it(tmp_path: Path) -> None:
    assert free_bytes(tmp_path / "missing") == -1


def test_several_troubles_are_all_told(tmp_path: Path) -> None:
    found = check_health(subject(tmp_path, journal=False, standing=0, waiting=9_999), 7.25)
    assert found.words(ENGLISH) == (
        "The journal has stopped: nothing can be saved any more, and the server is about to stop. "
        "The journal can't keep up: 9999 tasks are waiting to be written. "
        "Only 0 of 2 worker processes can accept connections. "
        "The server is 7.2 s behind schedule."
    )


def test_what_is_too_old_is_not_well(tmp_path: Path) -> None:
    found = check_health(subject(tmp_path), 0.0)
    assert with_age(found, 3.0, 20.0).well
    old = with_age(found, 21.0, 20.0)
    assert (old.well, old.troubles) == (False, ("silent",))
    assert old.words(ENGLISH) == "The server hasn't checked its health for 21 s."


def test_there_is_a_sentence_for_every_trouble() -> None:
    assert set(PROBLEM_MESSAGES) == set(get_args(HealthProblem))


async def test_a_loop_that_runs_is_hardly_late() -> None:
    assert 0 <= await measure_loop_delay() < 60


def test_damage_on_disk_is_told_and_no_reason_to_start_anew(tmp_path: Path) -> None:
    found = check_health(subject(tmp_path, scrubbed=ScrubState((3, 7), people_db=True, ended=5.0)), 0.0)
    assert (found.well, found.damaged, found.people_db, found.proved) == (True, 2, True, 5.0)
    assert found.words(ENGLISH) == (
        f"The server is healthy. 2 games are damaged on disk: run cartino doctor --data {tmp_path}. "
        f"The people database is damaged on disk: run cartino doctor --data {tmp_path}."
    )
