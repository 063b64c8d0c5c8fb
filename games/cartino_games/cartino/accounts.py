"""What the end of a game comes to: each player's account, the course of the totals, the best turn."""

from typing import Final, NamedTuple

from cartino_games.cartino.views import CartinoView
from cartino_protocol.base import Seat

FIVE_POINTS: Final = 10
"""What five stones in one turn score on top (sheet, Décompte 4)."""


class SeatAccount(NamedTuple):
    """A seat's total and what it is made of: `laid` stones, turns of `fives`, going `out`, stones `left` in hand.

    `rank` counts from 1; equal totals share one. `left` is what is taken off, no negative number.
    """

    seat: Seat
    rank: int
    laid: int
    fives: int
    out: int
    left: int
    total: int


class BestTurn(NamedTuple):
    """The turn that brought most: whose it was, its number from 1, its points with the bonus."""

    seat: Seat
    turn: int
    points: int


def accounts(view: CartinoView) -> tuple[SeatAccount, ...]:
    """Return every seat's account, the highest total first."""
    totals = [score.total for score in view.scores]
    seats = sorted(range(len(totals)), key=lambda seat: (-totals[seat], seat))
    return tuple(_account(view, seat, totals) for seat in seats)


def _account(view: CartinoView, seat: Seat, totals: list[int]) -> SeatAccount:
    total = totals[seat]
    out = view.bonus[seat] if seat < len(view.bonus) else 0
    left = view.penalty[seat] if seat < len(view.penalty) else 0
    fives = FIVE_POINTS * sum(seat_of(view, turn) == seat for turn in view.fives)
    rank = 1 + sum(other > total for other in totals)
    return SeatAccount(seat, rank, total - out + left - fives, fives, out, left, total)


def seat_of(view: CartinoView, turn: int) -> Seat:
    """Whose turn the one of that number, from 0, was: they go round."""
    return (view.first + turn) % len(view.scores)


def courses(view: CartinoView) -> tuple[tuple[int, ...], ...]:
    """Return each seat's totals before the first turn and after each; the last has the settlement."""
    lines: list[list[int]] = [[0] for _ in view.scores]
    for turn, points in enumerate(view.course):
        for seat, line in enumerate(lines):
            line.append(line[-1] + points * (seat == seat_of(view, turn)))
    for line, score in zip(lines, view.scores, strict=True):
        line[-1] = score.total
    return tuple(map(tuple, lines))


def best_turns(view: CartinoView) -> tuple[BestTurn, ...]:
    """Return each seat's turn that brought most, the first of equal ones."""
    found = [BestTurn(seat, 0, 0) for seat in range(len(view.scores))]
    for turn, points in enumerate(view.course):
        seat = seat_of(view, turn)
        if points > found[seat].points:
            found[seat] = BestTurn(seat, turn + 1, points)
    return tuple(found)


def best_turn(view: CartinoView) -> BestTurn | None:
    """Return the turn that brought most, the first of equal ones; None where none brought anything."""
    points = max(view.course, default=0)
    if points <= 0:
        return None
    turn = view.course.index(points)
    return BestTurn(seat_of(view, turn), turn + 1, points)
