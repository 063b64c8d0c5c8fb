"""Log lines: one each, whatever strangers put into the words that are logged, few of a kind, and no errors' words."""

import asyncio
import json
import logging
import traceback
from collections.abc import Iterator

import pytest
import structlog

from cartino_server.operations import logs
from cartino_server.operations.logs import (
    MAX_INSIDE,
    MAX_OUTSIDE,
    MAX_VALUE,
    OUTSIDE_WINDOW,
    LogRateLimiter,
    configure_logging,
    flush_summaries,
    redact_traceback,
    set_log_style,
)
from tests.support.nasty import NASTY as NASTY_TEXTS
from tests.support.nasty import faults_of

NASTY = "a\x1b[2Jb\nc\u202ed\x9be\x7f\ud800"
BEGINS = "Traceback (most recent call last):"
TAME = r"a\x1b[2Jb\nc\u202ed\x9be\x7f\ud800"
SECRET = "queen of spades"
FLOOD = 10_000
Captured = pytest.CaptureFixture[str]
each_style = pytest.mark.parametrize("style", ["text", "json"])


@pytest.fixture(autouse=True)
def own_logs() -> Iterator[None]:
    """Undo what `configure_logging` did to the process after each test."""
    handlers, level = logging.root.handlers[:], logging.root.level
    yield
    structlog.reset_defaults()
    logging.root.handlers[:] = handlers
    logging.root.setLevel(level)


def written(capsys: Captured) -> list[dict[str, object]]:
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


@each_style
def test_our_own_lines_hold_nothing_unprintable(style: str, capsys: Captured) -> None:
    configure_logging(style)
    structlog.get_logger("here").info(NASTY, why=NASTY, plain="Zoë ♠", tight="\x1b[2J")
    [line] = capsys.readouterr().err.splitlines()
    assert line.isprintable()
    if style == "json":
        said = json.loads(line)
        assert (said["event"], said["why"], said["plain"]) == (TAME, TAME, "Zoë ♠")
    else:
        assert TAME in line
        assert "Zoë ♠" in line


@each_style
def test_the_lines_of_libraries_hold_nothing_unprintable(style: str, capsys: Captured) -> None:
    configure_logging(style)
    logging.getLogger("asyncio").error("lost: %s", NASTY)
    [line] = capsys.readouterr().err.splitlines()
    assert line.isprintable()
    assert TAME in (json.loads(line)["event"] if style == "json" else line)


@each_style
@pytest.mark.parametrize("nasty", NASTY_TEXTS.values(), ids=NASTY_TEXTS)
def test_no_nasty_text_gets_into_a_line(style: str, nasty: str, capsys: Captured) -> None:
    configure_logging(style)
    structlog.get_logger("here").info("came in", name=nasty)
    [line] = capsys.readouterr().err.splitlines()
    assert faults_of(line, 10**4) == []
    if style == "json":
        assert faults_of(json.loads(line)["name"], 10**4) == []
    else:
        # What has blanks stands between quotes, so that nobody writes fields of their own.
        assert not line.endswith("forged=1")


@each_style
@pytest.mark.parametrize("ours", [True, False])
def test_a_traceback_keeps_its_lines_and_nothing_else(style: str, ours: bool, capsys: Captured) -> None:
    configure_logging(style)
    try:
        raise RuntimeError(NASTY)
    except RuntimeError:
        logger = structlog.get_logger("here") if ours else logging.getLogger("asyncio")
        logger.exception("broke")
    text = capsys.readouterr().err
    lines = json.loads(text)["exception"].splitlines() if style == "json" else text.splitlines()[1:]
    assert (lines[0], lines[-1]) == (BEGINS, "RuntimeError")
    assert "2J" not in "".join(lines)
    assert all(line.isprintable() for line in lines)


def test_a_crash_keeps_its_lines_and_a_long_value_is_cut(capsys: Captured) -> None:
    configure_logging("json")
    log = structlog.get_logger("here")
    log.error("session crashed", crash=f"{BEGINS}\n  \x1bhere\nValueError: a hand\n")
    log.info("did not come in", why="x" * 100_000)
    crashed, cut = written(capsys)
    assert crashed["crash"] == f"{BEGINS}\n  \\x1bhere\nValueError"
    assert cut["why"] == "x" * MAX_VALUE + "…"


def test_the_style_changes_for_loggers_that_have_spoken_already(capsys: Captured) -> None:
    configure_logging("text", worker=2)
    ours, theirs = structlog.get_logger("here"), logging.getLogger("asyncio")
    bound = ours.bind(peer="ann")
    bound.info("one")
    theirs.error("two")
    first, second = capsys.readouterr().err.splitlines()
    assert "worker=2" in first
    assert "two" in second
    set_log_style("json")
    bound.info("three", why=NASTY)
    ours.info("four")
    theirs.error("five")
    lines = written(capsys)
    assert [line["event"] for line in lines] == ["three", "four", "five"]
    assert (lines[0]["why"], lines[1]["worker"]) == (TAME, 2)
    set_log_style("text")
    bound.info("six")
    assert not capsys.readouterr().err.startswith("{")


class TestTracebacks:
    """They keep places and kinds, no words."""

    @staticmethod
    def crash(error: BaseException) -> str:
        try:
            raise error
        except BaseException:
            return redact_traceback(traceback.format_exc())

    @pytest.mark.parametrize(
        "words",
        [SECRET, f"\n{SECRET}\n", f"a\n  File {SECRET}", f"x: {SECRET}", f"{SECRET}: x\n    {SECRET}", ""],
    )
    def test_what_an_error_says_is_left_out(self, words: str) -> None:
        error = ValueError(words)
        error.add_note(SECRET)
        told = self.crash(error)
        assert SECRET not in told
        lines = told.split("\n")
        assert (lines[0], lines[-1]) == (BEGINS, "ValueError")
        assert "test_logs.py" in lines[1]

    def test_an_error_with_a_module_and_one_without_words_are_named(self) -> None:
        class Odd(Exception):
            pass

        assert self.crash(Odd(SECRET)).endswith("Odd")
        assert self.crash(KeyError()).endswith("\nKeyError")

    def test_each_of_a_chain_is_named_and_none_speaks(self) -> None:
        try:
            raise ValueError(f"{SECRET}\n\n{SECRET}") from KeyError(SECRET)
        except ValueError:
            told = redact_traceback(traceback.format_exc())
        assert SECRET not in told
        assert "KeyError" in told
        assert "direct cause" in told
        assert told.endswith("ValueError")

    def test_of_a_group_the_places_are_left(self) -> None:
        told = self.crash(ExceptionGroup(SECRET, [ValueError(SECRET), KeyError(SECRET)]))
        assert SECRET not in told
        assert "test_logs.py" in told

    @pytest.mark.parametrize("text", [SECRET, ""])
    def test_what_is_no_traceback_is_left_out(self, text: str) -> None:
        assert redact_traceback(text) == "?"


class TestRateLimit:
    """Of lines that strangers bring about a few are written, and a sum of the rest."""

    @staticmethod
    def limited() -> list[float]:
        """The limiter's clock. Lines go where the test reads, so this is called in the test."""
        now = [0.0]
        configure_logging("json")
        processors = structlog.get_config()["processors"]
        [at] = [at for at, each in enumerate(processors) if isinstance(each, LogRateLimiter)]
        processors[at] = LogRateLimiter(lambda: now[0])
        return now

    def test_ten_thousand_who_fail_are_a_few_lines_and_a_number(self, capsys: Captured) -> None:
        clock = self.limited()
        log = structlog.get_logger("here")
        for number in range(FLOOD):
            log.info("did not come in", connection=number, why="x")
        assert len(written(capsys)) == MAX_OUTSIDE
        clock[0] += OUTSIDE_WINDOW
        log.info("did not come in", connection=FLOOD, why="x")
        summed, next_one = written(capsys)
        assert (summed["event"], summed["level"]) == ("did not come in", "info")
        assert (summed["more"], summed["seconds"]) == (FLOOD - MAX_OUTSIDE, OUTSIDE_WINDOW)
        assert next_one["connection"] == FLOOD

    def test_each_kind_is_counted_by_itself(self, capsys: Captured) -> None:
        self.limited()
        log = structlog.get_logger("here").bind(peer="192.0.2.1")
        for _ in range(FLOOD):
            log.info("turned away")
        log.info("left")
        log.info("left", person="SHA256:x")
        assert [line["event"] for line in written(capsys)] == ["turned away"] * MAX_OUTSIDE + ["left", "left"]

    @pytest.mark.parametrize(
        "fields",
        [
            {"peer": "192.0.2.1", "person": "SHA256:x"},
            {"who": "guest (connection 7)"},
            {"table": "AAAA"},
        ],
    )
    def test_who_is_in_is_told_of_one_by_one_for_much_longer(
        self, fields: dict[str, str], capsys: Captured
    ) -> None:
        self.limited()
        log = structlog.get_logger("here")
        for _ in range(MAX_INSIDE + 3):
            log.info("came in", **fields)
        assert len(written(capsys)) == MAX_INSIDE
        with structlog.contextvars.bound_contextvars(session="x"):
            for _ in range(MAX_INSIDE + 3):
                log.info("session ends")
        assert len(written(capsys)) == MAX_INSIDE

    def test_the_servers_own_lines_are_all_written(self, capsys: Captured) -> None:
        self.limited()
        for number in range(1_000):
            structlog.get_logger("here").warning("game set aside", game=number)
        assert len(written(capsys)) == 1_000

    def test_at_the_end_what_was_not_told_is(self, capsys: Captured) -> None:
        self.limited()
        for number in range(MAX_OUTSIDE + 7):
            structlog.get_logger("here").warning("turned away", peer=number)
        flush_summaries()
        *_, last = written(capsys)
        assert (last["more"], last["level"]) == (7, "warning")

    def test_the_sum_of_what_went_wrong_has_not_the_traceback_of_what_goes_wrong_next(
        self, capsys: Captured
    ) -> None:
        clock = self.limited()

        def break_once() -> None:
            try:
                raise RuntimeError
            except RuntimeError:
                structlog.get_logger("here").exception("session broke", peer="192.0.2.1")

        for _ in range(MAX_OUTSIDE + 3):
            break_once()
        assert all("exception" in line for line in written(capsys))
        clock[0] += OUTSIDE_WINDOW
        break_once()
        summed, next_one = written(capsys)
        assert (summed["more"], summed["level"]) == (3, "error")
        assert "exception" in next_one
        assert "exception" not in summed

    async def test_a_flood_that_ends_is_summed_up_without_another_line(
        self, capsys: Captured, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.limited()
        monkeypatch.setattr(logs, "OUTSIDE_WINDOW", 0.05)
        for _ in range(MAX_OUTSIDE + 5):
            structlog.get_logger("here").info("turned away", peer="192.0.2.1")
        told: list[dict[str, object]] = []
        async with asyncio.timeout(20):
            while not any("more" in line for line in told):
                told += written(capsys)
                await asyncio.sleep(0.01)
        assert [line["more"] for line in told if "more" in line] == [5]
