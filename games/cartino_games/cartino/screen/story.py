"""Running text: the last moves, a turn a paragraph, and the newest talk, broken to the room there is."""

from collections.abc import Iterator, Sequence

from cartino_games.cartino.screen.grid import Box
from cartino_games.cartino.screen.pieces import Chunk, Piece, broken, inked, put_pieces, width
from cartino_games.cartino.screen.scene import NAME_CELLS, Scene, suit_of
from cartino_games.cartino.screen.words import signed
from cartino_games.cartino.views import Event
from cartino_protocol.marking import N_
from cartino_tui.draw.canvas import Canvas
from cartino_tui.draw.text import wrap

INDENT = 2
RUNNING = 1
"""Up to so many rows turns stand one behind the other, not each on a row of its own."""
_BEHIND = 4
"""More turns than stand behind each other in a row."""
_CLOSING = ("turn", "pass", "out")

_LAYS = {
    ("lay", "u"): N_("{stone} upper {points}"),
    ("lay", "l"): N_("{stone} lower {points}"),
    ("swap", "u"): N_("{stone} upper for a joker {points}"),
    ("swap", "l"): N_("{stone} lower for a joker {points}"),
}
"""A stone that was laid, by what it did and on which half."""


def draw_moves(canvas: Canvas, scene: Scene, box: Box) -> None:
    """The newest turns that fit into `box`, oldest first; of one that is longer than that, its newest lays."""
    groups = list(_groups(scene))[-max(box.height, _BEHIND) :]
    if groups:
        draw = _running if box.height <= RUNNING else _apart
        _draw_lines(canvas, box, draw(scene, groups, box))


def _apart(scene: Scene, groups: Sequence[Sequence[Event]], box: Box) -> list[Chunk]:
    """Each turn from a row of its own."""
    lines: list[Chunk] = []
    for group in reversed(groups):
        turn = _paragraph(scene, group)
        block = flow(turn, box.width)
        if len(lines) + len(block) > box.height:
            return lines or _shortened(scene, turn, box)
        lines = [*block, *lines]
    return lines


def _running(scene: Scene, groups: Sequence[Sequence[Event]], box: Box) -> list[Chunk]:
    """The turns one behind the other, for there are few rows."""
    dot: Chunk = ((f" {scene.marks.dot}", "dim"),)
    chunks = _paragraph(scene, groups[-1])
    lines = flow(chunks, box.width)
    if len(lines) > box.height:
        return _shortened(scene, chunks, box)
    for group in reversed(groups[:-1]):
        chunks = [*_paragraph(scene, group), dot, *chunks]
        more = flow(chunks, box.width)
        if len(more) > box.height:
            break
        lines = more
    return lines


def _shortened(scene: Scene, turn: Sequence[Chunk], box: Box) -> list[Chunk]:
    """A turn without as many of its first lays as it takes to fit."""
    more: Chunk = ((f" {scene.marks.more}", "dim"),)
    for left_out in range(1, len(turn)):
        lines = flow([turn[0], more, *turn[1 + left_out :]], box.width)
        if len(lines) <= box.height:
            return lines
    return []


def draw_talk(canvas: Canvas, scene: Scene, box: Box) -> None:
    """The newest lines of chat and notices that fit into `box`; a long one is cut only where it fills the box."""
    blocks: list[list[Chunk]] = []
    for name, text in scene.around.said[-box.height :]:
        blocks.append(_said(scene, name, text, box))
    _draw_newest(canvas, box, blocks)


def turns(scene: Scene) -> Iterator[list[Chunk]]:
    """The last events, a paragraph a turn; a first turn whose beginning is gone is left out."""
    for group in _groups(scene):
        yield _paragraph(scene, group)


def _groups(scene: Scene) -> Iterator[list[Event]]:
    """The events of each turn."""
    group: list[Event] = []
    for event in scene.view.recent:
        group.append(event)
        if event.kind in _CLOSING:
            if _whole(group):
                yield group
            group = []
    if group:
        yield group


def flow(chunks: Sequence[Chunk], cells: int) -> list[Chunk]:
    """Chunks set into lines of at most `cells` cells, the second and later ones indented."""
    lines: list[list[Piece]] = [[]]
    used = 0
    for chunk in chunks:
        size = width(chunk)
        if used and used + size > cells:
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
    _draw_lines(canvas, box, lines)


def _draw_lines(canvas: Canvas, box: Box, lines: Sequence[Chunk]) -> None:
    for y, line in enumerate(lines, box.y):
        put_pieces(canvas, box.x, y, line)


def _whole(group: Sequence[Event]) -> bool:
    """Whether the lays of a closed turn are all there: they make up its points."""
    *before, last = group
    return last.kind != "turn" or (bool(before) and sum(event.points for event in before) == last.points)


def _paragraph(scene: Scene, group: Sequence[Event]) -> list[Chunk]:
    """A turn in the reader's language, in chunks that stay on one line; each begins with the blank before it."""
    first, last, say = group[0], group[-1], scene.look.tongue.say
    name: Piece = (scene.name(first.seat), "you" if first.seat == scene.you else "name")
    if first.kind == "pass":
        return _phrase(inked(say("{name} can lay nothing and passes"), "dim", name=(name,)))
    if first.kind == "out":
        points: Piece = (signed(first.points, scene.marks), "points")
        return _phrase(inked(say("{name} is out of stones {points}"), "dim", name=(name,), points=(points,)))
    lays = [event for event in group if event.kind != "turn"]
    before, _, after = say("{name} laid {stones}").partition("{stones}")
    chunks = [_led(inked(before.rstrip(), "dim", name=(name,)))]
    chunks += [_lay(scene, event, comma=event is not lays[-1]) for event in lays]
    if after.strip():
        chunks += _phrase(inked(after, "dim", name=(name,)))
    if last.kind == "turn" and len(lays) > 1:
        chunks.append(((" = ", "dim"), (signed(last.points, scene.marks), "points")))
    return chunks


def _phrase(sentence: Chunk) -> list[Chunk]:
    """`sentence` in chunks of a word, with the blank before it."""
    words = (tuple((text.strip(), role) for text, role in word if text.strip()) for word in broken(sentence))
    return [_led(word) for word in words if word]


def _led(chunk: Chunk) -> Chunk:
    """`chunk` behind a blank, which takes no ink of its own."""
    return ((" " + chunk[0][0], chunk[0][1]), *chunk[1:])


def _lay(scene: Scene, event: Event, comma: bool) -> Chunk:
    say, marks = scene.look.tongue.say, scene.marks
    points: Piece = (signed(event.points, marks), "points")
    end: Chunk = ((",", "dim"),) if comma else ()
    if event.kind == "five":
        return (*_led(inked(say("five stones {points}"), "dim", points=(points,))), *end)
    stone, card = event.stone, event.spot[:-1]
    what = marks.card(card) if stone == card else f"{marks.joker}{marks.card(card)}"
    said = say(_LAYS[event.kind, event.spot[-1]])
    return (*_led(inked(said, "dim", stone=((what, f"printed-{suit_of(card)}"),), points=(points,))), *end)


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
