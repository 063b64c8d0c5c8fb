"""The end as a scene of two pages: what the game came to, and its course with the proof of the shuffle.

The first has as much of the second as the terminal has room for, and the talk goes on below it.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from cartino_tui.draw.canvas import Canvas
from cartino_tui.draw.chart import LEAST_HEIGHT, LEAST_WIDTH, Course, draw_chart
from cartino_tui.draw.text import clean, plain, wrap
from cartino_tui.games.cartino.accounts import Account, accounts, courses, kept_promise
from cartino_tui.games.cartino.ending import best, headline, shown, why
from cartino_tui.games.cartino.layout import Box
from cartino_tui.games.cartino.marks import Marks
from cartino_tui.games.cartino.scene import NAME_CELLS, Scene, suit_of
from cartino_tui.games.cartino.story import draw_talk
from cartino_tui.games.cartino.words import signed

Piece = tuple[int, str, str]
"""A bit of text of a row: the cell in which it begins, the text, its role."""

Row = Sequence[Piece]

_ROLES: Final = ("spade", "heart", "diamond", "club")
"""Of the players' courses: four colours that everybody can tell apart."""
_TALK: Final = 2
"""Rows that the talk has at least."""
_CHART_MOST: Final = 20
_APART: Final = 3
_MANY: Final = 99
"""More rows than any text here takes."""


def draw_result(canvas: Canvas, scene: Scene, box: Box) -> None:
    """What the game came to, in `box`: the verdict, the accounts, and where there is room the course and the proof."""
    wide = _table(scene, box.width, with_hands=True)
    left = max(_width(wide), _Proof.of(scene).width) + 2
    chart = Box(box.x + left + _APART, box.y, box.width - left - _APART - 1, min(box.height, 2 * _CHART_MOST))
    if scene.view.course and chart.width >= LEAST_WIDTH + NAME_CELLS and chart.height > LEAST_HEIGHT:
        _draw_course(canvas, scene, chart)
        _draw_column(canvas, scene, Box(box.x, box.y, left, box.height), with_chart=False)
    else:
        _draw_column(canvas, scene, box, with_chart=bool(scene.view.course))


def draw_course(canvas: Canvas, scene: Scene, box: Box) -> None:
    """The course of the game as large as it can be, and below it the proof of the shuffle."""
    proof = _proof(scene, box.width - 2)
    height = box.height - len(proof) - bool(proof)
    if scene.view.course and height > LEAST_HEIGHT:
        _draw_course(canvas, scene, Box(box.x, box.y, box.width - 1, height))
    _draw_rows(canvas, box.x + 1, box.y + box.height - len(proof), proof)


def _draw_column(canvas: Canvas, scene: Scene, box: Box, *, with_chart: bool) -> None:
    """All of it one below the other, the most important first; what is left has the talk."""
    width = box.width - 2
    table = _table(scene, width, with_hands=True)
    if _width(table) > width:
        table = _table(scene, width, with_hands=False)
    head = [*_verdict(scene, width), (), *table]
    if len(head) + _TALK > box.height:
        head = [row for row in head if row]
    proof = [(), *_proof(scene, width)]
    free = box.height - len(head) - _TALK
    least = LEAST_HEIGHT + 3 if with_chart else 0
    chart = least if least <= free else 0
    below = proof if len(proof) > 1 and len(proof) <= free - chart else []
    if chart:
        chart += min(_CHART_MOST, (free - chart - len(below)) * 2 // 3)
    y = box.y
    y = _draw_rows(canvas, box.x + 1, y, head)
    if chart:
        _draw_course(canvas, scene, Box(box.x, y + 1, box.width - 1, chart - 1))
    y = _draw_rows(canvas, box.x + 1, y + chart, below)
    top, end = y + bool(below or chart), box.y + box.height
    if top < end:
        draw_talk(canvas, scene, Box(box.x, top, box.width, end - top))


def _verdict(scene: Scene, width: int) -> list[Row]:
    """Who won and why, the best turn, and who would play again."""
    again = ", ".join(scene.name(seat) for seat in scene.room.again)
    wanting = scene.look.tongue.say("Ready for another game: {names}.", names=again) if again else ""
    return [
        *_flowing(scene, headline(scene), width, "winner"),
        *_flowing(scene, " ".join(filter(None, (why(scene), best(scene)))), width, "text"),
        *_flowing(scene, wanting, width, "notice"),
    ]


def _flowing(scene: Scene, text: str, width: int, role: str) -> list[Row]:
    return [((0, line, role),) for line in wrap(text, width, _MANY, ascii=scene.look.ascii)]


class _Column(NamedTuple):
    """A column of numbers: its heading, and each player's number with its role."""

    heading: str
    cells: Sequence[tuple[str, str]]

    @property
    def width(self) -> int:
        return max(len(self.heading), *(len(text) for text, _ in self.cells))


def _table(scene: Scene, width: int, *, with_hands: bool) -> list[Row]:
    """The accounts, a line a player, the best first: with long headings if `width` bears them, else with short ones."""
    found = accounts(scene.view)
    name = 4 + max(len(scene.name(account.seat)) for account in found)
    hands = _hands(scene, found) if with_hands else []
    for columns, gap in ((_columns(scene, found, short=False), 2), (_columns(scene, found, short=True), 2)):
        table = list(_aligned(scene, found, columns, name, gap, hands))
        if _width(table) <= width:
            return table
    return list(_aligned(scene, found, columns, name, 1, hands))


def _columns(scene: Scene, found: Sequence[Account], *, short: bool) -> list[_Column]:
    say, marks = scene.look.tongue.say_in, scene.marks
    if short:
        headings = (
            say("account", "laid"),
            say("account", "fives"),
            say("account", "out"),
            say("account", "left"),
            say("account", "total"),
        )
    else:
        headings = (
            say("account", "stones laid"),
            say("account", "five at once"),
            say("account", "going out"),
            say("account", "left in hand"),
            say("account", "total"),
        )
    parts = (
        [(str(account.laid), "text") for account in found],
        [_part(account.fives, marks) for account in found],
        [_part(account.out, marks) for account in found],
        [_part(-account.left, marks) for account in found],
        [(shown(scene, account.total), "points") for account in found],
    )
    return [_Column(_safe(scene, heading), cells) for heading, cells in zip(headings, parts, strict=True)]


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
    marks = course_marks(scene)
    for line, account in enumerate(found):
        seat = account.seat
        role = "winner" if account.rank == 1 else "you" if seat == scene.you else "name"
        row: list[Piece] = [
            (0, str(account.rank), role),
            (2, marks[seat], _ROLES[seat % len(_ROLES)]),
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


def course_marks(scene: Scene) -> str:
    """A mark for each seat's course."""
    return "ox+*" if scene.look.ascii else "●○■★"


class _Proof(NamedTuple):
    """What there is to prove: a sentence, and the promised hash and the seed with what they are."""

    verdict: str
    values: Sequence[tuple[str, str]]

    @classmethod
    def of(cls, scene: Scene) -> "_Proof":
        """The proof of a scene, empty as long as nobody knows the seed."""
        say, room, kept = scene.look.tongue.say, scene.room, kept_promise(scene.room)
        if kept is None:
            return cls("", ())
        verdict = (
            say("The shuffle was as promised: the seed has the SHA-256 that was shown before the deal.")
            if kept
            else say(
                "The seed has not the SHA-256 that was shown before the deal: the shuffle was another one."
            )
        )
        names = _safe(scene, say("promised")), _safe(scene, say("seed"))
        return cls(verdict, tuple(zip(names, (clean(room.commitment), clean(room.seed)), strict=True)))

    @property
    def label(self) -> int:
        """How many cells the names of the values take, with the gap behind them."""
        return max((len(name) for name, _ in self.values), default=0) + 2

    @property
    def width(self) -> int:
        """How many cells the values take behind their names."""
        return self.label + max((len(value) for _, value in self.values), default=0)


def _proof(scene: Scene, width: int) -> list[Row]:
    """The proof in so many cells: each value behind its name, or below it, in two halves where it has to be."""
    proof = _Proof.of(scene)
    rows = _flowing(scene, proof.verdict, width, "text")
    for name, value in proof.values:
        if proof.width <= width:
            rows.append(((0, name, "dim"), (proof.label, value, "facts")))
            continue
        half = len(value) // 2
        halves = [value] if len(value) <= width else [value[:half], value[half:]]
        rows += [((0, name, "dim"),), *(((2 * (len(halves) > 1), half, "facts"),) for half in halves)]
    return rows


def _draw_course(canvas: Canvas, scene: Scene, box: Box) -> None:
    """The heading, and the totals over the turns; one's own line, or the winner's, on top."""
    heading = _safe(scene, scene.look.tongue.say("The totals, turn by turn"))
    canvas.put(box.x + 1, box.y, heading, "heading")
    marks, lines = course_marks(scene), courses(scene.view)
    found = [
        Course(scene.name(seat), line, marks[seat], _ROLES[seat % len(_ROLES)])
        for seat, line in enumerate(lines)
    ]
    top = accounts(scene.view)[0].seat if scene.you is None else scene.you
    found.append(found.pop(top))
    draw_chart(canvas, box.x + 1, box.y + 1, box.width - 1, box.height - 1, found, ascii=scene.look.ascii)


def _safe(scene: Scene, text: str) -> str:
    """A few words in this terminal's characters."""
    return plain(text) if scene.look.ascii else clean(text)


def _width(rows: Sequence[Row]) -> int:
    return max((x + len(text) for row in rows for x, text, _ in row), default=0)


def _draw_rows(canvas: Canvas, x: int, y: int, rows: Sequence[Row]) -> int:
    """`rows` one below the other; returns the y after them."""
    for line, row in enumerate(rows, y):
        for at, text, role in row:
            canvas.put(x + at, line, text, role)
    return y + len(rows)
