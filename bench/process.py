"""What the system says of a process: its memory, its time on the processor, and which core it may use."""

import os
import subprocess
from pathlib import Path
from typing import Final

HAS_PROC: Final = Path("/proc/self/statm").exists()


def cores() -> tuple[int, int] | None:
    """A core for the server and another for its clients; None where there is but one or none can be chosen."""
    if not hasattr(os, "sched_getaffinity"):
        return None
    allowed = sorted(os.sched_getaffinity(0))
    return (allowed[0], allowed[-1]) if len(allowed) > 1 else None


def pin(pid: int, core: int) -> None:
    """Let the process (0: this one) run on `core` alone."""
    os.sched_setaffinity(pid, {core})


def memory(pid: int) -> float:
    """Resident memory, in MB of 10^6 bytes."""
    if HAS_PROC:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
    return int(_ps(pid, "rss")) * 1024 / 1e6


def cpu(pid: int) -> float:
    """Milliseconds on the processor so far, in steps of some 10."""
    if HAS_PROC:
        # The name in the second field may hold blanks; what follows its bracket has none.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")
    return clock(_ps(pid, "time"))


def clock(text: str) -> float:
    """Milliseconds of a time as ps writes it: minutes:seconds, with days- and hours: before them where needed."""
    days, _, rest = text.rpartition("-")
    seconds = 0.0
    for part in rest.split(":"):
        seconds = seconds * 60 + float(part)
    return (int(days or 0) * 86_400 + seconds) * 1000


def _ps(pid: int, field: str) -> str:
    asked = ["ps", "-o", f"{field}=", "-p", str(pid)]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
