"""What can be done, as a list with numbers and a cursor."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from cartino_games.kit.arrangement import Box
from cartino_games.kit.scene import TableScene
from cartino_games.kit.text import Piece, put_pieces, width
from cartino_tui.draw.canvas import Canvas

_NUMBERED: Final = 9
"""Choices beyond it have no number: the cursor reaches them."""
_HEAD: Final = 3
"""The cells before a text: the cursor's mark, the number, a blank."""


class ListedChoice(NamedTuple):
    """A line of the list: `said` in pieces, as `inked` makes them, and what it scores; "" for nothing to show.

    `closed`: it can't be done now, and the line says why; it is dim.
    """

    said: Sequence[Piece]
    points: str = ""
    closed: bool = False


def first_choice(box: Box, count: int, cursor: int) -> int:
    """Return the number of the first of `count` choices that `box` shows, so that the one at `cursor` is in sight."""
    return max(0, min(cursor - box.height // 2, count - box.height))


def choice_at(box: Box, count: int, cursor: int, x: int, y: int) -> int | None:
    """Return the number of the choice at the cell (x, y), counted from 0; None for none."""
    number = first_choice(box, count, cursor) + y - box.y
    return number if box.holds(x, y) and number < count else None


def draw_choices(
    canvas: Canvas, scene: TableScene, box: Box, choices: Sequence[ListedChoice], cursor: int | None = None
) -> None:
    """Draw a choice a row: the cursor's mark, its number from 1 to 9, its text, at the right end what it scores.

    Where `box` is lower than the list, the choices around the cursor are shown, and marks at the right end say that
    there are more above or below. Texts that are too long are cut.
    """
    first = first_choice(box, len(choices), cursor or 0)
    shown = choices[first : first + box.height]
    scrolled = len(shown) < len(choices)
    end = box.x + box.width - 2 * scrolled
    for y, (at, choice) in enumerate(enumerate(shown, first), box.y):
        if at == cursor:
            canvas.put(box.x, y, scene.marks.left, "cursor")
        if at < _NUMBERED:
            canvas.put(box.x + 1, y, str(at + 1), "dim" if choice.closed else "key")
        cells = end - box.x - _HEAD - (len(choice.points) + 1 if choice.points else 0)
        said = [(text, "dim") for text, _ in choice.said] if choice.closed else choice.said
        put_pieces(canvas, box.x + _HEAD, y, cut(scene, said, cells))
        canvas.put(end - len(choice.points), y, choice.points, "dim" if choice.closed else "points")
    if first > 0:
        canvas.put(box.x + box.width - 1, box.y, scene.marks.above, "dim")
    if first + len(shown) < len(choices):
        canvas.put(box.x + box.width - 1, box.y + len(shown) - 1, scene.marks.below, "dim")


def cut(scene: TableScene, pieces: Sequence[Piece], cells: int) -> list[Piece]:
    """Return `pieces` in at most `cells` cells; what was cut shows as the mark for more."""
    if width(pieces) <= cells:
        return list(pieces)
    kept: list[Piece] = []
    left = max(cells - 1, 0)
    for text, role in pieces:
        kept.append((text[:left], role))
        left -= len(kept[-1][0])
    return [*(piece for piece in kept if piece[0]), (scene.marks.more, "dim")]
