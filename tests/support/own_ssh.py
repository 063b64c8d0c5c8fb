"""A home directory for `ssh`, which looks for the account's own one whatever HOME is."""

import os
import shutil
from pathlib import Path

SSH = shutil.which("ssh") or "/usr/bin/ssh"


def path_with_ssh_of(home: Path) -> str:
    """Return a PATH whose `ssh` has its files in `home`: a `config` if there is one, `id_ed25519`, `known_hosts`."""
    place = home / ".bin"
    place.mkdir(exist_ok=True)
    (place / "config").write_text(
        f"Include {home}/.ssh/config\n"
        "Match all\n"
        f" UserKnownHostsFile {home}/.ssh/known_hosts\n"
        f" IdentityFile {home}/.ssh/id_ed25519\n"
    )
    script = place / "ssh"
    script.write_text(f'#!/bin/sh\nexec {SSH} -F {place}/config "$@"\n')
    script.chmod(0o755)
    return f"{place}:{os.environ['PATH']}"
