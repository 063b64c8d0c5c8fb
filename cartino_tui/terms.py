"""The terms of a table in words: how long a turn may take, and what happens with who is away."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from cartino_protocol.ids import Absence, Clock

CLOCK_WORDS: Final[Mapping[Clock, str]] = MappingProxyType(
    {"none": "no clock", "30s": "30 seconds", "60s": "60 seconds", "120s": "2 minutes", "day": "a day"}
)
"""Each clock as a choice of a form."""

ABSENCE_WORDS: Final[Mapping[Absence, str]] = MappingProxyType(
    {"never": "never", "30s": "after 30 s", "2m": "after 2 min", "10m": "after 10 min"}
)
"""Each way with who is away, as the answer to: when does a stand-in play for them?"""

CLOCK_MARKS: Final[Mapping[Clock, str]] = MappingProxyType(
    {"none": "", "30s": "30 s", "60s": "60 s", "120s": "2 min", "day": "day"}
)
"""Each clock in a column of a list."""


def terms(clock: Clock, absence: Absence) -> str:
    """Both in a phrase: `30 seconds a turn; after 2 min a stand-in plays for who is away`."""
    turn = CLOCK_WORDS[clock] if clock == "none" else f"{CLOCK_WORDS[clock]} a turn"
    if absence == "never":
        return f"{turn}; the table waits for who is away"
    return f"{turn}; {ABSENCE_WORDS[absence]} a stand-in plays for who is away"
