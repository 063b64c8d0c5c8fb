"""A bot that loops forever, for worker processes to load as `bench.looping:BOTS`."""

from random import Random
from threading import Event

import msgspec

from cartino_engine.bots import Bot

FREE = Event()
"""Set, it ends the loops in this process: a thread can't be ended otherwise. Nobody sets it in a worker."""


class Loops(Bot):
    """Keeps its core busy and never answers."""

    game = "loops"
    name = "loops"

    def choose(self, view: bytes, chance: Random) -> msgspec.Struct | None:
        while not FREE.is_set():
            pass
        return None


BOTS = {(Loops.game, Loops.name): Loops()}
