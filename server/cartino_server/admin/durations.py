"""Parse durations, dates and reasons: `for 2h`, `until 2026-01-31 12:00`, `for good`, then a reason.

A word that looks like a time is never taken as the start of a reason: a typo would ban somebody for longer than meant.
A reason that does look like one follows `because`.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from operator import mul
from typing import Final, NamedTuple

from cartino_server.commands.console import CommandError, misuse, shorten

_PART: Final = (
    r"(?:([0-9]{1,5}) ?|(?:an?|one) )"
    r"(s(?:ec(?:ond)?s?)?|m(?:in(?:ute)?s?)?|h(?:r|our)?s?|d(?:ays?)?|w(?:eeks?)?|months?|y(?:ears?)?)(?![a-z])"
)
_SECONDS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800, "mo": 2_592_000, "y": 31_536_000}
"""Seconds by the beginning of a unit."""
_SPAN: Final = rf"{_PART}(?:(?:,? (?:and )?)?{_PART})*(?=,? |,?$)"
_ANY_CASE: Final = re.ASCII | re.IGNORECASE
_DURATION: Final = re.compile(rf"(?:for )?{_SPAN},? ?", _ANY_CASE)
_FOR_GOOD: Final = re.compile(r"for (?:good|ever)(?: |$)", _ANY_CASE)
_UNTIL: Final = re.compile(
    r"until (\S+)(?: ([0-9]{2}:[0-9]{2}(?::[0-9]{2})?))?(?: (?:UTC|Z))?(?: (?![0-9])|$)", re.ASCII
)
_ENDS_WITH_TIME: Final = re.compile(
    rf"(?:^| )(?:(?:for )?{_SPAN}|for (?:good|ever)|(?<= )until \S+)$", _ANY_CASE
)
_BECAUSE: Final = re.compile(r"^because(?: (?!of(?: |$))|$)")
_TIMESTAMP: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2})?(?:Z|[+-][0-9]{2}:[0-9]{2})?)?", _ANY_CASE
)
_LOOKS_LIKE_TIME: Final = re.compile(
    r"[0-9+-]|(?:always|(?:for)?ever|indefinitely|never|perma(?:nent(?:ly)?)?|temporarily|till|today|tomorrow|tonight|"
    r"good|secs?|seconds|mins|minutes?|hrs?|hours?|days?|weeks?|months?|years?),*(?: |$)",
    _ANY_CASE,
)
MAX_DURATION: Final = 10 * 366 * 86_400
"""Seconds that a time may be away."""
MAX_TIME_WORDS: Final = 8
"""Words at the end of a reason that are checked for a time."""
DEFAULT_DURATION: Final = 86_400
"""Seconds that a mute or a ban lasts if no time is given."""


class DurationAndReason(NamedTuple):
    """Until when (Unix seconds, None for ever) and why ("" for no reason); `said`: whether a time was given."""

    until: int | None
    reason: str
    said: bool


def parse_duration_and_reason(verb: str, words: Sequence[str], now: float) -> DurationAndReason:
    """Parse the `words` after the target of `verb`; `now` in Unix seconds. Raises CommandError."""
    text = " ".join(words)
    until, rest = _take_time(verb, text, now)
    said = rest is not None
    reason = strip_because(text if rest is None else rest)
    if until is not None and not now < until <= now + MAX_DURATION:
        raise misuse(
            "{verb}: that time is past, or more than ten years away (`for good` has no end).",
            verb=verb,
        )
    if not said and _LOOKS_LIKE_TIME.match(text):
        raise _invalid_time(verb, text)
    if not said and _ENDS_WITH_TIME.search(" ".join(reason.split()[-MAX_TIME_WORDS:])):
        raise misuse("{verb}: give the time before the reason, like `for 2h because …`.", verb=verb)
    return DurationAndReason(until, reason, said)


def strip_because(text: str) -> str:
    """Return the reason `text` without a leading `because`, but keep `because of`."""
    return _BECAUSE.sub("", text, count=1)


def starts_with_time(words: Sequence[str]) -> bool:
    """Return whether `words` begin with a duration or are `for good`."""
    text = " ".join(words)
    return text == "for good" or _DURATION.match(text) is not None


def _take_time(verb: str, text: str, now: float) -> tuple[int | None, str | None]:
    """Return the time at the start of `text` and what follows; (None, None) without a time."""
    if found := _FOR_GOOD.match(text):
        return None, text[found.end() :]
    if found := _DURATION.match(text):
        parts = re.findall(_PART, found[0].lower(), _ANY_CASE)
        units = (_SECONDS["mo" if unit.startswith("mo") else unit[0]] for _, unit in parts)
        counts = (int(count or 1) for count, _ in parts)
        return int(now) + sum(map(mul, counts, units)), text[found.end() :]
    first, _, rest = text.partition(" ")
    if first == "for":
        raise _invalid_time(verb, rest)
    if first != "until":
        return None, None
    found = _UNTIL.match(text)
    until = parse_timestamp("T".join(filter(None, found.groups()))) if found else None
    if found is None or until is None:
        day, *more = [*rest.split()[:2], ""]
        shown = f"{day} {more[0]}" if more and more[0][:1].isdigit() else day
        raise misuse(
            "{verb}: {text} isn't a date; write it like `until 2026-01-31` or `until 2026-01-31 12:00` (UTC).",
            verb=verb,
            text=repr(shorten(shown, 40)),
        )
    return until, text[found.end() :]


def parse_timestamp(text: str) -> int | None:
    """Return the day or moment `text` in Unix seconds, in UTC unless it has an offset; None if it is neither."""
    if not _TIMESTAMP.fullmatch(text):
        return None
    try:
        moment = datetime.fromisoformat(text.upper())
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):
        return None


def _invalid_time(verb: str, text: str) -> CommandError:
    return misuse(
        (
            "{verb}: {text} isn't a time; write `for 2h`, `for 1h30m`, `for 3d` (s, m, h, d, w), `until "
            "2026-01-31` or `for good`. If a reason begins like this, put `because` before it."
        ),
        verb=verb,
        text=repr(shorten(text.partition(" ")[0], 40)),
    )
