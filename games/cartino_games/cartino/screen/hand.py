"""The hand drawn: a wooden stone for each place, with the number that picks it."""

from cartino_games.cartino.board import JOKER
from cartino_games.cartino.roles import WOODEN
from cartino_games.cartino.screen.pointer import lays_of
from cartino_games.cartino.screen.scene import Scene
from cartino_games.kit.cards import card_face, draw_card
from cartino_tui.draw.canvas import Canvas


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
