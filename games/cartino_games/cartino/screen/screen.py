"""Cartino's side of the table screen: the one object that the frame sees."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

import msgspec
from typing_extensions import override

from cartino_games.cartino.board import JOKER
from cartino_games.cartino.description import CartinoDescription
from cartino_games.cartino.lesson_words import places
from cartino_games.cartino.marks import marks_for
from cartino_games.cartino.roles import CARTINO_ROLES
from cartino_games.cartino.screen.answers import answer_click, answer_key
from cartino_games.cartino.screen.board import laid_board
from cartino_games.cartino.screen.ending import ending
from cartino_games.cartino.screen.jumping import is_typing
from cartino_games.cartino.screen.motion import PICTURES, draw_motion, lays, still_running
from cartino_games.cartino.screen.pointer import (
    NOWHERE,
    CartinoPointer,
    encode_selection,
    restored_selection,
    update_pointer,
)
from cartino_games.cartino.screen.reasons import hint, keys_now, lay_shown, why
from cartino_games.cartino.screen.scene import Scene, scene, suit_of
from cartino_games.cartino.screen.table import draw_held, draw_still, facts, hints, lesson_hints, suits
from cartino_games.cartino.screen.words import state_line
from cartino_games.cartino.views import CartinoView
from cartino_games.kit.bars import Hint, draw_hints
from cartino_games.kit.card_roles import CARD_ROLES
from cartino_games.kit.result import Ending
from cartino_games.kit.screen import GameTableScreen
from cartino_games.kit.text import Piece
from cartino_protocol.text import N_
from cartino_protocol.views import TableView
from cartino_tui.draw.canvas import Canvas, Frame, Row
from cartino_tui.draw.theme import RoleSet
from cartino_tui.game_port.screen import Look, Reaction, TableChrome


class CartinoScreen(CartinoDescription, GameTableScreen[CartinoView, CartinoPointer, Scene]):
    """Draws Cartino and reads keys and clicks for it."""

    roles: ClassVar[tuple[RoleSet, ...]] = (CARD_ROLES, CARTINO_ROLES)
    settings: ClassVar[frozenset[str]] = frozenset({"letters", "deck"})

    key_help = (
        ("1-5", N_("pick a stone from your hand")),
        ("↑ ↓ ← → k j h l", N_("choose the half, or the spot for a joker")),
        ("/", N_("type a spot, like KS and u or l; for a joker, just KS")),
        ("Enter", N_("lay the stone at the cursor")),
        ("e", N_("end your turn, after laying at least one stone")),
        ("Esc Backspace", N_("put the stone back")),
        (
            N_("click"),
            N_("a stone to pick it, an open spot to lay it there, a word in the bottom line to run it"),
        ),
        ("■ ★", N_("on the board: a stone; a joker standing for a stone")),
        ("+4 +", N_("the points that the stone you picked scores here; a stone it would touch")),
        (N_("away"), N_("not connected; they keep their seat and hand")),
        (N_("substitute"), N_("a bot plays for this player: time ran out this turn, or they're away")),
        ("● ■", N_("next to a player: their chips, and the stones in their hand")),
        ("7/20", N_("if the track doesn't fit: the marker's field, out of 20")),
        ("▲", N_("at the end: the winner")),
        ("Tab → ←", N_("at the end: switch between result, chart and board")),
        ("♦♦ +9", N_("if space is short: the turn so far, its stones and their points")),
        ("0:42 !0:09", N_("time left in this turn; ! means almost none, then a substitute bot plays")),
    )

    @override
    def fresh(self) -> CartinoPointer:
        return NOWHERE

    @override
    def update_pointer(self, table: TableView, view: CartinoView, pointer: CartinoPointer) -> CartinoPointer:
        return update_pointer(view, pointer)

    @override
    def encode_selection(self, pointer: CartinoPointer) -> bytes:
        return encode_selection(pointer)

    @override
    def restore_selection(
        self, table: TableView, view: CartinoView, pointer: CartinoPointer, selection: msgspec.Raw
    ) -> CartinoPointer:
        return restored_selection(view, pointer, selection)

    @override
    def is_typing(self, pointer: CartinoPointer) -> bool:
        return is_typing(pointer)

    @override
    def scene(
        self, table: TableView, view: CartinoView, pointer: CartinoPointer, look: Look, around: TableChrome
    ) -> Scene:
        return scene(table, view, pointer, look, around)

    @override
    def press(self, scene: Scene, key: str) -> Reaction[CartinoPointer]:
        return answer_key(scene.table, scene.view, scene.pointer, key, scene.look)

    @override
    def tap(self, scene: Scene, x: int, y: int) -> Reaction[CartinoPointer]:
        return answer_click(scene.table, scene.view, scene.pointer, scene.look, x, y)

    @override
    def state(self, scene: Scene) -> str:
        return state_line(scene, scene.width - 2)

    @override
    def move_shown(self, move: msgspec.Raw, table: TableView, look: Look) -> str:
        """Return a lay by the signs of its stone and spot."""
        lay = self.lay_in(move, table)
        return "" if lay is None else lay_shown(look, lay.stone, lay.spot)

    @override
    def ending(self, scene: Scene) -> Ending:
        return ending(scene)

    @override
    def signs(self, scene: Scene) -> Sequence[Piece]:
        return suits(scene)

    @override
    def title_facts(self, scene: Scene) -> Sequence[str]:
        return facts(scene)

    @override
    def hints(self, table: TableView, look: Look) -> Sequence[Sequence[Hint]]:
        return hints(look) if table.you in table.turn else ((),)

    @override
    def own_hints(self, scene: Scene) -> Sequence[Hint]:
        """Return the hints; a table without a code is a lesson, which has its own."""
        return super().own_hints(scene) if scene.table.code or not scene.mine else lesson_hints(scene)

    @override
    def canvas(self, scene: Scene) -> Canvas:
        """Return a canvas with the board and what lies there, which all who look at a table share."""
        return Canvas.from_frame(laid_board(scene))

    @override
    def draw_still(self, canvas: Canvas, scene: Scene) -> None:
        draw_still(canvas, scene)

    @override
    def draw_choice(self, canvas: Canvas, scene: Scene) -> None:
        draw_held(canvas, scene)
        if not scene.table.code:
            draw_hints(canvas, scene, self.own_hints(scene))

    @override
    def pictures(self, before: CartinoView, view: CartinoView) -> int:
        return PICTURES if lays(before, view) else 0

    @override
    def draw_picture(
        self,
        table: TableView,
        view: CartinoView,
        pointer: CartinoPointer,
        look: Look,
        around: TableChrome,
        before: CartinoView,
        picture: int,
        under: Frame | None = None,
    ) -> Frame:
        then = still_running(before, view)
        if view.on_turn is None and not around.status:
            around = msgspec.structs.replace(around, status=look.translator.gettext("The game is over."))
        still = self.draw(table, then, pointer, look, around, under)
        return draw_motion(still, scene(table, then, pointer, look, around), before, picture)

    @override
    def sample(self, look: Look) -> Sequence[Row]:
        return _sample(look)

    @override
    def lesson_places(self, look: Look) -> Mapping[str, str]:
        return places(look)

    @override
    def why(self, table: TableView, view: CartinoView, pointer: CartinoPointer, look: Look, back: int) -> str:
        return why(scene(table, view, pointer, look, TableChrome("")), back)

    @override
    def hint(self, table: TableView, view: CartinoView, look: Look) -> str:
        return hint(scene(table, view, NOWHERE, look, TableChrome("")))

    @override
    def keys_now(
        self, table: TableView, view: CartinoView, pointer: CartinoPointer
    ) -> Sequence[tuple[str, str]]:
        useful = keys_now(table, view, pointer)
        return tuple(row for row in self.key_help if row[0] in useful)


_COURTS: Final = ("AS", "KH", "QD", "JC")
_STATES: Final = (("JS", "legal"), ("JH", "cursor"), ("JD", "picked"))


def _sample(look: Look) -> tuple[Row, ...]:
    """Return a row of cards, with a legal spot, the cursor and a picked stone behind them, and a row of stones."""
    printed = [(name, "printed") for name in _COURTS]
    stones = [(name, "stone") for name in (*_COURTS, JOKER)]
    return (*_cards(look, printed), (" ", "ground"), *_cards(look, _STATES)), _cards(look, stones)


def _cards(look: Look, cards: Sequence[tuple[str, str]]) -> Row:
    marks = marks_for(look)
    return tuple(
        run
        for name, state in cards
        for run in ((f" {marks.card(name)} ", f"{state}-{suit_of(name)}"), (" ", "ground"))
    )
