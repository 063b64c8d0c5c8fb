"""The row of key hints: the table's own first, each a word to click on, then the frame's."""

from collections.abc import Sequence

from cartino_games.cartino.marks import halves
from cartino_games.cartino.screen.scene import Scene
from cartino_games.cartino.views import CartinoView
from cartino_protocol.views import RoomView
from cartino_tui.draw.canvas import Canvas
from cartino_tui.draw.text import clean, plain
from cartino_tui.games.screen import Look

Hint = tuple[str, str, str]
"""What is shown for the key, what it does, and the key's name for a click ("" where there are several)."""

_GAP = 2
_LESSON = 36
"""The cells of a lesson's own hints, about: without them there would be no way on."""


def own_hints(room: RoomView, view: CartinoView, look: Look) -> Sequence[Hint]:
    """The table's own hints: the same through a whole game, so that they need no repainting; none for spectators.

    They come before what the frame has but its help and the way out. Where there is still no room for all, those stay
    that can be clicked; the status line names the keys of the others.
    """
    say = look.tongue.say
    if view.on_turn is None:
        return (("Tab", say("next page"), "tab"),)
    if room.you is None:
        return ()
    hints = (
        ("1-5", say("stone"), ""),
        (halves(look), say("half"), ""),
        (look.keymap.shown("Enter"), say("lay"), "enter"),
        (look.keymap.shown("e"), say("end turn"), "e"),
    )
    room_left = look.width - 1 - _frames(room, look)
    shown = (hints, (hints[0], *hints[2:]), hints[2:])
    return next((some for some in shown if sum(_width(*hint[:2]) for hint in some) <= room_left), hints[2:])


def _frames(room: RoomView, look: Look) -> int:
    """The cells that are the frame's in any case: a lesson, which is at a table without a code, needs more of them."""
    if not room.code:
        return _LESSON
    say, shown = look.tongue.say, look.keymap.shown
    more = _width(shown(":"), say("more"))
    return more + _width(shown("?"), say("help")) + _width(shown("q"), say("leave")) - _GAP + 1


def draw_hints(canvas: Canvas, scene: Scene) -> None:
    """Own hints, then as many of the frame's as stand whole in the row.

    The last comes before the help, that before the search among all actions, and these before others.
    """
    own = () if scene.around.alone else own_hints(scene.room, scene.view, scene.look)
    safe = plain if scene.look.ascii else clean
    frames = [(safe(shown), safe(what)) for shown, what in scene.around.hints]
    left = scene.layout.width - 1 + _GAP - sum(_width(*hint[:2]) for hint in own) - 1
    kept = {scene.look.keymap.shown(key) for key in ":?"}
    while len(frames) > 1 and sum(_width(*hint) for hint in frames) > left:
        del frames[next((at for at, (key, _) in enumerate(frames[:-1]) if key not in kept), 0)]
    x = 1
    for shown, what in (*((hint[0], safe(hint[1])) for hint in own), *frames):
        x = canvas.put(x, scene.layout.hints, shown, "key")
        x = canvas.put(x + 1, scene.layout.hints, what, "hint") + _GAP


def hint_at(room: RoomView, view: CartinoView, look: Look, x: int) -> str:
    """The key that the own hint at cell x of the hint row stands for, "" for none."""
    at = 1
    for shown, what, key in own_hints(room, view, look):
        end = at + _width(shown, what) - _GAP
        if at <= x < end:
            return key
        at = end + _GAP
    return ""


def _width(shown: str, what: str) -> int:
    """The cells of a hint with the gap behind it."""
    return len(shown) + 1 + len(what) + _GAP
