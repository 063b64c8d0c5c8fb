"""What the scripts share: a server with a door, and windows for programs that need none."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.ssh_world import Server, SshServer, open_server, troubles
from tests.support.terminals import Terminals

STAYING = ("--bot-pause", "0", "--empty-after", "0", "--grace", "0")
"""No waiting for bots, and no table outlives its people unless a game runs there."""
QUICK = (*STAYING, "--unfinished-after", "0")
"""No table at all outlives its people."""


@pytest.fixture(scope="session")
def lasting_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshServer]:
    """One server for all scripts of a worker, which ends well when they are done."""
    with open_server(tmp_path_factory.mktemp("server"), *QUICK) as (ssh_server, _):
        yield ssh_server


@pytest.fixture
def ssh_server(lasting_server: SshServer) -> Iterator[SshServer]:
    """The lasting server, empty; whoever is still there at the end is thrown out.

    It outlives the script, and ends with whichever test is the last of a worker: so what went wrong in it is told here.
    """
    before = len(lasting_server.log())
    yield lasting_server
    lasting_server.terminals.close()
    lasting_server.empties()
    assert troubles(lasting_server.log()[before:]) == []


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[tuple[SshServer, Server]]:
    """A server for a script that does something to the server itself."""
    with open_server(tmp_path, *STAYING) as opened:
        yield opened


@pytest.fixture
def terminals() -> Iterator[Terminals]:
    """Windows for programs of this machine."""
    opened = Terminals()
    yield opened
    opened.close()
