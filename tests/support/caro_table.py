"""Tables around positions of Caro, as a table screen gets them, and one way to draw them."""

from collections.abc import Sequence

import msgspec

from cartino_games.caro.rules.table import CaroState
from cartino_games.caro.screen import CaroPointer, CaroScreen
from cartino_games.caro.speech import CaroSpeech
from cartino_games.caro.views import CaroView
from cartino_protocol import wire
from cartino_protocol.base import Seat
from cartino_protocol.views import ClaimView, ResultView, TableView
from cartino_tui.draw.canvas import Frame
from cartino_tui.game_port.screen import Look, TableChrome
from tests.support.caro import GAME, NOTATION
from tests.support.kit_table import AROUND, kit_table
from tests.support.table_script import Setting

SCREEN = CaroScreen()
SIZES = {
    "60x20": Look(60, 20),
    "80x24": Look(80, 24),
    "120x40": Look(120, 40),
    "160x50": Look(160, 50),
    "200x60": Look(200, 60),
    "ascii": Look(80, 24, ascii=True),
}


def table_of(state: CaroState, you: Seat | None) -> TableView:
    """The room in which `state` is played, as seat `you` (None: a spectator) sees it."""
    result, claim = GAME.result(state), GAME.claim(state)
    table = kit_table(
        len(state.totals),
        you,
        GAME.on_turn(state),
        ResultView(result.totals, result.winners, result.reason) if result else None,
    )
    seen = ClaimView(claim.seats, claim.seconds, claim.silence is not None) if claim else None
    return msgspec.structs.replace(
        table, game="caro", game_view=wire.encode_raw(GAME.view(state, you)), claim=seen
    )


def view_of(table: TableView) -> CaroView:
    """The game's view inside a table's."""
    return SCREEN.read(table.game_view)


SETTING = Setting(NOTATION, SCREEN, CaroSpeech(), table_of, AROUND)


def press(table: TableView, *keys: str, look: Look = SIZES["80x24"]) -> tuple[CaroPointer, object, str]:
    """The pointer after these keys, and the move and the sentence that the last one led to."""
    pointer, move, status = SCREEN.update_pointer(table, view_of(table), SCREEN.fresh()), None, ""
    for key in keys:
        reaction = SCREEN.key(table, view_of(table), pointer, key, look)
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
    table = table_of(state, you)
    return SCREEN.draw(table, view_of(table), press(table, *keys, look=look)[0], look, around)
