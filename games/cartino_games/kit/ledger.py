"""The players' accounts as rows: a line each, the best first, and what every total is made of."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from cartino_games.kit.marks import signed
from cartino_games.kit.players import seat_sign
from cartino_games.kit.scene import TableScene
from cartino_games.kit.text import Piece, Placed, Row, rows_width
from cartino_protocol.ids import Seat


class Heading(NamedTuple):
    """The heading of a column of numbers, in full and in the fewest cells, both translated."""

    full: str
    short: str


class Entry(NamedTuple):
    """A player's line: `rank` from 1 (equal totals share one), a piece a column, and what stands behind them.

    `rest` is shown only where there is room (what was left in hand); it is no part of the columns.
    """

    seat: Seat
    rank: int
    cells: Sequence[Piece]
    rest: Sequence[Piece] = ()


class Accounts(NamedTuple):
    """Headings and the players' lines, the best first; the last column is the total."""

    headings: Sequence[Heading]
    entries: Sequence[Entry]


def part(scene: TableScene, points: int) -> Piece:
    """Return a part of a total as a cell of the ledger: with its sign, or no more than a dot for 0."""
    if points == 0:
        return scene.marks.dot, "dim"
    return signed(points, scene.marks), "points" if points > 0 else "error"


def ledger(scene: TableScene, accounts: Accounts, width: int, *, with_rest: bool) -> list[Row]:
    """Return the accounts, a line a player: with full headings if `width` has room for them, else with short ones.

    `with_rest`: with what stands behind the columns. May be wider than `width` if even that is too much.
    """
    full, short = ([scene.safe(heading[kind]) for heading in accounts.headings] for kind in (0, 1))
    for headings in (full, short):
        table = list(_aligned(scene, accounts.entries, headings, 2, with_rest=with_rest))
        if rows_width(table) <= width:
            return table
    return list(_aligned(scene, accounts.entries, short, 1, with_rest=with_rest))


def _aligned(
    scene: TableScene, entries: Sequence[Entry], headings: Sequence[str], gap: int, *, with_rest: bool
) -> Iterator[Row]:
    """The headings, then a row a player: rank, sign, name, numbers, and the rest."""
    end = 4 + max(len(scene.name(entry.seat)) for entry in entries)
    ends: list[int] = []
    for column, heading in enumerate(headings):
        end += gap + max(len(heading), *(len(entry.cells[column][0]) for entry in entries))
        ends.append(end)
    yield [(end - len(heading), heading, "dim") for heading, end in zip(headings, ends, strict=True)]
    for entry in entries:
        role = "winner" if entry.rank == 1 else "you" if entry.seat == scene.you else "name"
        sign, colour = seat_sign(scene, entry.seat)
        row: list[Placed] = [
            (0, str(entry.rank), role),
            (2, sign, colour),
            (4, scene.name(entry.seat), role),
        ]
        row += [
            (end - len(text), text, its_role) for (text, its_role), end in zip(entry.cells, ends, strict=True)
        ]
        x = ends[-1] + 2
        for text, its_role in entry.rest if with_rest else ():
            row.append((x, text, its_role))
            x += len(text) + 1
        yield row
