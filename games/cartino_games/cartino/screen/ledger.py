"""The players' accounts as rows: a line each, the best first, and what every total is made of."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from cartino_games.cartino.accounts import Account, accounts
from cartino_games.cartino.marks import Marks
from cartino_games.cartino.screen.ending import shown
from cartino_games.cartino.screen.rows import Piece, Row, rows_width, safe
from cartino_games.cartino.screen.scene import Scene, suit_of
from cartino_games.cartino.screen.words import signed
from cartino_tui.draw.theme import SEATS


def seat_marks(scene: Scene) -> str:
    """A mark for each seat's course."""
    return "ox+*" if scene.look.ascii else "●○■★"


class _Column(NamedTuple):
    """A column of numbers: its heading, and each player's number with its role."""

    heading: str
    cells: Sequence[tuple[str, str]]

    @property
    def width(self) -> int:
        return max(len(self.heading), *(len(text) for text, _ in self.cells))


def ledger(scene: Scene, width: int, *, with_hands: bool) -> list[Row]:
    """The accounts, a line a player, the best first: with long headings if `width` bears them, else with short ones."""
    found = accounts(scene.view)
    name = 4 + max(len(scene.name(account.seat)) for account in found)
    hands = _hands(scene, found) if with_hands else []
    for columns, gap in ((_columns(scene, found, short=False), 2), (_columns(scene, found, short=True), 2)):
        table = list(_aligned(scene, found, columns, name, gap, hands))
        if rows_width(table) <= width:
            return table
    return list(_aligned(scene, found, columns, name, 1, hands))


def _columns(scene: Scene, found: Sequence[Account], *, short: bool) -> list[_Column]:
    say_in, marks = scene.look.tongue.say_in, scene.marks
    if short:
        headings = (
            say_in("account", "laid"),
            say_in("account", "fives"),
            say_in("account", "out"),
            say_in("account", "left"),
            say_in("account", "total"),
        )
    else:
        headings = (
            say_in("account", "stones laid"),
            say_in("account", "five at once"),
            say_in("account", "going out"),
            say_in("account", "left in hand"),
            say_in("account", "total"),
        )
    parts = (
        [(str(account.laid), "text") for account in found],
        [_part(account.fives, marks) for account in found],
        [_part(account.out, marks) for account in found],
        [_part(-account.left, marks) for account in found],
        [(shown(scene, account.total), "points") for account in found],
    )
    return [_Column(safe(scene, heading), cells) for heading, cells in zip(headings, parts, strict=True)]


def _part(points: int, marks: Marks) -> tuple[str, str]:
    """What comes on top or goes off; no more than a dot where there is nothing."""
    if points == 0:
        return marks.dot, "dim"
    return signed(points, marks), "points" if points > 0 else "error"


def _hands(scene: Scene, found: Sequence[Account]) -> list[list[tuple[str, str]]]:
    """The stones that each player still held."""
    hands = scene.view.hands
    return [
        [(scene.marks.card(stone), f"printed-{suit_of(stone)}") for stone in hands[account.seat]]
        if account.seat < len(hands)
        else []
        for account in found
    ]


def _aligned(
    scene: Scene,
    found: Sequence[Account],
    columns: Sequence[_Column],
    name: int,
    gap: int,
    hands: Sequence[Sequence[tuple[str, str]]],
) -> Iterator[Row]:
    """The heading, then a row a player: rank, mark, name, numbers, and the stones that were left."""
    ends: list[int] = []
    for column in columns:
        ends.append((ends[-1] if ends else name) + gap + column.width)
    yield [
        (end - len(column.heading), column.heading, "dim") for column, end in zip(columns, ends, strict=True)
    ]
    marks = seat_marks(scene)
    for line, account in enumerate(found):
        seat = account.seat
        role = "winner" if account.rank == 1 else "you" if seat == scene.you else "name"
        row: list[Piece] = [
            (0, str(account.rank), role),
            (2, marks[seat], SEATS[seat % len(SEATS)]),
            (4, scene.name(seat), role),
        ]
        for column, end in zip(columns, ends, strict=True):
            text, role = column.cells[line]
            row.append((end - len(text), text, role))
        x = ends[-1] + 2
        for text, role in hands[line] if hands else ():
            row.append((x, text, role))
            x += len(text) + 1
        yield row
