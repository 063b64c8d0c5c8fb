"""The screen of a game that is played from a hand: a card is chosen, cards on the table for it, and one of its plays.

What a choice is stands in a list before it is made: every way to mean it, and of those that are refused, why.
"""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final, TypeVar

import msgspec
from typing_extensions import override

from cartino_games.kit.arrangement import Arrangement, Box, arrange
from cartino_games.kit.bars import Hint, draw_hints, ended, fitting_hints, waiting
from cartino_games.kit.card_roles import CARD_ROLES, MAT_ROLES, SUIT_ROLES
from cartino_games.kit.cards import LARGE, CardBoxes, Face, card_face, draw_card, draw_row, lay_row
from cartino_games.kit.choices import ListedChoice, choice_at, cut, draw_choices
from cartino_games.kit.hands.mat import FaceDown, draw_back, draw_mat, draw_others, draw_pile, draw_slots
from cartino_games.kit.hands.places import MatPlaces, beside_mat, mat_places
from cartino_games.kit.hands.view import HandView
from cartino_games.kit.log import draw_log
from cartino_games.kit.marks import marks_for
from cartino_games.kit.players import PlayerLine, draw_players
from cartino_games.kit.scene import TableScene, names_of
from cartino_games.kit.screen import BACK, GameTableScreen, TablePointer, not_now, number_of
from cartino_games.kit.since import in_a_line
from cartino_games.kit.text import (
    Paragraph,
    Piece,
    Row,
    draw_panel,
    draw_rows,
    first_that_fits,
    put_pieces,
    rows_width,
)
from cartino_protocol.base import Seat
from cartino_protocol.text import N_
from cartino_protocol.views import RoomView
from cartino_tui.draw.canvas import Canvas
from cartino_tui.draw.theme import RoleSet
from cartino_tui.game_port.screen import Look, Reaction, TableChrome

View = TypeVar("View", bound=HandView[Any])

Way = tuple[msgspec.Struct, str | None]
"""A move, and the rule that refuses it or None."""

_LIST: Final = {"up": -1, "k": -1, "down": 1, "j": 1}
_TABLE: Final = {"left": -1, "h": -1, "right": 1, "l": 1}
_PICK: Final = N_("Choose a card first: its number, or a click.")
_ROWS: Final = 3
"""The rows of large cards that have to fit, or cards get smaller too soon as more lie."""
_BACK: Final = 5
"""The least rows of a hand whose backs are whole."""
_WIDE: Final = 80
"""The columns from which there is room for more than the most important hints."""
_PITCH: Final = 4
"""The most rows from one player to the next (see `draw_players`)."""


class HandPointer(TablePointer, frozen=True):
    """The card chosen from the hand, the table cards chosen for it, the play marked, and the cursor on the table."""

    card: str = ""
    chosen: tuple[str, ...] = ()
    at: int = 0
    spot: int | None = None


class HandScene(TableScene, frozen=True):
    """A view and a pointer, with where things stand.

    `lying` is what lies on the table, each by its cards; `row` in `table` and `fingers` are where that and the hand
    stand; `plays` are those of the chosen card.
    """

    view: Any
    pointer: HandPointer
    plan: Arrangement
    lying: Sequence[tuple[str, ...]]
    plays: Sequence[Way]
    fingers: CardBoxes
    table: Box = Box(0, 0, 0, 0)
    row: CardBoxes = CardBoxes(())
    places: MatPlaces | None = None

    @property
    @override
    def turn(self) -> tuple[Seat, ...]:
        return () if self.view.on_turn is None else (self.view.on_turn,)

    @property
    def list(self) -> Box:
        """Where the plays are listed: beside a mat over the talk, and over as many moves as it takes.

        Elsewhere over moves and talk; while others play and move, below the table's cards.
        """
        if self.places is not None:
            moves, talk = self.plan.moves, self.plan.talk
            more = max(0, min(len(self.plays) - talk.height, talk.y - moves.y))
            return talk._replace(y=talk.y - more, height=talk.height + more)
        if self.mine:
            edge = int(self.plan.headed)
            top = self.plan.moves.y
            return Box(3 * edge, top, self.width - 6 * edge, self.status_row - top - edge)
        end = self.table.y + self.table.height
        top = max((box.y + box.height for box in self.row.boxes), default=self.table.y)
        return self.table._replace(y=top, height=max(0, end - top))

    @property
    def score(self) -> Box:
        """Where the players stand."""
        box, seats = self.plan.players, len(self.room.seats)
        return box._replace(height=seats * min(box.height // seats, _PITCH))

    @property
    def below(self) -> Box:
        """The room below the players."""
        if self.places is not None:
            return self.plan.choices
        box, used = self.plan.players, self.score.height + 2 * self.plan.headed
        return box._replace(y=box.y + used, height=box.height - used)

    def shown(self, cards: Iterable[str]) -> str:
        """Return cards as they are drawn, in a line."""
        return " ".join(map(self.marks.card, cards))

    def pieces(self, cards: Iterable[str]) -> Sequence[Piece]:
        """Return cards in the colours of their suits, with blanks between."""
        shown = [(self.marks.card(card), SUIT_ROLES[card[-1]]) for card in cards if card]
        return [(f"{' ' * (at > 0)}{text}", role) for at, (text, role) in enumerate(shown)]


class HandScreen(GameTableScreen[View, HandPointer, HandScene]):
    """The screen of such a game. Its moves take cards on the table in any order."""

    most: ClassVar[int]
    """The most cards in a hand."""
    text: ClassVar[int] = 3
    """The length of the longest text of a face on the table."""
    roles: ClassVar[tuple[RoleSet, ...]] = (CARD_ROLES, MAT_ROLES)
    settings = frozenset({"letters", "deck"})
    key_help: ClassVar[Sequence[tuple[str, str]]] = (
        ("↑ ↓ k j", N_("select the move above or below")),
        ("1-9", N_("select a move for the chosen card")),
        ("← → h l", N_("go to a card on the table")),
        ("Space", N_("choose it; the list shows what you can do with it")),
        ("Enter", N_("make the selected move")),
        ("Tab", N_("choose the next card in your hand")),
        ("Esc Backspace", N_("unselect the table cards, then your card")),
        (N_("click"), N_("a card to choose it; a move to select it, again to make it")),
    )

    @abstractmethod
    def lying(self, view: View) -> Sequence[tuple[str, ...]]:
        """Return what lies on the table, each by its cards."""

    @abstractmethod
    def plays(self, view: View, card: str, chosen: tuple[str, ...]) -> Sequence[Way]:
        """Return what `card` can do with the `chosen` cards of the table, or with any if there are none.

        There is always a way, be it refused.
        """

    @abstractmethod
    def choice(self, scene: HandScene, move: Any) -> ListedChoice:
        """Return a play as the list has it; a sentence without its period."""

    @abstractmethod
    def face(self, scene: HandScene, cards: tuple[str, ...], *, picked: bool) -> Face:
        """Return the face of something that lies on the table."""

    @abstractmethod
    def player(self, scene: HandScene, seat: Seat) -> PlayerLine:
        """Return what is said of a player."""

    def deed(self, scene: HandScene, seat: Seat) -> Sequence[Piece]:
        """Return what the player did last, in a few signs."""
        return ()

    def aside(self, scene: HandScene) -> tuple[str, Sequence[Row]]:
        """Return a heading and rows that stand below the players where there is room for all of them."""
        return "", ()

    def notes(self, scene: HandScene) -> Sequence[Row]:
        """Return rows that stand below the table's cards; if they are too wide for that, instead of the players."""
        return ()

    @abstractmethod
    def own_last(self, scene: HandScene) -> int:
        """Return how many entries of the log came after the reader's own last move (see `since_own`)."""

    @abstractmethod
    def face_down(self, scene: HandScene) -> FaceDown:
        """Return how many cards lie face down."""

    @abstractmethod
    def log(self, scene: HandScene) -> Iterable[Paragraph]:
        """Return what happened, the newest first."""

    @override
    def fresh(self) -> HandPointer:
        return HandPointer()

    @override
    def scene(
        self, room: RoomView, view: View, pointer: HandPointer, look: Look, around: TableChrome
    ) -> HandScene:
        seats, lying, places = len(room.seats), self.lying(view), mat_places(look)
        plan = arrange(look, seats, hand=LARGE)
        if places is not None:
            plan = beside_mat(look, plan, seats, 0)._replace(main=places.table, hand=places.hand)
        elif plan.headed:
            x, y, width, height = plan.players
            plan = plan._replace(players=Box(x + 1, y + 1, width - 4, height - 2))
        highest = places.cards if places is not None else LARGE
        fingers = lay_row(plan.hand, self.most, highest=highest, centred=True)
        if places is None:
            fingers = _in_the_middle(fingers, len(view.hand))
        scene = HandScene(
            room=room,
            look=look,
            around=around,
            marks=marks_for(look),
            names=names_of(room, look),
            view=view,
            pointer=pointer,
            plan=plan,
            lying=lying,
            plays=self.plays(view, pointer.card, pointer.chosen) if pointer.card else (),
            fingers=fingers,
            places=places,
        )
        if places is not None:
            rows = len(self.aside(scene)[1])
            if rows:
                aside = beside_mat(look, plan, seats, rows)
                scene = msgspec.structs.replace(scene, plan=aside._replace(main=places.table))
            row = places.row(len(lying), pointer.spot or 0, self.text)
            return msgspec.structs.replace(scene, table=places.table, row=row)
        table = plan.main._replace(height=plan.main.height - len(self.notes(scene)))
        highest = LARGE if plan.main.height >= _ROWS * LARGE else 5
        at, text = pointer.spot or 0, self.text
        row = lay_row(table, len(lying), at, text=text, highest=highest, centred=plan.headed)
        return msgspec.structs.replace(scene, table=table, row=row)

    @override
    def signs(self, scene: HandScene) -> Sequence[Piece]:
        """Return the suits."""
        return [(scene.marks.suits[suit], f"bar-{role}") for suit, role in SUIT_ROLES.items()]

    @override
    def lesson_places(self, look: Look) -> Mapping[str, str]:
        """Return the cards by name."""
        return marks_for(look).names

    @override
    def follow(self, room: RoomView, view: View, pointer: HandPointer) -> HandPointer:
        """Drop chosen cards that are gone."""
        if pointer.card not in view.hand:
            return HandPointer(page=pointer.page)
        lying = {card for cards in self.lying(view) for card in cards}
        chosen = tuple(card for card in pointer.chosen if card in lying)
        return HandPointer(card=pointer.card, chosen=chosen, page=pointer.page)

    @override
    def encode_selection(self, pointer: HandPointer) -> bytes:
        """Return the card of the hand alone."""
        return msgspec.msgpack.encode(pointer.card) if pointer.card else b""

    @override
    def restore_selection(
        self, room: RoomView, view: View, pointer: HandPointer, selection: msgspec.Raw
    ) -> HandPointer:
        try:
            card = msgspec.msgpack.decode(selection, type=str)
        except msgspec.DecodeError:
            return pointer
        return pointer if pointer.card else self.follow(room, view, HandPointer(card=card))

    @override
    def press(self, scene: HandScene, key: str) -> Reaction[HandPointer]:
        pointer, hand, number = scene.pointer, scene.view.hand, number_of(key)
        if key in BACK and pointer.card:
            return Reaction(HandPointer(card=pointer.card if pointer.chosen else ""))
        if number is None and key not in {*_LIST, *_TABLE, "tab", "space", "enter"}:
            return Reaction(pointer, taken=False)
        if scene.you is None:
            return Reaction(pointer, status=not_now(scene))
        if key == "tab" and hand:
            after = hand.index(pointer.card) + 1 if pointer.card else 0
            return Reaction(HandPointer(card=hand[after % len(hand)]))
        if not pointer.card:
            here = number is not None and number < len(hand)
            return Reaction(HandPointer(card=hand[number or 0])) if here else _pick(scene)
        if key == "enter":
            return self._play(scene)
        if key == "space":
            return self._choose(scene, pointer.spot or 0)
        if key in _TABLE:
            spot = 0 if pointer.spot is None else (pointer.spot + _TABLE[key]) % max(len(scene.lying), 1)
            return Reaction(msgspec.structs.replace(pointer, spot=spot))
        at = pointer.at + _LIST[key] if number is None else number
        return Reaction(msgspec.structs.replace(pointer, at=max(0, min(at, len(scene.plays) - 1))))

    @override
    def tap(self, scene: HandScene, x: int, y: int) -> Reaction[HandPointer]:
        """Choose the card that is clicked, mark the play that is, or make the marked one."""
        pointer, place, spot = scene.pointer, scene.fingers.at(x, y), scene.row.at(x, y)
        at = choice_at(scene.list, len(scene.plays), pointer.at, x, y)
        if place is not None and place < len(scene.view.hand):
            card = scene.view.hand[place]
            return Reaction(HandPointer(card="" if card == pointer.card else card))
        if at is not None:
            marked = at == pointer.at
            return self._play(scene) if marked else Reaction(msgspec.structs.replace(pointer, at=at))
        if spot is None:
            return Reaction(pointer, taken=False)
        if scene.you is None:
            return Reaction(pointer, status=not_now(scene))
        return self._choose(scene, spot) if pointer.card else _pick(scene)

    def _choose(self, scene: HandScene, spot: int) -> Reaction[HandPointer]:
        """Choose what lies at `spot`, or choose it no longer."""
        changed = set(scene.lying[spot]) if spot < len(scene.lying) else set()
        chosen = set(scene.pointer.chosen) ^ changed
        in_order = tuple(card for cards in scene.lying for card in cards if card in chosen)
        return Reaction(HandPointer(card=scene.pointer.card, chosen=in_order, spot=spot))

    def _play(self, scene: HandScene) -> Reaction[HandPointer]:
        """Make the marked play, or say why not."""
        move, rule = scene.plays[min(scene.pointer.at, len(scene.plays) - 1)]
        why = not_now(scene) or (self.refused(rule, scene.look.translator) if rule else "")
        return Reaction(scene.pointer, status=why) if why else Reaction(HandPointer(), move)

    @override
    def own_hints(self, scene: HandScene) -> Sequence[Hint]:
        """Return the cards that one has, and once one is chosen, what is done with it."""
        if scene.over or scene.you is None:
            return super().own_hints(scene)
        if not scene.pointer.card:
            gettext = scene.look.translator.gettext
            cards, after = (
                Hint(self._numbers(scene), gettext("card")),
                Hint(scene.look.key_shown("Tab"), gettext("next card"), "tab"),
            )
            if scene.width < _WIDE or len(scene.view.hand) < 2:
                return (cards,)
            return fitting_hints(scene.room, scene.look, ((cards, after), (cards,)))
        gettext, shown = scene.look.translator.gettext, scene.look.key_shown
        enter, back = (
            Hint(shown("Enter"), gettext("play"), "enter"),
            Hint(shown("Esc"), gettext("back"), "escape"),
        )
        other = Hint(scene.look.key_name("↑↓ 1-9"), gettext("other move"))
        table = (
            Hint(scene.look.key_name("←→"), gettext("table")),
            Hint(shown("Space"), gettext("choose"), "space"),
        )
        card = Hint(shown("Tab"), gettext("next card"), "tab")
        variants: Sequence[tuple[Hint, ...]] = (
            (enter, other, *table, card, back),
            (enter, other, *table, back),
            (enter, other, table[1], back),
            (enter, other, back),
            (enter, back),
        )
        if scene.room.you not in scene.room.turn:
            variants = [tuple(hint for hint in hints if hint.key != "enter") for hints in variants]
        return fitting_hints(scene.room, scene.look, variants)

    def _numbers(self, scene: HandScene) -> str:
        """Return the keys of the cards that one has."""
        count = len(scene.view.hand) or self.most
        return f"1-{count}" if count > 1 else "1"

    @override
    def keys_now(self, room: RoomView, view: View, pointer: HandPointer) -> Sequence[tuple[str, str]]:
        """Digits mean cards until one is chosen, then plays."""
        cards, always = f"1-{self.most}", ("Tab", "click")
        chosen = bool(pointer.card)
        return [line for line in self.key_help if line[0] in always or (line[0] == cards) != chosen]

    @override
    def state(self, scene: HandScene) -> str:
        gettext, room = scene.look.translator.gettext, scene.width - 2
        if scene.over:
            return ended(scene)
        if not scene.mine:
            return first_that_fits(waiting(scene, scene.turn[0]), room)
        if not scene.pointer.card:
            return gettext("Your turn: choose a card with {keys}, or click it.", keys=self._numbers(scene))
        card = scene.marks.card(scene.pointer.card)
        full = gettext("{card}: select a move and press Enter, or choose table cards first.", card=card)
        return first_that_fits((full, gettext("{card}: select a move and press Enter.", card=card)), room)

    @override
    def draw_still(self, canvas: Canvas, scene: HandScene) -> None:
        if scene.places is not None:
            self._draw_on_mat(canvas, scene, scene.places)
            return
        plan, notes = scene.plan, self.notes(scene)
        alone = rows_width(notes) >= plan.main.width
        if not alone:
            self._draw_players(canvas, scene)
        if plan.headed:  # elsewhere it would cost half as many bytes again whenever cards move
            canvas.fill(*scene.table, "mat")
        canvas.fill(*plan.hand._replace(width=scene.width if alone else plan.hand.width), "slot")
        self._draw_table(canvas, scene)
        left = max(1, (plan.main.width - rows_width(notes)) // 2) if plan.headed else 1
        draw_rows(canvas, left, plan.main.y + plan.main.height - len(notes), notes)
        self._draw_hand(canvas, scene)
        self._draw_text(canvas, scene)

    def _draw_on_mat(self, canvas: Canvas, scene: HandScene, places: MatPlaces) -> None:
        """Draw the mat with all that lies on it, and the column of text at its right."""
        draw_mat(canvas, scene, places.mat)
        own, cards = scene.you or 0, self.face_down(scene)
        others = [seat for seat in range(len(scene.room.seats)) if seat != own]
        draw_others(canvas, scene, places, others, cards, self.most)
        slots = places.slots(len(scene.lying), self.text)
        draw_slots(canvas, scene, slots, len(scene.lying))
        self._draw_table(canvas, scene)
        notes = [[(x, text, "mat-dim") for x, text, _ in row] for row in self.notes(scene)]
        top = scene.table.y + scene.table.height - len(notes)
        if all(box.y + box.height <= top for box in slots.boxes):
            draw_rows(canvas, scene.table.x + 2, top, notes)
        self._draw_hand(canvas, scene)
        draw_pile(canvas, scene, places.pile, cards.taken[own])
        self._draw_players(canvas, scene)
        self._draw_text(canvas, scene)

    def _draw_hand(self, canvas: Canvas, scene: HandScene) -> None:
        """One's own cards; for spectators the backs of the first player's."""
        faces = [card_face(scene.marks, card) for card in scene.view.hand]
        if scene.places is not None:
            draw_slots(canvas, scene, scene.fingers, len(faces))
        draw_row(canvas, scene, CardBoxes(scene.fingers.boxes[: len(faces)]), faces)
        if scene.you is None:
            held = self.face_down(scene).held[0]
            for box in scene.fingers.boxes[:held]:
                flat = box.height < _BACK  # peeping out: less to send whenever cards are dealt
                draw_back(canvas, scene, Box(box.x, box.y + flat, box.width - 1, box.height - flat))

    def _draw_text(self, canvas: Canvas, scene: HandScene) -> None:
        """Draw the log, the talk, and what stands aside."""
        plan = scene.plan
        since, told = self.own_last(scene), scene.view.told
        if plan.headed:
            draw_log(
                canvas,
                scene,
                self.log(scene),
                plan.moves,
                plan.talk,
                headed=True,
                since=since,
                before=told - len(scene.view.recent) if told else None,
            )
        else:
            draw_log(
                canvas, scene, in_a_line(scene, self.log(scene), since), plan.moves, plan.talk, headed=False
            )
        heading, rows = self.aside(scene)
        if rows:
            inside = scene.below._replace(height=len(rows))
            draw_panel(canvas, scene, inside, heading)
            draw_rows(canvas, inside.x, inside.y, rows)

    @override
    def draw_choice(self, canvas: Canvas, scene: HandScene) -> None:
        pointer, box = scene.pointer, scene.list
        if pointer.card not in scene.view.hand:
            return
        place = scene.view.hand.index(pointer.card)
        face = card_face(scene.marks, pointer.card, picked=True)
        draw_card(canvas, scene, scene.fingers.boxes[place], face, str(place + 1))
        self._draw_table(canvas, scene)
        if scene.places is not None or not scene.mine:
            canvas.fill(*box, "ground")
        else:
            canvas.fill(0, box.y, scene.width, box.height, "ground")
        if (scene.mine or scene.places is not None) and scene.plan.headed:
            draw_panel(canvas, scene, box, scene.marks.card(pointer.card))
        if box.height:
            draw_choices(canvas, scene, box, [self._listed(scene, *way) for way in scene.plays], pointer.at)
        canvas.fill(0, scene.hint_row, scene.width, 1, "ground")
        draw_hints(canvas, scene, self.own_hints(scene))

    def _listed(self, scene: HandScene, move: msgspec.Struct, rule: str | None) -> ListedChoice:
        choice = self.choice(scene, move)
        if rule is None:
            return choice
        return ListedChoice(
            [*choice.said, (f": {self.refused(rule, scene.look.translator)}", "dim")], closed=True
        )

    def _draw_table(self, canvas: Canvas, scene: HandScene) -> None:
        chosen = scene.pointer.chosen
        faces = [self.face(scene, cards, picked=cards[0] in chosen) for cards in scene.lying]
        draw_row(canvas, scene, scene.row, faces, labels="", cursor=scene.pointer.spot)
        if not faces:
            said = scene.safe(scene.look.translator.gettext("The table is empty."))
            x, y, width, height = scene.table
            role = "mat-dim" if scene.plan.headed else "dim"
            y = y + height // 2 if scene.places is None else y
            canvas.put(x + (width - len(said)) // 2, y, said, role)

    def _draw_players(self, canvas: Canvas, scene: HandScene) -> None:
        """Draw the players, with what each did last in a third row, where there is one."""
        box, seats = scene.score, range(len(scene.room.seats))
        if scene.plan.headed:
            draw_panel(canvas, scene, box, scene.look.translator.gettext("Score"))
        draw_players(canvas, scene, box, [self.player(scene, seat) for seat in seats])
        pitch = box.height // len(seats)
        for seat in seats if pitch > 2 else ():
            deed = cut(scene, self.deed(scene, seat), box.width - 2)
            put_pieces(canvas, box.x + 1, box.y + seat * pitch + 2, deed)


def _in_the_middle(fingers: CardBoxes, count: int) -> CardBoxes:
    """Return the places of a hand with so many cards in the middle of those of a whole hand."""
    boxes = fingers.boxes
    if not 0 < count < len(boxes):
        return fingers
    right = (boxes[-1].x - boxes[count - 1].x) // 2
    return CardBoxes(tuple(box._replace(x=box.x + right) for box in boxes[:count]))


def _pick(scene: HandScene) -> Reaction[HandPointer]:
    return Reaction(scene.pointer, status=scene.look.translator.gettext(_PICK))
