"""Servers that are about to suffer: opened with little patience, and ended however they are."""

import signal
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from tests.support.ssh_world import CARTINO, Server, SshServer
from tests.support.terminals import Terminals

CALM = ("--bot-pause", "0.1", "--grace", "0.5")


class Faulty:
    """Opens servers below a place of the test's; what still runs when the block ends is killed."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._ends = ExitStack()

    def __enter__(self) -> "Faulty":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ends.close()

    def open(
        self, *options: str, program: Sequence[str] = CARTINO, env: Mapping[str, str] | None = None
    ) -> tuple[SshServer, Server]:
        """A server, and the server behind it; see `Server`."""
        keys = self._place / "keys"
        keys.mkdir()
        server = Server(self._place, *CALM, *options, program=program, env=env)
        self._ends.callback(_kill, server)
        terminals = Terminals()
        self._ends.callback(terminals.close)
        return SshServer(terminals, keys, server.log, server.greeting), server


def _kill(server: Server) -> None:
    server.tell(signal.SIGKILL)
    server.exit_status()
