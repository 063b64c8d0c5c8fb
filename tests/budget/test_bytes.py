"""What the pictures of a fixed game cost on the wire, at 80 by 24 cells, in 256 colours and in true colour.

Nothing here is measured by a clock: the same game gives the same bytes everywhere. A bound that breaks is a regression,
or a better picture that is worth its bytes: then say so in the commit that raises the bound.
"""

from collections.abc import Iterator
from statistics import mean
from typing import Literal

import msgspec
import pytest

from cartino_games.cartino.board import Edition
from cartino_games.cartino.rules.state import CartinoState
from cartino_games.cartino.screen.pointer import NOWHERE, CartinoPointer
from cartino_protocol.base import Seat
from cartino_tui.draw.canvas import Frame
from cartino_tui.draw.theme import theme_of
from cartino_tui.game_port.screen import Look
from cartino_tui.terminal.painter import Painter
from tests.support.cartino import random_game
from tests.support.cartino_table import AROUND, CARTINO_SCREEN, MIDDLE, SMALL, drawn, room_of, view_of
from tests.support.emulated import Emulated
from tests.support.games import ROLES

Depth = Literal["true", "256"]
EDITIONS: tuple[Edition, ...] = ("1974", "1969")
SEED = 7
STONES = "12345"
WANTED_A_KEY = 150
"""The bytes that a cursor key is to cost."""
WANTED_A_TABLE, WANTED_A_BROADCAST = 15_000, 1_000
"""The most bytes of the first table, and of a move that others see."""
TRIES = ("up", "down", "left", "right", "up", "down")
"""The arrow keys that are tried with every stone; those that lead nowhere count as well, they say so."""


class Window:
    """A terminal: of a player, whose frames are one's `own`, or of one of many who look on."""

    def __init__(self, *, own: bool = False, depth: Depth = "256", look: Look = SMALL) -> None:
        self._own = own
        self._terminal = Emulated(look.width, look.height)
        theme = theme_of("felt", depth=depth, roles=ROLES)
        self._painter = Painter(theme, depth, self._terminal.send, lambda: True)

    def bytes_of(self, frame: Frame) -> int:
        """How many bytes it takes to show `frame` now."""
        before = sum(self._terminal.sizes)
        self._painter.show(frame, own=self._own)
        return sum(self._terminal.sizes) - before


def game(edition: Edition, seats: int) -> list[CartinoState]:
    return [state for state, _ in random_game(SEED, edition, seats) if state.settlement is None]


def seen(state: CartinoState, you: Seat | None, pointer: CartinoPointer = NOWHERE, status: str = "") -> Frame:
    room = room_of(state, you)
    around = msgspec.structs.replace(AROUND, status=status)
    return CARTINO_SCREEN.draw(room, view_of(room), pointer, SMALL, around)


def first_tables(edition: Edition, depth: Depth) -> Iterator[int]:
    for state in game(edition, 4)[::10]:
        yield Window(own=True, depth=depth).bytes_of(seen(state, state.seat))


def cursor_keys(edition: Edition, depth: Depth) -> Iterator[int]:
    """The bytes of arrow keys that change anything, with every stone, before every third move of a game of two."""
    for state in game(edition, 2)[::3]:
        room, window = room_of(state, state.seat), Window(own=True, depth=depth)
        for stone in STONES:
            pointer = CARTINO_SCREEN.key(room, view_of(room), NOWHERE, stone).pointer
            window.bytes_of(seen(state, state.seat, pointer))
            for key in TRIES if pointer != NOWHERE else ():
                reaction = CARTINO_SCREEN.key(room, view_of(room), pointer, key)
                pointer = reaction.pointer
                sent = window.bytes_of(seen(state, state.seat, pointer, reaction.status))
                if sent:
                    yield sent


def broadcasts(edition: Edition, depth: Depth) -> Iterator[int]:
    """The bytes of every move of a game of four for one who watches."""
    window = Window(depth=depth)
    states = game(edition, 4)
    window.bytes_of(seen(states[0], None))
    for state in states[1:]:
        yield window.bytes_of(seen(state, None))


depths = pytest.mark.parametrize("depth", ["true", "256"])


@depths
@pytest.mark.parametrize(("edition", "most"), [("1974", 4_900), ("1969", 5_100)])
def test_the_first_table(edition: Edition, most: int, depth: Depth) -> None:
    assert max(first_tables(edition, depth)) <= most <= WANTED_A_TABLE


@depths
@pytest.mark.parametrize("edition", EDITIONS)
def test_the_first_large_table(edition: Edition, depth: Depth) -> None:
    for state in game(edition, 4)[::10]:
        window = Window(own=True, depth=depth, look=MIDDLE)
        assert window.bytes_of(drawn(state, state.seat, MIDDLE)) <= WANTED_A_TABLE


@depths
@pytest.mark.parametrize(
    ("edition", "mean_most", "dear_most", "most"), [("1974", 107, 0.25, 252), ("1969", 104, 0.24, 242)]
)
def test_a_cursor_key(edition: Edition, mean_most: int, dear_most: float, most: int, depth: Depth) -> None:
    """The wanted bytes are those of a key on average: one that leaves many marks for many others costs more."""
    found = list(cursor_keys(edition, depth))
    assert len(found) > 200
    assert mean(found) <= mean_most <= WANTED_A_KEY
    assert mean(size > WANTED_A_KEY for size in found) <= dear_most
    assert max(found) <= most


@depths
@pytest.mark.parametrize(("edition", "mean_most", "most"), [("1974", 490, 960), ("1969", 430, 820)])
def test_a_broadcast(edition: Edition, mean_most: int, most: int, depth: Depth) -> None:
    found = list(broadcasts(edition, depth))
    assert len(found) > 50
    assert mean(found) <= mean_most
    assert max(found) <= most <= WANTED_A_BROADCAST
