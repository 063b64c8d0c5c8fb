"""What a room's task does, and what is left to do for it once that is saved."""

from collections.abc import Callable
from typing import Literal

import msgspec


class Outcome(msgspec.Struct, frozen=True):
    """What is still to be done for a job: `then` once its effects are saved, `undone` where they can't be.

    Without `undone` the effects stay as they are, and are saved with the next ones. `given_up` is done instead of
    both where the table broke meanwhile.
    """

    then: Callable[[], object] | None = None
    undone: Callable[[], object] | None = None
    given_up: Callable[[], object] | None = None


Job = Callable[[], Outcome | None]

End = Literal["closed", "broken", "left open"]
"""How a room's task ends; what is left open is rebuilt at the next start of the house."""


def nothing() -> None:
    """A job that only has the room looked after."""
