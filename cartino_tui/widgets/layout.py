"""Lay out a screen: title bar, footer with hints, boxes, headings, list scrolling, and the too-small card."""

from collections.abc import Sequence
from typing import Final

import msgspec

from cartino_tui.draw.canvas import MAX_ROWS, Canvas, Frame, first_that_fits, put_rows
from cartino_tui.draw.text import fit, safe, wrap
from cartino_tui.game_port.screen import Look
from cartino_tui.widgets.notices import status_rows

MIN_WIDTH, MIN_HEIGHT = 60, 20
"""The smallest supported terminal, in cells."""

Hints = Sequence[tuple[str, str]]
"""(key, what it does), translated."""

HELP_KEY, ACTIONS_KEY = "?", ":"
_HINT_GAP: Final = 2
_TITLE_GAP: Final = 2


class Glyphs(msgspec.Struct, frozen=True):
    """Characters that a terminal may lack; `seats` has the sign of each player, as at the table."""

    sign: str
    line: str
    dot: str
    pick: str
    turn: str
    here: str
    free: str
    ellipsis: str
    tick: str
    won: str
    box: str
    seats: str


_UNICODE_GLYPHS = Glyphs("■", "─", "·", "►", "►", "●", "○", "…", "√", "★", "╭╮╰╯│", "●▼■◆")
_ASCII_GLYPHS = Glyphs("#", "-", "|", ">", ">", "*", "o", "~", "x", "*", "++++|", "oxv%")


def glyphs(look: Look) -> Glyphs:
    """Return the characters for `look`."""
    return _ASCII_GLYPHS if look.ascii else _UNICODE_GLYPHS


def title_bar(canvas: Canvas, look: Look, title: str, *facts: str) -> None:
    """Draw the top two rows: `title`, `facts` at the right, a rule below.

    Of `facts`, ordered from long to short, the first that fits is shown; if none fits, the last without the title.
    """
    mark = glyphs(look)
    canvas.fill(0, 0, look.width, 1, "bar")
    x = canvas.put(1, 0, mark.sign, "bar-key") + 1
    room = look.width - x - 1
    title, *facts_safe = (safe(text, ascii=look.ascii) for text in (title, *facts))
    shown = first_that_fits(facts_safe, room - len(title) - _TITLE_GAP)
    if not shown and any(facts_safe):
        shown = first_that_fits(facts_safe, room) or fit(facts_safe[-1], room, ascii=look.ascii)
        title = ""
    canvas.put(x, 0, fit(title, room, ascii=look.ascii), "bar-title")
    canvas.put(look.width - 1 - len(shown), 0, shown, "bar-facts")
    canvas.put(0, 1, mark.line * look.width, "rule")


def translate_hints(hints: Hints, look: Look) -> tuple[tuple[str, str], ...]:
    """Translate the key tables' hints and the names of their keys."""
    return tuple((look.key_name(key), look.translator.gettext(what)) for key, what in hints)


def localize_hints(hints: Hints, look: Look) -> tuple[tuple[str, str], ...]:
    """Translate the key tables' hints, and replace keys by the person's own."""
    return translate_hints([(look.keymap.shown(key), what) for key, what in hints], look)


def hint_line(canvas: Canvas, look: Look, y: int, hints: Hints, x: int = 1, end: int | None = None) -> None:
    """Draw `hints` in row `y` from cell `x` on, as many as fit whole before the cell `end`, by default the edge."""
    kept = (look.key_shown(HELP_KEY), look.key_shown(ACTIONS_KEY))
    end = look.width if end is None else end
    canvas.fill(x - 1, y, end - x + 1, 1, "bar")
    for key, what in fit_hints(hints, end - 1 - x, kept):
        x = canvas.put(x, y, key, "bar-key")
        x = canvas.put(x + 1, y, what, "bar-hint") + _HINT_GAP


def fit_hints(hints: Hints, cells: int, kept_keys: Sequence[str] = (HELP_KEY, ACTIONS_KEY)) -> Hints:
    """Return those of `hints` that fit: the last, the way out, first, then `kept_keys`, then the others."""
    hints = [hint for hint in hints if hint[1]]
    kept: set[int] = set()
    room = cells + _HINT_GAP
    rank = {key: place for place, key in enumerate(kept_keys)}
    urgent = sorted(
        range(len(hints)), key=lambda at: (at != len(hints) - 1, rank.get(hints[at][0], len(rank)))
    )
    for at in urgent:
        room -= hints_width(hints[at : at + 1]) + _HINT_GAP
        if room < 0:
            break
        kept.add(at)
    return [hint for at, hint in enumerate(hints) if at in kept]


def hints_width(hints: Hints) -> int:
    """Return the cells that `hints` take in a row."""
    return sum(len(key) + 1 + len(what) + _HINT_GAP for key, what in hints) - _HINT_GAP


def footer(canvas: Canvas, look: Look, status: str, hints: Hints) -> None:
    """Draw the rows at the bottom: the status, and the hints in the last row."""
    rows = status_rows(status, look)
    put_rows(canvas, 1, look.height - 1 - len(rows), rows)
    hint_line(canvas, look, look.height - 1, hints)


def footer_height(look: Look, status: str) -> int:
    """Return how many rows `footer` takes."""
    return len(status_rows(status, look)) + 1


def hint_at(frame: Frame, x: int, y: int, hints: Hints) -> int | None:
    """Return which of `hints` is drawn in `frame` at the cell (x, y), or None; works for every layout."""
    if not 0 <= y < frame.height:
        return None
    row = "".join(text for text, _ in frame.rows[y])
    for number, (key, what) in enumerate(hints):
        words = f"{key} {what}"
        start = row.find(words)
        while start >= 0:
            if start <= x < start + len(words):
                return number
            start = row.find(words, start + 1)
    return None


def box(canvas: Canvas, look: Look, x: int, y: int, width: int, height: int, role: str = "rule") -> None:
    """Draw a box of `width` by `height` cells."""
    mark = glyphs(look)
    top_left, top_right, low_left, low_right, side = tuple(mark.box)
    canvas.put(x, y, top_left + mark.line * (width - 2) + top_right, role)
    for line in range(y + 1, y + height - 1):
        canvas.put(x, line, side, role)
        canvas.put(x + width - 1, line, side, role)
    canvas.put(x, y + height - 1, low_left + mark.line * (width - 2) + low_right, role)


def put_heading(canvas: Canvas, x: int, y: int, text: str) -> int:
    """Draw the translated heading `text`; return the x after it."""
    return canvas.put(x, y, text.upper(), "heading")


def put_scroll_marks(
    canvas: Canvas, look: Look, y: int, height: int, *, up: bool, down: bool, x: int | None = None
) -> None:
    """Mark at the cell `x` of a list of `height` rows from row `y` on that there is more above or below.

    Without `x` the marks stand at the right edge.
    """
    x = look.width - 1 if x is None else x
    if up:
        canvas.put(x, y, "^" if look.ascii else "↑", "key")
    if down:
        canvas.put(x, y + height - 1, "v" if look.ascii else "↓", "key")


def put_centred(canvas: Canvas, y: int, text: str, role: str, *, ascii: bool = False) -> None:
    """Draw `text` centred from row `y` on."""
    for line, part in enumerate(wrap(text, canvas.width, MAX_ROWS, ascii=ascii)):
        canvas.put((canvas.width - len(part)) // 2, y + line, part, role)


def scroll_top(top: int, cursor: int, count: int, height: int) -> int:
    """Return the first visible row of a list, scrolled from `top` as little as shows the cursor."""
    return max(cursor - height + 1, min(top, cursor, count - height), 0)


def too_small(look: Look) -> bool:
    """Return whether the terminal is too small for the screens."""
    return look.width < MIN_WIDTH or look.height < MIN_HEIGHT


def draw_too_small(look: Look) -> Frame:
    """Draw as much of the too-small card as fits."""
    gettext, canvas = look.translator.gettext, Canvas(look.width, look.height)
    size = f"{look.width} x {look.height}"
    sentences = (
        gettext("{size} is too small.", size=size),
        gettext("The table needs {size}.", size=f"{MIN_WIDTH} x {MIN_HEIGHT}"),
        gettext("Make the window larger or the font smaller."),
    )
    rows = [wrap(text, look.width, MAX_ROWS, ascii=look.ascii) for text in sentences]
    while sum(map(len, rows)) > look.height and len(rows) > 1:
        rows.pop()
    lines = [line for row in rows for line in row]
    if len(lines) > look.height or any(len(line) > look.width for line in lines):
        lines = [text for text in (size, size.replace(" ", "")) if len(text) <= look.width][:1]
    top = max(0, (look.height - len(lines)) // 2)
    for line, text in enumerate(lines):
        put_centred(canvas, top + line, text, "title" if line < len(rows[0]) else "text")
    return canvas.frame()


def cursor_round(action: str | None, cursor: int, count: int) -> int | None:
    """Return the row to which `action` moves from `cursor`, round at the ends of `count` rows; None for others."""
    match action:
        case "up":
            return (cursor - 1) % count
        case "down":
            return (cursor + 1) % count
        case "first":
            return 0
        case "last":
            return count - 1
        case _:
            return None


def cursor_step(action: str | None, page: int, last: int) -> int | None:
    """Return by how many rows `action` moves in a list, None for other actions.

    The list has `last` rows, `page` of them visible.
    """
    match action:
        case "up":
            return -1
        case "down":
            return 1
        case "page-up":
            return -page
        case "page-down":
            return page
        case "first":
            return -last
        case "last":
            return last
        case _:
            return None
