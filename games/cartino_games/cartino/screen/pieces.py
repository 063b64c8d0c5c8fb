"""Sentences of more than one ink: what is said in the reader's language, with coloured things in its places."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from string import Formatter

from cartino_tui.draw.canvas import Canvas

Piece = tuple[str, str]
"""A bit of text and its role."""

Chunk = tuple[Piece, ...]
"""Pieces that stay on one line."""


def inked(said: str, role: str, **places: Sequence[Piece]) -> Chunk:
    """The sentence `said` in `role`, with what stands in its `{places}`."""
    pieces: list[Piece] = []
    for words, place in _parts(said):
        if words:
            pieces.append((words, role))
        if place is not None:
            pieces += places[place]
    return tuple(pieces)


@lru_cache(maxsize=256)
def _parts(said: str) -> tuple[tuple[str, str | None], ...]:
    """The words of a sentence, each with the place behind them."""
    return tuple((words, place) for words, place, _, _ in Formatter().parse(said))


def broken(chunk: Chunk) -> Iterator[Chunk]:
    """`chunk` in pieces between which a line may end: after each blank."""
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


def plain_text(chunk: Chunk) -> str:
    """The words of a chunk."""
    return "".join(text for text, _ in chunk)


def width(pieces: Sequence[Piece], gap: int = 0) -> int:
    """How many cells `pieces` take with `gap` cells between them."""
    return max(0, sum(len(text) + gap for text, _ in pieces) - gap)


def put_pieces(canvas: Canvas, x: int, y: int, pieces: Sequence[Piece], gap: int = 0) -> int:
    """Draw `pieces` with `gap` cells between them; returns the x after them."""
    for text, role in pieces:
        x = canvas.put(x, y, text, role) + gap
    return x
