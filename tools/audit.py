"""Ask whether the locked packages have known vulnerabilities: `python -m tools.audit`.

Exit status 0: nothing is; 1: something is, or (with --required) nobody could be asked. Machines that can't reach the
advisories have to say so and go on, since what they build is no worse for it.
"""

import argparse
import json
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Final

LOCKS: Final = ("run.lock", "build.lock", "dev.lock")
PROBE: Final = "https://pypi.org/pypi/asyncssh/2.14.0/json"
"""A version that has advisories: who tells of none has not been asked."""
TIME_LIMIT: Final = 10.0
"""Seconds."""

_WHERE: Final = Path(__file__).parent.parent / "requirements"


def advisories_answer(address: str = PROBE) -> bool:
    """Return whether the advisories can be asked from here: a version known to be bad is told to be."""
    try:
        with urllib.request.urlopen(address, timeout=TIME_LIMIT) as answer:
            return bool(json.load(answer).get("vulnerabilities"))
    except (OSError, ValueError, urllib.error.URLError):
        return False


def audit(lock: Path) -> int:
    """Return the exit status of pip-audit for the hashed requirements in `lock`; what it finds goes to stdout."""
    command = [sys.executable, "-m", "pip_audit", "--strict", "--require-hashes", "--disable-pip"]
    return subprocess.run([*command, "-r", str(lock)], check=False).returncode


def main(words: list[str] | None = None) -> int:
    """Audit every lock."""
    parser = argparse.ArgumentParser(prog="python -m tools.audit", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--required", action="store_true", help="fail where the advisories can't be reached")
    wanted = parser.parse_args(words)
    if not advisories_answer():
        print("audit: the advisories can't be reached from here, so nothing was audited")
        return 1 if wanted.required else 0
    return max(audit(_WHERE / lock) for lock in LOCKS)


if __name__ == "__main__":
    sys.exit(main())
