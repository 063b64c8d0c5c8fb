"""How a host says until when and why: `for 2h`, `until 2026-01-31 12:00`, `because` and words."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final, NamedTuple

from cartino_protocol.marking import later
from cartino_server.entry.errors import MISUSE, CommandError, in_one_line

_SECONDS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_SPAN: Final = re.compile(r"([0-9]{1,5})([smhdw])")
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_CLOCK: Final = re.compile(r"[0-9]{2}:[0-9]{2}")
LONGEST: Final = 10 * 366 * 86_400
"""Seconds that a time may be away; whoever means longer means for good."""


class Tail(NamedTuple):
    """Until when (Unix seconds, None for ever) and why ("" for no reason told)."""

    until: int | None
    reason: str


def read_tail(verb: str, words: Sequence[str], now: float) -> Tail:
    """What stands behind whom it concerns; `now` in Unix seconds. Raises CommandError."""
    rest, until = list(words), None
    if rest[:1] == ["for"] or (rest and _SPAN.fullmatch(rest[0])):
        if rest[0] == "for":
            del rest[0]
        until = int(now) + _span(verb, rest.pop(0) if rest else "")
    elif rest[:1] == ["until"]:
        del rest[0]
        day = rest.pop(0) if rest else ""
        clock = rest.pop(0) if rest and _CLOCK.fullmatch(rest[0]) else ""
        until = _moment(verb, day, clock)
    if until is not None and not now < until <= now + LONGEST:
        raise CommandError(
            later("{verb}: that time is over, or more than ten years away.", verb=verb), MISUSE
        )
    if rest[:1] == ["because"]:
        del rest[0]
    return Tail(until, " ".join(rest))


def _span(verb: str, text: str) -> int:
    found = _SPAN.fullmatch(text)
    if found is None:
        raise CommandError(
            later(
                "{verb}: {text} is no time; say a number with s, m, h, d or w, as `for 2h`.",
                verb=verb,
                text=repr(in_one_line(text, 40)),
            ),
            MISUSE,
        )
    return int(found[1]) * _SECONDS[found[2]]


def _moment(verb: str, day: str, clock: str) -> int:
    # An ISO moment in one word is what programs have.
    day, _, joined = day.removesuffix("Z").partition("T")
    clock = clock or joined[:5]
    try:
        if not _DAY.fullmatch(day):
            raise ValueError(day)
        return int(
            datetime.strptime(f"{day} {clock or '00:00'}", "%Y-%m-%d %H:%M").replace(tzinfo=UTC).timestamp()
        )
    except ValueError:
        raise CommandError(
            later(
                "{verb}: {text} is no day; say it as `until 2026-01-31` or `until 2026-01-31 12:00` (UTC).",
                verb=verb,
                text=repr(in_one_line(day, 40)),
            ),
            MISUSE,
        ) from None
