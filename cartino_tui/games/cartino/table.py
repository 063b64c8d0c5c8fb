"""The whole table as a frame: title, board, players, hand, notes, moves, talk, status, hints."""

from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.draw.text import with_lead, wrap
from cartino_tui.games.cartino.board import draw_choice, laid_board
from cartino_tui.games.cartino.ending import draw_ending
from cartino_tui.games.cartino.hand import draw_hand, draw_picked
from cartino_tui.games.cartino.hints import draw_hints
from cartino_tui.games.cartino.layout import Box
from cartino_tui.games.cartino.scene import Scene
from cartino_tui.games.cartino.seats import draw_players
from cartino_tui.games.cartino.story import draw_moves, draw_talk
from cartino_tui.games.cartino.words import NO_WAY, gained, preview, state_line, turn_so_far


def draw_lying(scene: Scene) -> Frame:
    """All of the table that no pointer and no sentence of the status line changes, for a scene with nothing up."""
    plan = scene.layout
    canvas = Canvas.over(laid_board(scene))
    _draw_title(canvas, scene)
    draw_players(canvas, scene)
    if scene.over:
        draw_ending(canvas, scene)
        draw_talk(canvas, scene, _talk_after_end(scene))
    else:
        draw_hand(canvas, scene)
        _draw_turn(canvas, scene)
        if plan.half > 1:
            canvas.put(plan.moves.x + 1, plan.moves.y - 1, "Moves", "heading")
            canvas.put(plan.talk.x + 1, plan.talk.y - 1, "Talk", "heading")
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


def _draw_title(canvas: Canvas, scene: Scene) -> None:
    view, width = scene.view, scene.layout.width
    facts = [f"bag {view.bag}"]
    if view.gone:
        facts.append("1 joker gone" if view.gone == 1 else f"{view.gone} jokers gone")
    if scene.around.facts:
        facts.append(scene.around.facts)
    right = scene.fit(f" {scene.marks.dot} ".join(facts), width // 2 + 10)
    x = 1
    for suit, role in (("S", "spade"), ("H", "heart"), ("D", "diamond"), ("C", "club")):
        x = canvas.put(x, 0, scene.marks.suits[suit], role)
    canvas.put(x + 1, 0, scene.fit(scene.around.title, width - len(right) - x - 4), "title")
    canvas.put(width - 1 - len(right), 0, right, "facts")


def _draw_notes(canvas: Canvas, scene: Scene) -> None:
    """The preview of the lay under the cursor; before one, what the marks mean."""
    box = scene.layout.notes
    if scene.lay is None:
        _draw_legend(canvas, scene, box)
        return
    canvas.fill(
        box.x + 1, box.y, box.width - 1, box.height, "preview"
    )  # no other ink where a longer one ended
    where, _, points = preview(scene, scene.lay).partition(": ")
    if box.height > 1:  # always on two lines, so that no line moves when another gets longer
        canvas.put(box.x + 1, box.y, f"{where}:", "preview")
        canvas.put(box.x + 1, box.y + 1, points, "preview")
    else:
        canvas.put(box.x + 1, box.y, f"{where}: {points}", "preview")


def _draw_legend(canvas: Canvas, scene: Scene, box: Box) -> None:
    marks = scene.marks
    entries = (
        (f" {marks.laid} ", "laid", "fill-stone"),
        (f" {marks.joker} ", "joker", "stone-*"),
        (f" {marks.legal} ", "open", "legal-mark"),
        (f" {marks.touched} ", "touched", "touched"),
    )
    x = box.x + 1
    for mark, word, role in entries:
        x = canvas.put(x, box.y, mark, role)
        x = canvas.put(x + 1, box.y, word, "dim") + 2


def _draw_turn(canvas: Canvas, scene: Scene) -> None:
    """The turn so far: a line beside the hand, two short ones below the upright hand."""
    box = scene.layout.turn
    text = turn_so_far(scene)
    if text and scene.layout.stacked:
        suit = scene.view.suit
        x = canvas.put(box.x + 1, box.y, "turn ", "heading")
        canvas.put(x, box.y, scene.marks.suits[suit], f"printed-{suit}")
        canvas.put(box.x + 1, box.y + 1, f"{scene.view.laid} = +{gained(scene.view)}", "points")
    elif text:
        canvas.put(box.x + 1, box.y, text, "heading")


def _talk_after_end(scene: Scene) -> Box:
    """What is left for talk below the result."""
    plan = scene.layout
    top = plan.moves.y + 1 if plan.stacked else plan.hand[0].y + 2 + len(scene.view.scores)
    return Box(0, top, plan.width, plan.status - top)


def _draw_status(canvas: Canvas, scene: Scene) -> None:
    """What the frame has to say, or what the table waits for."""
    width = scene.layout.width - 2
    lines = wrap(_status(scene, width), width, 1, ascii=scene.look.ascii)
    canvas.fill(1, scene.layout.status, width, 1, "status")
    canvas.put(1, scene.layout.status, lines[0] if lines else "", "status")


def _status(scene: Scene, width: int) -> str:
    said = scene.around.status
    if said == NO_WAY:
        return with_lead(state_line(scene), said, width)
    return said or with_lead(scene.around.lead, state_line(scene), width)
