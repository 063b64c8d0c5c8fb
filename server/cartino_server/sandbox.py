"""Confine a worker process, which speaks SSH with strangers, before it reads anything from them.

Landlock (ABI 1, Linux 5.13) takes files away. A seccomp filter refuses the system calls that reach beyond the process:
programs, sockets (also local ones, such as the admin socket), signals, and what Landlock doesn't cover, such as the
rights, times and attributes of files. Descriptors that are open stay usable. The libraries for this on PyPI have one
maintainer each, and the system calls fit in two modules.
"""

import ctypes
import errno
import os
import platform
import struct
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from cartino_server.system_calls import (
    CLONE3,
    FIRST_X32,
    LAST_REVIEWED,
    MACHINES,
    limited_call,
    refused_calls,
)

_CREATE_RULESET: Final = 444
_ADD_RULE: Final = 445
_RESTRICT_SELF: Final = 446
"""System call numbers, the same on every architecture."""
_VERSION_QUERY: Final = 1
_PATH_BENEATH: Final = 1
_SECCOMP: Final = 22
_BY_FILTER: Final = 2
_NO_NEW_PRIVILEGES: Final = 38
"""Options of prctl."""

_READ_FILE: Final = 1 << 2
_READ_DIRECTORY: Final = 1 << 3
_FILE_RIGHTS: Final = {1: 13, 2: 14, 3: 15, 4: 15}
"""Number of file rights that an ABI knows, from bit 0; newer ones know 16."""
_TCP_RIGHTS: Final = 0b11
"""Since ABI 4 (6.7), for machines without a filter."""
_SIGNALS_AND_SOCKETS: Final = 0b11

_LOAD, _IF_EQUAL, _IF_AT_LEAST, _IF_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
"""Instructions of a BPF filter (struct sock_filter)."""
ALLOW: Final = 0x7FFF0000
REFUSE: Final = 0x00050000 | errno.EPERM
UNKNOWN: Final = 0x00050000 | errno.ENOSYS
"""Results of the filter: as an older kernel answers, so that the C library does without."""
_NUMBER_AT, _MACHINE_AT, _ARGUMENTS_AT = 0, 4, 16
"""Offsets in struct seccomp_data; the low half of an argument comes first."""

_THREAD: Final = 0x0001_0000
_NAMESPACES: Final = 0x7E02_0080
"""Flags of clone: a thread of this process, and new namespaces."""
_FCNTL_COMMANDS: Final = (0, 1, 2, 3, 4, 1030)
"""Duplicate a descriptor, and read or set its flags."""
_IOCTL_REQUESTS: Final = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
"""Terminal attributes and size, bytes to read, whether to block, and inheritance. One that types into the terminal
exists, too."""
_PRCTL_OPTIONS: Final = (3, 15, 16)
"""Whether there are core dumps, and the thread's name."""
_STREAMS: Final = (1, 0x801, 0x80001, 0x80801)
"""Stream sockets with any flags; a pair of datagram sockets can send to other addresses."""

_SYSTEM_FOLDERS: Final = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/share/zoneinfo", "/proc/self")
"""Libraries, time zones and memory statistics; the folders of Python and its packages are added."""


_Instruction = tuple[int, int, int, int]
"""A BPF instruction: code, how many to skip if true and if false, and a constant."""


class _Filter(ctypes.Structure):
    """struct sock_fprog."""

    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))


class SandboxStatus(msgspec.Struct, frozen=True):
    """The active restrictions: the `landlock` ABI (0: none), and whether system `calls` are filtered."""

    landlock: int = 0
    calls: bool = False


def enter_sandbox() -> SandboxStatus:
    """Give up all files but Python's modules, and system calls that reach beyond this process; return what is in force.

    Call it before starting threads: it affects this thread and those it starts. Packages outside of Python's own
    folders, as in a checkout, must be loaded; their other modules may follow.
    """
    if sys.platform != "linux":
        return SandboxStatus()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        return SandboxStatus()
    return SandboxStatus(_restrict_files(libc), _restrict_calls(libc))


def readable_folder(path: Path) -> str:
    """Return the folder at or above `path` that a confined process like this one could read; "" if none."""
    place = path.resolve()
    allowed = ((folder, Path(folder).resolve()) for folder in sorted(_readable_folders()))
    return next((folder for folder, known in allowed if place.is_relative_to(known)), "")


def _readable_folders() -> set[str]:
    """Return the folders of the system's libraries, of Python, of installed packages, and of others that are loaded.

    Not every folder of `sys.path`: a checkout's may hold the data directory, or be somebody's home.
    """
    libraries = (
        f"{prefix}/{name}"
        for prefix in (sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix)
        for name in ("lib", "lib64")
    )
    installed = (folder for folder in filter(None, sys.path) if any(Path(folder).glob("*.dist-info")))
    loaded = [module for name, module in sys.modules.items() if "." not in name]
    packages = (folder for module in loaded for folder in getattr(module, "__path__", ()))
    return {*_SYSTEM_FOLDERS, *filter(os.path.isabs, (*libraries, *installed, *packages))}


def _restrict_files(libc: ctypes.CDLL) -> int:
    abi: int = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION_QUERY)
    if abi < 1:
        return 0
    size = 8 if abi < 4 else 16 if abi < 6 else 24
    # struct landlock_ruleset_attr: rights to files, rights to the network, scopes
    rules = struct.pack("=QQQ", (1 << _FILE_RIGHTS.get(abi, 16)) - 1, _TCP_RIGHTS, _SIGNALS_AND_SOCKETS)
    ruleset: int = libc.syscall(_CREATE_RULESET, rules, ctypes.c_size_t(size), 0)
    if ruleset < 0:
        return 0
    try:
        for folder in _open_folders(_readable_folders()):
            # struct landlock_path_beneath_attr
            rule = struct.pack("=Qi", _READ_FILE | _READ_DIRECTORY, folder)
            if libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0):
                return 0
        return 0 if libc.syscall(_RESTRICT_SELF, ruleset, 0) else abi
    finally:
        os.close(ruleset)


def _restrict_calls(libc: ctypes.CDLL) -> bool:
    machine = platform.machine()
    if machine not in MACHINES or struct.calcsize("P") != 8:
        return False
    code = call_filter(machine, os.getpid())
    program = b"".join(struct.pack("=HBBI", *each) for each in code)
    asked = ctypes.byref(_Filter(len(code), program))
    return bool(libc.prctl(_SECCOMP, _BY_FILTER, asked, 0, 0) == 0)


def call_filter(machine: str, process: int) -> list[_Instruction]:
    """Return the BPF filter for the `machine`, a key of `MACHINES`; the process may signal the threads of `process`."""

    def limited(name: str, argument: int, *values: int) -> list[_Instruction]:
        """Allow the call if the low half of its argument is one of `values`."""
        many = len(values)
        return [
            (_IF_EQUAL, 0, many + 3, limited_call(machine, name)),
            (_LOAD, 0, 0, _ARGUMENTS_AT + 8 * argument),
            *((_IF_EQUAL, many - at, 0, value) for at, value in enumerate(values)),
            (_RETURN, 0, 0, REFUSE),
            (_RETURN, 0, 0, ALLOW),
        ]

    refused = ([(_IF_EQUAL, 0, 1, call), (_RETURN, 0, 0, REFUSE)] for call in refused_calls(machine))
    return [
        (_LOAD, 0, 0, _MACHINE_AT),
        (_IF_EQUAL, 1, 0, MACHINES[machine]),
        # A 32-bit call.
        (_RETURN, 0, 0, REFUSE),
        (_LOAD, 0, 0, _NUMBER_AT),
        (_IF_AT_LEAST, 0, 1, FIRST_X32),
        (_RETURN, 0, 0, REFUSE),
        (_IF_AT_LEAST, 1, 0, LAST_REVIEWED + 1),
        (_IF_EQUAL, 0, 1, CLONE3),
        (_RETURN, 0, 0, UNKNOWN),
        *(instruction for pair in refused for instruction in pair),
        (_IF_EQUAL, 0, 5, limited_call(machine, "clone")),
        (_LOAD, 0, 0, _ARGUMENTS_AT),
        (_IF_ANY_BIT, 1, 0, _NAMESPACES),
        (_IF_ANY_BIT, 1, 0, _THREAD),
        (_RETURN, 0, 0, REFUSE),
        (_RETURN, 0, 0, ALLOW),
        *limited("fcntl", 1, *_FCNTL_COMMANDS),
        *limited("ioctl", 1, *_IOCTL_REQUESTS),
        *limited("prctl", 0, *_PRCTL_OPTIONS),
        *limited("prlimit64", 0, 0),
        *limited("socketpair", 1, *_STREAMS),
        *limited("tgkill", 0, process),
        (_RETURN, 0, 0, ALLOW),
    ]


def _open_folders(paths: Iterable[str]) -> Iterator[int]:
    """Yield a descriptor of each path that is a folder, and close it afterwards."""
    for path in filter(None, paths):
        try:
            folder = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            yield folder
        finally:
            os.close(folder)
