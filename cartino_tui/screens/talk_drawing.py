"""Talk as rows, each line whole on as many as it takes, and the screen with all of it."""

from cartino_tui.draw.canvas import Canvas, Frame, Row
from cartino_tui.draw.flowing import in_rows, length, put_rows
from cartino_tui.draw.text import fit
from cartino_tui.games.screen import Look
from cartino_tui.screens.parts import Hints, bar, centre, foot, foot_height, marks

Said = tuple[tuple[str, str], ...]
"""Lines of talk as (name, text), oldest first, safe to draw; name "" for a notice."""

_TOP = 2


def talk_rows(talk: Said, look: Look, cells: int) -> list[Row]:
    """Every line within `cells`, on as many rows as it takes behind its name."""
    return [row for rows in talk_blocks(talk, look, cells) for row in rows]


def talk_blocks(talk: Said, look: Look, cells: int) -> list[list[Row]]:
    """The rows of each line."""
    blocks: list[list[Row]] = []
    for name, text in talk:
        lead: Row = ((f"{fit(name, cells // 2, ascii=look.ascii)}  ", "chat-name"),) if name else ()
        begin, role = length(lead), "chat" if name else "notice"
        first, *others = in_rows(text, role, cells - begin, ascii=look.ascii) or [()]
        blocks.append([(*lead, *first), *(((" " * begin, role), *row) for row in others)])
    return blocks


def talk_height(look: Look, status: str) -> int:
    """How many rows of talk are in sight at once."""
    return max(1, look.height - _TOP - foot_height(look, status))


def row_of(y: int, top: int, look: Look, status: str) -> int | None:
    """The row of talk that stands in row `y` of the screen, where `top` is the first in sight; None for none."""
    return top + y - _TOP if _TOP <= y < _TOP + talk_height(look, status) else None


def draw_talk(
    rows: list[Row], top: int, look: Look, status: str, hints: Hints, marked: range = range(0)
) -> Frame:
    """The whole screen, `look.width` by `look.height` cells, with the row `top` as the first in sight.

    `marked` are the rows of the line that is chosen.
    """
    canvas = Canvas(look.width, look.height)
    seen = rows[top : top + talk_height(look, status)]
    where = f"{top + 1}-{top + len(seen)}/{len(rows)}" if rows else ""
    bar(canvas, look, look.tongue.say("All that was said here"), where)
    put_rows(canvas, 1, _TOP, seen)
    for row in marked:
        if top <= row < top + len(seen):
            y = _TOP + row - top
            canvas.put(0, y, marks(look).pick if row == marked.start else " ", "selected")
            canvas.paint(0, y, look.width - 1, "selected")
    if not rows:
        nothing = look.tongue.say("Nobody has said anything yet; t says something.")
        centre(canvas, look.height // 2, nothing, "dim", ascii=look.ascii)
    foot(canvas, look, status, hints)
    return canvas.frame()
