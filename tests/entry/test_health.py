"""Whether a house is well, fact by fact."""

from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from cartino_server.entry import health
from cartino_server.entry.health import (
    FULL_IN,
    LEAST_FREE,
    LEAST_GROWTH,
    MOST_LATE,
    MOST_WAITING,
    SENTENCES,
    Subject,
    Trouble,
    aged,
    examine,
    free_bytes,
    probe,
)
from cartino_server.store.growth import Growth
from cartino_server.store.scrubbing import Scrubbed
from cartino_tui.tongue import ENGLISH


def subject(data: Path, **facts: Any) -> Subject:
    return msgspec.structs.replace(
        Subject(lambda: True, lambda: 0, lambda: 2, 2, lambda: True, data),
        **{name: (lambda value=value: value) for name, value in facts.items()},
    )


def test_where_nothing_is_wrong_it_is_well(tmp_path: Path) -> None:
    found = examine(subject(tmp_path), 0.01)
    assert found.well
    assert found.troubles == ()
    assert found.words(ENGLISH) == "The house is well."
    assert found.free > 0


@pytest.mark.parametrize(
    ("facts", "late", "trouble"),
    [
        ({"journal": False}, 0.0, "journal"),
        ({"waiting": MOST_WAITING + 1}, 0.0, "queue"),
        ({"standing": 1}, 0.0, "workers"),
        ({}, MOST_LATE + 0.1, "loop"),
        ({"accepting": False}, 0.0, "door"),
        ({"is_full": True}, 0.0, "tables"),
    ],
)
def test_each_trouble_is_told(tmp_path: Path, facts: dict[str, Any], late: float, trouble: Trouble) -> None:
    found = examine(subject(tmp_path, **facts), late)
    assert not found.well
    assert found.troubles == (trouble,)
    assert "{" not in found.words(ENGLISH)


@pytest.mark.parametrize(
    ("grew", "free", "well"),
    [
        (LEAST_GROWTH * 2, LEAST_GROWTH * 2 * FULL_IN - 1, False),
        (LEAST_GROWTH * 2, LEAST_GROWTH * 2 * FULL_IN, True),
        (LEAST_GROWTH, LEAST_FREE, True),
        (LEAST_GROWTH * 2, -1, True),
    ],
)
def test_data_that_soon_fill_the_disk_are_a_trouble(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, grew: int, free: int, well: bool
) -> None:
    monkeypatch.setattr(health, "free_bytes", lambda _: free)
    found = examine(subject(tmp_path, growth=Growth(grew, grew, 7)), 0.0)
    assert found.well == well
    assert well or "grew by 100 MB" in found.words(ENGLISH)


def test_what_the_data_take_is_told_in_a_line(tmp_path: Path) -> None:
    found = examine(subject(tmp_path, growth=Growth(12_340_000, -500_000, 7)), 0.0)
    assert found.room(ENGLISH) == "Data: 12.3 MB, -0.5 MB in the last day; 7 finished games are kept."


@pytest.mark.parametrize(("free", "well"), [(LEAST_FREE - 1, False), (LEAST_FREE, True), (-1, True)])
def test_a_disk_that_is_nearly_full_is_a_trouble(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, well: bool
) -> None:
    monkeypatch.setattr(health, "free_bytes", lambda _: free)
    assert examine(subject(tmp_path), 0.0).well is well


def test_where_nobody_knows_what_is_free_nothing_is_said_of_it(tmp_path: Path) -> None:
    assert free_bytes(tmp_path / "missing") == -1


def test_several_troubles_are_all_told(tmp_path: Path) -> None:
    found = examine(subject(tmp_path, journal=False, standing=0, waiting=9_999), 7.25)
    assert found.words(ENGLISH) == (
        "The journal has ended: nothing can be saved any more, and the house is about to close. "
        "The journal does not keep up: 9999 tasks wait to be written. "
        "Only 0 of 2 worker processes can be given connections. "
        "The house is 7.2 s late with what is due."
    )


def test_what_is_too_old_is_not_well(tmp_path: Path) -> None:
    found = examine(subject(tmp_path), 0.0)
    assert aged(found, 3.0, 20.0).well
    old = aged(found, 21.0, 20.0)
    assert (old.well, old.troubles) == (False, ("silent",))
    assert old.words(ENGLISH) == "The house has not looked after itself for 21 s."


def test_there_is_a_sentence_for_every_trouble() -> None:
    assert set(SENTENCES) == set(get_args(Trouble))


async def test_a_loop_that_runs_is_hardly_late() -> None:
    assert 0 <= await probe() < 60


def test_damage_on_disk_is_told_and_no_reason_to_start_anew(tmp_path: Path) -> None:
    found = examine(subject(tmp_path, scrubbed=Scrubbed((3, 7), register=True, ended=5.0)), 0.0)
    assert (found.well, found.damaged, found.register, found.proved) == (True, 2, True, 5.0)
    assert found.words(ENGLISH) == (
        "The house is well. 2 games are damaged on disk: run cartino doctor. "
        "The register is damaged on disk: run cartino doctor."
    )
