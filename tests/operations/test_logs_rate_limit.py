"""Lines that strangers bring about: a few of them, and a sum of the rest."""

import asyncio
import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from cartino_server.operations import logs
from cartino_server.operations.logs import (
    MAX_INSIDE,
    MAX_OUTSIDE,
    OUTSIDE_WINDOW,
    LogRateLimiter,
    configure_logging,
    flush_summaries,
)

FLOOD = 10_000
TIME_LIMIT = 20


@pytest.fixture(autouse=True)
def own_logs() -> Iterator[None]:
    """Undo what `configure_logging` did to the process after each test."""
    handlers, level = logging.root.handlers[:], logging.root.level
    yield
    structlog.reset_defaults()
    logging.root.handlers[:] = handlers
    logging.root.setLevel(level)


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def summing() -> Clock:
    """What goes by this clock writes where the test reads: so it is called in the test."""
    made = Clock()
    configure_logging("json")
    processors = structlog.get_config()["processors"]
    [at] = [at for at, each in enumerate(processors) if isinstance(each, LogRateLimiter)]
    processors[at] = LogRateLimiter(made)
    return made


def written(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def test_ten_thousand_who_fail_are_a_few_lines_and_a_number(capsys: pytest.CaptureFixture[str]) -> None:
    clock = summing()
    log = structlog.get_logger("here")
    for number in range(FLOOD):
        log.info("did not come in", connection=number, why="x")
    assert len(written(capsys)) == MAX_OUTSIDE
    clock.now += OUTSIDE_WINDOW
    log.info("did not come in", connection=FLOOD, why="x")
    summed, next_one = written(capsys)
    assert (summed["event"], summed["more"], summed["seconds"]) == (
        "did not come in",
        FLOOD - MAX_OUTSIDE,
        OUTSIDE_WINDOW,
    )
    assert summed["level"] == "info"
    assert next_one["connection"] == FLOOD


def test_each_kind_is_counted_by_itself(capsys: pytest.CaptureFixture[str]) -> None:
    summing()
    log = structlog.get_logger("here").bind(peer="192.0.2.1")
    for _ in range(FLOOD):
        log.info("turned away")
    log.info("left")
    log.info("left", person="SHA256:x")
    lines = written(capsys)
    assert [line["event"] for line in lines] == ["turned away"] * MAX_OUTSIDE + ["left", "left"]


def test_who_is_in_is_told_of_one_by_one_for_much_longer(capsys: pytest.CaptureFixture[str]) -> None:
    summing()
    log = structlog.get_logger("here").bind(peer="192.0.2.1", person="SHA256:x")
    for _ in range(MAX_INSIDE + 3):
        log.info("came in")
    assert len(written(capsys)) == MAX_INSIDE


def test_a_line_whose_person_its_context_knows_is_that_persons(capsys: pytest.CaptureFixture[str]) -> None:
    summing()
    log = structlog.get_logger("here")
    with structlog.contextvars.bound_contextvars(session="x"):
        for _ in range(MAX_INSIDE + 3):
            log.info("session ends")
    assert len(written(capsys)) == MAX_INSIDE


def test_what_guests_ask_of_hosts_is_summed_as_well(capsys: pytest.CaptureFixture[str]) -> None:
    summing()
    log = structlog.get_logger("here")
    for _ in range(MAX_INSIDE + 500):
        log.warning("no host", who="guest (connection 7)")
    assert len(written(capsys)) == MAX_INSIDE


def test_one_who_comes_again_and_again_fills_no_disk(capsys: pytest.CaptureFixture[str]) -> None:
    """A day of a guest who does one thing for as long as they can: under a hundred megabytes a kind of line."""
    clock = summing()
    log = structlog.get_logger("here").bind(peer="192.0.2.1", person="SHA256:x")
    lines = 0
    for _ in range(3600):
        clock.now += 1
        for _ in range(150):
            log.info("came in")
        lines += len(written(capsys))
    assert lines * 24 * 200 < 200_000_000


def test_the_servers_own_lines_are_all_written(capsys: pytest.CaptureFixture[str]) -> None:
    summing()
    log = structlog.get_logger("here")
    for number in range(1_000):
        log.warning("game set aside", game=number)
    assert len(written(capsys)) == 1_000


def test_at_the_end_what_was_not_told_is(capsys: pytest.CaptureFixture[str]) -> None:
    summing()
    log = structlog.get_logger("here")
    for number in range(MAX_OUTSIDE + 7):
        log.warning("turned away", peer=number)
    flush_summaries()
    *_, last = written(capsys)
    assert (last["more"], last["level"]) == (7, "warning")


def test_the_sum_of_what_went_wrong_has_not_the_traceback_of_what_goes_wrong_next(
    capsys: pytest.CaptureFixture[str],
) -> None:
    clock = summing()
    log = structlog.get_logger("here")

    def break_once() -> None:
        try:
            raise RuntimeError
        except RuntimeError:
            log.exception("session broke", peer="192.0.2.1")

    for _ in range(MAX_OUTSIDE + 3):
        break_once()
    assert all("exception" in line for line in written(capsys))
    clock.now += OUTSIDE_WINDOW
    break_once()
    summed, next_one = written(capsys)
    assert (summed["more"], summed["level"]) == (3, "error")
    assert "exception" in next_one
    assert "exception" not in summed


async def test_a_flood_that_ends_is_summed_up_without_another_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "OUTSIDE_WINDOW", 0.05)
    # All come at once by this clock, however long they take; when it is told is the loop's business.
    summing()
    log = structlog.get_logger("here")
    for _ in range(MAX_OUTSIDE + 5):
        log.info("turned away", peer="192.0.2.1")
    told: list[dict[str, object]] = []
    async with asyncio.timeout(TIME_LIMIT):
        while not any("more" in line for line in told):
            told += written(capsys)
            await asyncio.sleep(0.01)
    assert [line["more"] for line in told if "more" in line] == [5]
