"""What a Cartino table shows beside its board: players, hand, notes, the turn so far, and its own hints."""

from collections.abc import Sequence

from cartino_games.cartino.board import JOKER
from cartino_games.cartino.marks import halves
from cartino_games.cartino.roles import WOODEN
from cartino_games.cartino.screen.board import draw_choice
from cartino_games.cartino.screen.ending import draw_ending
from cartino_games.cartino.screen.pointer import lays_of
from cartino_games.cartino.screen.scene import Scene
from cartino_games.cartino.screen.seats import draw_players
from cartino_games.cartino.screen.story import in_short, since_turn, turns
from cartino_games.cartino.screen.words import (
    gained,
    preview_line,
    preview_lines,
    turn_so_far,
)
from cartino_games.kit.arrangement import Box
from cartino_games.kit.bars import Hint
from cartino_games.kit.card_roles import SUIT_ROLES
from cartino_games.kit.cards import card_face, draw_card
from cartino_games.kit.log import draw_log, draw_talk
from cartino_games.kit.marks import signed
from cartino_games.kit.text import Chunk, Piece, flow, put_pieces
from cartino_tui.draw.canvas import Canvas
from cartino_tui.game_port.screen import Look


def draw_still(canvas: Canvas, scene: Scene) -> None:
    """Draw the players, the hand, the turn so far, moves and talk; at the end who won and what was left."""
    plan = scene.layout
    draw_players(canvas, scene)
    if scene.is_over:
        top = draw_ending(canvas, scene)
        if top < plan.status:
            draw_talk(canvas, scene, Box(0, top, plan.width, plan.status - top))
        return
    draw_hand(canvas, scene)
    _draw_turn(canvas, scene)
    since, newest = len(since_turn(scene)), turns(scene)
    if since and scene.mine and scene.view.laid:
        next(newest)  # one's own turn that goes on stands beside the hand
    before = 0 if plan.headed else None
    draw_log(canvas, scene, newest, plan.moves, plan.talk, headed=plan.headed, since=since, before=before)


def draw_held(canvas: Canvas, scene: Scene) -> None:
    """Draw the picked stone, its open spots and the preview; most rows stay when only the cursor moves."""
    draw_choice(canvas, scene)
    draw_picked(canvas, scene)
    _draw_notes(canvas, scene)


def suits(scene: Scene) -> Sequence[Piece]:
    """Return the four suits, to stand before the title."""
    signs = scene.marks.suits
    return tuple((signs[suit], f"bar-{role}") for suit, role in SUIT_ROLES.items())


def facts(scene: Scene) -> tuple[str, ...]:
    """Return what is in the bag, and how many jokers are out of the game."""
    view, translator = scene.view, scene.look.translator
    bag = translator.gettext("bag {n}", n=view.bag) if view.bag else translator.gettext("the bag is empty")
    return (bag, translator.ngettext("{n} joker out", "{n} jokers out", view.gone)) if view.gone else (bag,)


def _draw_notes(canvas: Canvas, scene: Scene) -> None:
    """Draw the preview of the lay under the cursor; without one, what happened since the reader's turn or the marks."""
    box = scene.layout.notes
    if scene.lay is None:
        rows = box.height + (scene.layout.turn.y == box.y + box.height and not turn_so_far(scene))
        lines = [] if scene.layout.headed else _since(scene, box.width - 1, rows)
        for y, pieces in enumerate(lines, box.y):
            put_pieces(canvas, box.x + 1, y, pieces)
        if not lines:
            _draw_legend(canvas, scene, box)
        return
    # No other ink where a longer one ended.
    canvas.fill(box.x + 1, box.y, box.width - 1, box.height, "preview")
    if box.height > 1:  # always on two lines, so that no line moves when another gets longer
        for y, line in enumerate(preview_lines(scene, scene.lay, box.width - 1), box.y):
            canvas.put(box.x + 1, y, line, "preview")
    else:
        canvas.put(box.x + 1, box.y, preview_line(scene, scene.lay, box.width - 1), "preview")


def _since(scene: Scene, cells: int, rows: int) -> list[Chunk]:
    """Return what happened since the reader's turn, in so many rows: with signs for names or cut if need be."""
    ways = [in_short(scene), in_short(scene, named=False)]
    ways += [[ways[-1][0], *ways[-1][1 + left_out :]] for left_out in range(1, len(ways[-1]))]
    return next((lines for way in ways if len(lines := flow(way, cells)) <= rows), [])


def _draw_legend(canvas: Canvas, scene: Scene, box: Box) -> None:
    """Draw the marks, as many as stand whole in `box`, the least clear first."""
    marks, pgettext = scene.marks, scene.look.translator.pgettext
    entries = (
        (f" {marks.joker} ", pgettext("mark", "joker"), "stone-*"),
        (f" {marks.touched} ", pgettext("mark", "touched"), "touched-stone-S"),
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
    """Draw the turn so far: in words beside the hand, or a sign a stone and their points without table."""
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


def hints(look: Look) -> Sequence[Sequence[Hint]]:
    """Return the table's own hints, in variants.

    Where there is no room for all, those stay that can be clicked; the status line names the keys of the others.
    """
    gettext = look.translator.gettext
    full = (
        Hint("1-5", gettext("stone")),
        Hint(halves(look), gettext("half")),
        Hint(look.key_shown("Enter"), gettext("lay"), "enter"),
        Hint(look.key_shown("e"), gettext("end turn"), "e"),
    )
    return full, (full[0], *full[2:]), full[2:]


def lesson_hints(scene: Scene) -> Sequence[Hint]:
    """Return the hints for the next step alone, for a learner who reads them all."""
    stone, half, lay, end = hints(scene.look)[0]
    if scene.lay is not None:
        return half, lay
    return (stone, end) if scene.view.laid else (stone,)


def draw_hand(canvas: Canvas, scene: Scene) -> None:
    """Draw every stone of the hand in its place."""
    if scene.layout.fingers == "upright" and scene.view.hand:
        first = scene.layout.hand[0]
        canvas.put(first.x, first.y - 1, scene.look.translator.gettext("hand"), "heading")
    for place in range(min(len(scene.view.hand), len(scene.layout.hand))):
        _draw_stone(canvas, scene, place)


def draw_picked(canvas: Canvas, scene: Scene) -> None:
    """Draw the picked stone alone, on a hand where it is not drawn as picked."""
    if scene.lay is not None and scene.pointer.picked is not None:
        _draw_stone(canvas, scene, scene.pointer.picked)


def _draw_stone(canvas: Canvas, scene: Scene, place: int) -> None:
    stone = scene.view.hand[place]
    picked = scene.lay is not None and scene.pointer.picked == place
    playable = not scene.mine or bool(lays_of(scene.view, place))
    value = "" if stone == JOKER else str(scene.board.values[scene.board.card_number[stone]])
    face = card_face(scene.marks, stone, picked=picked, playable=playable, note=value, skin=WOODEN)._replace(
        picture=""
    )
    draw_card(canvas, scene, scene.layout.hand[place], face, str(place + 1))
