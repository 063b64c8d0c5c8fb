"""A server that people visit with their own ssh: a real server process, and the OpenSSH client."""

import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from typing import Any, NamedTuple

import pytest

from cartino_protocol.exit_status import TOO_MANY
from tests.support.logged import connections
from tests.support.ports import own_port
from tests.support.terminals import TIME_LIMIT, Terminal, Terminals

ANY_NAME = (sys.executable, str(Path(__file__).with_name("any_name.py")))
"""The client that sends any user name."""
CARTINO = (sys.executable, "-m", "cartino_server.cli.main")
"""The command line, as installed for this Python."""
UNCOUNTED = {
    "CARTINO_EXEMPT": "127.0.0.0/8,::1",
    "CARTINO_UNAUTHENTICATED": "0",
    "CARTINO_CONNECTIONS": "0",
}
"""Settings of a server to which all of a script's people come from one address, many at a time."""
MARGIN = 20.0
"""Seconds that a server has for its end."""
TAKEN = "Another program is listening on"
"""What a server says whose port was had by somebody else first."""


def new_home() -> dict[str, str]:
    """The environment of somebody who has never played on this machine."""
    return {"XDG_CONFIG_HOME": tempfile.mkdtemp(dir=os.environ["XDG_CONFIG_HOME"])}


def play_at_home(
    terminals: Terminals, *options: str, program: Sequence[str] = (*CARTINO, "play"), **how: Any
) -> Terminal:
    """ann's first table on this machine, past the offer of lessons; `how` as for `Terminals.open`."""
    how["env"] = {**how.get("env", {}), **new_home()}
    ann = terminals.open(*program, "--name", "ann", *options, **how)
    ann.sees("p {3,}")
    ann.press("p")
    return ann


class Said(NamedTuple):
    """What a command without a terminal came to."""

    out: str
    err: str
    status: int


class SshServer:
    """A server that listens. `port` and `fingerprint` are what it printed."""

    def __init__(self, terminals: Terminals, keys: Path, log: Path, greeting: str) -> None:
        told = re.fullmatch(r"cartino is listening on 127\.0\.0\.1:(\d+), host key (SHA256:\S+)\n", greeting)
        assert told is not None, (greeting, log.read_text())
        self.port, self.fingerprint = int(told[1]), told[2]
        self.terminals = terminals
        self._keys = keys
        self._log = log

    def visit(
        self,
        user: str,
        *words: str,
        size: tuple[int, int] = (80, 24),
        term: str = "xterm-256color",
        key: bool | str = True,
        env: Mapping[str, str] | None = None,
        options: Sequence[str] = (),
        asks: bool = False,
    ) -> Terminal:
        """`ssh -t user@server words` in a window. `key`: their own, somebody else's by name, or none.

        `asks`: the client asks whether the host key is right.
        """
        command = self.ssh(user, "-t", *options, key=key, asks=asks)
        return self.terminals.open(*command, *words, size=size, term=term, env=env)

    def visit_unchecked(self, user: str, *words: str, key: str) -> Terminal:
        """As `visit`, with a client that doesn't refuse a user name, whatever it holds."""
        command = (*ANY_NAME, str(self.port), user, str(self.key(key)))
        return self.terminals.open(*command, *words)

    def run(self, user: str, words: str, *options: str, key: bool | str = True) -> Said:
        """`ssh user@server words` without a terminal, once more if it came too fast; `key` as in `visit`."""
        command = [*self.ssh(user, "-T", *options, key=key), words]
        while True:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
                timeout=TIME_LIMIT,
            )
            # A second has passed on the server. What has an output was done in part.
            if done.returncode != TOO_MANY or done.stdout:
                return Said(done.stdout, done.stderr, done.returncode)

    def ssh(self, user: str, *options: str, key: bool | str = True, asks: bool = False) -> list[str]:
        """The OpenSSH client's command line up to the host: nothing of this machine's user goes into it."""
        ssh = which("ssh")
        assert ssh is not None, "these tests need the OpenSSH client"
        settings = [
            f"StrictHostKeyChecking={'ask' if asks else 'no'}",
            "UserKnownHostsFile=/dev/null",
            "GlobalKnownHostsFile=/dev/null",
            "IdentityAgent=none",
            "IdentitiesOnly=yes",
            "LogLevel=ERROR",
        ]
        identity = ["-o", "PubkeyAuthentication=no"]
        if key:
            identity = ["-i", str(self.key(user if key is True else key))]
        flags = [word for setting in settings for word in ("-o", setting)]
        return [
            ssh, "-F", "none", *flags, *identity, "-p", str(self.port), "-l", user, *options, "127.0.0.1",
        ]  # fmt: skip

    def key(self, name: str) -> Path:
        """The private key of `name`, made when it is first needed."""
        path = self._keys / name
        if not path.exists():
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
        return path

    def log(self) -> str:
        """What the server has logged so far."""
        return self._log.read_text()

    def empties(self) -> None:
        """Wait until the server knows that everybody has gone."""
        self.terminals.until(
            lambda: not connections(self.log()).here,
            "everybody has left",
        )


class Server:
    """The process behind a server; one that has ended can be started again, at the same door and on the same data."""

    def __init__(
        self,
        place: Path,
        *options: str,
        program: Sequence[str] = CARTINO,
        env: Mapping[str, str] | None = None,
    ) -> None:
        """`program` in the place of the command line; `env` over this process's and `UNCOUNTED`."""
        self.log = place / "log"
        self.data = place / "data"
        self._program = program
        self._env = {**os.environ, **UNCOUNTED, **(env or {})}
        self._options = options
        self._port = own_port()
        self.greeting = self._start()
        while not self.greeting and TAKEN in self.log.read_text():
            # Another who runs tests on this machine was quicker.
            self.exit_status()
            self.log.unlink()
            self._port = own_port()
            self.greeting = self._start()

    @property
    def pid(self) -> int:
        """The process's number."""
        return self._process.pid

    def _start(self) -> str:
        words = [*self._program, "serve", "--port", str(self._port), "--data", str(self.data)]
        # As on two cores, wherever this runs; a later option goes over it.
        words += ["--workers", "1", *self._options]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                words, stdout=subprocess.PIPE, stderr=log, text=True, env=self._env
            )
        return self.says()

    def says(self) -> str:
        """The next line that it prints; "" at its end."""
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def start_again(self) -> None:
        """Another process, which has to greet in the same words."""
        assert self._start() == self.greeting, self.log.read_text()

    def tell(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self._process.send_signal(number)

    def tell_to_end(self) -> None:
        """What a service manager does first."""
        self.tell(signal.SIGTERM)

    def kill(self) -> None:
        """Kill it, so that it can put nothing away."""
        self.tell(signal.SIGKILL)
        assert self.exit_status() == -signal.SIGKILL

    def exit_status(self) -> int:
        """Wait for its end."""
        try:
            return self._process.wait(MARGIN)
        except subprocess.TimeoutExpired:
            self._process.kill()
            pytest.fail(f"the server did not end by itself:\n{self.log.read_text()}")
        finally:
            assert self._process.stdout is not None
            self._process.stdout.close()

    def ends_well(self) -> None:
        """Hold it to: exit status 0, and a log without anything that went wrong."""
        self.tell_to_end()
        status = self.exit_status()
        assert status == 0, self.log.read_text()
        found = troubles(self.log.read_text())
        assert not found, "\n".join(found)


def troubles(log: str) -> list[str]:
    """The lines of `log` that tell of something that went wrong, a traceback as a whole with the line above it.

    A bot that was too slow is none: how fast it is depends on the machine, and another one plays on.
    """
    paragraphs = re.split(r"\n(?=\d{4}-\d\d-\d\dT)", log)
    told = [each for each in paragraphs if re.search(r"\[(error|critical|warning) *\]|Traceback", each)]
    return [each for each in told if not ("bot_failed" in each and "why='no move in " in each)]


@contextmanager
def open_server(
    place: Path,
    *options: str,
    program: Sequence[str] = CARTINO,
    env: Mapping[str, str] | None = None,
    ends_well: bool = True,
) -> Iterator[tuple[SshServer, Server]]:
    """A server with a new data directory in `place`; `program` and `env` as for `Server`.

    It has to end well, or is killed if `ends_well` is false: then its test ends it, or its log may have warnings.
    """
    keys = place / "keys"
    keys.mkdir(exist_ok=True)
    server = Server(place, *options, program=program, env=env)
    terminals = Terminals()
    try:
        yield SshServer(terminals, keys, server.log, server.greeting), server
    finally:
        terminals.close()
        if ends_well:
            server.ends_well()
        else:
            server.tell(signal.SIGKILL)
            server.exit_status()
