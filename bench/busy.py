"""CPU use of a server, its load and other processes over a while."""

import time
from collections.abc import Callable

import msgspec

from bench import process
from bench.figures import Figure
from bench.load.many import Load
from bench.placing import ALLOWED, PLACED, Placing
from bench.server import MeasuredServer


class Busy(msgspec.Struct, frozen=True):
    """Percent of one core over a while; `others`: who else was on the server's, None where that is not told."""

    server: float
    load: float
    others: float | None

    def figures(self, when: str) -> tuple[Figure, ...]:
        """Return the same as figures, `when` behind each name."""
        told = (
            Figure(f"the server's CPU, {when}", self.server, "%"),
            Figure(f"the load's CPU, {when}", self.load, "%"),
        )
        if self.others is None:
            return told
        return (*told, Figure(f"others on the server's cores, {when}", self.others, "%"))


def watch(server: MeasuredServer, load: Load, placed: Placing = PLACED) -> Callable[[], Busy]:
    """Look from now on; calling what is returned ends it. Server and load run where `placed` says."""
    cores = placed.server or sorted(ALLOWED)

    def used() -> tuple[float, float, float]:
        everybody = sum(map(process.core_busy, cores)) if process.HAS_PROC else 0.0
        return server.cpu, load.cpu, everybody

    before, began = used(), time.perf_counter()

    def end() -> Busy:
        took = (time.perf_counter() - began) * 10
        own, loads, everybody = (now - then for now, then in zip(used(), before, strict=True))
        others = max(0.0, everybody - own - (0 if placed.server else loads))
        return Busy(own / took, loads / took, others / took if process.HAS_PROC else None)

    return end
