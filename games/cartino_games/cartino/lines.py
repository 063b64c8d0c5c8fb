"""The record's own lines of Cartino. Stones and spots go by name."""

from cartino_protocol.records import RecordLine

HIDDEN = "?"
"""Stands for a stone in the export of a running game, whose draws are nobody's business yet."""


class DrawLine(RecordLine, frozen=True, tag="draw"):
    """`stones` in the order drawn: five a seat at the deal, then what refills a hand after each turn."""

    seat: int
    stones: tuple[str, ...]


class LayLine(RecordLine, frozen=True, tag="lay"):
    """A stone laid; `points` from what it touches; `swapped` where a joker was taken out."""

    seat: int
    stone: str
    spot: str
    points: int
    swapped: bool


class TurnLine(RecordLine, frozen=True, tag="turn"):
    """Closes a turn: how many stones were laid, 10 for five of them (else 0), the seat's total now."""

    seat: int
    laid: int
    bonus: int
    total: int


class PassLine(RecordLine, frozen=True, tag="pass"):
    """The seat can lay nothing."""

    seat: int


class SettleLine(RecordLine, frozen=True, tag="settle"):
    """Before the end: per seat the 10 for going out, and what the stones still held cost."""

    bonus: tuple[int, ...]
    penalty: tuple[int, ...]


LINES: tuple[type[RecordLine], ...] = (DrawLine, LayLine, TurnLine, PassLine, SettleLine)
