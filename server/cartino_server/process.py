"""Set up this process and its children: descriptor limit, sandbox, core dumps, and the command line of a child.

A child runs a module of ours with the same module path and nothing else of our environment.

A worker speaks SSH with strangers, so it gives up files, new sockets and programs for good before it serves anybody.
Linux takes files away by Landlock (ABI 1, Linux 5.13) and signals to other processes since ABI 6 (6.12). Landlock lets
a process connect to local sockets, as to the admin socket, so a seccomp filter also refuses new sockets. Descriptors
that are open stay usable. The Landlock libraries on PyPI have one maintainer each, and the system calls fit in a page.
"""

import ctypes
import ctypes.util
import errno
import getpass
import os
import platform
import resource
import struct
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Final

import msgspec

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


_CREATE_RULESET: Final = 444
_ADD_RULE: Final = 445
_RESTRICT_SELF: Final = 446
"""System call numbers, the same on every architecture."""
_VERSION_QUERY: Final = 1
_PATH_BENEATH: Final = 1
_DUMPABLE: Final = 4
_SECCOMP: Final = 22
_BY_FILTER: Final = 2
_NO_NEW_PRIVILEGES: Final = 38
"""Options of prctl."""

_READ_FILE: Final = 1 << 2
_READ_DIRECTORY: Final = 1 << 3
_FILE_RIGHTS: Final = {1: 13, 2: 14, 3: 15, 4: 15}
"""Number of file rights that an ABI knows, from bit 0; newer ones know 16."""
_TCP_RIGHTS: Final = 0b11
"""Since ABI 4 (6.7), for machines that `_REFUSED_CALLS` lacks."""
_SIGNALS_AND_SOCKETS: Final = 0b11

_REFUSED_CALLS: Final = {
    "x86_64": (0xC000003E, (41, 42, 59, 322, 425)),
    "aarch64": (0xC00000B7, (198, 203, 221, 281, 425)),
}
"""By machine: its audit number, and the calls socket, connect, execve, execveat and io_uring_setup."""
_FIRST_X32: Final = 1 << 30
"""On x86_64 the x32 ABI has the same calls from this number on."""
_LOAD, _IF_EQUAL, _IF_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
"""Instructions of a BPF filter (struct sock_filter)."""
_ALLOW: Final = 0x7FFF0000
_REFUSE: Final = 0x00050000 | errno.EPERM

_SYSTEM_FOLDERS: Final = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/share/zoneinfo", "/proc/self")
"""Libraries, time zones and memory statistics; Python's own folders are added."""


class _Filter(ctypes.Structure):
    """struct sock_fprog."""

    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))


class SandboxStatus(msgspec.Struct, frozen=True):
    """The active restrictions: the `landlock` ABI (0: none), and whether new `sockets` are refused."""

    landlock: int = 0
    sockets: bool = False


def disable_core_dumps() -> None:
    """Write no core dump if this process crashes: its memory has keys."""
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        # Programs that take dumps themselves, such as apport, ignore the limit.
        ctypes.CDLL(None).prctl(_DUMPABLE, 0, 0, 0, 0)


def enter_sandbox() -> SandboxStatus:
    """Give up new sockets, programs, and all files but Python's modules; return what is in force.

    Call it before starting threads: it affects this thread and those it starts.
    """
    if sys.platform != "linux":
        return SandboxStatus()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        return SandboxStatus()
    return SandboxStatus(_restrict_files(libc), _restrict_sockets(libc))


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
        for folder in _open_folders(
            {*_SYSTEM_FOLDERS, sys.prefix, sys.exec_prefix, sys.base_prefix, *sys.path}
        ):
            # struct landlock_path_beneath_attr
            rule = struct.pack("=Qi", _READ_FILE | _READ_DIRECTORY, folder)
            if libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0):
                return 0
        return 0 if libc.syscall(_RESTRICT_SELF, ruleset, 0) else abi
    finally:
        os.close(ruleset)


def _restrict_sockets(libc: ctypes.CDLL) -> bool:
    machine, calls = _REFUSED_CALLS.get(platform.machine(), (0, ()))
    if not calls or struct.calcsize("P") != 8:
        return False
    # A jump gives the number of instructions to skip; the two returns come last.
    last = len(calls) + 1
    code = [
        (_LOAD, 0, 0, 4),
        (_IF_EQUAL, 0, last + 2, machine),
        (_LOAD, 0, 0, 0),
        (_IF_AT_LEAST, last, 0, _FIRST_X32),
        *((_IF_EQUAL, last - 1 - at, 0, call) for at, call in enumerate(calls)),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _REFUSE),
    ]
    program = b"".join(struct.pack("=HBBI", *each) for each in code)
    asked = ctypes.byref(_Filter(len(code), program))
    return bool(libc.prctl(_SECCOMP, _BY_FILTER, asked, 0, 0) == 0)


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
