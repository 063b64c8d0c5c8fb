"""Where somebody points at the table: the stone they picked and the spot their cursor stands on."""

import msgspec

from cartino_games.cartino.board import BOARDS, Board
from cartino_games.cartino.views import TAKEN_BY_JOKER, CartinoView, LayOption
from cartino_games.kit.grid import nearest
from cartino_games.kit.screen import TablePointer


class CartinoPointer(TablePointer, frozen=True):
    """A stone picked up: its place in the hand (None: none is), its name, and the name of the cursor's spot.

    When the game is over, no stone but the `page`. `typed` is the name of a spot as far as it was typed, behind a
    slash; "" while none is. `laid`: the last thing done was to lay a stone.
    """

    picked: int | None = None
    stone: str = ""
    spot: str = ""
    typed: str = ""
    laid: bool = False


_words = msgspec.msgpack.Decoder(tuple[int, str])

NOWHERE = CartinoPointer()
"""Nothing picked."""
LAID = CartinoPointer(laid=True)
"""Nothing picked since a stone was laid."""


def lays_of(view: CartinoView, place: int) -> tuple[LayOption, ...]:
    """Return the lays that are legal now for the stone at `place` in the hand; a barred joker has none."""
    if not 0 <= place < len(view.hand) or is_barred(view, place):
        return ()
    return view.lays_of(view.hand[place])


def is_fresh(view: CartinoView, stone: str) -> bool:
    """Return whether a stone of one's turn has to wait, since a joker that was laid in this turn lies in its place."""
    card = BOARDS[view.edition].card_number[stone]
    return view.laid > 0 and TAKEN_BY_JOKER in view.board[2 * card : 2 * card + 2]


def is_barred(view: CartinoView, place: int) -> bool:
    """Return whether the stone at `place` is a joker barred in this turn: one of the last `barred` of the hand."""
    return place >= len(view.hand) - view.barred


def pick(view: CartinoView, place: int) -> CartinoPointer:
    """Pick up the stone at `place`, with the cursor on its best spot. Raises ValueError where it has none."""
    lays = lays_of(view, place)
    if not lays:
        raise ValueError(f"stone {place} has no spot")
    return CartinoPointer(place, view.hand[place], best(BOARDS[view.edition], lays).spot)


def best(board: Board, lays: tuple[LayOption, ...]) -> LayOption:
    """Return the lay with most points; of equals one on an upper half, then the first as one reads the board."""

    def rank(lay: LayOption) -> tuple[int, int, tuple[int, int]]:
        spot = board.spot_number[lay.spot]
        return -lay.points, spot % 2, board.place_of(spot)

    return min(lays, key=rank)


def update_pointer(view: CartinoView, pointer: CartinoPointer) -> CartinoPointer:
    """Return `pointer` at a new view: put down where the stone or its spots are gone, moved where only the spot is."""
    if view.on_turn is None:
        return CartinoPointer(page=pointer.page)
    if pointer == LAID:
        return LAID
    place = pointer.picked
    if place is None or place >= len(view.hand) or view.hand[place] != pointer.stone:
        return NOWHERE
    lays = lays_of(view, place)
    if not lays:
        return NOWHERE
    if any(lay.spot == pointer.spot for lay in lays):
        return pointer
    return pick(view, place)


def chosen(view: CartinoView, pointer: CartinoPointer) -> LayOption | None:
    """Return the lay that the pointer stands for, or None."""
    if pointer.picked is None:
        return None
    return next((lay for lay in lays_of(view, pointer.picked) if lay.spot == pointer.spot), None)


def moved(view: CartinoView, pointer: CartinoPointer, direction: tuple[int, int]) -> CartinoPointer:
    """Return the cursor on the nearest legal spot in `direction` (rows, columns of half cells), if there is one."""
    board = BOARDS[view.edition]
    if pointer.picked is None:
        return pointer
    here = board.place_of(board.spot_number[pointer.spot])
    spots = sorted(lay.spot for lay in lays_of(view, pointer.picked))
    places = {board.place_of(board.spot_number[spot]): spot for spot in spots}
    found = nearest(here, direction, places)
    return pointer if found is None else msgspec.structs.replace(pointer, spot=places[found])


def touching(view: CartinoView, spot: str) -> tuple[int, ...]:
    """Return the taken spots that share a side with `spot`: what a stone laid there will touch."""
    board = BOARDS[view.edition]
    return tuple(near for near in board.neighbours[board.spot_number[spot]] if view.board[near] != ".")


def encode_selection(pointer: CartinoPointer) -> bytes:
    """Return the picked stone, to come back to: its place in the hand and its name; b"" for none.

    Where the cursor stands is left out, or every step of it would have to travel: it begins at the best spot again.
    """
    return b"" if pointer.picked is None else msgspec.msgpack.encode((pointer.picked, pointer.stone))


def restored_selection(view: CartinoView, pointer: CartinoPointer, selection: msgspec.Raw) -> CartinoPointer:
    """Return the stone of `selection` picked up, if it is in that place still and has a spot; else `pointer`.

    A stone that is up already stays up.
    """
    try:
        place, stone = _words.decode(selection)
    except msgspec.DecodeError:
        return pointer
    there = lays_of(view, place) and view.hand[place] == stone
    return pick(view, place) if there and pointer.picked is None else pointer
