"""What lies on the mat besides the cards in play: its rim, free places, and the cards that lie face down."""

from collections.abc import Sequence
from typing import NamedTuple

from cartino_games.kit.arrangement import Box
from cartino_games.kit.cards import CardBoxes, draw_edge
from cartino_games.kit.hands.places import MatPlaces, backs, others_boxes
from cartino_games.kit.players import seat_sign
from cartino_games.kit.scene import TableScene
from cartino_protocol.base import Seat
from cartino_tui.draw.canvas import Canvas

_EMBLEM = 5
"""The rows from which a back has an emblem and an edge."""


class FaceDown(NamedTuple):
    """How many cards lie face down: in each player's hand and pile, and in the pack."""

    held: Sequence[int]
    taken: Sequence[int]
    pack: int


def draw_mat(canvas: Canvas, scene: TableScene, mat: Box) -> None:
    """Fill the mat and draw its rim around it."""
    x, y, width, height = mat
    canvas.fill(*mat, "mat")
    top, left, right, foot = "-||-" if scene.look.ascii else "▄▐▌▀"
    canvas.put(x - 1, y - 1, top * (width + 2), "mat-edge")
    canvas.put(x - 1, y + height, foot * (width + 2), "mat-edge")
    for line in range(y, y + height):
        canvas.put(x - 1, line, left, "mat-edge")
        canvas.put(x + width, line, right, "mat-edge")


def draw_slots(canvas: Canvas, scene: TableScene, places: CardBoxes, first: int) -> None:
    """Draw the free places from number `first` on, each with a suit."""
    suits = [*scene.marks.suits.values()]
    for at, box in enumerate(places.boxes[first:], first):
        _draw_slot(canvas, box._replace(width=box.width - 1), suits[at % len(suits)])


def _draw_slot(canvas: Canvas, box: Box, sign: str) -> None:
    canvas.fill(*box, "slot")
    canvas.put(box.x + box.width // 2, box.y + box.height // 2, sign, "slot-dim")


def draw_back(canvas: Canvas, scene: TableScene, box: Box, text: str = "") -> None:
    """Draw a card that lies face down, or a pile of so many as `text` says."""
    x, y, width, height = box
    canvas.fill(*box, "back")
    if height >= _EMBLEM:
        draw_edge(canvas, scene.marks, box, "back-edge")
    shown = text or (scene.marks.joker if height >= _EMBLEM else "")
    canvas.put(x + (width - len(shown)) // 2, y + (height - 1) // 2, shown, "back")


def draw_others(
    canvas: Canvas,
    scene: TableScene,
    places: MatPlaces,
    seats: Sequence[Seat],
    cards: FaceDown,
    most: int,
) -> None:
    """Draw the cards of `seats`, each of which holds at most so many, their piles, and the pack."""
    boxes, rest = others_boxes(places.others, len(seats))
    for seat, box in zip(seats, boxes, strict=True):
        sign = scene.marks.turn if seat in scene.turn else seat_sign(scene, seat)[0]
        canvas.put(box.x, box.y, sign + scene.fit(scene.name(seat), box.width - 1), "mat")
        *hand, pile = backs(box, most)
        for at, back in enumerate(hand):
            if at < cards.held[seat]:
                draw_back(canvas, scene, back)
            else:
                canvas.fill(*back, "slot")
        draw_pile(canvas, scene, pile, cards.taken[seat])
    gettext = scene.look.translator.gettext
    canvas.put(rest.x, rest.y - 1, scene.fit(gettext("pack"), rest.width), "mat-dim")
    draw_pile(canvas, scene, rest, cards.pack)


def draw_pile(canvas: Canvas, scene: TableScene, box: Box, cards: int) -> None:
    """Draw a pile with its number of cards, or its place."""
    if cards:
        draw_back(canvas, scene, box, str(cards))
    else:
        canvas.fill(*box, "slot")
