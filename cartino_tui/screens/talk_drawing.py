"""Talk as rows, each line whole on as many as it takes, and the screen with all of it."""

from cartino_tui.draw.canvas import Canvas, Frame, Row
from cartino_tui.draw.flowing import in_rows, length, put_rows
from cartino_tui.draw.text import fit
from cartino_tui.games.plug import Look
from cartino_tui.screens.parts import Hints, bar, centre, foot, foot_height

Said = tuple[tuple[str, str], ...]
"""Lines of talk as (name, text), oldest first, safe to draw; name "" for a notice."""

_TOP = 2


def talk_rows(talk: Said, look: Look, cells: int) -> list[Row]:
    """Every line within `cells`, on as many rows as it takes behind its name."""
    rows: list[Row] = []
    for name, text in talk:
        lead: Row = ((f"{fit(name, cells // 2, ascii=look.ascii)}  ", "chat-name"),) if name else ()
        begin, role = length(lead), "chat" if name else "notice"
        first, *others = in_rows(text, role, cells - begin, ascii=look.ascii) or [()]
        rows += [(*lead, *first), *(((" " * begin, role), *row) for row in others)]
    return rows


def talk_height(look: Look, status: str) -> int:
    """How many rows of talk are in sight at once."""
    return max(1, look.height - _TOP - foot_height(look, status))


def draw_talk(rows: list[Row], top: int, look: Look, status: str, hints: Hints) -> Frame:
    """The whole screen, `look.width` by `look.height` cells, with the row `top` as the first in sight."""
    canvas = Canvas(look.width, look.height)
    seen = rows[top : top + talk_height(look, status)]
    where = f"{top + 1}-{top + len(seen)}/{len(rows)}" if rows else ""
    bar(canvas, look, look.tongue.say("All that was said here"), where)
    put_rows(canvas, 1, _TOP, seen)
    if not rows:
        nothing = look.tongue.say("Nobody has said anything yet; t says something.")
        centre(canvas, look.height // 2, nothing, "dim", ascii=look.ascii)
    foot(canvas, look, status, hints)
    return canvas.frame()
