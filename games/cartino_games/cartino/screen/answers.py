"""What keys and clicks mean at a Cartino table: the next pointer, perhaps a move, perhaps a sentence."""

import msgspec

from cartino_games.cartino.board import BOARDS
from cartino_games.cartino.marks import marks_for
from cartino_games.cartino.moves import EndTurn, Lay
from cartino_games.cartino.screen.jumping import START, begins, is_typing, jump
from cartino_games.cartino.screen.layout import layout
from cartino_games.cartino.screen.pointer import (
    LAID,
    NOWHERE,
    CartinoPointer,
    chosen,
    lays_of,
    moved,
    pick,
)
from cartino_games.cartino.screen.words import why_not
from cartino_games.cartino.views import CartinoView
from cartino_games.kit.grid import DIRECTIONS
from cartino_protocol.text import N_
from cartino_protocol.views import TableView
from cartino_tui.draw.text import clean
from cartino_tui.game_port.screen import Look, Reaction

_NUMBERS = "123456789"
_BACK = ("escape", "backspace")
_NAMING = (*_BACK, START)
"""Keys that mean something to a name that is being typed, beside characters."""
_OWN = frozenset({*_NUMBERS, *DIRECTIONS, START, "enter", "e"})

PICK_FIRST = N_("Pick a stone first (1 to 5).")
ENDED_BY_ITSELF = N_("Your last turn ended by itself; this is your next one.")
LAY_FIRST = N_("Lay at least one stone before you end your turn.")
WATCHING = N_("You're watching; only players can lay stones.")

Answer = Reaction[CartinoPointer]


def answer_key(table: TableView, view: CartinoView, pointer: CartinoPointer, key: str, look: Look) -> Answer:
    """Return what the key means here and now; `taken` is False for keys the table has no use for."""
    gettext = look.translator.gettext
    if (is_typing(pointer) and (key in _NAMING or len(key) == 1)) or begins(pointer, key):
        there, status = jump(view, pointer, key, look)
        return Answer(there, status=status)
    laid, pointer = pointer == LAID, _settled(pointer)
    if key in _BACK and pointer != NOWHERE:
        return Answer(NOWHERE)
    if key not in _OWN or view.on_turn is None:
        return Answer(pointer, taken=False)
    if table.you is None:
        return Answer(pointer, status=gettext(WATCHING))
    if table.you != view.on_turn:
        if laid and key == "e":
            # The table goes on saying that the turn is over.
            return Answer(LAID)
        return Answer(NOWHERE, status=_not_yet(table, view.on_turn, look))
    if key in _NUMBERS:
        return _pick(view, pointer, _NUMBERS.index(key), look)
    if key == "e":
        return _end(view, pointer, look, laid=laid)
    if chosen(view, pointer) is None:
        return Answer(NOWHERE, status=gettext(PICK_FIRST))
    if key == "enter":
        return _lay(pointer)
    return Answer(moved(view, pointer, DIRECTIONS[key]))


def answer_click(
    table: TableView, view: CartinoView, pointer: CartinoPointer, look: Look, x: int, y: int
) -> Answer:
    """Pick the stone that is clicked, or lay the picked one on the open spot that is."""
    plan = layout(look, view.edition, len(view.scores))
    place = plan.stone_at(x, y)
    if place is not None and place < len(view.hand):
        if place == pointer.picked:
            return Answer(NOWHERE)
        return answer_key(table, view, pointer, _NUMBERS[place], look)
    spot = plan.spot_at(x, y)
    if spot is None or view.on_turn is None:
        return Answer(pointer, taken=False)
    return _click_spot(table, view, pointer, BOARDS[view.edition].spots[spot], look)


def _click_spot(
    table: TableView, view: CartinoView, pointer: CartinoPointer, spot: str, look: Look
) -> Answer:
    if table.you != view.on_turn or chosen(view, pointer) is None or pointer.picked is None:
        return answer_key(table, view, pointer, "enter", look)
    if any(lay.spot == spot for lay in lays_of(view, pointer.picked)):
        return _lay(CartinoPointer(pointer.picked, pointer.stone, spot))
    marks = marks_for(look)
    return Answer(
        pointer,
        status=look.translator.gettext(
            "{stone} can't go there; its open spots are marked {mark}.",
            stone=marks.card(pointer.stone),
            mark=marks.legal,
        ),
    )


def _settled(pointer: CartinoPointer) -> CartinoPointer:
    """Return what stays of `pointer` when another key is pressed: a name that is half typed is dropped."""
    if pointer == LAID:
        return NOWHERE
    return msgspec.structs.replace(pointer, typed="") if pointer.typed else pointer


def _end(view: CartinoView, pointer: CartinoPointer, look: Look, *, laid: bool) -> Answer:
    """Return the end of the turn.

    A turn closes by itself where nothing more can be laid; when the others are done before this key is heard, or pass,
    the next turn of one's own has begun. The key was for the one before.
    """
    if view.can_end:
        return Answer(NOWHERE, EndTurn())
    return Answer(pointer, status=look.translator.gettext(ENDED_BY_ITSELF if laid else LAY_FIRST))


def _pick(view: CartinoView, pointer: CartinoPointer, place: int, look: Look) -> Answer:
    if pointer.picked == place:
        # Typed behind a lost line, the number means a stone that may be up again by itself.
        return Answer(pointer)
    if not lays_of(view, place):
        return Answer(pointer, status=why_not(view, place, marks_for(look), look.translator))
    return Answer(pick(view, place))


def _lay(pointer: CartinoPointer) -> Answer:
    """Lay the stone: it leaves the hand at once, and lies on the board once the server says so."""
    return Answer(LAID, Lay(pointer.stone, pointer.spot))


def _not_yet(table: TableView, on_turn: int, look: Look) -> str:
    if on_turn >= len(table.seats):
        return look.translator.gettext("It's another player's turn.")
    return look.translator.gettext("It's {name}'s turn.", name=clean(table.seats[on_turn].name))
