"""Text in several colours: pieces on a line, sentences, rows laid out in advance, panels around them."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from string import Formatter
from typing import Final

from cartino_games.kit.arrangement import Box
from cartino_games.kit.scene import TableScene
from cartino_tui.draw.canvas import Canvas
from cartino_tui.draw.text import wrap

Piece = tuple[str, str]
"""A bit of text and its role."""

Chunk = tuple[Piece, ...]
"""Pieces that stay on one line."""

Paragraph = Sequence[Chunk]
"""A turn in the reader's language, in chunks that stay on one line; each begins with the blank before it."""

Placed = tuple[int, str, str]
"""A bit of text of a row: the cell in which it begins, counted from the row's left end, the text, its role."""

Row = Sequence[Placed]

INDENT: Final = 2
"""The cells by which the second and later lines of a paragraph are indented."""
_MANY: Final = 99
"""More rows than any text here takes."""


def inked(said: str, role: str, **places: Sequence[Piece]) -> Chunk:
    """Return the sentence `said`, a translated template, in `role`, with the pieces for its `{places}`."""
    pieces: list[Piece] = []
    for words, place in _parts(said):
        if words:
            pieces.append((words, role))
        if place is not None:
            pieces += places[place]
    return tuple(pieces)


@lru_cache(maxsize=256)
def _parts(said: str) -> tuple[tuple[str, str | None], ...]:
    """Return the words of a sentence, each with the place behind them."""
    return tuple((words, place) for words, place, _, _ in Formatter().parse(said))


def broken(chunk: Chunk) -> Iterator[Chunk]:
    """Yield `chunk` in pieces between which a line may end: after each blank."""
    word: list[Piece] = []
    for text, role in chunk:
        for part in _words(text):
            word.append((part, role))
            if part.endswith(" "):
                yield tuple(word)
                word = []
    if word:
        yield tuple(word)


def _words(text: str) -> Iterator[str]:
    start = 0
    while (end := text.find(" ", start)) >= 0:
        yield text[start : end + 1]
        start = end + 1
    if start < len(text):
        yield text[start:]


def phrase(sentence: Chunk) -> list[Chunk]:
    """Return `sentence` in chunks of a word, each with the blank before it."""
    words = (tuple((text.strip(), role) for text, role in word if text.strip()) for word in broken(sentence))
    return [led(word) for word in words if word]


def led(chunk: Chunk) -> Chunk:
    """Return `chunk` behind a blank in the colour of its first piece."""
    return ((" " + chunk[0][0], chunk[0][1]), *chunk[1:])


def flow(chunks: Sequence[Chunk], cells: int) -> list[Chunk]:
    """Return `chunks` set into lines of at most `cells` cells, the second and later ones indented.

    Chunks that no line has room for are broken at blanks.
    """
    lines: list[list[Piece]] = [[]]
    used = 0
    whole = [
        chunk for each in chunks for chunk in ([each] if width(each) <= cells - INDENT else broken(each))
    ]
    for chunk in whole:
        size = width(chunk)
        if used and used + size > cells:
            lines.append([(" " * INDENT, "ground")])
            used = INDENT
        lines[-1] += chunk
        used += size
    return [tuple(line) for line in lines]


def width(pieces: Sequence[Piece], gap: int = 0) -> int:
    """Return how many cells `pieces` take with `gap` cells between them."""
    return max(0, sum(len(text) + gap for text, _ in pieces) - gap)


def put_pieces(canvas: Canvas, x: int, y: int, pieces: Sequence[Piece], gap: int = 0) -> int:
    """Draw `pieces` with `gap` cells between them; return the x after them and one more gap."""
    for text, role in pieces:
        x = canvas.put(x, y, text, role) + gap
    return x


def flowing(scene: TableScene, text: str, width: int, role: str) -> list[Row]:
    """Return `text` in rows of at most `width` cells; none for ""."""
    return [((0, line, role),) for line in wrap(text, width, _MANY, ascii=scene.look.ascii)]


def rows_width(rows: Sequence[Row]) -> int:
    """Return how many cells the widest of `rows` takes."""
    return max((x + len(text) for row in rows for x, text, _ in row), default=0)


def draw_rows(canvas: Canvas, x: int, y: int, rows: Sequence[Row]) -> int:
    """Draw `rows` one below the other; return the y after them."""
    for line, row in enumerate(rows, y):
        for at, text, role in row:
            canvas.put(x + at, line, text, role)
    return y + len(rows)


def first_that_fits(variants: Sequence[str], cells: int) -> str:
    """Return the first of `variants`, the longest first, that `cells` have room for; else the last."""
    return next((text for text in variants if len(text) <= cells), variants[-1])


def draw_panel(canvas: Canvas, scene: TableScene, inside: Box, heading: str) -> None:
    """Draw a frame around `inside`, with a heading in its upper line."""
    marks, x, y = scene.marks, inside.x - 1, inside.y - 1
    across, corners = marks.across, marks.corners
    width, bottom = inside.width, inside.y + inside.height
    canvas.put(x, y, corners[6] + across * width + corners[3], "rule")
    canvas.put(x, bottom, corners[12] + across * width + corners[9], "rule")
    for line in range(inside.y, bottom):
        canvas.put(x, line, marks.down, "rule")
        canvas.put(x + width + 1, line, marks.down, "rule")
    canvas.put(x + 2, y, f" {heading} ", "heading")
