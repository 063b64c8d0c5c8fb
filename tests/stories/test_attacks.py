"""Strangers attack a real server with its own limits while others play: what they do is cut or held back, no more.

How long players wait meanwhile is told by the bench (`python -m bench --only abuse`); here it is told that they are
answered while the attack goes on, that nothing breaks, and that the server is left as large as it was.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench import process
from tests.support.attacks import ATTACKS, most_kept, source_of
from tests.support.logged import connections, lines
from tests.support.ssh_world import Server, SshServer, open_server, troubles
from tests.support.terminals import Terminal

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(
        sys.platform != "linux", reason="strangers have addresses of their own on Linux alone"
    ),
]

OWN_LIMITS = {"CARTINO_EXEMPT": "", "CARTINO_UNAUTHENTICATED": "10"}
"""Not those of the other scripts, which let everybody in."""
CUT = {
    "channels",
    "RSA keys of 200,000 bits",
    "none, with 463 names",
    "packets in pieces",
    "compressed bombs",
    "sessions",
}
"""What ends with the stranger's connection; everything else is held back, for as long as they like."""
SHORT = {
    *("channels", "compressed bombs", "none, with 463 names", "packets in pieces", "sessions"),
    *("a paste of 100 MB", "ESC, bidi, zero width", "malformed keys", "a reader that stops"),
}
"""One attack of each kind, none of which takes long; the others are for `make soak`."""
TURNS = 3
"""Times that each player asks for help and puts it away."""


def _share(pid: int) -> float:
    """MB of a process; 0 for one of bots, and for one that has ended: what has ended holds nothing."""
    member = Path("/proc", str(pid))
    try:
        if b"bots" in (member / "cmdline").read_bytes():
            return 0.0
        return process.share((member / "smaps_rollup").read_text())
    except (FileNotFoundError, ProcessLookupError):
        return 0.0


class World:
    """A server with two who play, before and after."""

    def __init__(self, ssh_server: SshServer, server: Server) -> None:
        self.ssh_server, self.server = ssh_server, server
        self.ann = ssh_server.visit("ann", "new", "--bots", "1")
        self.bob = ssh_server.visit("bob")
        self.ann.sees("[?] help")
        self.bob.sees("Game server")
        self.play()
        # The server loads what it needs for a visit in lines only when there is one.
        eve = ssh_server.run("eve", "plain new --bots 1")
        assert eve.status == 0, eve

    def play(self) -> None:
        """Both press keys, and see what comes of each."""
        for _ in range(TURNS):
            for player in (self.ann, self.bob):
                self._look_up(player)

    def _look_up(self, player: Terminal) -> None:
        player.press("?")
        player.sees("Help: ")
        player.press("backspace")
        player.sees("[?] help")

    @property
    def memory(self) -> float:
        """MB of the server and its worker; the process in which bots think is as large as they make it."""
        return sum(map(_share, process.family(self.server.pid)))

    def has_left(self, source: str, made: int) -> bool:
        """Whether all the connections have ended that were made from that address, and what ran there too."""
        log = self.ssh_server.log()
        known = connections(log, source)
        told = lines(log)
        begun = {fields["session"] for event, fields in told if event == "session begins"}
        theirs = {
            fields["session"]
            for event, fields in told
            if "session" in fields and fields.get("peer") == source
        }
        ended = {fields["session"] for event, fields in told if event == "session ends"}
        return len(known.left) >= made and not known.here and begun & theirs <= ended


# A server is run with a worker mostly; what strangers do to one without is for the long runs.
@pytest.fixture(
    scope="module", params=[pytest.param("0", marks=pytest.mark.soak), "1"], ids=["one process", "a worker"]
)
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    place = tmp_path_factory.mktemp("abused")
    options = ("--workers", request.param, "--bot-pause", "0", "--empty-after", "0", "--grace", "0")
    with open_server(place, *options, "--unfinished-after", "0", env=OWN_LIMITS) as (ssh_server, server):
        yield World(ssh_server, server)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.soak] * (name not in SHORT)) for name in ATTACKS]
)
def test_players_play_on(world: World, name: str) -> None:
    source = source_of(name)
    before, told = world.memory, len(world.ssh_server.log())
    stranger = subprocess.Popen(
        [sys.executable, "-m", "tests.support.attacks", str(world.ssh_server.port), source, name],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert stranger.stdout is not None
    assert stranger.stderr is not None
    try:
        begun = re.fullmatch(r"begun (\d+)\n", stranger.stdout.readline())
        assert begun is not None, stranger.stderr.read()
        world.play()
        if name in CUT:
            assert stranger.stdout.readline() == "cut\n"
        elif stranger.poll() is None:
            world.play()
    finally:
        stranger.kill()
        stranger.communicate()
    world.ssh_server.terminals.until(lambda: world.has_left(source, int(begun[1])), "the stranger has left")
    world.ssh_server.terminals.until(
        lambda: world.memory < before + most_kept(name), f"{before} MB and little more"
    )
    assert troubles(world.ssh_server.log()[told:]) == []
    assert not world.ann.faults
    world.play()
