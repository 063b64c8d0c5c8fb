"""The log of moves and the talk."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final

from cartino_games.kit.arrangement import Box
from cartino_games.kit.scene import NAME_CELLS, TableScene
from cartino_games.kit.text import INDENT, Chunk, Paragraph, draw_panel, flow, put_pieces
from cartino_tui.draw.canvas import Canvas
from cartino_tui.draw.text import wrap
from cartino_tui.game_port.screen import speaker_role

RUNNING: Final = 1
"""In up to so many rows the turns stand one behind the other, not each on a row of its own."""
_BEHIND: Final = 4
"""More turns than stand behind each other in a row."""


def draw_moves(canvas: Canvas, scene: TableScene, newest: Iterable[Paragraph], box: Box) -> None:
    """Draw the newest turns that fit into `box`, oldest first; of one that is longer, its newest chunks.

    `newest` yields paragraphs, the newest first, and is read no further than there is room. Of a paragraph that is
    too long the first chunk (who it was) stays, and chunks behind that are left out.
    """
    draw = _running if box.height <= RUNNING else _apart
    _draw_lines(canvas, box, draw(scene, newest, box))


def _apart(scene: TableScene, newest: Iterable[Paragraph], box: Box) -> list[Chunk]:
    """Lay out each turn from a row of its own."""
    lines: list[Chunk] = []
    for turn in newest:
        block = flow(turn, box.width)
        if len(lines) + len(block) > box.height:
            return lines or _shortened(scene, turn, box)
        lines = [*block, *lines]
    return lines


def _running(scene: TableScene, newest: Iterable[Paragraph], box: Box) -> list[Chunk]:
    """Lay out the turns one behind the other, for there are few rows."""
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
    """Return a turn without as many of its first chunks as it takes to fit."""
    more: Chunk = ((f" {scene.marks.more}", "dim"),)
    for left_out in range(1, len(turn)):
        lines = flow([turn[0], more, *turn[1 + left_out :]], box.width)
        if len(lines) <= box.height:
            return lines
    return []


_LONE_NOTICES: Final = 2
"""The rows below the moves for notices where there is nobody to talk to."""
_ROWS_WITH_NOTICE: Final = 3
"""The rows from which chat leaves one to a notice."""


def draw_talk(canvas: Canvas, scene: TableScene, box: Box) -> None:
    """Draw the newest lines of chat that fit into `box`, and notices in the rows that they leave.

    The newest line comes first; from three rows on, one is the newest notice's.
    """
    said = scene.around.said
    order = range(len(said) - 1, -1, -1)
    chat, notices = ([at for at in order if bool(said[at][0]) is spoken] for spoken in (True, False))
    first = notices[:1] if box.height >= _ROWS_WITH_NOTICE else []
    left, shown = box.height, dict[int, list[Chunk]]()
    for some in (chat[:1], first, chat[1:], notices[len(first) :]):
        for at in some:
            block = _said(scene, *said[at], box)
            if len(block) > left:
                break
            shown[at], left = block, left - len(block)
    _draw_lines(canvas, box, [line for at in sorted(shown) for line in shown[at]])


def draw_log(
    canvas: Canvas,
    scene: TableScene,
    newest: Iterable[Paragraph],
    moves: Box,
    talk: Box,
    *,
    headed: bool,
    since: int = 0,
    before: int | None = None,
) -> None:
    """Draw the moves (see `draw_moves`) and the talk in their boxes, with frames around them if `headed`.

    Where it is known how many moves came `before` those of `newest`, they stand on pages (see `_pages`), on which the
    first `since` of `newest`, the turns since the reader's, are marked.
    """
    gettext = scene.look.translator.gettext
    paged = before is not None
    if not talks(scene):
        moves = _joined(moves, talk)
    if headed:
        heading = f"{scene.marks.since}{gettext('Since your turn')}" if since else gettext("Moves")
        draw_panel(canvas, scene, moves, heading)
        if talks(scene):
            draw_panel(canvas, scene, talk, gettext("Chat"))
    if not talks(scene):
        notices = min(_LONE_NOTICES, moves.height // 2) if scene.around.said or paged else 0
        moves = moves._replace(height=moves.height - notices)
        talk = Box(moves.x, moves.y + moves.height, moves.width, notices)
    if before is None:
        draw_moves(canvas, scene, newest, moves)
    else:
        _draw_pages(canvas, scene, list(newest), moves, since, before)
    draw_talk(canvas, scene, talk)


def _draw_pages(
    canvas: Canvas, scene: TableScene, newest: Sequence[Paragraph], box: Box, since: int, before: int
) -> None:
    """Draw the turns that are in sight, and below the newest one that those after it are earlier.

    Where there is no room for that, a sign stands before the newest.
    """
    blocks = [_set(tuple(turn), box.width) for turn in newest]
    tops, end = _pages([len(block) for block in blocks], box.height, before, since)
    for number, top in tops.items():
        block = blocks[number]
        if len(block) > box.height:
            block = _shortened(scene, newest[number], box)
        _draw_lines(canvas, box._replace(y=box.y + top), block)
        for line in range(len(block) if number < since else 0):
            newest_of_all = number + line == 0 and end in tops.values()
            sign = scene.marks.left if newest_of_all else scene.marks.since
            canvas.put(box.x, box.y + top + line, sign, "mark")
    if end not in tops.values() and any(top > end for top in tops.values()):
        canvas.put(box.x + 1, box.y + end, scene.look.translator.gettext("Earlier"), "heading")


def _pages(heights: Sequence[int], rows: int, before: int, since: int) -> tuple[dict[int, int], int]:
    """Return the first row of each turn that is in sight, by its number from the newest, and the row after that one.

    The turns, of so many `heights` the newest first, with so many of one row `before` them, fill the page from above.
    Where it is full they begin at its top again, over the earliest ones, with a row between them and what is left of
    those (unless one of the `since` newest would be lost by that). So nothing moves when a turn is added, unlike in a
    list that scrolls, of which every row would be sent again.
    """
    tops: dict[int, int] = {}
    pages, at = [0] * len(heights), before % rows if rows else 0
    page = 0
    for number in reversed(range(len(heights))):
        height = min(heights[number], rows)
        if at + height > rows:
            page, at = page + 1, 0
        tops[number], pages[number] = at, page
        at += height
    return {
        number: top
        for number, top in tops.items()
        if pages[number] == page or (pages[number] == page - 1 and top >= at + (number >= since))
    }, at


@lru_cache(maxsize=4096)
def _set(turn: tuple[Chunk, ...], cells: int) -> Sequence[Chunk]:
    """Return the lines of a turn; of those of a whole game few are new whenever it is drawn."""
    return flow(turn, cells)


def talks(scene: TableScene) -> bool:
    """Return whether chat has a place of its own: somebody is here to talk to, or has said something."""
    return scene.around.talks or any(name for name, _ in scene.around.said)


def _joined(moves: Box, talk: Box) -> Box:
    """Return the place of the moves with that of the talk, below or beside it."""
    return moves._replace(
        width=max(moves.width, talk.x + talk.width - moves.x),
        height=max(moves.height, talk.y + talk.height - moves.y),
    )


def _draw_lines(canvas: Canvas, box: Box, lines: Sequence[Chunk]) -> None:
    for y, line in enumerate(lines, box.y):
        put_pieces(canvas, box.x, y, line)


def _said(scene: TableScene, name: str, text: str, box: Box) -> list[Chunk]:
    """Return one line of chat (or a notice, without a name) broken to the width of `box`."""
    head = f"{scene.fit(name, NAME_CELLS)}: " if name else ""
    body = wrap(head + text, box.width - INDENT, box.height, ascii=scene.look.ascii)
    if not name or not body:
        return [((f" {line}", "notice"),) for line in body]
    first, *rest = body
    return [
        ((f" {first[: len(head)]}", speaker_role(scene.table, name)), (first[len(head) :], "chat")),
        *((("  " + line, "chat"),) for line in rest),
    ]
