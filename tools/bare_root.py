"""Start an installed Cartino as a strict container does: `python -m tools.bare_root VENV`.

The user has an id without a passwd entry and no HOME; the root is read-only and has no temporary folder. A mount
namespace has what the machine has, its compiler included, so that libraries are searched for as on the machine. It
needs root or sudo, and says so where the machine doesn't allow it.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

USER: Final = 12345
FOLDERS: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc")
"""Folders of the machine that programs need, and links to such."""
DEVICES: Final = ("/dev/null", "/dev/urandom")
TIMEOUT: Final = 120
PLACE: Final = "/opt/cartino"
"""Where the environment is in the new root."""

SCRIPT: Final = """
set -eu
root=$1 environment=$2 base=$3 place=$4 user=$5 folders=$6 devices=$7
mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs "$root"
show() { mkdir -p "$root$2"; mount --rbind "$1" "$root$2"; mount -o remount,bind,ro "$root$2" 2>/dev/null || true; }
for folder in $folders; do
    if [ -L "$folder" ]; then cp -P "$folder" "$root$folder"
    elif [ -d "$folder" ]; then show "$folder" "$folder"; fi
done
case $base in /usr | /usr/*) ;; *) show "$base" "$base" ;; esac
show "$environment" "$place"
mkdir "$root/proc" "$root/dev" "$root/data"
mount --rbind /proc "$root/proc"
for device in $devices; do touch "$root$device"; mount --bind "$device" "$root$device"; done
mount -t tmpfs -o "mode=700,uid=$user,gid=$user" tmpfs "$root/data"
mount -o remount,ro "$root"
exec chroot --userspec="$user:$user" --groups= "$root" /usr/bin/env -i PATH=/usr/bin:/bin "$place/bin/python" -I -
"""
"""Build the root and run the Python program on standard input in it."""

PROGRAM: Final = """
import asyncio, os, pwd, re, subprocess, sys, tempfile

CARTINO = (sys.executable, "-I", "-m", "cartino_server.cli.main")

def fails(what, error):
    try:
        what()
    except error:
        return True
    return False

assert os.getuid() == USER and "HOME" not in os.environ
assert fails(lambda: pwd.getpwuid(USER), KeyError), "this user has a passwd entry"
assert fails(tempfile.gettempdir, FileNotFoundError), "there is a temporary folder"

from cartino_server.process import ensure_user, tolerate_failed_library_search
tolerate_failed_library_search()
ensure_user()
import asyncssh

async def ask(port):
    key = asyncssh.generate_private_key("ssh-ed25519")
    options = {"known_hosts": None, "client_keys": [key], "config": None, "username": "ann"}
    async with asyncssh.connect("127.0.0.1", port, **options) as connection:
        return await connection.run("games", check=True)

serve = (*CARTINO, "serve", "--data", "/data", "--host", "127.0.0.1", "--port", "0", "--workers", "2")
server = subprocess.Popen(serve, stdout=subprocess.PIPE, text=True)
try:
    line = server.stdout.readline()
    found = re.search("listening on 127.0.0.1:([0-9]+)", line)
    assert found, f"the server says {line!r}"
    assert "No tables yet" in asyncio.run(ask(int(found[1]))).stdout
    for command in ("health", "doctor"):
        subprocess.run((*CARTINO, command, "--data", "/data"), check=True)
    server.terminate()
    assert server.wait() == 0
finally:
    server.kill()
"""
"""Start the server in the root, ask it for its tables, and end it."""


class BareRootError(Exception):
    """The program failed in the root."""


def check_bare_root(environment: Path) -> str:
    """Start the server of the virtual `environment`; return a sentence about it. Raises BareRootError."""
    begin = _namespace_command()
    if isinstance(begin, str):
        return f"not started as user {USER} in a read-only root: {begin}"
    with tempfile.TemporaryDirectory() as folder:
        words = (folder, environment, sys.base_prefix, PLACE, USER, " ".join(FOLDERS), " ".join(DEVICES))
        done = subprocess.run(
            (*begin, "sh", "-c", SCRIPT, "bare_root", *map(str, words)),
            input=PROGRAM.replace("USER", str(USER)),
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
    if done.returncode:
        raise BareRootError(f"as user {USER} in a read-only root: {done.stdout}{done.stderr}")
    return f"started as user {USER} without a home, a passwd entry or a temporary folder in a read-only root"


def _namespace_command() -> tuple[str, ...] | str:
    """Return the command that runs another in a mount namespace, or why this machine has none."""
    if shutil.which("unshare") is None:
        return "this machine has no unshare"
    why = ""
    for begin in (("unshare", "--mount"), ("sudo", "-n", "unshare", "--mount")):
        if shutil.which(begin[0]) is None:
            continue
        tried = subprocess.run((*begin, "true"), capture_output=True, text=True, check=False)
        if tried.returncode == 0:
            return begin
        why = why or tried.stderr.strip()
    return why


def main() -> int:
    """Check the environment named on the command line, and say so."""
    try:
        print(f"wheel: {check_bare_root(Path(sys.argv[1]).absolute())}")
    except BareRootError as error:
        print(f"wheel: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
