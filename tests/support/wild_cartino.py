"""Bots of Cartino of which the greedy one is out of its mind; found by worker processes, and chosen by a server.

Run as a program, this is the command line of a server with these bots.
"""

import sys
from collections.abc import Mapping
from random import Random

import msgspec

from cartino_engine.bots import Bot
from cartino_games.cartino.game import BOTS
from cartino_server.app import serving
from cartino_server.cli.main import main


class Looping(Bot):
    """Thinks for ever."""

    game, name = "cartino", "greedy"

    def choose(self, view: bytes, chance: Random) -> msgspec.Struct:
        while True:
            pass


class Raising(Bot):
    """Breaks."""

    game, name = "cartino", "greedy"

    def choose(self, view: bytes, chance: Random) -> msgspec.Struct:
        raise ZeroDivisionError("a bot's bug")


def _bots(greedy: Bot) -> Mapping[tuple[str, str], Bot]:
    return {(bot.game, bot.name): bot for bot in (*BOTS, greedy)}


LOOPING = _bots(Looping())
RAISING = _bots(Raising())

if __name__ == "__main__":
    which, *words = sys.argv[1:]
    setattr(serving, "BOTS_REFERENCE", f"tests.support.wild_cartino:{which}")  # noqa: B010 - a constant elsewhere
    sys.exit(main(words))
