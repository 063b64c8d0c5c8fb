"""The end as a scene of two pages: what the game came to, and its course with the proof of the shuffle.

The first has as much of the second as the terminal has room for, and the talk goes on below it.
"""

from typing import Final

from cartino_games.cartino.accounts import accounts, courses
from cartino_games.cartino.screen.ending import best, headline, shown, why
from cartino_games.cartino.screen.grid import Box
from cartino_games.cartino.screen.ledger import ledger, seat_marks
from cartino_games.cartino.screen.proof import Proof, proof_rows
from cartino_games.cartino.screen.rows import Row, draw_rows, flowing, rows_width, safe
from cartino_games.cartino.screen.scene import NAME_CELLS, Scene
from cartino_games.cartino.screen.story import draw_talk
from cartino_tui.draw.canvas import Canvas
from cartino_tui.draw.chart import LEAST_HEIGHT, LEAST_WIDTH, Course, draw_chart
from cartino_tui.draw.theme import SEATS

_TALK: Final = 2
"""Rows that the talk has at least."""
_CHART_MOST: Final = 20
_CHART_LEAST: Final = 10
"""The rows of a chart below which it isn't worth its place beside other things: it has a page of its own."""
_APART: Final = 3
_TOTAL: Final = 5
"""The cells of a total with the blank before it."""


def draw_result(canvas: Canvas, scene: Scene, box: Box) -> None:
    """What the game came to, in `box`: the verdict, the accounts, and where there is room the course and the proof."""
    wide = ledger(scene, box.width, with_hands=True)
    left = max(rows_width(wide), Proof.of(scene).width) + 2
    chart = Box(box.x + left + _APART, box.y, box.width - left - _APART - 1, min(box.height, 2 * _CHART_MOST))
    if scene.view.course and chart.width >= LEAST_WIDTH + NAME_CELLS + _TOTAL and chart.height > _CHART_LEAST:
        _draw_course(canvas, scene, chart)
        _draw_column(canvas, scene, Box(box.x, box.y, left, box.height), with_chart=False)
    else:
        _draw_column(canvas, scene, box, with_chart=bool(scene.view.course))


def draw_course(canvas: Canvas, scene: Scene, box: Box) -> None:
    """The course of the game as large as it can be, and below it the proof of the shuffle."""
    proof = proof_rows(scene, box.width - 2)
    height = box.height - len(proof) - bool(proof)
    if scene.view.course and height > LEAST_HEIGHT:
        _draw_course(canvas, scene, Box(box.x, box.y, box.width - 1, height))
    draw_rows(canvas, box.x + 1, box.y + box.height - len(proof), proof)


def _draw_column(canvas: Canvas, scene: Scene, box: Box, *, with_chart: bool) -> None:
    """All of it one below the other, the most important first; what is left has the talk."""
    width = box.width - 2
    table = ledger(scene, width, with_hands=True)
    if rows_width(table) > width:
        table = ledger(scene, width, with_hands=False)
    head = [*_verdict(scene, width), (), *table]
    if len(head) + _TALK > box.height:
        head = [row for row in head if row]
    proof = [(), *proof_rows(scene, width)]
    free = box.height - len(head) - _TALK
    least = _CHART_LEAST + 3 if with_chart else 0
    chart = least if least <= free else 0
    below = proof if len(proof) > 1 and len(proof) <= free - chart else []
    if chart:
        chart += min(_CHART_MOST, (free - chart - len(below)) * 2 // 3)
    y = box.y
    y = draw_rows(canvas, box.x + 1, y, head)
    if chart:
        _draw_course(canvas, scene, Box(box.x, y + 1, box.width - 1, chart - 1))
    y = draw_rows(canvas, box.x + 1, y + chart, below)
    top, end = y + bool(below or chart), box.y + box.height
    if top < end:
        draw_talk(canvas, scene, Box(box.x, top, box.width, end - top))


def _verdict(scene: Scene, width: int) -> list[Row]:
    """Who won and why, the best turn, and who would play again."""
    again = ", ".join(scene.name(seat) for seat in scene.room.again)
    wanting = scene.look.tongue.say("Ready for another game: {names}.", names=again) if again else ""
    return [
        *flowing(scene, headline(scene), width, "winner"),
        *flowing(scene, " ".join(filter(None, (why(scene), best(scene)))), width, "text"),
        *flowing(scene, wanting, width, "notice"),
    ]


def _draw_course(canvas: Canvas, scene: Scene, box: Box) -> None:
    """The heading, and the totals over the turns; one's own line, or the winner's, on top."""
    heading = safe(scene, scene.look.tongue.say("The totals, turn by turn"))
    canvas.put(box.x + 1, box.y, heading, "heading")
    marks, lines = seat_marks(scene), courses(scene.view)
    found = [
        Course(
            f"{scene.name(seat)} {shown(scene, line[-1])}",
            line,
            marks[seat],
            SEATS[seat % len(SEATS)],
        )
        for seat, line in enumerate(lines)
    ]
    top = accounts(scene.view)[0].seat if scene.you is None else scene.you
    found.append(found.pop(top))
    draw_chart(canvas, box.x + 1, box.y + 1, box.width - 1, box.height - 1, found, ascii=scene.look.ascii)
