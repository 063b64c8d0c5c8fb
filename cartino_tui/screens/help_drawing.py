"""The help as a frame: keys and rules, wrapped to the width, from a line that one scrolls to."""

from collections.abc import Sequence
from functools import lru_cache

import msgspec

from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.draw.text import fit, fold, plain
from cartino_tui.games.screen import Look
from cartino_tui.keys import HELP
from cartino_tui.screens.finding import Hit, hits
from cartino_tui.screens.parts import bar, hint_line, key_name, shown_hints

HINTS = HELP.hints("find", "up", "down", "page-up", "page-down", "actions", "back")
FOUND_HINTS = HELP.hints("next", "previous", "find", "page-up", "page-down", "actions", "back")
_WIDEST = 88
_WIDEST_KEY = 24
"""A word of a table can stand there, in any language."""
_TOP, _BELOW = 3, 2


class HelpPart(msgspec.Struct, frozen=True):
    """A part of the help: a heading, keys as (key, what it does), and plain paragraphs, in the reader's language."""

    heading: str
    keys: tuple[tuple[str, str], ...] = ()
    text: str = ""


class HelpModel(msgspec.Struct, frozen=True):
    """What the help shows: a title, the parts, and the first line in sight.

    `sought` are words that somebody looks for, and `at` is the place, of all where they stand, that they are shown.
    """

    title: str
    parts: tuple[HelpPart, ...]
    top: int = 0
    sought: str = ""
    at: int = 0


def page_height(look: Look) -> int:
    """How many lines are in sight at once."""
    return max(1, look.height - _TOP - _BELOW)


def last_top(model: HelpModel, look: Look) -> int:
    """The furthest that one can scroll."""
    return max(0, len(_lines(model.parts, look)) - page_height(look))


def found(model: HelpModel, look: Look) -> tuple[Hit, ...]:
    """Every place where the words stand that are sought."""
    if not model.sought:
        return ()
    return hits(["".join(text for text, _ in runs) for runs in _lines(model.parts, look)], model.sought)


def draw_help(model: HelpModel, look: Look, status: str = "") -> Frame:
    """The whole help screen, `look.width` by `look.height` cells, with a line about what happened."""
    canvas = Canvas(look.width, look.height)
    lines = _lines(model.parts, look)
    height = page_height(look)
    top = min(model.top, max(0, len(lines) - height))
    seen = min(len(lines), top + height)
    places = found(model, look)
    where = _where(top + 1, seen, len(lines), look)
    if places:
        where = (look.tongue.say("found: {n} of {all}", n=model.at + 1, all=len(places)), where[1])
    bar(canvas, look, model.title, *where)
    left = max(2, (look.width - _WIDEST) // 2)
    for line, runs in enumerate(lines[top:seen]):
        x = left
        for text, role in runs:
            x = canvas.put(x, _TOP + line, plain(text) if look.ascii else text, role)
    for number, hit in enumerate(places):
        for line, at, width in hit:
            if top <= line < seen:
                canvas.paint(
                    left + at, _TOP + line - top, width, "selected" if number == model.at else "button"
                )
    canvas.put(1, look.height - 2, status, "status")
    hint_line(canvas, look, look.height - 1, shown_hints(hints_of(model), look))
    return canvas.frame()


def hints_of(model: HelpModel) -> tuple[tuple[str, str], ...]:
    """What can be done in the help, in English: more once something is sought."""
    return FOUND_HINTS if model.sought else HINTS


def _where(first: int, last: int, count: int, look: Look) -> tuple[str, str]:
    """What is in sight, in fewer and fewer words."""
    lines = look.tongue.say("lines {first} to {last} of {count}", first=first, last=last, count=count)
    return lines, f"{first}-{last}/{count}"


def row_at(model: HelpModel, look: Look, y: int) -> tuple[str, str] | None:
    """The key and what it does, as the model has them, that stand in row `y`; None where no key stands."""
    line = y - _TOP
    if not 0 <= line < page_height(look):
        return None
    rows = _rows(model.parts, look)
    line += min(model.top, max(0, len(rows) - page_height(look)))
    return rows[line][1] if line < len(rows) else None


@lru_cache(maxsize=2048)
def _folded(text: str, width: int) -> tuple[str, ...]:
    """`text` in lines of `width` cells, worked out once for all who read it: wrapping is most of what help takes."""
    return tuple(fold(text, width))


Runs = Sequence[tuple[str, str]]


def _lines(parts: Sequence[HelpPart], look: Look) -> list[Runs]:
    """Every line of the help as runs of (text, role)."""
    return [runs for runs, _ in _rows(parts, look)]


def _rows(parts: Sequence[HelpPart], look: Look) -> list[tuple[Runs, tuple[str, str] | None]]:
    """Every line of the help, and of those about a key, which one and what it does."""
    width = min(_WIDEST, look.width - 4)
    lines: list[tuple[Runs, tuple[str, str] | None]] = []
    for part in parts:
        if lines:
            lines.append(((), None))
        lines.append((((part.heading, "title"),), None))
        keys = [fit(key_name(key, look), _WIDEST_KEY, ascii=look.ascii) for key, _ in part.keys]
        column = 2 + max(map(len, keys), default=0)
        for key, row in zip(keys, part.keys, strict=True):
            for number, text in enumerate(_folded(row[1], width - column) or ("",)):
                lines.append(((((key if number == 0 else "").ljust(column), "key"), (text, "text")), row))
        for paragraph in part.text.splitlines():
            folded: list[Runs] = [((text, "text"),) for text in _folded(paragraph, width)]
            lines += [(runs, None) for runs in folded or [()]]
    return lines
