"""Confine a worker process, which speaks SSH with strangers, before it reads anything from them.

Landlock (ABI 1, Linux 5.13) takes files away. A seccomp filter refuses the system calls that reach beyond the process:
programs, sockets (also local ones, such as the admin socket), signals, and what Landlock doesn't cover, such as the
rights, times and attributes of files. Descriptors that are open stay usable. The libraries for this on PyPI have one
maintainer each, and the system calls fit in this module.
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


# Linux system calls that a worker is refused, by number on each machine. Everything that reaches beyond the process is
# refused, except reading and writing open descriptors, and opening files, which Landlock limits. Reviewed up to Linux
# 6.19; a test compares the numbers with the kernel's tables.

MACHINES: Final = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""The audit number of each machine with a filter."""

_REFUSED: Final = """
# programs and processes
execve 59 221, execveat 322 281, fork 57 -, vfork 58 -, uselib 134 -, setsid 112 157, setpgid 109 154,
personality 135 92, ptrace 101 117, process_vm_readv 310 270, process_vm_writev 311 271, process_madvise 440
440, process_mrelease 448 448, kcmp 312 272, get_robust_list 274 100, seccomp 317 277,
# signals to others, whose process ids are guessable
kill 62 129, tkill 200 130, rt_sigqueueinfo 129 138, rt_tgsigqueueinfo 297 240, pidfd_open 434 434,
pidfd_send_signal 424 424, pidfd_getfd 438 438,
# priorities and memory of others, too
setpriority 141 140, ioprio_set 251 30, sched_setparam 142 118, sched_setscheduler 144 119, sched_setattr 314
274, sched_setaffinity 203 122, migrate_pages 256 238, move_pages 279 239, mbind 237 235, set_mempolicy 238 237,
set_mempolicy_home_node 450 450,
# new sockets and shared memory
socket 41 198, connect 42 203, bind 49 200, listen 50 201, accept 43 202, accept4 288 242, shmget 29 194, shmat
30 196, shmctl 31 195, shmdt 67 197, semget 64 190, semop 65 193, semctl 66 191, semtimedop 220 192, msgget 68
186, msgsnd 69 189, msgrcv 70 188, msgctl 71 187, mq_open 240 180, mq_unlink 241 181, mq_timedsend 242 182,
mq_timedreceive 243 183, mq_notify 244 184, mq_getsetattr 245 185,
# names, rights, times and attributes of files
creat 85 -, mkdir 83 -, mkdirat 258 34, rmdir 84 -, rename 82 -, renameat 264 38, renameat2 316 276, link 86 -,
linkat 265 37, symlink 88 -, symlinkat 266 36, unlink 87 -, unlinkat 263 35, mknod 133 -, mknodat 259 33,
truncate 76 45, ftruncate 77 46, fallocate 285 47, flock 73 32, chmod 90 -, fchmod 91 52, fchmodat 268 53,
fchmodat2 452 452, chown 92 -, fchown 93 55, lchown 94 -, fchownat 260 54, utime 132 -, utimes 235 -, futimesat
261 -, utimensat 280 88, file_getattr 468 468, file_setattr 469 469, setxattr 188 5, lsetxattr 189 6, fsetxattr
190 7, setxattrat 463 463, getxattr 191 8, lgetxattr 192 9, fgetxattr 193 10, getxattrat 464 464, listxattr 194
11, llistxattr 195 12, flistxattr 196 13, listxattrat 465 465, removexattr 197 14, lremovexattr 198 15,
fremovexattr 199 16, removexattrat 466 466, name_to_handle_at 303 264, open_by_handle_at 304 265, inotify_init
253 -, inotify_init1 294 26, inotify_add_watch 254 27, inotify_rm_watch 255 28, fanotify_init 300 262,
fanotify_mark 301 263, chdir 80 49, fchdir 81 50, sync 162 81, syncfs 306 267, sendfile 40 71, splice 275 76,
tee 276 77, vmsplice 278 75, copy_file_range 326 285, quotactl 179 60, quotactl_fd 443 443, acct 163 89,
# namespaces and mounts
unshare 272 97, setns 308 268, mount 165 40, umount2 166 39, mount_setattr 442 442, move_mount 429 429,
open_tree 428 428, open_tree_attr 467 467, fsopen 430 430, fsconfig 431 431, fsmount 432 432, fspick 433 433,
statmount 457 457, listmount 458 458, listns 470 470, pivot_root 155 41, chroot 161 51, sysfs 139 -, swapon 167
224, swapoff 168 225,
# users and capabilities
setuid 105 146, setgid 106 144, setreuid 113 145, setregid 114 143, setresuid 117 147, setresgid 119 149,
setfsuid 122 151, setfsgid 123 152, setgroups 116 159, capset 126 91, lsm_set_self_attr 460 460, add_key 248
217, request_key 249 218, keyctl 250 219,
# the kernel and the machine
bpf 321 280, perf_event_open 298 241, userfaultfd 323 282, io_setup 206 0, io_destroy 207 1, io_getevents 208 4,
io_pgetevents 333 292, io_submit 209 2, io_cancel 210 3, io_uring_setup 425 425, io_uring_enter 426 426,
io_uring_register 427 427, init_module 175 105, finit_module 313 273, delete_module 176 106, kexec_load 246 104,
kexec_file_load 320 294, reboot 169 142, settimeofday 164 170, clock_settime 227 112, clock_adjtime 305 266,
adjtimex 159 171, sethostname 170 161, setdomainname 171 162, syslog 103 116, vhangup 153 58, iopl 172 -, ioperm
173 -, modify_ldt 154 -, lookup_dcookie 212 18, nfsservctl 180 42,
remap_file_pages 216 234, memfd_secret 447 447,
"""
"""Name, number on x86_64 and number on aarch64; `-` where a machine lacks the call."""

LAST_REVIEWED: Final = 470
"""The highest number that was reviewed, the same on both machines. Higher ones are answered as by an older kernel."""
FIRST_X32: Final = 1 << 30
"""On x86_64, the x32 ABI has the same calls from this number on."""
CLONE3: Final = 435
"""Its flags are in memory, where a filter can't read them; without it the C library uses `clone`."""


LIMITED_CALLS: Final = {
    "clone": (56, 220),
    "fcntl": (72, 25),
    "ioctl": (16, 29),
    "prctl": (157, 167),
    "prlimit64": (302, 261),
    "socketpair": (53, 199),
    "tgkill": (234, 131),
}
"""Calls that are allowed with some values of an argument, with their number on each machine."""


def _refused_calls(machine: str) -> tuple[int, ...]:
    """Return the refused numbers on `machine`, a key of `MACHINES`."""
    column = 1 + _column(machine)
    text = " ".join(line for line in _REFUSED.splitlines() if not line.startswith("#"))
    numbers = (row.split()[column] for row in text.split(",") if row.strip())
    return tuple(sorted(int(number) for number in numbers if number != "-"))


def _limited_call(machine: str, name: str) -> int:
    """Return the number of a call in `LIMITED_CALLS` on `machine`."""
    return LIMITED_CALLS[name][_column(machine)]


def _column(machine: str) -> int:
    return list(MACHINES).index(machine)


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
            (_IF_EQUAL, 0, many + 3, _limited_call(machine, name)),
            (_LOAD, 0, 0, _ARGUMENTS_AT + 8 * argument),
            *((_IF_EQUAL, many - at, 0, value) for at, value in enumerate(values)),
            (_RETURN, 0, 0, REFUSE),
            (_RETURN, 0, 0, ALLOW),
        ]

    refused = ([(_IF_EQUAL, 0, 1, call), (_RETURN, 0, 0, REFUSE)] for call in _refused_calls(machine))
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
        (_IF_EQUAL, 0, 5, _limited_call(machine, "clone")),
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
