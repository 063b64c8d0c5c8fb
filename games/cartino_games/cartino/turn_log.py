"""Every turn of a game in few bytes: a view carries them all, so that a table of any size can tell the whole course."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from cartino_games.cartino.accounts import FIVE_POINTS
from cartino_games.cartino.board import BOARDS, JOKER, Edition
from cartino_games.cartino.views import CartinoEvent

Turn = tuple[CartinoEvent, ...]
"""What happened in a turn: its lays, the bonus for five, and last how it closed."""

_FIVE: Final = 5
_END: Final = 0xFF
"""Ends a turn; one without a lay was passed. No spot has this number."""
_JOKER, _SWAP, _POINTS = 0x40, 0x80, 0x3F
"""Marks beside the points of a lay: a joker was laid, a joker was taken out."""


def opened(first: int) -> bytes:
    """Return the beginning of a log: whose turn the first one is."""
    return bytes((first,))


def logged(edition: Edition, turn: Iterable[CartinoEvent]) -> bytes:
    """Return a closed turn: two bytes a lay (the spot; the points with their marks) and one for the end."""
    number, found = BOARDS[edition].spot_number, bytearray()
    for event in turn:
        if event.kind in ("lay", "swap"):
            marks = _JOKER * (event.stone == JOKER) + _SWAP * (event.kind == "swap")
            found += bytes((number[event.spot], event.points + marks))
    return bytes((*found, _END))


@lru_cache(maxsize=64)
def turns_logged(edition: Edition, log: bytes, seats: int) -> tuple[Turn, ...]:
    """Return the closed turns of `log`, the oldest first; they go round among so many seats."""
    turns: list[Turn] = []
    lays: list[CartinoEvent] = []
    at = 1
    while at < len(log):
        seat = (log[0] + len(turns)) % seats
        if log[at] == _END:
            turns.append(_closed(seat, lays))
            lays, at = [], at + 1
            continue
        spot, marks = BOARDS[edition].spots[log[at]], log[at + 1]
        stone = JOKER if marks & _JOKER else spot[:-1]
        lays.append(CartinoEvent("swap" if marks & _SWAP else "lay", seat, stone, spot, marks & _POINTS))
        at += 2
    return tuple(turns)


def _closed(seat: int, lays: list[CartinoEvent]) -> Turn:
    if not lays:
        return (CartinoEvent("pass", seat),)
    five = (CartinoEvent("five", seat, points=FIVE_POINTS),) if len(lays) == _FIVE else ()
    points = sum(event.points for event in (*lays, *five))
    return (*lays, *five, CartinoEvent("turn", seat, points=points))
