"""Casino's screen: what is chosen by keys and clicks, and what the table waits for."""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
from rich.style import Style
from typing_extensions import override

from cartino_games.casino.bots import best_play
from cartino_games.casino.description import CasinoDescription
from cartino_games.casino.drawing import draw_selection, draw_table
from cartino_games.casino.scene import (
    FACE_CELLS,
    HAND,
    CasinoPointer,
    CasinoScene,
    column_places,
    mat_places,
    score_box,
)
from cartino_games.casino.story import gains, offer
from cartino_games.casino.table_rows import (
    ListedChoice,
    accounts,
    aside_rows,
    choice_at,
    listed_choice,
    note_rows,
    ways,
)
from cartino_games.casino.views import CasinoView, Play
from cartino_games.kit.arrangement import Box, arrange
from cartino_games.kit.bars import Hint, describe_end, draw_hints, fitting_hints, waiting
from cartino_games.kit.card_roles import CARD_ROLES, MAT_ROLES, SUIT_ROLES
from cartino_games.kit.cards import LARGE, CardBoxes, lay_row
from cartino_games.kit.marks import marks_for
from cartino_games.kit.result import Ending
from cartino_games.kit.scene import names_of
from cartino_games.kit.screen import BACK, GameTableScreen, not_now, number_of
from cartino_games.kit.text import Piece, first_that_fits
from cartino_protocol.text import N_
from cartino_protocol.views import TableView
from cartino_tui.draw.canvas import Canvas
from cartino_tui.draw.theme import RoleSet, Scheme, block_style, text_style
from cartino_tui.game_port.screen import Look, Reaction, TableChrome

_LIST: Final = {"up": -1, "k": -1, "down": 1, "j": 1}
_TABLE: Final = {"left": -1, "h": -1, "right": 1, "l": 1}
_PICK: Final = N_("Choose a card first: its number, or a click.")
_ROWS: Final = 3
"""The rows of large cards that have to fit, or cards get smaller too soon as more lie."""
_WIDE: Final = 80
"""The columns from which there is room for more than the most important hints."""


def _build_roles(scheme: Scheme) -> dict[str, Style]:
    fill = scheme.colours.button
    return {
        "build": block_style(fill.ink, fill.ground),
        "build-edge": block_style(scheme.colours.rule_strong, fill.ground),
        "build-foot": text_style(fill.ground, scheme.colours.rule_strong),
    }


_BUILDS = RoleSet("casino", _build_roles, shading=frozenset({"build-edge", "build-foot"}))
"""A build of cards, which are its player's until somebody takes them."""


class CasinoScreen(CasinoDescription, GameTableScreen[CasinoView, CasinoPointer, CasinoScene]):
    """Draws Casino and reads keys and clicks for it: a card is chosen, cards on the table for it, and one of its plays.

    What a choice is stands in a list before it is made: every way to mean it, and of those that are refused, why.
    """

    roles = (CARD_ROLES, MAT_ROLES, _BUILDS)
    settings = frozenset({"letters", "deck"})
    key_help = (
        ("1-4", N_("choose a card from your hand")),
        ("↑ ↓ k j", N_("select the move above or below")),
        ("1-9", N_("select a move for the chosen card")),
        ("← → h l", N_("go to a card on the table")),
        ("Space", N_("choose it; the list shows what you can do with it")),
        ("Enter", N_("make the selected move")),
        ("Tab", N_("choose the next card in your hand")),
        ("Esc Backspace", N_("unselect the table cards, then your card")),
        (N_("click"), N_("a card to choose it; a move to select it, again to make it")),
        ("9● 9●#", N_("a build: its value, its owner's sign, and # if it is locked")),
    )

    @override
    def fresh(self) -> CasinoPointer:
        return CasinoPointer()

    @override
    def scene(
        self, table: TableView, view: CasinoView, pointer: CasinoPointer, look: Look, around: TableChrome
    ) -> CasinoScene:
        seats, places = len(table.seats), mat_places(look)
        plan = arrange(look, seats, hand=LARGE)
        if places is not None:
            players, below, moves, talk = column_places(look, seats, 0)
            plan = plan._replace(players=players, moves=moves, talk=talk, main=places.table, hand=places.hand)
        else:
            if plan.headed:
                x, y, width, height = plan.players
                plan = plan._replace(players=Box(x + 1, y + 1, width - 4, height - 2))
            box = score_box(plan, seats)
            used = box.height + 2 * plan.headed
            below = plan.players._replace(y=box.y + used, height=plan.players.height - used)
        highest = places.cards if places is not None else LARGE
        fingers = lay_row(plan.hand, HAND, highest=highest, centred=True)
        if places is None:
            fingers = _in_the_middle(fingers, len(view.hand))
        scene = CasinoScene(
            table=table,
            look=look,
            around=around,
            marks=marks_for(look),
            names=names_of(table, look),
            view=view,
            pointer=pointer,
            plan=plan,
            lying=_lying(view),
            plays=ways(view, pointer.card, pointer.chosen) if pointer.card in view.hand else (),
            fingers=fingers,
            below=below,
            places=places,
        )
        count, at = len(scene.lying), pointer.spot or 0
        if places is not None:
            rows = len(aside_rows(scene)[1])
            if rows:
                players, _, moves, talk = column_places(look, seats, rows)
                plan = plan._replace(players=players, moves=moves, talk=talk)
            return msgspec.structs.replace(
                scene, plan=plan, table_box=places.table, row=places.row(count, at)
            )
        table_box = plan.main._replace(height=plan.main.height - len(note_rows(scene)))
        highest = LARGE if plan.main.height >= _ROWS * LARGE else 5
        row = lay_row(table_box, count, at, text=FACE_CELLS, highest=highest, centred=plan.headed)
        return msgspec.structs.replace(scene, table_box=table_box, row=row)

    @override
    def signs(self, scene: CasinoScene) -> Sequence[Piece]:
        """Return the suits."""
        return [(scene.marks.suits[suit], f"bar-{role}") for suit, role in SUIT_ROLES.items()]

    @override
    def title_facts(self, scene: CasinoScene) -> Sequence[str]:
        gettext, view = scene.look.translator.gettext, scene.view
        pack = gettext("pack {n}", n=view.pack) if view.pack else gettext("last hand")
        target = gettext("to {n}", n=view.customs.target)
        return () if scene.is_over else (pack, target, gettext("deal {n}", n=view.deal + 1))

    @override
    def lesson_places(self, look: Look) -> Mapping[str, str]:
        """Return the cards by name."""
        return marks_for(look).names

    @override
    def update_pointer(self, table: TableView, view: CasinoView, pointer: CasinoPointer) -> CasinoPointer:
        """Drop chosen cards that are gone."""
        if pointer.card not in view.hand:
            return CasinoPointer(page=pointer.page)
        lying = {card for cards in _lying(view) for card in cards}
        chosen = tuple(card for card in pointer.chosen if card in lying)
        return CasinoPointer(card=pointer.card, chosen=chosen, page=pointer.page)

    @override
    def encode_selection(self, pointer: CasinoPointer) -> bytes:
        """Return the card of the hand alone."""
        return msgspec.msgpack.encode(pointer.card) if pointer.card else b""

    @override
    def restore_selection(
        self, table: TableView, view: CasinoView, pointer: CasinoPointer, selection: msgspec.Raw
    ) -> CasinoPointer:
        try:
            card = msgspec.msgpack.decode(selection, type=str)
        except msgspec.DecodeError:
            return pointer
        return pointer if pointer.card else self.update_pointer(table, view, CasinoPointer(card=card))

    @override
    def press(self, scene: CasinoScene, key: str) -> Reaction[CasinoPointer]:
        pointer, hand, number = scene.pointer, scene.view.hand, number_of(key)
        if key in BACK and pointer.card:
            return Reaction(CasinoPointer(card=pointer.card if pointer.chosen else ""))
        if number is None and key not in {*_LIST, *_TABLE, "tab", "space", "enter"}:
            return Reaction(pointer, taken=False)
        if scene.you is None:
            return Reaction(pointer, status=not_now(scene))
        if key == "tab" and hand:
            after = hand.index(pointer.card) + 1 if pointer.card else 0
            return Reaction(CasinoPointer(card=hand[after % len(hand)]))
        if not pointer.card:
            here = number is not None and number < len(hand)
            return Reaction(CasinoPointer(card=hand[number or 0])) if here else _pick(scene)
        if key == "enter":
            return self._play(scene)
        if key == "space":
            return _choose(scene, pointer.spot or 0)
        if key in _TABLE:
            spot = 0 if pointer.spot is None else (pointer.spot + _TABLE[key]) % max(len(scene.lying), 1)
            return Reaction(msgspec.structs.replace(pointer, spot=spot))
        at = pointer.at + _LIST[key] if number is None else number
        return Reaction(msgspec.structs.replace(pointer, at=max(0, min(at, len(scene.plays) - 1))))

    @override
    def tap(self, scene: CasinoScene, x: int, y: int) -> Reaction[CasinoPointer]:
        """Choose the card that is clicked, mark the play that is, or make the marked one."""
        pointer, place, spot = scene.pointer, scene.fingers.card_at(x, y), scene.row.card_at(x, y)
        at = choice_at(scene.list, len(scene.plays), pointer.at, x, y)
        if place is not None and place < len(scene.view.hand):
            card = scene.view.hand[place]
            return Reaction(CasinoPointer(card="" if card == pointer.card else card))
        if at is not None:
            marked = at == pointer.at
            return self._play(scene) if marked else Reaction(msgspec.structs.replace(pointer, at=at))
        if spot is None:
            return Reaction(pointer, taken=False)
        if scene.you is None:
            return Reaction(pointer, status=not_now(scene))
        return _choose(scene, spot) if pointer.card else _pick(scene)

    def _play(self, scene: CasinoScene) -> Reaction[CasinoPointer]:
        """Make the marked play, or say why not."""
        move, rule = scene.plays[min(scene.pointer.at, len(scene.plays) - 1)]
        why = not_now(scene) or (self.describe_refusal(rule, scene.look.translator) if rule else "")
        return Reaction(scene.pointer, status=why) if why else Reaction(CasinoPointer(), move)

    @override
    def own_hints(self, scene: CasinoScene) -> Sequence[Hint]:
        """Return the cards that one has, and once one is chosen, what is done with it."""
        if scene.is_over or scene.you is None:
            return super().own_hints(scene)
        if not scene.pointer.card:
            gettext = scene.look.translator.gettext
            cards, after = (
                Hint(_numbers(scene), gettext("card")),
                Hint(scene.look.key_shown("Tab"), gettext("next card"), "tab"),
            )
            if scene.width < _WIDE or len(scene.view.hand) < 2:
                return (cards,)
            return fitting_hints(scene.table, scene.look, ((cards, after), (cards,)))
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
        if scene.table.you not in scene.table.turn:
            variants = [tuple(hint for hint in hints if hint.key != "enter") for hints in variants]
        return fitting_hints(scene.table, scene.look, variants)

    @override
    def keys_now(
        self, table: TableView, view: CasinoView, pointer: CasinoPointer
    ) -> Sequence[tuple[str, str]]:
        """Digits mean cards until one is chosen, then plays."""
        cards, always = f"1-{HAND}", ("Tab", "click")
        chosen = bool(pointer.card)
        return [line for line in self.key_help if line[0] in always or (line[0] == cards) != chosen]

    @override
    def state(self, scene: CasinoScene) -> str:
        gettext, room = scene.look.translator.gettext, scene.width - 2
        if scene.is_over:
            return describe_end(scene)
        if not scene.mine:
            return first_that_fits(waiting(scene, scene.turn[0]), room)
        if not scene.pointer.card:
            return gettext("Your turn: choose a card with {keys}, or click it.", keys=_numbers(scene))
        card = scene.marks.card(scene.pointer.card)
        full = gettext("{card}: select a move and press Enter, or choose table cards first.", card=card)
        return first_that_fits((full, gettext("{card}: select a move and press Enter.", card=card)), room)

    @override
    def draw_still(self, canvas: Canvas, scene: CasinoScene) -> None:
        draw_table(canvas, scene)

    @override
    def draw_choice(self, canvas: Canvas, scene: CasinoScene) -> None:
        if scene.pointer.card in scene.view.hand:
            draw_selection(canvas, scene, [self._listed(scene, *way) for way in scene.plays])
            canvas.fill(0, scene.hint_row, scene.width, 1, "ground")
            draw_hints(canvas, scene, self.own_hints(scene))

    def _listed(self, scene: CasinoScene, play: Play, rule: str | None) -> ListedChoice:
        choice = listed_choice(scene, play)
        if rule is None:
            return choice
        said = [*choice.said, (f": {self.describe_refusal(rule, scene.look.translator)}", "dim")]
        return ListedChoice(said, closed=True)

    @override
    def ending(self, scene: CasinoScene) -> Ending:
        gettext, start = scene.look.translator.gettext, (0,) * len(scene.view.totals)
        courses = tuple(zip(start, *scene.view.course, strict=True)) if scene.view.course else ()
        why = gettext("Points are for the last deal, totals for all deals.")
        return Ending(why, "", accounts(scene), courses, gettext("Totals by deal"), gain=gettext("best deal"))

    @override
    def why(self, table: TableView, view: CasinoView, pointer: CasinoPointer, look: Look, back: int) -> str:
        """Return the piles of the deal that was scored last."""
        piles = zip(names_of(table, look), view.piles, strict=False)
        return "; ".join(f"{name}: {' '.join(map(marks_for(look).card, pile))}" for name, pile in piles)

    @override
    def hint(self, table: TableView, view: CasinoView, look: Look) -> str:
        """Return what the bot `careful` would play."""
        if not view.plays:
            return ""
        play, card, gettext = best_play(view), marks_for(look).card, look.translator.gettext
        offered = offer(view, play, look.translator, lambda cards: " ".join(map(card, cards)))
        gained = gains(view, play, look.translator, marks_for(look).suits[view.customs.suit])
        said = ": ".join(filter(None, (offered, gained)))
        return gettext("Hint: {card}, {play}.", card=card(play.card), play=said)


def _numbers(scene: CasinoScene) -> str:
    """Return the keys of the cards that one has."""
    count = len(scene.view.hand) or HAND
    return f"1-{count}" if count > 1 else "1"


def _lying(view: CasinoView) -> Sequence[tuple[str, ...]]:
    """Return the loose cards, then the builds, each by its cards."""
    return (*((card,) for card in view.loose), *(build.cards for build in view.builds))


def _in_the_middle(fingers: CardBoxes, count: int) -> CardBoxes:
    """Return the places of a hand with so many cards in the middle of those of a whole hand."""
    boxes = fingers.boxes
    if not 0 < count < len(boxes):
        return fingers
    right = (boxes[-1].x - boxes[count - 1].x) // 2
    return CardBoxes(tuple(box._replace(x=box.x + right) for box in boxes[:count]))


def _choose(scene: CasinoScene, spot: int) -> Reaction[CasinoPointer]:
    """Choose what lies at `spot`, or choose it no longer."""
    changed = set(scene.lying[spot]) if spot < len(scene.lying) else set()
    chosen = set(scene.pointer.chosen) ^ changed
    in_order = tuple(card for cards in scene.lying for card in cards if card in chosen)
    return Reaction(CasinoPointer(card=scene.pointer.card, chosen=in_order, spot=spot))


def _pick(scene: CasinoScene) -> Reaction[CasinoPointer]:
    return Reaction(scene.pointer, status=scene.look.translator.gettext(_PICK))
