"""Parse how long something lasts (`2h`, `1h30m`) and dates (`2026-01-31`)."""

import re
from datetime import UTC, datetime
from typing import Final

_PART: Final = re.compile("([0-9]{1,5})([smhdw])")
_DURATION: Final = re.compile(rf"(?:{_PART.pattern})+")
_SECONDS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_TIMESTAMP: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2})?(?:Z|[+-][0-9]{2}:[0-9]{2})?)?",
    re.ASCII | re.IGNORECASE,
)
MAX_DURATION: Final = 10 * 366 * 86_400


def parse_duration(text: str) -> int | None:
    """Return the seconds of `text`, None if it isn't a duration or is longer than MAX_DURATION."""
    if not _DURATION.fullmatch(text):
        return None
    seconds = sum(int(count) * _SECONDS[unit] for count, unit in _PART.findall(text))
    return seconds if 0 < seconds <= MAX_DURATION else None


def parse_timestamp(text: str) -> int | None:
    """Return the day or moment `text` in Unix seconds, in UTC unless it has an offset; None if it is neither."""
    if not _TIMESTAMP.fullmatch(text):
        return None
    try:
        moment = datetime.fromisoformat(text.upper())
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):
        return None
