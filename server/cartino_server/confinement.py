"""What a process gives up for good before it serves strangers: the file system, the network, core dumps.

A worker speaks SSH with whoever connects. It needs no file but Python's own modules, which load when they are first
used. Linux takes the rest away by Landlock, in ABI 1 (5.13) files, since ABI 4 (6.7) TCP, since ABI 6 (6.12) signals to
other processes. Descriptors that are open stay usable. The two libraries for Landlock on PyPI are not maintained by
more than one person, and the three system calls fit on this page.
"""

import contextlib
import ctypes
import os
import resource
import sys
from collections.abc import Iterable, Iterator
from typing import Final

_CREATE_RULESET: Final = 444
_ADD_RULE: Final = 445
_RESTRICT_SELF: Final = 446
"""The numbers of the system calls, which are the same on every architecture."""
_ASK_VERSION: Final = 1
_PATH_BENEATH: Final = 1
_NO_NEW_PRIVILEGES: Final = 38

_READ_FILE: Final = 1 << 2
_READ_DIRECTORY: Final = 1 << 3
_FILE_RIGHTS: Final = {1: 13, 2: 14, 3: 15, 4: 15}
"""How many rights to files an ABI knows, from bit 0 on; newer ones know 16."""
_TCP_RIGHTS: Final = 0b11
_SIGNALS_AND_SOCKETS: Final = 0b11

_SYSTEM: Final = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/share/zoneinfo", "/proc/self")
"""Besides Python's own folders: libraries, time zones, and how much memory the process has."""


class _Ruleset(ctypes.Structure):
    """What a ruleset governs (struct landlock_ruleset_attr)."""

    _fields_ = (
        ("files", ctypes.c_uint64),
        ("network", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


class _PathBeneath(ctypes.Structure):
    """What may be done below a folder (struct landlock_path_beneath_attr)."""

    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def dump_no_core() -> None:
    """Leave no image of this process's memory on the disk if it crashes: there are keys in it."""
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def confine() -> int:
    """Give up all files but those that Python reads modules from; the Landlock ABI in force, 0 where there is none.

    Call it before there is a second thread: it holds for this one and all that it starts.
    """
    if sys.platform != "linux":
        return 0
    libc = ctypes.CDLL(None, use_errno=True)
    abi: int = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _ASK_VERSION)
    if abi < 1 or libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        return 0
    rules = _Ruleset((1 << _FILE_RIGHTS.get(abi, 16)) - 1, _TCP_RIGHTS, _SIGNALS_AND_SOCKETS)
    size = 8 if abi < 4 else 16 if abi < 6 else 24
    ruleset: int = libc.syscall(_CREATE_RULESET, ctypes.byref(rules), ctypes.c_size_t(size), 0)
    if ruleset < 0:
        return 0
    try:
        for folder in _folders({*_SYSTEM, sys.prefix, sys.exec_prefix, sys.base_prefix, *sys.path}):
            rule = _PathBeneath(_READ_FILE | _READ_DIRECTORY, folder)
            if libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.byref(rule), 0):
                return 0
        return 0 if libc.syscall(_RESTRICT_SELF, ruleset, 0) else abi
    finally:
        os.close(ruleset)


def _folders(paths: Iterable[str]) -> Iterator[int]:
    """A descriptor of each of `paths` that is a folder, open as long as it is looked at."""
    for path in filter(None, paths):
        try:
            folder = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            yield folder
        finally:
            os.close(folder)
