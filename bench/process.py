"""Memory, CPU time, wake-ups and descriptors of a process and its children, as the system reports them.

A server may be several processes (bots think in one of their own), so every sum here is over the whole family.
"""

import os
import subprocess
import time
from pathlib import Path
from typing import Final

HAS_PROC: Final = Path("/proc/self/stat").exists()
_HAS_CLOCKS: Final = hasattr(time, "clock_gettime_ns") and HAS_PROC
_WOKEN: Final = "voluntary_ctxt_switches:"


def family(pid: int) -> list[int]:
    """Return the process, those it started, and those that these started, as far as they live."""
    found, asked = [pid], [pid]
    while HAS_PROC and asked:
        parent = asked.pop()
        born = [int(child) for text in _each_thread(parent, "children") for child in text.split()]
        found += born
        asked += born
    return found


def memory(pid: int) -> float:
    """Return the family's memory in MB of 10^6 bytes: PSS, or resident memory where the system has none."""
    return sum(map(_memory, family(pid)))


def cpu(pid: int) -> float:
    """Return the family's CPU milliseconds so far, in steps of some 10 where the system has no better clock."""
    return sum(map(_cpu, family(pid)))


def wakes(pid: int) -> int | None:
    """Return how often threads of the family have waited for something so far; None where that is not told."""
    if not HAS_PROC:
        return None
    return sum(woken(status) for member in family(pid) for status in _each_thread(member, "status"))


def descriptors(pid: int) -> int | None:
    """Files, sockets and pipes that the process has open; None where that is not told."""
    return len(os.listdir(f"/proc/{pid}/fd")) if HAS_PROC else None


def core_busy(core: int) -> float:
    """Return the milliseconds in which the core was busy or stolen so far, in steps of some 10."""
    return busy(Path("/proc/stat").read_text(), core) * 1000 / os.sysconf("SC_CLK_TCK")


def busy(stat: str, core: int) -> int:
    """Ticks that the core was not idle, by the text of /proc/stat. Raises ValueError where it is not told there."""
    for line in stat.splitlines():
        name, *ticks = line.split()
        if name == f"cpu{core}":
            user, nice, system, _idle, _waiting, *interrupts_and_stolen = map(int, ticks[:8])
            return user + nice + system + sum(interrupts_and_stolen)
    raise ValueError(f"no core {core} in this text")


def woken(status: str) -> int:
    """Return the number of waits in the text of a thread's `status`."""
    found = next((line for line in status.splitlines() if line.startswith(_WOKEN)), f"{_WOKEN} 0")
    return int(found.removeprefix(_WOKEN))


def share(rollup: str) -> float:
    """Return the MB of 10^6 bytes in the text of a process's `smaps_rollup`. Raises ValueError if missing."""
    for line in rollup.splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024 / 1e6
    raise ValueError("no fair share in this text")


def clock(text: str) -> float:
    """Return the milliseconds of a time as ps writes it: [[days-]hours:]minutes:seconds."""
    days, _, rest = text.rpartition("-")
    seconds = 0.0
    for part in rest.split(":"):
        seconds = seconds * 60 + float(part)
    return (int(days or 0) * 86_400 + seconds) * 1000


def _memory(pid: int) -> float:
    if not HAS_PROC:
        return int(_ps(pid, "rss")) * 1024 / 1e6
    try:
        return share(Path(f"/proc/{pid}/smaps_rollup").read_text())
    except (PermissionError, FileNotFoundError, ProcessLookupError, ValueError):
        return _resident(pid)


def _resident(pid: int) -> float:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _cpu(pid: int) -> float:
    if not HAS_PROC:
        return clock(_ps(pid, "time"))
    try:
        # What POSIX calls clock_getcpuclockid: Linux makes the number of a process's clock from its id like this.
        # Unlike sums over threads it keeps the time of those that have ended, and it counts nanoseconds.
        return time.clock_gettime_ns(~pid << 3 | 2) / 1e6 if _HAS_CLOCKS else _ticks(pid)
    except OSError:
        return _ticks(pid)


def _ticks(pid: int) -> float:
    """Return the milliseconds in steps of some 10; 0 for one that has ended."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    # The name in the second field may hold blanks; what follows its bracket has none.
    fields = stat.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def _each_thread(pid: int, file: str) -> list[str]:
    """Return the text of `file` for each thread of the process; those that end meanwhile are left out."""
    found = []
    for thread in _threads(pid):
        try:
            found.append(Path(f"/proc/{pid}/task/{thread}/{file}").read_text())
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


def _threads(pid: int) -> list[str]:
    try:
        return os.listdir(f"/proc/{pid}/task")
    except (FileNotFoundError, ProcessLookupError):
        return []


def _ps(pid: int, field: str) -> str:
    asked = ["ps", "-o", f"{field}=", "-p", str(pid)]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
