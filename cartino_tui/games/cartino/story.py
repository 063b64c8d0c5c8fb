"""Running text: the last moves, a turn a paragraph, and the newest talk, broken to the room there is."""

from collections.abc import Iterator, Sequence

from cartino_protocol.games.cartino.views import Event
from cartino_tui.draw.canvas import Canvas
from cartino_tui.draw.text import wrap
from cartino_tui.games.cartino.layout import Box
from cartino_tui.games.cartino.scene import NAME_CELLS, Scene, suit_of
from cartino_tui.games.cartino.words import HALF_WORDS, signed

Piece = tuple[str, str]
"""A bit of text and its role."""

Chunk = tuple[Piece, ...]
"""Pieces that stay on one line."""

INDENT = 2
_CLOSING = ("turn", "pass", "out")


def draw_moves(canvas: Canvas, scene: Scene, box: Box) -> None:
    """The newest turns that fit whole into `box`, oldest first."""
    blocks = [flow(turn, box.width) for turn in turns(scene)]
    _draw_newest(canvas, box, blocks)


def draw_talk(canvas: Canvas, scene: Scene, box: Box) -> None:
    """The newest lines of chat and notices that fit into `box`; a long one is cut only where it fills the box."""
    blocks: list[list[Chunk]] = []
    for name, text in scene.around.said[-box.height :]:
        blocks.append(_said(scene, name, text, box))
    _draw_newest(canvas, box, blocks)


def turns(scene: Scene) -> Iterator[list[Chunk]]:
    """The last events, a paragraph a turn; a first turn whose beginning is gone is left out."""
    group: list[Event] = []
    for event in scene.view.recent:
        group.append(event)
        if event.kind in _CLOSING:
            if _whole(group):
                yield _paragraph(scene, group)
            group = []
    if group:
        yield _paragraph(scene, group)


def told(scene: Scene) -> str:
    """What was done last, without the rest of its turn: `Ann laid A♥ upper +9`; "" where nothing was yet."""
    if not scene.view.recent:
        return ""
    last = scene.view.recent[-1]
    if last.kind != "turn":
        return "".join(text for chunk in _paragraph(scene, [last]) for text, _ in chunk).strip()
    fifth = any(event.kind == "five" for event in scene.view.recent[-2:])
    what = "laid all five stones:" if fifth else "ended the turn with"
    return f"{scene.name(last.seat)} {what} {signed(last.points, scene.marks)}"


def flow(chunks: Sequence[Chunk], width: int) -> list[Chunk]:
    """Chunks set into lines of at most `width` cells, the second and later ones indented."""
    lines: list[list[Piece]] = [[]]
    used = 0
    for chunk in chunks:
        size = sum(len(text) for text, _ in chunk)
        if used and used + size > width:
            lines.append([(" " * INDENT, "ground")])
            used = INDENT
        lines[-1] += chunk
        used += size
    return [tuple(line) for line in lines]


def _draw_newest(canvas: Canvas, box: Box, blocks: Sequence[Sequence[Chunk]]) -> None:
    lines: list[Chunk] = []
    for block in reversed(blocks):
        if len(lines) + len(block) > box.height:
            break
        lines = [*block, *lines]
    for y, line in enumerate(lines, box.y):
        x = box.x
        for text, role in line:
            x = canvas.put(x, y, text, role)


def _whole(group: Sequence[Event]) -> bool:
    """Whether the lays of a closed turn are all there: they make up its points."""
    *before, last = group
    return last.kind != "turn" or (bool(before) and sum(event.points for event in before) == last.points)


def _paragraph(scene: Scene, group: Sequence[Event]) -> list[Chunk]:
    first, last = group[0], group[-1]
    head: Chunk = ((f" {scene.name(first.seat)}", "you" if first.seat == scene.you else "name"),)
    if first.kind == "pass":
        return [head, ((" can lay nothing and passes", "dim"),)]
    if first.kind == "out":
        return [head, ((" is out of stones ", "dim"), (signed(first.points, scene.marks), "points"))]
    lays = [event for event in group if event.kind != "turn"]
    chunks = [(*head, (" laid", "dim"))]
    chunks += [_lay(scene, event, comma=event is not lays[-1]) for event in lays]
    if last.kind == "turn" and len(lays) > 1:
        chunks.append(((" = ", "dim"), (signed(last.points, scene.marks), "points")))
    return chunks


def _lay(scene: Scene, event: Event, comma: bool) -> Chunk:
    points: Piece = (signed(event.points, scene.marks), "points")
    end: Chunk = ((",", "dim"),) if comma else ()
    if event.kind == "five":
        return ((" five stones ", "dim"), points, *end)
    stone, card = event.stone, event.spot[:-1]
    role = f"printed-{suit_of(card)}"
    what = scene.marks.card(card) if stone == card else f"{scene.marks.joker}{scene.marks.card(card)}"
    half = HALF_WORDS[event.spot[-1]]
    swap = " for a joker" if event.kind == "swap" else ""
    return ((f" {what}", role), (f" {half}{swap} ", "dim"), points, *end)


def _said(scene: Scene, name: str, text: str, box: Box) -> list[Chunk]:
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
