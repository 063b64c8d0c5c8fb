"""How a host says until when and why."""

from datetime import UTC, datetime

import pytest

from cartino_server.entry.admin.times import LONGEST, read_tail
from cartino_server.entry.errors import MISUSE, CommandError

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC).timestamp()
START = int(NOW)


@pytest.mark.parametrize(
    ("words", "until", "reason"),
    [
        ("", None, ""),
        ("spam", None, "spam"),
        ("because spam and more", None, "spam and more"),
        ("because", None, ""),
        ("for 2h", START + 7200, ""),
        ("2h", START + 7200, ""),
        ("90s because of spam", START + 90, "of spam"),
        ("for 3d too loud", START + 3 * 86_400, "too loud"),
        ("15m", START + 900, ""),
        ("1w", START + 604_800, ""),
        ("until 2026-01-31", int(datetime(2026, 1, 31, tzinfo=UTC).timestamp()), ""),
        ("until 2026-01-31 12:30 spam", int(datetime(2026, 1, 31, 12, 30, tzinfo=UTC).timestamp()), "spam"),
        ("until 2026-01-31T12:30:00Z", int(datetime(2026, 1, 31, 12, 30, tzinfo=UTC).timestamp()), ""),
        ("2hours of spam", None, "2hours of spam"),
        ("until 2026-01-31 because for 2h", int(datetime(2026, 1, 31, tzinfo=UTC).timestamp()), "for 2h"),
    ],
)
def test_a_time_and_a_reason(words: str, until: int | None, reason: str) -> None:
    assert read_tail("ban", words.split(), NOW) == (until, reason)


@pytest.mark.parametrize(
    "words",
    [
        "for",
        "for spam",
        "for 2",
        "for -2h",
        "for 123456h",
        "for 0s",
        f"for {LONGEST // 604_800 + 1}w",
        "until",
        "until tomorrow",
        "until 2026-13-01",
        "until 2026-1-1",
        "until 2026-01-31 25:00",
        "until 2025-01-01",
        "until 2026-01-01 12:00",
        "until 9999-01-01",
        "until 2026-01-31Tnoon",
        "until \u0662026-01-31",
    ],
)
def test_what_is_no_time(words: str) -> None:
    with pytest.raises(CommandError) as raised:
        read_tail("ban", words.split(), NOW)
    assert raised.value.code == MISUSE
    assert str(raised.value).startswith("ban: ")
