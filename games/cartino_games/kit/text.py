"""Text in several colours: pieces on a line, sentences, rows laid out in advance, the log of moves, the talk."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, islice
from string import Formatter
from typing import Final

from cartino_games.kit.arrangement import Box
from cartino_games.kit.scene import NAME_CELLS, TableScene
from cartino_tui.draw.canvas import Canvas
from cartino_tui.draw.text import clean, wrap
from cartino_tui.draw.theme import SEATS

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
RUNNING: Final = 1
"""In up to so many rows the turns stand one behind the other, not each on a row of its own."""
_BEHIND: Final = 4
"""More turns than stand behind each other in a row."""
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
    """The words of a sentence, each with the place behind them."""
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


def plain_text(chunk: Chunk) -> str:
    """Return the words of a chunk."""
    return "".join(text for text, _ in chunk)


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
    apart: bool = False,
) -> None:
    """Draw the moves (see `draw_moves`) and the talk in their boxes, with frames around them if `headed`.

    Then, or if they are to stand `apart`, the first `since` of `newest`, the turns since the reader's, stand above the
    earlier ones.
    """
    gettext, newest = scene.look.translator.gettext, list(newest)
    if not talks(scene):
        moves = _joined(moves, talk)
        if not (newest or scene.around.said):
            return
    if headed:
        draw_panel(canvas, scene, moves, gettext("Since your turn") if since else gettext("Moves"))
        if talks(scene):
            draw_panel(canvas, scene, talk, gettext("Chat"))
    if not talks(scene):
        notices = min(_LONE_NOTICES, moves.height // 2) if scene.around.said else 0
        moves = moves._replace(height=moves.height - notices)
        talk = Box(moves.x, moves.y + moves.height, moves.width, notices)
    if since and (headed or apart):
        turns = iter(newest)
        lines = _apart(scene, islice(turns, since), moves)
        _draw_lines(canvas, moves, lines)
        used, earlier = len(lines) + 2, next(turns, None)
        newest = () if earlier is None else chain((earlier,), turns)
        moves = Box(moves.x, moves.y + used, moves.width, moves.height - used)
        if earlier is not None and moves.height > 0:
            canvas.put(moves.x + 1, moves.y - 1, scene.look.translator.gettext("Earlier"), "heading")
    if moves.height > 0:
        draw_moves(canvas, scene, newest, moves)
    draw_talk(canvas, scene, talk)


def talks(scene: TableScene) -> bool:
    """Return whether chat has a place of its own: somebody is here to talk to, or has said something."""
    return scene.around.talks or any(name for name, _ in scene.around.said)


def _joined(moves: Box, talk: Box) -> Box:
    """Return the place of the moves with that of the talk, below or beside it."""
    return moves._replace(
        width=max(moves.width, talk.x + talk.width - moves.x),
        height=max(moves.height, talk.y + talk.height - moves.y),
    )


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
        ((f" {first[: len(head)]}", _speaker_role(scene, name)), (first[len(head) :], "chat")),
        *((("  " + line, "chat"),) for line in rest),
    ]


def _speaker_role(scene: TableScene, name: str) -> str:
    """Return the role of a name before what they said: a player's own colour, one for everybody else."""
    for seat, line in enumerate(scene.room.seats):
        if line.kind == "human" and clean(line.name) == name:
            return SEATS[seat % len(SEATS)]
    return "chat-name"
