"""Ports of the loopback that are a test's own, also between two programs that listen there one after the other.

Whoever calls somebody is given a port by the system, and so is whoever listens at port 0: all of these come out of one
range. A port of that range may be another program's before a server that was killed is back, and then it can't be had.
So what is to be had twice, or is handed on to be had later, comes from below that range.
"""

import os
import random
import socket
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

_GIVEN_OUT = Path("/proc/sys/net/ipv4/ip_local_port_range")
"""Where Linux tells the range that it gives ports from."""
_LOWEST, _ABOVE = 12_000, 32_768
"""Below are those that programs are known by; above is what most systems give out."""
_FEWEST = 1_000


def never_given(told: str) -> range:
    """The ports that a system never gives out by itself, which says `told` of those that it does, "" for nothing."""
    above = min(int(told.split(maxsplit=1)[0]), _ABOVE) if told else _ABOVE
    # A system that gives out nearly all has none; then a port is at least one in many.
    return range(_LOWEST, above if above >= _LOWEST + _FEWEST else _ABOVE)


def _ports() -> Iterator[int]:
    """Those of this process, of several that run tests beside each other; each comes once in a long while."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    of = max(worker + 1, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))
    own = list(never_given(_GIVEN_OUT.read_text() if _GIVEN_OUT.exists() else "")[worker::of])
    # Others may run tests on this machine too: not the seed of a test's dice, which they would have as well.
    random.SystemRandom().shuffle(own)
    return cycle(own)


_own = _ports()


def own_port() -> int:
    """A port at which nobody listens on the loopback, and that nobody gets by chance."""
    while True:
        port = next(_own)
        with socket.socket() as probe:
            # As whoever is to listen there does it: what is left of earlier connections is in nobody's way.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
