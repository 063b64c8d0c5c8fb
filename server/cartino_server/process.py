"""Set up this process and its children: environment, descriptor limit, core dumps, and the command line of a child.

A child runs a module of ours with the same module path and nothing else of our environment.
"""

import ctypes
import ctypes.util
import errno
import getpass
import os
import resource
import sys
from contextlib import suppress
from typing import Final

_INHERITED = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""Variables that Python may need to start."""
NO_HOME: Final = "/nonexistent"
"""The home directory of users without one, as Debian calls it."""
NO_NAME: Final = "player"
"""The name of users without one."""


def module_command(module: str, *words: str) -> tuple[str, ...]:
    """Return the command that runs `module`, isolated from the working directory and the user's own packages."""
    return (sys.executable, "-P", "-s", "-m", module, *words)


def child_environment() -> dict[str, str]:
    """Return an environment with our module path and no home, which a child can't use."""
    kept = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    return kept | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "HOME": NO_HOME}


def tolerate_failed_library_search() -> None:
    """Make `ctypes.util.find_library` find nothing where it would raise OSError. Call it before importing asyncssh.

    asyncssh looks for optional libraries when it is imported. Where gcc is installed, the search needs a temporary
    folder, which a read-only container may lack.
    """
    search = ctypes.util.find_library

    def find_library(name: str) -> str | None:
        try:
            return search(name)
        except OSError:
            return None

    ctypes.util.find_library = find_library


def ensure_user() -> None:
    """Set HOME and LOGNAME if this user has neither a passwd entry nor such variables, as asyncssh needs both.

    Containers may run with any user id. Call it after paths that begin with `~` were refused.
    """
    if not os.path.isabs(os.path.expanduser("~")):
        os.environ["HOME"] = NO_HOME
    try:
        getpass.getuser()
    except (KeyError, OSError):
        os.environ["LOGNAME"] = NO_NAME


_DUMPABLE: Final = 4
"""An option of prctl."""


def disable_core_dumps() -> None:
    """Write no core dump if this process crashes: its memory has keys."""
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        # Programs that take dumps themselves, such as apport, ignore the limit.
        ctypes.CDLL(None).prctl(_DUMPABLE, 0, 0, 0, 0)


RESERVED_DESCRIPTORS: Final = 16
"""Descriptors kept from connections: for bot processes, the journal and files opened on demand."""
MAX_DESCRIPTORS: Final = 65_536
"""More than any server needs."""
EXHAUSTED_ERRORS: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
"""Errors that mean: no more descriptors or memory."""


def is_reserved(descriptor: int) -> bool:
    """Return whether `descriptor` is one of the last ones; the system always assigns the lowest free one."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return most != resource.RLIM_INFINITY and descriptor >= most - RESERVED_DESCRIPTORS


def raise_descriptor_limit() -> None:
    """Raise the soft limit of descriptors as far as the hard limit and `MAX_DESCRIPTORS` allow."""
    few, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_DESCRIPTORS if most == resource.RLIM_INFINITY else min(most, MAX_DESCRIPTORS)
    if few == resource.RLIM_INFINITY or few >= wanted:
        return
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
