"""How many files this process may have open, and which of them are kept for what it needs itself."""

import errno
import resource
from contextlib import suppress
from typing import Final

KEPT: Final = 16
"""Descriptors that no connection gets: for processes of bots, the journal, files that are read when they are needed."""
ENOUGH: Final = 65_536
"""No house has so many people."""
EXHAUSTED: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
"""How the system says that there are no more."""


def is_kept(descriptor: int, kept: int = KEPT) -> bool:
    """Whether `descriptor` is one of the last `kept`; the system always gives the lowest that is free."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return most != resource.RLIM_INFINITY and descriptor >= most - kept


def take_all() -> None:
    """Have as many as the system allows: what it gives unasked is made for programs with few."""
    few, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = ENOUGH if most == resource.RLIM_INFINITY else min(most, ENOUGH)
    if few == resource.RLIM_INFINITY or few >= wanted:
        return
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
