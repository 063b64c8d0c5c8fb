"""Pieces that every drawn screen of the frame shares: the bar on top, the hint line, cards, the small-size card."""

from collections.abc import Iterable, Sequence

import msgspec

from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.draw.text import fit
from cartino_tui.games.plug import Look

LEAST_WIDTH, LEAST_HEIGHT = 80, 24
"""The smallest terminal, in cells, that the screens are drawn for."""

Hints = Sequence[tuple[str, str]]


class Marks(msgspec.Struct, frozen=True):
    """The characters that a terminal may lack."""

    suits: str
    line: str
    dot: str
    pick: str
    turn: str
    here: str
    free: str
    dash: str
    ellipsis: str
    tick: str
    won: str
    box: str


_MARKS = Marks("♠♥♦♣", "─", "·", "►", "►", "●", "○", "—", "…", "√", "★", "╭╮╰╯│")
_ASCII = Marks("SHDC", "-", "|", ">", ">", "*", "o", "-", "~", "x", "*", "++++|")
_ASCII_KEYS = {"↑": "^", "↓": "v", "←": "<", "→": ">"}
_SUIT_ROLES = ("spade", "heart", "diamond", "club")


def marks(look: Look) -> Marks:
    """The characters for `look`."""
    return _ASCII if look.ascii else _MARKS


def bar(canvas: Canvas, look: Look, title: str, facts: str) -> None:
    """The top two rows: four suits, `title` at the left, `facts` at the right, a rule below."""
    mark = marks(look)
    x = 1
    for suit, role in zip(mark.suits, _SUIT_ROLES, strict=True):
        x = canvas.put(x, 0, suit, role)
    room = look.width - x - 6
    facts = fit(facts, room - min(len(title), room // 2), ascii=look.ascii)
    canvas.put(x + 2, 0, fit(title, room - len(facts), ascii=look.ascii), "title")
    canvas.put(look.width - 1 - len(facts), 0, facts, "facts")
    canvas.put(0, 1, mark.line * look.width, "rule")


def key_name(key: str, look: Look) -> str:
    """A key as it is written where `look` has no arrows."""
    return _ASCII_KEYS.get(key, key) if look.ascii else key


def hint_line(canvas: Canvas, look: Look, y: int, hints: Hints, x: int = 1) -> None:
    """`hints` in row `y` from cell `x` on, as many as fit whole."""
    for key, what in hints:
        shown = key_name(key, look)
        if x + len(shown) + 1 + len(what) >= look.width:
            return
        x = canvas.put(x, y, shown, "key")
        x = canvas.put(x + 1, y, what, "hint") + 2


def hints_width(hints: Hints) -> int:
    """How many cells `hints` take in a row, the gap behind the last one left out."""
    return sum(len(key) + 1 + len(what) + 2 for key, what in hints) - 2


def hint_at(frame: Frame, x: int, y: int, hints: Hints) -> str | None:
    """The key of the hint whose words stand in `frame` at the cell (x, y), or None.

    Looks for the words in what was drawn, so it holds for every layout, a game's own ones too.
    """
    if not 0 <= y < frame.height:
        return None
    row = "".join(text for text, _ in frame.rows[y])
    for key, what in hints:
        for shown in (key, _ASCII_KEYS.get(key, key)):
            words = f"{shown} {what}"
            start = row.find(words)
            while start >= 0:
                if start <= x < start + len(words):
                    return key
                start = row.find(words, start + 1)
    return None


def box(canvas: Canvas, look: Look, x: int, y: int, width: int, height: int, role: str = "rule") -> None:
    """The outline of a box of `width` by `height` cells."""
    mark = marks(look)
    top_left, top_right, low_left, low_right, side = tuple(mark.box)
    canvas.put(x, y, top_left + mark.line * (width - 2) + top_right, role)
    for line in range(y + 1, y + height - 1):
        canvas.put(x, line, side, role)
        canvas.put(x + width - 1, line, side, role)
    canvas.put(x, y + height - 1, low_left + mark.line * (width - 2) + low_right, role)


def heading(canvas: Canvas, x: int, y: int, text: str) -> None:
    """The heading of a part of the screen."""
    canvas.put(x, y, text.upper(), "heading")


def centre(canvas: Canvas, y: int, text: str, role: str) -> None:
    """`text` in the middle of row `y`."""
    canvas.put((canvas.width - len(text)) // 2, y, text, role)


def first_in_sight(top: int, cursor: int, count: int, height: int) -> int:
    """Where a list of `count` rows begins, scrolled from `top` as little as brings the cursor into its `height`."""
    return max(cursor - height + 1, min(top, cursor, count - height), 0)


def too_small(look: Look) -> bool:
    """Whether the screens can't be drawn in this size."""
    return look.width < LEAST_WIDTH or look.height < LEAST_HEIGHT


def draw_too_small(look: Look) -> Frame:
    """The card that stands in for a screen as long as the terminal is too small."""
    lines: Iterable[str] = (
        f"{look.width} x {look.height} is too small.",
        f"The table needs {LEAST_WIDTH} x {LEAST_HEIGHT}:",
        "make the window larger,",
        "or its letters smaller.",
    )
    canvas = Canvas(look.width, look.height)
    top = max(0, (look.height - 4) // 2)
    for line, text in enumerate(lines):
        centre(canvas, top + line, text, "title" if line == 0 else "text")
    return canvas.frame()
