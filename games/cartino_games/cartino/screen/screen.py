"""Cartino's side of the table screen: the one object that the frame sees."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

import msgspec

from cartino_games.cartino.description import CartinoDescription
from cartino_games.cartino.lesson_words import places
from cartino_games.cartino.roles import CARTINO_ROLES
from cartino_games.cartino.screen.answers import answer_click, answer_key
from cartino_games.cartino.screen.jumping import spells
from cartino_games.cartino.screen.motion import PICTURES, draw_motion, lays, still_running
from cartino_games.cartino.screen.pointer import NOWHERE, CartinoPointer, follow, memo, recalled
from cartino_games.cartino.screen.reasons import idea, keys_now, why
from cartino_games.cartino.screen.sample import sample
from cartino_games.cartino.screen.scene import scene
from cartino_games.cartino.screen.table import draw_end, draw_lying, draw_table
from cartino_games.cartino.views import CartinoView
from cartino_games.kit.card_roles import CARD_ROLES
from cartino_protocol.marking import N_
from cartino_protocol.views import RoomView
from cartino_tui.draw.canvas import Frame, Row
from cartino_tui.draw.roles import RoleSet
from cartino_tui.games.screen import LEAST, Around, GameScreen, Look, Reaction


class CartinoScreen(CartinoDescription, GameScreen[CartinoView, CartinoPointer]):
    """Draws Cartino and reads keys and clicks for it."""

    roles: ClassVar[tuple[RoleSet, ...]] = (CARD_ROLES, CARTINO_ROLES)
    settings: ClassVar[frozenset[str]] = frozenset({"letters", "deck"})

    key_help = (
        ("1-5", N_("pick a stone of your hand; the same number puts it back")),
        ("↑ ↓ ← → k j h l", N_("choose the half, or for a joker the spot")),
        ("/", N_("type the spot for it, as KS and u or l; for a joker KS alone will do")),
        ("Enter", N_("lay the stone where the cursor stands")),
        ("e", N_("end your turn, once a stone is laid")),
        ("Esc Backspace", N_("put the stone back")),
        (
            N_("click"),
            N_("a stone to pick it, one of its open spots to lay it there, a hint to press its key"),
        ),
        ("■ ★", N_("on the board: a stone lies here, a joker stands for it")),
        ("○ +", N_("the stone you picked may go here; it would touch this one")),
        (N_("away"), N_("not connected just now; the seat and the hand stay theirs")),
        (N_("stand-in"), N_("a bot plays for them: their time for this turn was up, or they are away")),
        ("● ■", N_("with a player: their chips, and the stones in their hand")),
        ("7/20", N_("where there is no room for the track: the field of the 20 that the marker stands on")),
        ("▲", N_("at the end: who has won")),
        ("Tab → ←", N_("at the end: from the result to the course of the game, and to the board")),
        ("♦♦ +9", N_("where there is no room for more: the turn so far, its stones and their points")),
        ("0:42 !0:09", N_("what is left of a turn; at ! it is nearly over, and then a stand-in plays it")),
    )

    def fresh(self) -> CartinoPointer:
        """See GameScreen."""
        return NOWHERE

    def follow(self, room: RoomView, view: CartinoView, pointer: CartinoPointer) -> CartinoPointer:
        """See GameScreen."""
        return follow(view, pointer)

    def memo(self, pointer: CartinoPointer) -> bytes:
        """See GameScreen."""
        return memo(pointer)

    def recall(
        self, room: RoomView, view: CartinoView, pointer: CartinoPointer, memo: msgspec.Raw
    ) -> CartinoPointer:
        """See GameScreen."""
        return recalled(view, pointer, memo)

    def key(
        self, room: RoomView, view: CartinoView, pointer: CartinoPointer, key: str, look: Look = LEAST
    ) -> Reaction[CartinoPointer]:
        """See GameScreen."""
        return answer_key(room, view, pointer, key, look)

    def spells(self, pointer: CartinoPointer) -> bool:
        """See GameScreen."""
        return spells(pointer)

    def click(
        self, room: RoomView, view: CartinoView, pointer: CartinoPointer, look: Look, x: int, y: int
    ) -> Reaction[CartinoPointer]:
        """See GameScreen."""
        return answer_click(room, view, pointer, look, x, y)

    def under(self, room: RoomView, view: CartinoView, look: Look, around: Around) -> Frame | None:
        """See GameScreen. The pages of the end are drawn as they are turned to."""
        return None if view.on_turn is None else draw_lying(scene(room, view, NOWHERE, look, around))

    def draw(
        self,
        room: RoomView,
        view: CartinoView,
        pointer: CartinoPointer,
        look: Look,
        around: Around,
        under: Frame | None = None,
    ) -> Frame:
        """See GameScreen."""
        here = scene(room, view, pointer, look, around)
        if here.over and pointer.page != "board":
            return draw_end(here)
        return draw_table(here, under or draw_lying(scene(room, view, NOWHERE, look, around)))

    def pictures(self, before: CartinoView, view: CartinoView) -> int:
        """See GameScreen."""
        return PICTURES if lays(before, view) else 0

    def draw_picture(
        self,
        room: RoomView,
        view: CartinoView,
        pointer: CartinoPointer,
        look: Look,
        around: Around,
        before: CartinoView,
        picture: int,
        under: Frame | None = None,
    ) -> Frame:
        """See GameScreen."""
        then = still_running(before, view)
        if view.on_turn is None and not around.status:
            around = msgspec.structs.replace(around, status=look.tongue.say("The game is over."))
        still = self.draw(room, then, pointer, look, around, under)
        return draw_motion(still, scene(room, then, pointer, look, around), before, picture)

    def sample(self, look: Look) -> Sequence[Row]:
        """See GameScreen."""
        return sample(look)

    def lesson_places(self, look: Look) -> Mapping[str, str]:
        """See GameScreen."""
        return places(look)

    def why(self, room: RoomView, view: CartinoView, pointer: CartinoPointer, look: Look, back: int) -> str:
        """See GameScreen."""
        return why(scene(room, view, pointer, look, Around("")), back)

    def advice(self, room: RoomView, view: CartinoView, look: Look) -> str:
        """See GameScreen."""
        return idea(scene(room, view, NOWHERE, look, Around("")))

    def keys_now(
        self, room: RoomView, view: CartinoView, pointer: CartinoPointer
    ) -> Sequence[tuple[str, str]]:
        """See GameScreen."""
        useful = keys_now(room, view, pointer)
        return tuple(row for row in self.key_help if row[0] in useful)
