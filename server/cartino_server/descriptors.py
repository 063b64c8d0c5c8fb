"""How many files this process may have open, and which of them are kept for what it needs itself."""

import errno
import resource
from typing import Final

KEPT: Final = 16
"""Descriptors that no connection gets: for processes of bots, the journal, files that are read when they are needed."""
EXHAUSTED: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
"""How the system says that there are no more."""


def is_kept(descriptor: int, kept: int = KEPT) -> bool:
    """Whether `descriptor` is one of the last `kept`; the system always gives the lowest that is free."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return most != resource.RLIM_INFINITY and descriptor >= most - kept
