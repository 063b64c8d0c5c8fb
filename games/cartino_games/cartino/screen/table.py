"""The whole table as a frame: title, board, players, hand, notes, moves, talk, status, hints."""

from collections.abc import Sequence

from cartino_games.cartino.marks import halves
from cartino_games.cartino.screen.board import draw_choice, laid_board
from cartino_games.cartino.screen.ending import draw_ending, ending
from cartino_games.cartino.screen.hand import draw_hand, draw_picked
from cartino_games.cartino.screen.scene import Scene
from cartino_games.cartino.screen.seats import draw_players
from cartino_games.cartino.screen.story import turns
from cartino_games.cartino.screen.words import (
    NO_WAY,
    gained,
    preview_line,
    preview_lines,
    state_line,
    turn_so_far,
)
from cartino_games.cartino.views import CartinoView
from cartino_games.kit.arrangement import Box
from cartino_games.kit.bars import Hint, draw_hints, draw_status, draw_title, end_hints, fitting_hints
from cartino_games.kit.marks import signed
from cartino_games.kit.result import draw_page
from cartino_games.kit.story import draw_moves, draw_talk
from cartino_protocol.views import RoomView
from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.games.screen import Look


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
        draw_moves(canvas, scene, turns(scene), plan.moves)
        draw_talk(canvas, scene, plan.talk)
    _draw_hints(canvas, scene)
    return canvas.frame()


def draw_table(scene: Scene, lying: Frame) -> Frame:
    """The whole screen for one scene, over what lies there: most rows stay as they are when only the pointer moves."""
    canvas = Canvas.over(lying)
    if not scene.over:
        draw_choice(canvas, scene)
        draw_picked(canvas, scene)
        _draw_notes(canvas, scene)
    _draw_foot(canvas, scene)
    return canvas.frame()


def draw_end(scene: Scene) -> Frame:
    """The whole screen when the game is over, on a page that has no board."""
    plan = scene.layout
    canvas = Canvas(plan.width, plan.height)
    _draw_title(canvas, scene)
    draw_page(canvas, scene, ending(scene), scene.pointer.page)
    _draw_hints(canvas, scene)
    _draw_foot(canvas, scene)
    return canvas.frame()


def _draw_title(canvas: Canvas, scene: Scene) -> None:
    """The four suits before the title, the bag behind it."""
    suits = (("S", "spade"), ("H", "heart"), ("D", "diamond"), ("C", "club"))
    draw_title(canvas, scene, [(scene.marks.suits[suit], role) for suit, role in suits], _facts(scene))


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


def _draw_foot(canvas: Canvas, scene: Scene) -> None:
    draw_status(canvas, scene, state_line(scene, scene.width - 2), scene.look.tongue.say(NO_WAY))


def own_hints(room: RoomView, view: CartinoView, look: Look) -> Sequence[Hint]:
    """The table's own hints: the same through a whole game, so that they need no repainting; none for spectators.

    Where there is no room for all, those stay that can be clicked; the status line names the keys of the others.
    """
    say = look.tongue.say
    if view.on_turn is None:
        return end_hints(look)
    if room.you is None:
        return ()
    hints = (
        Hint("1-5", say("stone")),
        Hint(halves(look), say("half")),
        Hint(look.keymap.shown("Enter"), say("lay"), "enter"),
        Hint(look.keymap.shown("e"), say("end turn"), "e"),
    )
    return fitting_hints(room, look, (hints, (hints[0], *hints[2:]), hints[2:]))


def _draw_hints(canvas: Canvas, scene: Scene) -> None:
    draw_hints(canvas, scene, own_hints(scene.room, scene.view, scene.look))
