"""How a host says until when and why."""

from datetime import UTC, datetime

import pytest

from cartino_protocol.exit_status import MISUSE
from cartino_server.admin.durations import MAX_DURATION, parse_duration_and_reason, starts_with_time
from cartino_server.commands.console import CommandError

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC).timestamp()
START = int(NOW)


def at(*moment: int) -> int:
    return int(datetime(*moment, tzinfo=UTC).timestamp())  # type: ignore[misc,arg-type]


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("for 2h", 7200),
        ("2h", 7200),
        ("15m", 900),
        ("1w", 604_800),
        ("90s", 90),
        ("30M", 1800),
        ("1hour", 3600),
        ("2hours", 7200),
        ("90min", 5400),
        ("1h30m", 5400),
        ("1d12h", 129_600),
        ("2 hours", 7200),
        ("for an hour", 3600),
        ("a day", 86_400),
        ("1 h 30 m", 5400),
        ("1 hour and 30 minutes", 5400),
        ("1 day, 2 hours", 93_600),
        ("for 3 months", 90 * 86_400),
        ("1y", 365 * 86_400),
    ],
)
def test_a_span_as_people_write_it(words: str, seconds: int) -> None:
    assert parse_duration_and_reason("ban", words.split(), NOW) == (START + seconds, "", True)
    assert parse_duration_and_reason("ban", [*words.split(), "too", "loud"], NOW) == (
        START + seconds,
        "too loud",
        True,
    )
    assert starts_with_time(words.split())


@pytest.mark.parametrize(
    ("words", "until"),
    [
        ("2026-01-31", at(2026, 1, 31)),
        ("2026-01-31 12:30", at(2026, 1, 31, 12, 30)),
        ("2026-01-31 12:30:15", at(2026, 1, 31, 12, 30, 15)),
        ("2026-01-31 12:30 UTC", at(2026, 1, 31, 12, 30)),
        ("2026-01-31T12:30", at(2026, 1, 31, 12, 30)),
        ("2026-01-31T12:30:00Z", at(2026, 1, 31, 12, 30)),
        ("2026-01-31T12:30:00+02:00", at(2026, 1, 31, 10, 30)),
    ],
)
def test_a_moment(words: str, until: int) -> None:
    assert parse_duration_and_reason("ban", ["until", *words.split()], NOW) == (until, "", True)
    assert parse_duration_and_reason("ban", ["until", *words.split(), "spam"], NOW) == (until, "spam", True)


@pytest.mark.parametrize(
    ("words", "reason"),
    [("for good", ""), ("for ever", ""), ("for good spam", "spam"), ("for Good because 3 times", "3 times")],
)
def test_for_good_is_said(words: str, reason: str) -> None:
    assert parse_duration_and_reason("ban", words.split(), NOW) == (None, reason, True)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("", ""),
        ("because", ""),
        ("spam", "spam"),
        ("because spam and more", "spam and more"),
        ("because 3 times too loud", "3 times too loud"),
    ],
)
def test_a_reason_without_a_time(words: str, reason: str) -> None:
    assert parse_duration_and_reason("ban", words.split(), NOW) == (None, reason, False)


def test_a_reason_behind_a_time_is_whatever_it_is() -> None:
    for words, reason in (
        ("90s because of spam", "because of spam"),
        ("2h 3 times warned", "3 times warned"),
        ("for good because for 2h", "for 2h"),
        ("until 2026-01-31 because for 2h", "for 2h"),
    ):
        assert parse_duration_and_reason("ban", words.split(), NOW).reason == reason


@pytest.mark.parametrize(
    "words",
    [
        "30",
        "1hor",
        "2hours3",
        "1h30",
        "1.5h",
        "-2h",
        "3 times",
        "forever",
        "permanently",
        "Tomorrow",
        "hour",
        "till x",
    ],
)
def test_what_looks_like_a_time_is_no_reason(words: str) -> None:
    with pytest.raises(CommandError) as raised:
        parse_duration_and_reason("mute", words.split(), NOW)
    assert raised.value.code == MISUSE
    assert str(raised.value).startswith(f"mute: '{words.split(maxsplit=1)[0]}' isn't a time; write `for 2h`")
    assert parse_duration_and_reason("mute", ["because", *words.split(), "!"], NOW).reason == f"{words} !"


@pytest.mark.parametrize(
    "words",
    [
        "spam 2h",
        "spam for 1 hour",
        "because spam for 3d",
        "spam for good",
        "spam until tomorrow",
        "because 2h",
    ],
)
def test_a_time_behind_the_reason_is_not_taken_for_a_part_of_it(words: str) -> None:
    with pytest.raises(
        CommandError, match=r"^ban: give the time before the reason, like `for 2h because …`\.$"
    ):
        parse_duration_and_reason("ban", words.split(), NOW)


@pytest.mark.parametrize(
    "words",
    [
        "for",
        "for spam",
        "for 2",
        "for -2h",
        "for 123456h",
        "for 0s",
        f"for {MAX_DURATION // 604_800 + 1}w",
        "until",
        "until tomorrow",
        "until 2026-13-01",
        "until 2026-1-1",
        "until 2026-01-31 25:00",
        "until 2026-01-31 3pm",
        "until 2025-01-01",
        "until 2026-01-01 12:00",
        "until 9999-01-01",
        "until 0001-01-01T00:00+23:00",
        "until 2026-01-31Tnoon",
        "until \u0662026-01-31",
        "for \u0662h",
    ],
)
def test_what_is_no_time(words: str) -> None:
    with pytest.raises(CommandError) as raised:
        parse_duration_and_reason("ban", words.split(), NOW)
    assert raised.value.code == MISUSE
    assert str(raised.value).startswith("ban: ")
