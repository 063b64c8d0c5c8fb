"""What the scripts share: a house with a door, and windows for programs that need none."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.ssh_world import House, Server, open_house, troubles
from tests.support.terminals import Terminals

STAYING = ("--bot-pause", "0", "--empty-after", "0", "--grace", "0")
"""No waiting for bots, and no table outlives its people unless a game runs there."""
QUICK = (*STAYING, "--unfinished-after", "0")
"""No table at all outlives its people."""


@pytest.fixture(scope="session")
def lasting_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """One house for all scripts of a worker, which ends well when they are done."""
    with open_house(tmp_path_factory.mktemp("house"), *QUICK) as (house, _):
        yield house


@pytest.fixture
def house(lasting_house: House) -> Iterator[House]:
    """The lasting house, empty; whoever is still there at the end is thrown out.

    It outlives the script, and ends with whichever test is the last of a worker: so what went wrong in it is told here.
    """
    before = len(lasting_house.log())
    yield lasting_house
    lasting_house.terminals.close()
    lasting_house.empties()
    assert troubles(lasting_house.log()[before:]) == []


@pytest.fixture
def own_house(tmp_path: Path) -> Iterator[tuple[House, Server]]:
    """A house for a script that does something to the server itself."""
    with open_house(tmp_path, *STAYING) as opened:
        yield opened


@pytest.fixture
def terminals() -> Iterator[Terminals]:
    """Windows for programs of this machine."""
    opened = Terminals()
    yield opened
    opened.close()
