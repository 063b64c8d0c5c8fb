"""What a seat may do, and why the rules refuse it."""

from typing import Annotated, Literal

import msgspec

from cartino_protocol.base import Message

Name = Annotated[str, msgspec.Meta(max_length=4)]


class Lay(Message, frozen=True):
    """Lay the stone named `stone` (`KS`, or `*` for a joker) on the spot named `spot` (`KSu`)."""

    stone: Name
    spot: Name


class EndTurn(Message, frozen=True):
    """The turn is over; draw."""


Move = Lay | EndTurn

Rule = Literal[
    "over",
    "no-such-stone",
    "no-such-spot",
    "not-in-hand",
    "own-cell",
    "one-suit",
    "taken",
    "joker-fresh",
    "joker-barred",
    "lay-first",
]
"""over: the game is over; own-cell: a stone goes on its own card; one-suit: one suit a turn; taken: a real stone
lies there, or a joker on a joker; joker-fresh: that joker was laid in this very turn;
joker-barred: this joker came in by a swap in this very turn (1969);
lay-first: a turn is at least one stone."""
