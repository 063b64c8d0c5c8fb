"""Running text: the last moves, a turn a paragraph, and the newest talk, broken to the room there is."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

from cartino_games.kit.arrangement import Box
from cartino_games.kit.scene import NAME_CELLS, TableScene
from cartino_games.kit.text import INDENT, Chunk, flow, put_pieces
from cartino_tui.draw.canvas import Canvas
from cartino_tui.draw.text import wrap

RUNNING: Final = 1
"""In up to so many rows the turns stand one behind the other, not each on a row of its own."""
_BEHIND: Final = 4
"""More turns than stand behind each other in a row."""

Paragraph = Sequence[Chunk]
"""A turn in the reader's language, in chunks that stay on one line; each begins with the blank before it."""


def draw_moves(canvas: Canvas, scene: TableScene, newest: Iterable[Paragraph], box: Box) -> None:
    """Draw the newest turns that fit into `box`, oldest first; of one that is longer, its newest chunks.

    `newest` yields paragraphs, the newest first, and is read no further than there is room. Of a paragraph that is
    too long the first chunk (who it was) stays, and chunks behind that are left out.
    """
    draw = _running if box.height <= RUNNING else _apart
    _draw_lines(canvas, box, draw(scene, newest, box))


def _apart(scene: TableScene, newest: Iterable[Paragraph], box: Box) -> list[Chunk]:
    """Each turn from a row of its own."""
    lines: list[Chunk] = []
    for turn in newest:
        block = flow(turn, box.width)
        if len(lines) + len(block) > box.height:
            return lines or _shortened(scene, turn, box)
        lines = [*block, *lines]
    return lines


def _running(scene: TableScene, newest: Iterable[Paragraph], box: Box) -> list[Chunk]:
    """The turns one behind the other, for there are few rows."""
    dot: Chunk = ((f" {scene.marks.dot}", "dim"),)
    chunks: Paragraph = ()
    lines: list[Chunk] = []
    for turn in islice(newest, _BEHIND):
        chunks = [*turn, dot, *chunks] if chunks else turn
        more = flow(chunks, box.width)
        if len(more) > box.height:
            return lines or _shortened(scene, turn, box)
        lines = more
    return lines


def _shortened(scene: TableScene, turn: Paragraph, box: Box) -> list[Chunk]:
    """A turn without as many of its first chunks as it takes to fit."""
    more: Chunk = ((f" {scene.marks.more}", "dim"),)
    for left_out in range(1, len(turn)):
        lines = flow([turn[0], more, *turn[1 + left_out :]], box.width)
        if len(lines) <= box.height:
            return lines
    return []


def draw_talk(canvas: Canvas, scene: TableScene, box: Box) -> None:
    """Draw the newest lines of chat and notices that fit into `box`; a line is cut only where it fills the box."""
    lines: list[Chunk] = []
    for name, text in reversed(scene.around.said[-box.height :]):
        block = _said(scene, name, text, box)
        if len(lines) + len(block) > box.height:
            break
        lines = [*block, *lines]
    _draw_lines(canvas, box, lines)


def _draw_lines(canvas: Canvas, box: Box, lines: Sequence[Chunk]) -> None:
    for y, line in enumerate(lines, box.y):
        put_pieces(canvas, box.x, y, line)


def _said(scene: TableScene, name: str, text: str, box: Box) -> list[Chunk]:
    """One line of chat (or a notice, without a name) broken to the width of `box`."""
    head = f"{scene.fit(name, NAME_CELLS)}: " if name else ""
    body = wrap(head + text, box.width - INDENT, box.height, ascii=scene.look.ascii)
    if not name or not body:
        return [((f" {line}", "notice"),) for line in body]
    first, *rest = body
    return [
        ((f" {first[: len(head)]}", "chat-name"), (first[len(head) :], "chat")),
        *((("  " + line, "chat"),) for line in rest),
    ]
