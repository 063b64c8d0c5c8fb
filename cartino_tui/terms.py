"""The terms of a table in words: how long a turn may take, and what happens with who is away."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from cartino_protocol.ids import Absence, Clock
from cartino_protocol.marking import N_
from cartino_tui.tongue import Tongue

CLOCK_WORDS: Final[Mapping[Clock, str]] = MappingProxyType(
    {
        "none": N_("no clock"),
        "30s": N_("30 seconds"),
        "60s": N_("60 seconds"),
        "120s": N_("2 minutes"),
        "day": N_("a day"),
    }
)
"""Each clock as a choice of a form, to be said."""

ABSENCE_WORDS: Final[Mapping[Absence, str]] = MappingProxyType(
    {"never": N_("never"), "30s": N_("after 30 s"), "2m": N_("after 2 min"), "10m": N_("after 10 min")}
)
"""Each way with who is away, as the answer to: when does a stand-in play for them? To be said."""

CLOCK_MARKS: Final[Mapping[Clock, str]] = MappingProxyType(
    {"none": "", "30s": N_("30 s"), "60s": N_("60 s"), "120s": N_("2 min"), "day": N_("day")}
)
"""Each clock in a column of a list, to be said."""


CLOCK_FACTS: Final[Mapping[Clock, str]] = MappingProxyType(
    {
        "none": "",
        "30s": N_("30 seconds a turn"),
        "60s": N_("60 seconds a turn"),
        "120s": N_("2 minutes a turn"),
        "day": N_("a day a turn"),
    }
)
"""Each clock among other facts about a table, to be said."""

_CLOCKED: Final[Mapping[Clock, str]] = MappingProxyType(
    {
        "none": N_("A turn may take as long as it likes."),
        "30s": N_("A turn has 30 seconds."),
        "60s": N_("A turn has 60 seconds."),
        "120s": N_("A turn has 2 minutes."),
        "day": N_("A turn has a day."),
    }
)
_AWAY: Final[Mapping[Absence, str]] = MappingProxyType(
    {
        "never": N_("The table waits for who is away."),
        "30s": N_("After 30 seconds a stand-in plays for who is away."),
        "2m": N_("After 2 minutes a stand-in plays for who is away."),
        "10m": N_("After 10 minutes a stand-in plays for who is away."),
    }
)


def terms(clock: Clock, absence: Absence, tongue: Tongue) -> str:
    """Both in two sentences: how long a turn may take; when a stand-in plays for who is away."""
    return f"{tongue.say(_CLOCKED[clock])} {tongue.say(_AWAY[absence])}"
