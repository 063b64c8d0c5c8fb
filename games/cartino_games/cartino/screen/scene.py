"""Everything that one drawing of the table needs, gathered once so that its parts ask for nothing else."""

from collections.abc import Mapping
from functools import lru_cache
from itertools import takewhile
from types import MappingProxyType
from typing import Final

import msgspec
from typing_extensions import override

from cartino_games.cartino.board import BOARDS, JOKER, Board, Edition
from cartino_games.cartino.marks import BoardMarks, marks_for
from cartino_games.cartino.screen.layout import Layout, layout
from cartino_games.cartino.screen.pointer import CartinoPointer, chosen, lays_of, touching
from cartino_games.cartino.turn_log import turns_logged
from cartino_games.cartino.views import FREE, TAKEN_BY_JOKER, CartinoEvent, CartinoView, LayOption
from cartino_games.kit.scene import TableScene, names_of
from cartino_protocol.base import Seat
from cartino_protocol.views import TableView
from cartino_tui.game_port.screen import Look, TableChrome

LAYING: Final = ("lay", "swap")
"""The kinds of events in which a stone is laid."""


class Scene(TableScene, frozen=True):
    """A view and a pointer, with what follows from them for drawing.

    `open_spots` are the legal spots (with points) of the picked stone, `touched` the other stones that it can
    touch there (for a joker, which may go nearly everywhere, none), `cursor` the cursor's spot (None: nothing picked).
    """

    marks: BoardMarks
    view: CartinoView
    pointer: CartinoPointer
    layout: Layout
    board: Board
    open_spots: dict[int, int]
    touched: frozenset[int]
    cursor: int | None
    lay: LayOption | None

    @property
    @override
    def turn(self) -> tuple[Seat, ...]:
        """As the view has it, which animations set back."""
        return () if self.view.on_turn is None else (self.view.on_turn,)

    def card_at(self, spot: int) -> str:
        """Return what lies on a spot, for reading: `A♥`, with a joker in front where one stands for it."""
        card = self.marks.card(self.board.cards[spot // 2])
        return self.marks.joker + card if self.view.board[spot] == TAKEN_BY_JOKER else card


def scene(
    table: TableView, view: CartinoView, pointer: CartinoPointer, look: Look, around: TableChrome
) -> Scene:
    """Return the scene for one drawing."""
    board = BOARDS[view.edition]
    lay = chosen(view, pointer)
    lays = () if lay is None or pointer.picked is None else lays_of(view, pointer.picked)
    open_spots = {board.spot_number[option.spot]: option.points for option in lays}
    near = {spot for each in lays if each.stone != JOKER for spot in touching(view, each.spot)}
    return Scene(
        table=table,
        view=view,
        pointer=pointer,
        look=look,
        around=around,
        layout=layout(look, view.edition, len(view.scores)),
        marks=marks_for(look),
        board=board,
        names=names_of(table, look),
        open_spots=open_spots,
        touched=frozenset(near - open_spots.keys()),
        cursor=board.spot_number[lay.spot] if lay else None,
        lay=lay,
    )


@lru_cache(maxsize=64)
def _newest(
    edition: Edition,
    log: bytes,
    seats: int,
    running: tuple[CartinoEvent, ...],
    on_turn: int | None,
) -> Mapping[int, Seat]:
    number = BOARDS[edition].spot_number
    turns = turns_logged(edition, log, seats)[-seats:]
    closed = (event for turn in turns for event in turn if event.seat != on_turn)
    return MappingProxyType(
        {number[event.spot]: event.seat for event in (*closed, *running) if event.kind in LAYING}
    )


def newest_stones(view: CartinoView) -> Mapping[int, Seat]:
    """Return who laid the stones of the newest turns, by spot: those of a player go when that player's turn comes."""
    return _newest(view.edition, view.log, len(view.scores), running_turn(view), view.on_turn)


def running_turn(view: CartinoView) -> tuple[CartinoEvent, ...]:
    """Return the lays of the turn that goes on."""
    newest = takewhile(lambda event: event.kind in LAYING, reversed(view.recent))
    return tuple(newest)[::-1]


def at_rest(scene: Scene) -> Scene:
    """Return the same scene with no stone up."""
    return msgspec.structs.replace(scene, open_spots={}, touched=frozenset(), cursor=None, lay=None)


def is_free(scene: Scene, spot: int) -> bool:
    """Return whether nothing lies on a spot."""
    return scene.view.board[spot] == FREE


def is_joker(scene: Scene, spot: int) -> bool:
    """Return whether a joker lies on a spot."""
    return scene.view.board[spot] == TAKEN_BY_JOKER


def suit_of(name: str) -> str:
    """Return the suit letter of a card or stone by name, `*` for a joker: what roles end with."""
    return JOKER if name == JOKER else name[-1]
