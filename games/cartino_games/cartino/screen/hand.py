"""The hand drawn: a wooden stone for each place, with the number that picks it."""

from cartino_games.cartino.board import JOKER
from cartino_games.cartino.screen.pointer import lays_of
from cartino_games.cartino.screen.scene import Scene, suit_of
from cartino_games.kit.arrangement import Box
from cartino_games.kit.cards import draw_large
from cartino_tui.draw.canvas import Canvas

_LARGE = 7
"""The rows of a box from which a stone is drawn large."""


def draw_hand(canvas: Canvas, scene: Scene) -> None:
    """Every stone of the hand in its place; nothing for who has none."""
    if scene.layout.fingers == "upright" and scene.view.hand:
        first = scene.layout.hand[0]
        canvas.put(first.x, first.y - 1, scene.look.tongue.say("hand"), "heading")
    for place in range(min(len(scene.view.hand), len(scene.layout.hand))):
        _draw_stone(canvas, scene, place)


def draw_picked(canvas: Canvas, scene: Scene) -> None:
    """Only the stone that is up, on a hand where it isn't yet."""
    if scene.lay is not None and scene.pointer.picked is not None:
        _draw_stone(canvas, scene, scene.pointer.picked)


def _draw_stone(canvas: Canvas, scene: Scene, place: int) -> None:
    draw = _draw_boxed if scene.layout.fingers == "boxed" else _draw_flat
    draw(canvas, scene, place, scene.view.hand[place], scene.layout.hand[place])


def _picked(scene: Scene, place: int) -> bool:
    return scene.lay is not None and scene.pointer.picked == place


def _state(scene: Scene, place: int) -> str:
    """Filled like wood, unless it is one's turn and this stone can't be laid in it."""
    if _picked(scene, place):
        return "picked"
    return "printed" if scene.mine and not lays_of(scene.view, place) else "stone"


def _label(scene: Scene, place: int, stone: str) -> str:
    """Five cells: the stone, between the pick's marks when it is up."""
    card = f"{scene.marks.card(stone):>3}" if stone != JOKER else f" {scene.marks.joker} "
    if _picked(scene, place):
        return f"{scene.marks.left}{card}{scene.marks.right}"
    return f" {card} "


def _draw_flat(canvas: Canvas, scene: Scene, place: int, stone: str, box: Box) -> None:
    canvas.put(box.x + 1, box.y, str(place + 1), "key")
    canvas.put(box.x + 3, box.y, _label(scene, place, stone), f"{_state(scene, place)}-{suit_of(stone)}")


def _draw_boxed(canvas: Canvas, scene: Scene, place: int, stone: str, box: Box) -> None:
    picked = _picked(scene, place)
    marks, line = scene.marks, "picked" if picked else "wood"
    northwest, across, northeast, down, southwest, southeast = tuple(
        marks.picked_box if picked else marks.box
    )
    inner = box.width - 2
    canvas.put(box.x, box.y, northwest, line)
    canvas.put(box.x + 1, box.y, str(place + 1), "key")
    canvas.put(box.x + 2, box.y, across * (inner - 1) + northeast, line)
    canvas.put(box.x, box.y + box.height - 1, southwest + across * inner + southeast, line)
    state = _state(scene, place)
    role = f"{state}-{suit_of(stone)}"
    large = box.height >= _LARGE and not scene.look.ascii
    # A picture isn't in the picked stone's role, whose underline would go through it.
    wood = "stone" if large and picked else state
    fill = "ground" if state == "printed" else f"fill-{wood}"
    canvas.fill(box.x, box.y + 1, box.width, box.height - 2, fill)
    for y in range(box.y + 1, box.y + box.height - 1):
        canvas.put(box.x, y, down, line)
        canvas.put(box.x + 1 + inner, y, down, line)
    if large:
        draw_large(canvas, marks, stone, box.x + 1, box.y + 2, inner, f"{wood}-{suit_of(stone)}")
    label = _label(scene, place, stone)
    y = box.y + box.height - 2 if large else box.y + box.height // 2
    canvas.put(box.x + 1 + (inner - len(label)) // 2, y, label, role)
    if box.height > 3 and stone != JOKER:
        value = str(scene.board.values[scene.board.card_number[stone]])
        canvas.put(box.x + box.width - 3, box.y + 1, value, f"{wood}-{suit_of(stone)}")
