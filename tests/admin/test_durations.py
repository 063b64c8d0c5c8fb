"""How an admin writes how long something lasts, and a day."""

from datetime import UTC, datetime

import pytest

from cartino_server.admin.durations import MAX_DURATION, parse_duration, parse_timestamp


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90s", 90),
        ("15m", 900),
        ("2h", 7200),
        ("1h30m", 5400),
        ("1d12h", 129_600),
        ("2w", 1_209_600),
        ("3660d", MAX_DURATION),
    ],
)
def test_a_duration(text: str, seconds: int) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(
    "text", ["", "2", "h", "0s", "-2h", "2 h", "1hor", "2h ", "2hx", "3661d", "999999h", "٢h", "for 2h"]
)
def test_anything_else_is_none(text: str) -> None:
    assert parse_duration(text) is None


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-01-31", (2026, 1, 31)),
        ("2026-01-31T12:30", (2026, 1, 31, 12, 30)),
        ("2026-01-31T12:30:15Z", (2026, 1, 31, 12, 30, 15)),
        ("2026-01-31t12:30+02:00", (2026, 1, 31, 10, 30)),
    ],
)
def test_a_day_or_a_moment_is_in_utc(text: str, moment: tuple[int, ...]) -> None:
    assert parse_timestamp(text) == int(datetime(*moment, tzinfo=UTC).timestamp())  # type: ignore[misc,arg-type]


@pytest.mark.parametrize(
    "text", ["", "2026-02-30", "2026-1-1", "31.01.2026", "0001-01-01T00:00+99:00", "tomorrow"]
)
def test_no_day_is_none(text: str) -> None:
    assert parse_timestamp(text) is None
