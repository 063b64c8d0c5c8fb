"""The whole table as a frame: title, board, players, hand, notes, moves, talk, status, hints."""

from typing import Final

from cartino_games.cartino.screen.board import draw_choice, laid_board
from cartino_games.cartino.screen.ending import draw_ending
from cartino_games.cartino.screen.grid import Box
from cartino_games.cartino.screen.hand import draw_hand, draw_picked
from cartino_games.cartino.screen.hints import draw_hints
from cartino_games.cartino.screen.layout import TITLE
from cartino_games.cartino.screen.result import draw_course, draw_result
from cartino_games.cartino.screen.scene import Scene
from cartino_games.cartino.screen.seats import draw_players
from cartino_games.cartino.screen.story import draw_moves, draw_talk
from cartino_games.cartino.screen.words import (
    NO_WAY,
    gained,
    preview_line,
    preview_lines,
    signed,
    state_line,
    turn_so_far,
)
from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.draw.text import clean, plain, with_lead, wrap

_APART: Final = 3
"""Cells between the title and the facts, at least."""
_STATUS_MOST: Final = 4
"""More rows than any sentence of ours takes; only somebody's own words may be cut."""


def draw_lying(scene: Scene) -> Frame:
    """All of the table that no pointer and no sentence of the status line changes, for a scene with nothing up."""
    plan = scene.layout
    canvas = Canvas.over(laid_board(scene))
    _draw_title(canvas, scene)
    draw_players(canvas, scene)
    if scene.over:
        top = draw_ending(canvas, scene)
        if top < plan.status:
            draw_talk(canvas, scene, Box(0, top, plan.width, plan.status - top))
    else:
        draw_hand(canvas, scene)
        _draw_turn(canvas, scene)
        if plan.headed:
            say = scene.look.tongue.say
            canvas.put(plan.moves.x + 1, plan.moves.y - 1, say("Moves"), "heading")
            canvas.put(plan.talk.x + 1, plan.talk.y - 1, say("Talk"), "heading")
        draw_moves(canvas, scene, plan.moves)
        draw_talk(canvas, scene, plan.talk)
    draw_hints(canvas, scene)
    return canvas.frame()


def draw_table(scene: Scene, lying: Frame) -> Frame:
    """The whole screen for one scene, over what lies there: most rows stay as they are when only the pointer moves."""
    canvas = Canvas.over(lying)
    if not scene.over:
        draw_choice(canvas, scene)
        draw_picked(canvas, scene)
        _draw_notes(canvas, scene)
    _draw_status(canvas, scene)
    return canvas.frame()


def draw_end(scene: Scene) -> Frame:
    """The whole screen when the game is over, on a page that has no board."""
    plan = scene.layout
    canvas = Canvas(plan.width, plan.height)
    _draw_title(canvas, scene)
    draw_page = draw_course if scene.pointer.page == "course" else draw_result
    draw_page(canvas, scene, Box(0, TITLE + 1, plan.width, plan.status - TITLE - 1))
    draw_hints(canvas, scene)
    _draw_status(canvas, scene)
    return canvas.frame()


def _draw_title(canvas: Canvas, scene: Scene) -> None:
    """The four suits, the table, and as many facts as stand whole beside it."""
    width = scene.layout.width
    safe = plain if scene.look.ascii else clean
    x = 1
    for suit, role in (("S", "spade"), ("H", "heart"), ("D", "diamond"), ("C", "club")):
        x = canvas.put(x, 0, scene.marks.suits[suit], role)
    title, frames = safe(scene.around.title), safe(scene.around.facts)
    room = width - x - 1 - _APART - 1
    dot = f" {scene.marks.dot} "
    own = _facts(scene)
    variants = [dot.join(filter(None, facts)) for facts in ((*own, frames), own, own[:1])]
    right = next((text for text in variants if len(title) + len(text) <= room), "")
    canvas.put(x + 1, 0, scene.fit(title, room + _APART - len(right)), "title")
    canvas.put(width - 1 - len(right), 0, right, "facts")


def _facts(scene: Scene) -> tuple[str, ...]:
    """What is in the bag, and how many jokers are out of the game."""
    view, tongue = scene.view, scene.look.tongue
    bag = tongue.say("bag {n}", n=view.bag) if view.bag else tongue.say("the bag is empty")
    return (bag, tongue.count("{n} joker gone", "{n} jokers gone", view.gone)) if view.gone else (bag,)


def _draw_notes(canvas: Canvas, scene: Scene) -> None:
    """The preview of the lay under the cursor; before one, what the marks mean."""
    box = scene.layout.notes
    if scene.lay is None:
        _draw_legend(canvas, scene, box)
        return
    # No other ink where a longer one ended.
    canvas.fill(box.x + 1, box.y, box.width - 1, box.height, "preview")
    if box.height > 1:  # always on two lines, so that no line moves when another gets longer
        for y, line in enumerate(preview_lines(scene, scene.lay, box.width - 1), box.y):
            canvas.put(box.x + 1, y, line, "preview")
    else:
        canvas.put(box.x + 1, box.y, preview_line(scene, scene.lay, box.width - 1), "preview")


def _draw_legend(canvas: Canvas, scene: Scene, box: Box) -> None:
    """The marks, as many as stand whole in `box`, the least clear first."""
    marks, say_in = scene.marks, scene.look.tongue.say_in
    entries = (
        (f" {marks.laid} ", say_in("mark", "laid"), "fill-stone"),
        (f" {marks.joker} ", say_in("mark", "joker"), "stone-*"),
        (f" {marks.legal} ", say_in("mark", "open"), "legal-mark"),
        (f" {marks.touched} ", say_in("mark", "touched"), "touched"),
    )
    x, y, end = box.x + 1, box.y, box.x + box.width
    for mark, word, role in entries:
        if x + len(mark) + 1 + len(word) > end:
            x, y = box.x + 1, y + 1
        if y >= box.y + box.height:
            return
        x = canvas.put(x, y, mark, role)
        x = canvas.put(x + 1, y, word, "dim") + 2


def _draw_turn(canvas: Canvas, scene: Scene) -> None:
    """The turn so far: in words beside the hand, or a sign a stone and their points where there is no room."""
    box, view = scene.layout.turn, scene.view
    text = turn_so_far(scene)
    if not text:
        return
    if scene.layout.fingers == "boxed" and len(text) < box.width:
        canvas.put(box.x + 1, box.y, text, "heading")
        return
    canvas.put(box.x + 1, box.y, scene.marks.suits[view.suit] * view.laid, f"printed-{view.suit}")
    points = signed(gained(view), scene.marks)
    if box.height > 1:
        canvas.put(box.x + 1, box.y + 1, points, "points")
    else:
        canvas.put(box.x + 2 + view.laid, box.y, points, "points")


def _draw_status(canvas: Canvas, scene: Scene) -> None:
    """What the frame has to say, or what the table waits for; a long sentence goes on above, over the talk."""
    width, last = scene.layout.width - 2, scene.layout.status
    lines = wrap(_status(scene, width), width, _STATUS_MOST, ascii=scene.look.ascii) or [""]
    top = last + 1 - len(lines)
    canvas.fill(1 if top == last else 0, top, width if top == last else width + 2, len(lines), "status")
    for y, line in enumerate(lines, top):
        canvas.put(1, y, line, "status")


def _status(scene: Scene, width: int) -> str:
    said = scene.around.status
    if said == scene.look.tongue.say(NO_WAY):
        return with_lead(state_line(scene, width), said, width)
    return said or with_lead(scene.around.lead, state_line(scene, width), width)
