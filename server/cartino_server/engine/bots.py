"""The interface of a bot: it gets the encoded view of its seat and returns a move, and knows nothing else.

It is a module of its own because rules must not import it. `bot_runner` calls bots.
"""

from abc import ABC, abstractmethod
from random import Random
from typing import ClassVar

import msgspec


class CantChoose(ValueError):
    """The view offers nothing to do."""


class Bot(ABC):
    """One way to play one game. Instances hold nothing that changes, so one serves every table, in any thread.

    Or in a process of their own, see `worker`. What it writes to stderr is logged there, so never what it holds.
    """

    game: ClassVar[str]
    """The game it plays, by its name on the wire."""
    name: ClassVar[str]
    """What it is called: lower case, no blanks."""

    @abstractmethod
    def choose(self, view: bytes, chance: Random) -> msgspec.Struct | None:
        """The next move for the seat whose game view (MessagePack) is `view`; dice come from `chance` alone.

        A bot whose seat is not on turn but may interfere is asked too, once a state; None, which only such a one may
        answer, lets the others go on. Raises CantChoose where the view offers nothing, msgspec.DecodeError where it
        is not the game's view.
        """
