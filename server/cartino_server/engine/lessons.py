"""What a game teaches: tables to begin at, what the pupil is to do there, and what the others then play."""

from typing import Generic, TypeVar

import msgspec

from cartino_protocol.ids import Seat

State = TypeVar("State")
Move = TypeVar("Move")


class Task(msgspec.Struct, Generic[Move], frozen=True):
    """What the pupil is to do: any of the `wanted` moves. Then the others make the moves of `replies`, by seat."""

    wanted: tuple[Move, ...]
    replies: tuple[tuple[Seat, Move], ...] = ()


class Lesson(msgspec.Struct, Generic[State, Move], frozen=True):
    """A lesson: its `name`, under which the game's plug has its words, and the state at which it begins.

    The pupil sits at seat 0, the `others` (by name) at the next ones. `options` are all of the game's.
    """

    name: str
    options: dict[str, str]
    start: State
    tasks: tuple[Task[Move], ...]
    others: tuple[str, ...]
