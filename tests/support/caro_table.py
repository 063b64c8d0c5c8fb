"""Rooms around positions of Caro, as a table screen gets them, and one way to draw them."""

from collections.abc import Sequence

import msgspec

from cartino_games.caro.rules.table import CaroState
from cartino_games.caro.screen import CaroPointer, CaroScreen
from cartino_games.caro.views import CaroView
from cartino_protocol import wire
from cartino_protocol.base import Seat
from cartino_protocol.views import ClaimView, ResultView, RoomView
from cartino_tui.draw.canvas import Frame
from cartino_tui.game_port.screen import Look, TableChrome
from tests.support.caro import GAME
from tests.support.kit_table import AROUND, kit_room

SCREEN = CaroScreen()
SIZES = {
    "60x20": Look(60, 20),
    "80x24": Look(80, 24),
    "120x40": Look(120, 40),
    "160x50": Look(160, 50),
    "200x60": Look(200, 60),
    "ascii": Look(80, 24, ascii=True),
}


def room_of(state: CaroState, you: Seat | None) -> RoomView:
    """The room in which `state` is played, as seat `you` (None: a spectator) sees it."""
    result, claim = GAME.result(state), GAME.claim(state)
    room = kit_room(
        len(state.totals),
        you,
        GAME.on_turn(state),
        ResultView(result.totals, result.winners, result.reason) if result else None,
    )
    seen = ClaimView(claim.seats, claim.seconds, claim.silence is not None) if claim else None
    return msgspec.structs.replace(
        room, game="caro", table=wire.encode_raw(GAME.view(state, you)), claim=seen
    )


def view_of(room: RoomView) -> CaroView:
    """The game's view inside a room's."""
    return SCREEN.read(room.table)


def press(room: RoomView, *keys: str, look: Look = SIZES["80x24"]) -> tuple[CaroPointer, object, str]:
    """The pointer after these keys, and the move and the sentence that the last one led to."""
    pointer, move, status = SCREEN.follow(room, view_of(room), SCREEN.fresh()), None, ""
    for key in keys:
        reaction = SCREEN.key(room, view_of(room), pointer, key, look)
        pointer, move, status = reaction.pointer, reaction.move, reaction.status
    return pointer, move, status


def drawn(
    state: CaroState,
    you: Seat | None,
    look: Look = SIZES["80x24"],
    keys: Sequence[str] = (),
    around: TableChrome = AROUND,
) -> Frame:
    """The frame after these keys."""
    room = room_of(state, you)
    return SCREEN.draw(room, view_of(room), press(room, *keys, look=look)[0], look, around)
