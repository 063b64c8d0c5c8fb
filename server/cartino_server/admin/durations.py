"""Parse durations, dates and reasons: `for 2h`, `until 2026-01-31 12:00`, `for good`, then a reason.

A word that looks like a time is never taken as the start of a reason: a typo would ban somebody for longer than meant.
A reason that does look like one follows `because`.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final, NamedTuple

from cartino_protocol.text import lazy_gettext
from cartino_server.commands.console import MISUSE, CommandError, shorten

_UNITS: Final = {
    unit: seconds
    for seconds, units in (
        (1, "s sec secs second seconds"),
        (60, "m min mins minute minutes"),
        (3600, "h hr hrs hour hours"),
        (86_400, "d day days"),
        (604_800, "w week weeks"),
        (30 * 86_400, "month months"),
        (365 * 86_400, "y year years"),
    )
    for unit in units.split()
}
"""What stands behind a number, and its seconds."""
_DURATION: Final = re.compile(r"(?:[0-9]{1,5}[a-z]+)+")
_DURATION_PART: Final = re.compile(r"([0-9]+)([a-z]+)")
_NUMBER: Final = re.compile(r"[0-9]{1,5}")
_ONE_WORDS: Final = frozenset({"a", "an", "one"})
_CLOCK_TIME: Final = re.compile(r"[0-9]{2}:[0-9]{2}(?::[0-9]{2})?")
_TIMESTAMP: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2})?(?:Z|[+-][0-9]{2}:[0-9]{2})?)?",
    re.IGNORECASE,
)
_FOREVER_WORDS: Final = ("good", "ever")
_TIME_WORDS: Final = frozenset(
    {"always", "ever", "forever", "indefinitely", "never", "perma", "permanent", "permanently", "temporarily"}
    | {"till", "today", "tomorrow", "tonight", "good"}
) | (_UNITS.keys() - {"s", "m", "h", "d", "w", "y", "second", "min"})
"""Words that somebody means a time by, and a reason hardly begins with."""
MAX_DURATION: Final = 10 * 366 * 86_400
"""Seconds that a time may be away; whoever means longer means for good."""
DEFAULT_DURATION: Final = 86_400
"""Seconds that a mute or a ban lasts where no time is said."""


class DurationAndReason(NamedTuple):
    """Until when (Unix seconds, None for ever) and why ("" for no reason told); `said`: whether a time was said."""

    until: int | None
    reason: str
    said: bool


def parse_duration_and_reason(verb: str, words: Sequence[str], now: float) -> DurationAndReason:
    """What stands behind whom it concerns; `now` in Unix seconds. Raises CommandError."""
    rest = list(words)
    until, said = _take_time(verb, rest, now)
    if until is not None and not now < until <= now + MAX_DURATION:
        raise CommandError(
            lazy_gettext(
                "{verb}: that time is over, or more than ten years away (`for good` is without an end).",
                verb=verb,
            ),
            MISUSE,
        )
    if rest and not said:
        _refuse_mistyped_time(verb, rest)
    rest = strip_because(rest)
    if not said and _ends_with_time(rest):
        raise CommandError(
            lazy_gettext("{verb}: say the time before the reason, as `for 2h because …`.", verb=verb), MISUSE
        )
    return DurationAndReason(until, " ".join(rest), said)


def strip_because(words: Sequence[str]) -> list[str]:
    """The reason in `words`: it stands behind a colon where it is read, so `because` is left out, but not of `of`."""
    return list(words[words[:1] == ["because"] and words[1:2] != ["of"] :])


def starts_with_time(words: Sequence[str]) -> bool:
    """Whether `words` are a time, or begin with one: for verbs that know none."""
    rest = list(words)
    if rest[:1] == ["for"]:
        return rest[1:] == ["good"] or _take_duration(rest[1:]) is not None
    return _take_duration(rest) is not None


def _take_time(verb: str, rest: list[str], now: float) -> tuple[int | None, bool]:
    """The moment that `rest` begins with, taken out of it, and whether there was one."""
    match rest:
        case ["for", word, *_] if word.casefold() in _FOREVER_WORDS:
            del rest[:2]
            return None, True
        case ["for", *_]:
            del rest[0]
            span = _take_duration(rest)
            if span is None:
                raise _invalid_time(verb, rest[0] if rest else "")
            return int(now) + span, True
        case ["until", *_]:
            del rest[0]
            return _take_timestamp(verb, rest), True
    span = _take_duration(rest)
    return (None, False) if span is None else (int(now) + span, True)


def _take_duration(rest: list[str]) -> int | None:
    """The seconds that `rest` begins with, taken out of it: `2h`, `1h30m`, `1 hour and 30 minutes`."""
    seconds, taken = 0, 0
    while True:
        at = taken + 1 if taken and rest[taken : taken + 1] == ["and"] else taken
        first, second = (word.casefold().rstrip(",") for word in (*rest[at : at + 2], "", "")[:2])
        parts = _DURATION_PART.findall(first) if _DURATION.fullmatch(first) else []
        if parts and all(unit in _UNITS for _, unit in parts):
            seconds += sum(int(count) * _UNITS[unit] for count, unit in parts)
            taken = at + 1
        elif second in _UNITS and (_NUMBER.fullmatch(first) or first in _ONE_WORDS):
            seconds += _UNITS[second] * (1 if first in _ONE_WORDS else int(first))
            taken = at + 2
        else:
            break
    del rest[:taken]
    return seconds if taken else None


def _take_timestamp(verb: str, rest: list[str]) -> int:
    """The moment that `rest` begins with, taken out of it; in UTC where it says nothing else."""
    text = rest.pop(0) if rest else ""
    if rest and _CLOCK_TIME.fullmatch(rest[0]) and "T" not in text.upper():
        text = f"{text}T{rest.pop(0)}"
    if rest[:1] in (["UTC"], ["Z"]) and not text.endswith("Z"):
        del rest[0]
    # What stands behind a day and begins with a digit was meant for a clock time.
    is_day = not (rest and "T" not in text.upper() and rest[0][:1].isdigit())
    moment = parse_timestamp(text) if is_day else None
    if moment is not None:
        return moment
    said = " ".join((text, *rest[:1])) if rest and rest[0][:1].isdigit() else text
    raise CommandError(
        lazy_gettext(
            "{verb}: {text} is no day; say it as `until 2026-01-31` or `until 2026-01-31 12:00` (UTC).",
            verb=verb,
            text=repr(shorten(said, 40)),
        ),
        MISUSE,
    )


def parse_timestamp(text: str) -> int | None:
    """Return the day, or the moment, that `text` is, in Unix seconds, UTC where it names no other; None for none."""
    if not _TIMESTAMP.fullmatch(text):
        return None
    try:
        moment = datetime.fromisoformat(text.upper())
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):
        return None


def _refuse_mistyped_time(verb: str, rest: Sequence[str]) -> None:
    """Refuse what would be a reason, but looks like a time that was not understood."""
    first = rest[0]
    if first[:1].isdigit() or first[:1] in "+-" or first.casefold().rstrip(",") in _TIME_WORDS:
        raise _invalid_time(verb, first)


def _ends_with_time(rest: Sequence[str]) -> bool:
    """Whether the last words are a time, which stands behind the reason by mistake then."""
    for count in range(1, min(len(rest), 4) + 1):
        last = list(rest[-count:])
        if last[0] == "for" and last[1:] and last[1] in _FOREVER_WORDS and count == 2:
            return True
        if _take_duration(last) is not None and not last:
            return True
    return len(rest) > 1 and rest[-2] == "until"


def _invalid_time(verb: str, text: str) -> CommandError:
    return CommandError(
        lazy_gettext(
            "{verb}: {text} is no time; say `for 2h`, `for 1h30m`, `for 3d` (s, m, h, d, w), `until 2026-01-31` or "
            "`for good`. A reason that begins so stands behind `because`.",
            verb=verb,
            text=repr(shorten(text, 40)),
        ),
        MISUSE,
    )
