"""Tables around positions of Cartino, as a table screen gets them, and one way to draw them."""

from collections.abc import Iterable

import msgspec

from cartino_games.cartino.rules.state import CartinoState
from cartino_games.cartino.screen.pointer import NOWHERE, CartinoPointer
from cartino_games.cartino.screen.scene import Scene, scene
from cartino_games.cartino.views import CartinoView
from cartino_protocol import wire
from cartino_protocol.base import Seat, SeatKind
from cartino_protocol.views import ResultView, SeatView, TableView
from cartino_tui.draw.canvas import Frame
from cartino_tui.game_port.screen import ClockReading, Look, TableChrome
from tests.support.cartino import GAME, NOTATION
from tests.support.games import SCREENS, SPEECHES
from tests.support.table_script import Setting

CARTINO_SCREEN = SCREENS["cartino"]
SMALL, MIDDLE, LARGE = Look(80, 24), Look(120, 40), Look(160, 50)
NAMES = ("Bartholomew XVI.", "Léa", "Maximiliane Roß.", "Johann Sebastian")
"""Three of them as long as a name may be."""
KINDS: tuple[SeatKind, ...] = ("human", "bot", "human", "human")
AWAY = 2
SAID = (("Léa", "good luck, everybody!"), ("", "eve is watching"), ("Léa", "that was a fine king"))
HINTS = (("t", "talk"), ("?", "help"), ("q", "leave"))
AROUND = TableChrome("Cartino · K7QP", "3 watching · 48 ms", SAID, "", HINTS)


def table_of(state: CartinoState, you: Seat | None) -> TableView:
    """The room in which `state` is played, as seat `you` (None: a spectator) sees it."""
    result = GAME.result(state)
    return TableView(
        code="K7QP",
        game="cartino",
        options={"edition": state.tables.board.edition},
        state="finished" if result else "playing",
        number=1,
        seats=tuple(
            SeatView(NAMES[seat], KINDS[seat], here=seat != AWAY) for seat in range(len(state.hands))
        ),
        owner=0,
        you=you,
        spectators=3,
        commitment="91cd04ee" * 8,
        turn=GAME.on_turn(state),
        game_view=wire.encode_raw(GAME.view(state, you)),
        result=ResultView(result.totals, result.winners, result.reason) if result else None,
        seed="3fa9c2d1" * 8 if result else "",
    )


SETTING = Setting(NOTATION, CARTINO_SCREEN, SPEECHES["cartino"], table_of, AROUND)


def in_play(table: TableView, substitutes: Iterable[Seat] = ()) -> TableView:
    """`table` with bots that play for `substitutes`."""
    standing = set(substitutes)
    seats = (
        msgspec.structs.replace(seat, substitute="greedy" if number in standing else "")
        for number, seat in enumerate(table.seats)
    )
    return msgspec.structs.replace(table, seats=tuple(seats))


def with_clock(seat: Seat, clock: ClockReading, around: TableChrome | None = None) -> TableChrome:
    """The usual surroundings, or `around`, with a clock that runs for `seat`."""
    clocks = (*(None for _ in range(seat)), clock)
    return msgspec.structs.replace(around or AROUND, clocks=clocks)


def view_of(table: TableView) -> CartinoView:
    """The game's view inside a table's."""
    view = CARTINO_SCREEN.read(table.game_view)
    assert isinstance(view, CartinoView)
    return view


def press(table: TableView, *keys: str) -> CartinoPointer:
    """The pointer after these keys, none of which may make a move."""
    pointer = NOWHERE
    for key in keys:
        reaction = CARTINO_SCREEN.key(table, view_of(table), pointer, key)
        assert reaction.move is None, f"{key} made a move"
        pointer = reaction.pointer
    return pointer


def drawn(
    state: CartinoState,
    you: Seat | None,
    look: Look = SMALL,
    keys: tuple[str, ...] = (),
    around: TableChrome = AROUND,
) -> Frame:
    """The frame after these keys."""
    table = table_of(state, you)
    return CARTINO_SCREEN.draw(table, view_of(table), press(table, *keys), look, around)


def scene_of(state: CartinoState, you: Seat | None, look: Look = SMALL, keys: tuple[str, ...] = ()) -> Scene:
    """The scene after these keys."""
    table = table_of(state, you)
    return scene(table, view_of(table), press(table, *keys), look, AROUND)


def with_status(text: str) -> TableChrome:
    """The usual surroundings with a status sentence of the frame's."""
    return msgspec.structs.replace(AROUND, status=text)
