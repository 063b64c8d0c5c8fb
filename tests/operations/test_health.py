"""Whether a server is well, and what is said about it (`health.txt`)."""

from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from cartino_server.operations import health
from cartino_server.operations.health import (
    PROBLEM_MESSAGES,
    HealthProblem,
    HealthSources,
    ServerHealth,
    check_health,
    free_bytes,
    measure_loop_delay,
    with_age,
)
from cartino_server.store.maintenance import Growth, ScrubState
from cartino_tui.i18n import ENGLISH

CASES = [
    line.split(" => ")
    for line in Path(__file__).with_name("health.txt").read_text().splitlines()
    if " => " in line and not line.startswith("#")
]


def measured(data: Path, facts: dict[str, Any]) -> ServerHealth:
    """The health of a server of which only these facts are not well."""
    grew, late, age = facts.pop("grew", 0), facts.pop("late", 0.01), facts.pop("age", 0.0)
    scrubbed = ScrubState(
        tuple(range(facts.pop("damaged", 0))), people_db=facts.pop("people_db", False), ended=5.0
    )
    facts |= {"growth": Growth(grew, grew, 7), "scrubbed": scrubbed}
    well = HealthSources(lambda: True, lambda: 0, lambda: 2, 2, lambda: True, data)
    sources = msgspec.structs.replace(
        well, **{name: (lambda value=value: value) for name, value in facts.items()}
    )
    return with_age(check_health(sources, late), age, 20.0)


@pytest.mark.parametrize(("given", "said"), CASES)
def test_what_is_said(given: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = {name: msgspec.json.decode(value) for name, value in (word.split("=") for word in given.split())}
    free = facts.pop("free", 10**12)
    monkeypatch.setattr(health, "free_bytes", lambda _: free)
    found = measured(tmp_path, facts)
    assert found.words(ENGLISH) == said.replace("{data}", str(tmp_path))
    assert found.well is said.startswith("The server is healthy.")
    assert bool(found.troubles) is not found.well


def test_damage_on_disk_is_known_with_the_time_of_the_check(tmp_path: Path) -> None:
    found = measured(tmp_path, {"damaged": 2, "people_db": True})
    assert (found.well, found.damaged, found.people_db, found.proved) == (True, 2, True, 5.0)


def test_what_the_data_take_is_told_in_a_line(tmp_path: Path) -> None:
    well = HealthSources(lambda: True, lambda: 0, lambda: 2, 2, lambda: True, tmp_path)
    grown = msgspec.structs.replace(well, growth=lambda: Growth(12_340_000, -500_000, 7))
    assert (
        check_health(grown, 0.0).disk_space(ENGLISH)
        == "Data: 12.3 MB, -0.5 MB in the last day; 7 finished games are kept (parked: 0)."
    )


def test_free_space_is_measured_where_there_is_a_directory(tmp_path: Path) -> None:
    assert free_bytes(tmp_path) > 0
    assert free_bytes(tmp_path / "missing") == -1


def test_there_is_a_sentence_for_every_trouble() -> None:
    assert set(PROBLEM_MESSAGES) == set(get_args(HealthProblem))


async def test_a_loop_that_runs_is_hardly_late() -> None:
    assert 0 <= await measure_loop_delay() < 60
