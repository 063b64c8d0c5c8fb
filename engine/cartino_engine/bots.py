"""The interface of a bot: it gets the encoded view of its seat and returns a move, and knows nothing else.

It is a module of its own because rules must not import it. `runner` calls bots.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from random import Random
from typing import ClassVar

import msgspec


class CantChoose(ValueError):
    """The view offers no move."""


class Verdict(msgspec.Struct, frozen=True):
    """A turn compared with the best one from the same view: the points it `lost`, as expected, and the best moves."""

    lost: float
    best: tuple[msgspec.Struct, ...]


class Bot(ABC):
    """A way to play one game. Instances are immutable, so one serves every table in any thread or process.

    Text on stderr may be logged, so it must not contain hidden cards.
    """

    game: ClassVar[str]
    """The game's name on the wire."""
    name: ClassVar[str]
    """Lower case, no blanks."""
    evaluation: ClassVar[int] = 0
    """The version of the evaluation by which `judge` compares turns; 0 if the bot can't."""

    @abstractmethod
    def choose(self, view: bytes, chance: Random) -> msgspec.Struct | None:
        """Return the next move of the seat with the game view `view` (MessagePack); `chance` is the only randomness.

        A bot that is not on turn but may interfere is asked once a state; only it may return None, to do nothing.
        Raises CantChoose if the view offers nothing, msgspec.DecodeError if it is not the game's view.
        """

    def plan(self, view: bytes, chance: Random) -> tuple[msgspec.Struct, ...]:
        """Return the next moves of the seat as `choose` does, those after the first for as long as it is its turn.

        The rest of a plan is played without asking again, if nobody else acts in between. () means to do nothing.
        """
        move = self.choose(view, chance)
        return () if move is None else (move,)

    def judge(self, view: bytes, made: Sequence[bytes]) -> Verdict:
        """Return what the turn that began at `view` lost by the moves `made`; it may use nothing but the view.

        Says the same twice. Raises CantChoose if the bot can't judge.
        """
        raise CantChoose("it doesn't judge turns")

    def luck(self, view: bytes, made: Sequence[bytes], after: bytes) -> float:
        """Return what the chance in a turn, as the stones drawn at its end, was worth compared with the average.

        `after` is the seat's view after the turn; as `judge`, it uses nothing else and says the same twice. Raises
        CantChoose if the bot can't say.
        """
        raise CantChoose("it doesn't tell luck apart")
