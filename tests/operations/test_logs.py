"""Log lines: one each, whatever strangers put into the words that are logged."""

import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from cartino_server.operations.logs import MAX_VALUE, configure_logging, set_log_style
from tests.support.nasty import NASTY as NASTY_TEXTS
from tests.support.nasty import faults_of

NASTY = "a\x1b[2Jb\nc\u202ed\x9be\x7f\ud800"
BEGINS = "Traceback (most recent call last):"
TAME = r"a\x1b[2Jb\nc\u202ed\x9be\x7f\ud800"


@pytest.fixture(autouse=True)
def own_logs() -> Iterator[None]:
    """Undo what `configure_logging` did to the process after each test."""
    handlers, level = logging.root.handlers[:], logging.root.level
    yield
    structlog.reset_defaults()
    logging.root.handlers[:] = handlers
    logging.root.setLevel(level)


def fail() -> None:
    raise RuntimeError(NASTY)


@pytest.mark.parametrize("style", ["text", "json"])
def test_our_own_lines_hold_nothing_unprintable(style: str, capsys: pytest.CaptureFixture[str]) -> None:
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


@pytest.mark.parametrize("style", ["text", "json"])
def test_the_lines_of_libraries_hold_nothing_unprintable(
    style: str, capsys: pytest.CaptureFixture[str]
) -> None:
    configure_logging(style)
    logging.getLogger("asyncio").error("lost: %s", NASTY)
    [line] = capsys.readouterr().err.splitlines()
    assert line.isprintable()
    assert TAME in (json.loads(line)["event"] if style == "json" else line)


@pytest.mark.parametrize("ours", [True, False])
def test_a_traceback_keeps_its_lines_and_nothing_else(ours: bool, capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("text")
    try:
        fail()
    except RuntimeError:
        logger = structlog.get_logger("here") if ours else logging.getLogger("asyncio")
        logger.exception("broke")
    first, *lines = capsys.readouterr().err.splitlines()
    assert "broke" in first
    assert lines[0].startswith("Traceback")
    assert lines[-1] == "RuntimeError"
    assert "2J" not in "".join(lines)
    assert all(line.isprintable() for line in lines)


def test_a_traceback_in_json_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("json")
    try:
        fail()
    except RuntimeError:
        structlog.get_logger("here").exception("broke")
    [line] = capsys.readouterr().err.splitlines()
    told = json.loads(line)["exception"].splitlines()
    assert told[0].startswith("Traceback")
    assert all(part.isprintable() for part in told)


def test_the_crash_of_a_face_is_told_in_lines(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("json")
    structlog.get_logger("here").error("session crashed", crash=f"{BEGINS}\n  \x1bhere\nValueError: a hand\n")
    [line] = capsys.readouterr().err.splitlines()
    assert json.loads(line)["crash"] == f"{BEGINS}\n  \\x1bhere\nValueError"


def test_what_strangers_say_at_length_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("json")
    structlog.get_logger("here").info("did not come in", why="x" * 100_000)
    [line] = capsys.readouterr().err.splitlines()
    assert json.loads(line)["why"] == "x" * MAX_VALUE + "…"


def test_the_style_changes_for_loggers_that_have_spoken_already(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("text")
    ours, theirs = structlog.get_logger("here"), logging.getLogger("asyncio")
    bound = ours.bind(peer="ann")
    bound.info("one")
    theirs.error("two")
    set_log_style("json")
    bound.info("three", why=NASTY)
    ours.info("four")
    theirs.error("five")
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 5
    assert [json.loads(line)["event"] for line in lines[2:]] == ["three", "four", "five"]
    assert json.loads(lines[2])["why"] == TAME
    set_log_style("text")
    bound.info("six")
    assert not capsys.readouterr().err.startswith("{")


@pytest.mark.parametrize("style", ["text", "json"])
def test_what_stands_everywhere_stands_in_each_of_our_lines(
    style: str, capsys: pytest.CaptureFixture[str]
) -> None:
    configure_logging(style, worker=2)
    structlog.get_logger("here").info("came in")
    set_log_style(style)
    structlog.get_logger("there").info("left")
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert all(('"worker": 2' if style == "json" else "worker=2") in line for line in lines)


@pytest.mark.parametrize("style", ["text", "json"])
@pytest.mark.parametrize("nasty", NASTY_TEXTS.values(), ids=NASTY_TEXTS)
def test_no_nasty_text_gets_into_a_line(style: str, nasty: str, capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(style)
    structlog.get_logger("here").info("came in", name=nasty)
    [line] = capsys.readouterr().err.splitlines()
    assert faults_of(line, 10**4) == []
    if style == "json":
        assert faults_of(json.loads(line)["name"], 10**4) == []
    else:
        # What has blanks stands between quotes, so that nobody writes fields of their own.
        assert not line.endswith("forged=1")
