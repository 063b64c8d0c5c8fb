"""What Casino's pictures cost on the wire, at 80 by 24 cells and 256 colours: the same game gives the same bytes."""

import itertools
from collections.abc import Iterator

from cartino_games.casino.rules import State
from cartino_games.casino.story import is_fresh
from cartino_games.kit.hands.screen import HandPointer
from cartino_protocol.base import Seat
from cartino_tui.draw.canvas import Frame
from cartino_tui.terminal.painter import Painter
from tests.support.casino import DEFAULTS, GAME, random_game
from tests.support.casino_table import AROUND, SCREEN, SMALL, room_of
from tests.support.emulated import Emulated
from tests.support.games import DARK

FIRST_TABLE, CURSOR_KEY, BROADCAST, NEW_DEAL = 15_000, 150, 1_000, 1_100
"""The bytes that the first table, a key that moves a cursor, another one's play, and a new deal may cost."""
TRIES = ("down", "down", "up", "right", "right", "left")


class Window:
    """A terminal on which frames are shown one after the other."""

    def __init__(self) -> None:
        self._terminal = Emulated(SMALL.width, SMALL.height)
        self._painter = Painter(DARK, "256", self._terminal.send, lambda: True)

    def bytes_of(self, frame: Frame) -> int:
        before = sum(self._terminal.sizes)
        self._painter.show(frame, own=True)
        return sum(self._terminal.sizes) - before


def game(seats: int) -> list[State]:
    return [state for state, _ in random_game(7, DEFAULTS, seats) if GAME.on_turn(state)]


def seen(state: State, you: Seat | None, pointer: HandPointer | None = None) -> Frame:
    view = GAME.view(state, you)
    return SCREEN.draw(room_of(state, you), view, pointer or SCREEN.fresh(), SMALL, AROUND)


def cursor_keys() -> Iterator[int]:
    """The bytes of keys that move a cursor, with every card of every third hand."""
    for state in game(2)[::3]:
        (you,) = GAME.on_turn(state)
        room, view = room_of(state, you), GAME.view(state, you)
        for card in view.hand:
            window, pointer = Window(), HandPointer(card=card)
            window.bytes_of(seen(state, you, pointer))
            for key in TRIES:
                pointer = SCREEN.key(room, view, pointer, key, SMALL).pointer
                sent = window.bytes_of(seen(state, you, pointer))
                if sent:
                    yield sent


def broadcasts(*, deals: bool) -> Iterator[int]:
    """The bytes of what others do in a game of four for one who watches.

    `deals`: when a deal is scored and a new one dealt, and when the points vanish with the first play; else all others.
    """
    states, window = game(4), Window()
    window.bytes_of(seen(states[0], None))
    for before, state in itertools.pairwise(states):
        sent = window.bytes_of(seen(state, None))
        if deals == (is_fresh(before.table) or is_fresh(state.table)):
            yield sent


def test_the_first_table() -> None:
    sizes = [Window().bytes_of(seen(state, GAME.on_turn(state)[0])) for state in game(4)[::10]]
    assert max(sizes) <= FIRST_TABLE


def test_a_cursor_key() -> None:
    found = list(cursor_keys())
    assert len(found) > 100
    assert max(found) <= CURSOR_KEY


def test_a_broadcast() -> None:
    found = list(broadcasts(deals=False))
    assert len(found) > 100
    assert max(found) <= BROADCAST


def test_a_new_deal() -> None:
    found = list(broadcasts(deals=True))
    assert len(found) > 4
    assert max(found) <= NEW_DEAL
