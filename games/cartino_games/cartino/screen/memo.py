"""The stone in somebody's hand in a few bytes, so that it is still up when they come back to the table."""

import msgspec

from cartino_games.cartino.screen.pointer import CartinoPointer, lays_of, pick
from cartino_games.cartino.views import CartinoView

_words = msgspec.msgpack.Decoder(tuple[int, str])


def memo(pointer: CartinoPointer) -> bytes:
    """The picked stone: its place in the hand and its name; b"" for none.

    Where the cursor stands is left out, or every step of it would have to travel: it begins at the best spot again.
    """
    return b"" if pointer.picked is None else msgspec.msgpack.encode((pointer.picked, pointer.stone))


def recalled(view: CartinoView, pointer: CartinoPointer, memo: msgspec.Raw) -> CartinoPointer:
    """The stone of `memo` picked up, if it is in that place still and has a spot; else `pointer`.

    A stone that is up already stays up.
    """
    try:
        place, stone = _words.decode(memo)
    except msgspec.DecodeError:
        return pointer
    there = lays_of(view, place) and view.hand[place] == stone
    return pick(view, place) if there and pointer.picked is None else pointer
