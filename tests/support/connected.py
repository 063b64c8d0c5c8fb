"""People who use `cartino connect`, each with a home directory of their own."""

import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.support.own_ssh import path_with_ssh_of
from tests.support.seen_table import SeenTable
from tests.support.ssh_world import CARTINO, SshServer
from tests.support.terminals import Terminal

_DOWN = re.compile(r"(?i)connection lost|server restarting|reconnected\. taking you back")
"""Each sentence about a lost connection: nothing reaches the server while one is shown."""


class Home:
    """A home directory, with a key in it unless its owner is a guest."""

    def __init__(self, ssh_server: SshServer, place: Path, *, guest: bool = False) -> None:
        self._server = ssh_server
        self._place = place
        self.known_hosts = place / ".ssh" / "known_hosts"
        self.known_hosts.parent.mkdir(parents=True)
        if not guest:
            key = place / ".ssh" / "id_ed25519"
            key.write_bytes(ssh_server.key(place.name).read_bytes())
            key.chmod(0o600)

    def remember_host(self) -> "Home":
        """Write the server's host key, hashed, into known_hosts."""
        scan = ["ssh-keyscan", "-H", "-p", str(self._server.port), "127.0.0.1"]
        done = subprocess.run(scan, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
        self.known_hosts.write_text(done.stdout)
        return self

    def connect(
        self,
        *words: str,
        wrap: Callable[[Sequence[str]], Sequence[str]] = lambda words: words,
        language: str = "",
    ) -> Terminal:
        """Open a window with `cartino connect` in it; `wrap` may change the command line."""
        env = {"HOME": str(self._place), "PATH": path_with_ssh_of(self._place), "SSH_AUTH_SOCK": ""}
        env |= {"LANG": language} if language else {}
        host = f"{self._place.name}@127.0.0.1"
        port = ("--port", str(self._server.port))
        return self._server.terminals.open(*wrap((*CARTINO, "connect", host, *port, *words)), env=env)


def wait_for_connection(window: Terminal) -> None:
    """Wait until the window is connected again and shows the screen from before."""
    window.until(lambda: not _DOWN.search(window.screen()) and window.way_out, "the connection is back")


def wait_for_table(window: Terminal, condition: Callable[[SeenTable], bool], what: str) -> None:
    """Wait until the whole table in `window` fulfils `condition`."""
    window.until(lambda: (table := SeenTable(window)).is_whole() and condition(table), what)
