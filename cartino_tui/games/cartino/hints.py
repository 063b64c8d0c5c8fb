"""The row of key hints: the table's own first, each a word to click on, then the frame's."""

from collections.abc import Sequence

from cartino_protocol.games.cartino.views import CartinoView
from cartino_protocol.views import RoomView
from cartino_tui.draw.canvas import Canvas
from cartino_tui.games.cartino.marks import Marks, marks
from cartino_tui.games.cartino.scene import Scene

Hint = tuple[str, str, str]
"""What is shown for the key, what it does, and the key's name for a click ("" where there are several)."""

_GAP = 2


def own_hints(room: RoomView, view: CartinoView, marks: Marks) -> Sequence[Hint]:
    """The table's own hints: the same through a whole game, so that they need no repainting; none for spectators."""
    if view.on_turn is None or room.you is None:
        return ()
    return (
        ("1-5", "stone", ""),
        (marks.halves, "half", ""),
        ("Enter", "lay", "enter"),
        ("e", "end turn", "e"),
    )


def draw_hints(canvas: Canvas, scene: Scene) -> None:
    """Own hints, then the frame's, as many as stand whole in the row."""
    own = () if scene.around.alone else own_hints(scene.room, scene.view, scene.marks)
    x = 1
    for shown, what in (*((hint[0], hint[1]) for hint in own), *scene.around.hints):
        shown_safe, what_safe = scene.fit(shown, 12), scene.fit(what, 24)
        if x + len(shown_safe) + 1 + len(what_safe) > scene.layout.width:
            return
        x = canvas.put(x, scene.layout.hints, shown_safe, "key")
        x = canvas.put(x + 1, scene.layout.hints, what_safe, "hint") + _GAP


def hint_at(room: RoomView, view: CartinoView, ascii: bool, x: int) -> str:
    """The key that the own hint at cell x of the hint row stands for, "" for none."""
    at = 1
    for shown, what, key in own_hints(room, view, marks(ascii)):
        end = at + len(shown) + 1 + len(what)
        if at <= x < end:
            return key
        at = end + _GAP
    return ""
