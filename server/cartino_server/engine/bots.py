"""The interface of a bot: it gets the encoded view of its seat and returns a move, and knows nothing else.

It is a module of its own because rules must not import it. `bot_runner` calls bots.
"""

from abc import ABC, abstractmethod
from random import Random
from typing import ClassVar

import msgspec


class CantChoose(ValueError):
    """The view offers no move."""


class Bot(ABC):
    """A way to play one game. Instances are immutable, so one serves every table in any thread or process.

    Text on stderr may be logged, so it must not contain hidden cards.
    """

    game: ClassVar[str]
    """The game's name on the wire."""
    name: ClassVar[str]
    """Lower case, no blanks."""

    @abstractmethod
    def choose(self, view: bytes, chance: Random) -> msgspec.Struct | None:
        """Return the next move of the seat with the game view `view` (MessagePack); `chance` is the only randomness.

        A bot that is not on turn but may interfere is asked once a state; only it may return None, to do nothing.
        Raises CantChoose if the view offers nothing, msgspec.DecodeError if it is not the game's view.
        """

    def plan(self, view: bytes, chance: Random) -> tuple[msgspec.Struct, ...]:
        """Return the next moves of the seat as `choose` does, those after the first for as long as it is its turn.

        The rest of a plan is played without asking again, if nobody else acts in between. () is to do nothing.
        """
        move = self.choose(view, chance)
        return () if move is None else (move,)
