"""Draws Casino's table from its scene: on a mat, or in a small terminal without one."""

from collections.abc import Sequence
from typing import Final

from cartino_games.casino.scene import CasinoScene, MatPlaces, backs, others_boxes
from cartino_games.casino.table_rows import (
    ListedChoice,
    aside_rows,
    cut,
    draw_choices,
    face_of,
    last_deed,
    log_lines,
    note_rows,
    player_line,
    plays_since_own,
)
from cartino_games.kit.arrangement import Box
from cartino_games.kit.cards import CardBoxes, card_face, draw_card, draw_edge, draw_row
from cartino_games.kit.log import draw_log
from cartino_games.kit.players import draw_players, seat_sign
from cartino_games.kit.since import in_a_line
from cartino_games.kit.text import draw_panel, draw_rows, put_pieces, rows_width
from cartino_protocol.base import Seat
from cartino_tui.draw.canvas import Canvas

_EMBLEM: Final = 5
"""The rows from which a back has an emblem and an edge, and those of a hand whose backs are whole."""


def draw_table(canvas: Canvas, scene: CasinoScene) -> None:
    """Draw what no pointer changes."""
    if scene.places is not None:
        _draw_on_mat(canvas, scene, scene.places)
        return
    plan, notes = scene.plan, note_rows(scene)
    alone = rows_width(notes) >= plan.main.width
    if not alone:
        _draw_players(canvas, scene)
    if plan.headed:  # elsewhere it would cost half as many bytes again whenever cards move
        canvas.fill(*scene.table_box, "mat")
    canvas.fill(*plan.hand._replace(width=scene.width if alone else plan.hand.width), "slot")
    _draw_lying(canvas, scene)
    left = max(1, (plan.main.width - rows_width(notes)) // 2) if plan.headed else 1
    draw_rows(canvas, left, plan.main.y + plan.main.height - len(notes), notes)
    _draw_hand(canvas, scene)
    _draw_text(canvas, scene)


def _draw_on_mat(canvas: Canvas, scene: CasinoScene, places: MatPlaces) -> None:
    """Draw the mat with all that lies on it, and the column of text at its right."""
    _draw_mat(canvas, scene, places.mat)
    own = scene.you or 0
    others = [seat for seat in range(len(scene.table.seats)) if seat != own]
    _draw_others(canvas, scene, places, others)
    slots = places.slots(len(scene.lying))
    _draw_slots(canvas, scene, slots, len(scene.lying))
    _draw_lying(canvas, scene)
    notes = [[(x, text, "mat-dim") for x, text, _ in row] for row in note_rows(scene)]
    top = scene.table_box.y + scene.table_box.height - len(notes)
    if all(box.y + box.height <= top for box in slots.boxes):
        draw_rows(canvas, scene.table_box.x + 2, top, notes)
    _draw_hand(canvas, scene)
    _draw_pile(canvas, scene, places.pile, scene.view.taken[own])
    _draw_players(canvas, scene)
    _draw_text(canvas, scene)


def _draw_mat(canvas: Canvas, scene: CasinoScene, mat: Box) -> None:
    """Fill the mat and draw its rim around it."""
    x, y, width, height = mat
    canvas.fill(*mat, "mat")
    top, left, right, foot = "-||-" if scene.look.ascii else "▄▐▌▀"
    canvas.put(x - 1, y - 1, top * (width + 2), "mat-edge")
    canvas.put(x - 1, y + height, foot * (width + 2), "mat-edge")
    for line in range(y, y + height):
        canvas.put(x - 1, line, left, "mat-edge")
        canvas.put(x + width, line, right, "mat-edge")


def _draw_slots(canvas: Canvas, scene: CasinoScene, places: CardBoxes, first: int) -> None:
    """Draw the free places from number `first` on, each with a suit."""
    suits = [*scene.marks.suits.values()]
    for at, box in enumerate(places.boxes[first:], first):
        _draw_slot(canvas, box._replace(width=box.width - 1), suits[at % len(suits)])


def _draw_slot(canvas: Canvas, box: Box, sign: str) -> None:
    canvas.fill(*box, "slot")
    canvas.put(box.x + box.width // 2, box.y + box.height // 2, sign, "slot-dim")


def _draw_back(canvas: Canvas, scene: CasinoScene, box: Box, text: str = "") -> None:
    """Draw a card that lies face down, or a pile of so many as `text` says."""
    x, y, width, height = box
    canvas.fill(*box, "back")
    if height >= _EMBLEM:
        draw_edge(canvas, scene.marks, box, "back-edge")
    shown = text or (scene.marks.joker if height >= _EMBLEM else "")
    canvas.put(x + (width - len(shown)) // 2, y + (height - 1) // 2, shown, "back")


def _draw_others(canvas: Canvas, scene: CasinoScene, places: MatPlaces, seats: Sequence[Seat]) -> None:
    """Draw the cards of `seats`, their piles, and the pack."""
    view = scene.view
    boxes, rest = others_boxes(places.others, len(seats))
    for seat, box in zip(seats, boxes, strict=True):
        sign = scene.marks.turn if seat in scene.turn else seat_sign(scene, seat)[0]
        canvas.put(box.x, box.y, sign + scene.fit(scene.name(seat), box.width - 1), "mat")
        *hand, pile = backs(box)
        for at, back in enumerate(hand):
            if at < view.held[seat]:
                _draw_back(canvas, scene, back)
            else:
                canvas.fill(*back, "slot")
        _draw_pile(canvas, scene, pile, view.taken[seat])
    gettext = scene.look.translator.gettext
    canvas.put(rest.x, rest.y - 1, scene.fit(gettext("pack"), rest.width), "mat-dim")
    _draw_pile(canvas, scene, rest, view.pack)


def _draw_pile(canvas: Canvas, scene: CasinoScene, box: Box, cards: int) -> None:
    """Draw a pile with its number of cards, or its place."""
    if cards:
        _draw_back(canvas, scene, box, str(cards))
    else:
        canvas.fill(*box, "slot")


def _draw_hand(canvas: Canvas, scene: CasinoScene) -> None:
    """Draw one's own cards; for spectators the backs of the first player's."""
    faces = [card_face(scene.marks, card) for card in scene.view.hand]
    if scene.places is not None:
        _draw_slots(canvas, scene, scene.fingers, len(faces))
    draw_row(canvas, scene, CardBoxes(scene.fingers.boxes[: len(faces)]), faces)
    if scene.you is None:
        held = scene.view.held[0]
        for box in scene.fingers.boxes[:held]:
            flat = box.height < _EMBLEM  # peeping out: less to send whenever cards are dealt
            _draw_back(canvas, scene, Box(box.x, box.y + flat, box.width - 1, box.height - flat))


def _draw_text(canvas: Canvas, scene: CasinoScene) -> None:
    """Draw the log, the talk, and what stands aside."""
    plan = scene.plan
    since, told = plays_since_own(scene), scene.view.told
    if plan.headed:
        draw_log(
            canvas,
            scene,
            log_lines(scene),
            plan.moves,
            plan.talk,
            headed=True,
            since=since,
            before=told - len(scene.view.recent) if told else None,
        )
    else:
        draw_log(
            canvas, scene, in_a_line(scene, log_lines(scene), since), plan.moves, plan.talk, headed=False
        )
    heading, rows = aside_rows(scene)
    if rows:
        inside = scene.below._replace(height=len(rows))
        draw_panel(canvas, scene, inside, heading)
        draw_rows(canvas, inside.x, inside.y, rows)


def draw_selection(canvas: Canvas, scene: CasinoScene, choices: Sequence[ListedChoice]) -> None:
    """Draw the chosen card and the list of its plays."""
    pointer, box = scene.pointer, scene.list
    place = scene.view.hand.index(pointer.card)
    face = card_face(scene.marks, pointer.card, picked=True)
    draw_card(canvas, scene, scene.fingers.boxes[place], face, str(place + 1))
    _draw_lying(canvas, scene)
    if scene.places is not None or not scene.mine:
        canvas.fill(*box, "ground")
    else:
        canvas.fill(0, box.y, scene.width, box.height, "ground")
    if (scene.mine or scene.places is not None) and scene.plan.headed:
        draw_panel(canvas, scene, box, scene.marks.card(pointer.card))
    if box.height:
        draw_choices(canvas, scene, box, choices, pointer.at)


def _draw_lying(canvas: Canvas, scene: CasinoScene) -> None:
    """Draw what lies on the table."""
    chosen = scene.pointer.chosen
    faces = [face_of(scene, cards, picked=cards[0] in chosen) for cards in scene.lying]
    draw_row(canvas, scene, scene.row, faces, labels="", cursor=scene.pointer.spot)
    if not faces:
        said = scene.safe(scene.look.translator.gettext("The table is empty."))
        x, y, width, height = scene.table_box
        role = "mat-dim" if scene.plan.headed else "dim"
        y = y + height // 2 if scene.places is None else y
        canvas.put(x + (width - len(said)) // 2, y, said, role)


def _draw_players(canvas: Canvas, scene: CasinoScene) -> None:
    """Draw the players, with what each did last in a third row, where there is one."""
    box, seats = scene.score, range(len(scene.table.seats))
    if scene.plan.headed:
        draw_panel(canvas, scene, box, scene.look.translator.gettext("Score"))
    draw_players(canvas, scene, box, [player_line(scene, seat) for seat in seats])
    pitch = box.height // len(seats)
    for seat in seats if pitch > 2 else ():
        deed = cut(scene, last_deed(scene, seat), box.width - 2)
        put_pieces(canvas, box.x + 1, box.y + seat * pitch + 2, deed)
