"""Exit statuses: the same ones for commands over SSH, visits, admin commands and `cartino`."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, get_args

from cartino_protocol.refusals import FailureReason, NotFoundReason, RefusalReason, TooManyReason
from cartino_protocol.text import N_

SUCCESS: Final = 0
FAILURE: Final = 1
MISUSE: Final = 2
REFUSED: Final = 3
NOT_FOUND: Final = 4
TOO_MANY: Final = 5
BROKEN_OFF: Final = 75
"""As EX_TEMPFAIL: try again."""
SIGNALLED: Final = 128
"""Plus the signal's number, as in a shell."""
INTERRUPTED: Final = SIGNALLED + 2

EXIT_STATUSES: Final[Mapping[int, str]] = MappingProxyType(
    {
        SUCCESS: N_("success"),
        FAILURE: N_("failure, or a check that found a problem"),
        MISUSE: N_("usage error"),
        REFUSED: N_("refused, by the rules or because it isn't your turn or your right"),
        NOT_FOUND: N_("no such table, game or person, or you have no seat at that table"),
        TOO_MANY: N_("too many requests: wait, then try again"),
        BROKEN_OFF: N_("interrupted by the server, so it isn't known what was done"),
        SIGNALLED: N_("plus the number of a signal: ended by it, as 129 when the terminal is gone"),
        INTERRUPTED: N_("interrupted with Ctrl-C"),
    }
)
"""Every exit status and what it means, for help texts and the man page."""

_BY_REASON: Final[Mapping[str, int]] = MappingProxyType(
    dict.fromkeys(get_args(FailureReason), FAILURE)
    | dict.fromkeys(get_args(NotFoundReason), NOT_FOUND)
    | dict.fromkeys(get_args(TooManyReason), TOO_MANY)
)


def refusal_status(reason: RefusalReason) -> int:
    """Return the exit status of a command refused for `reason`."""
    return _BY_REASON.get(reason, REFUSED)
