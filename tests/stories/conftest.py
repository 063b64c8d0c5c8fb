"""What the stories share: a server, and windows for programs that need none."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.ssh_world import Server, SshServer, open_server, troubles
from tests.support.terminals import Terminals

STAYING = ("--bot-pause", "0", "--empty-after", "0", "--grace", "0")
"""Bots don't pause, and tables without a running game close when nobody is there."""
QUICK = (*STAYING, "--unfinished-after", "0")
"""All tables close when nobody is there."""


@pytest.fixture(scope="session")
def lasting_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshServer]:
    """One server for all stories of a test process, which ends well at the end of the session."""
    with open_server(tmp_path_factory.mktemp("server"), *QUICK) as (ssh_server, _):
        yield ssh_server


@pytest.fixture
def ssh_server(lasting_server: SshServer) -> Iterator[SshServer]:
    """The lasting server, empty. At the end all are disconnected, and its log must have no warnings."""
    before = len(lasting_server.log())
    yield lasting_server
    lasting_server.terminals.close()
    lasting_server.empties()
    assert troubles(lasting_server.log()[before:]) == []


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[tuple[SshServer, Server]]:
    """A server of its own, for a story that does something to the server itself."""
    with open_server(tmp_path, *STAYING) as opened:
        yield opened


@pytest.fixture
def terminals() -> Iterator[Terminals]:
    """Windows for programs of this machine."""
    opened = Terminals()
    yield opened
    opened.close()
