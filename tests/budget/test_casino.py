"""What Casino's pictures cost on the wire, at 80 by 24 cells, in 256 colours and in true colour."""

import itertools
from collections.abc import Iterator

import pytest

from cartino_games.casino.rules import CasinoState
from cartino_games.casino.story import is_fresh
from cartino_games.kit.hands.screen import HandPointer
from cartino_protocol.base import Seat
from cartino_tui.draw.canvas import Frame
from cartino_tui.draw.theme import ThemeDepth
from tests.support.casino import DEFAULTS, GAME, random_game
from tests.support.casino_table import AROUND, SCREEN, SMALL, room_of
from tests.support.window import DEPTHS, Window

FIRST_TABLE, CURSOR_KEY = 15_000, 150
"""The bytes that the first table and a key that moves a cursor may cost."""
BROADCAST, NEW_DEAL = {"256": 1_000, "true": 1_024}, {"256": 1_110, "true": 1_300}
"""Those of another one's play, and of a new deal."""
EITHER = pytest.mark.parametrize("depth", DEPTHS)
TRIES = ("down", "down", "up", "right", "right", "left")


def game(seats: int) -> list[CasinoState]:
    return [state for state, _ in random_game(7, DEFAULTS, seats) if GAME.on_turn(state)]


def seen(state: CasinoState, you: Seat | None, pointer: HandPointer | None = None) -> Frame:
    view = GAME.view(state, you)
    return SCREEN.draw(room_of(state, you), view, pointer or SCREEN.fresh(), SMALL, AROUND)


def cursor_keys(depth: ThemeDepth) -> Iterator[int]:
    """The bytes of keys that move a cursor, with every card of every third hand."""
    for state in game(2)[::3]:
        (you,) = GAME.on_turn(state)
        room, view = room_of(state, you), GAME.view(state, you)
        for card in view.hand:
            window, pointer = Window(depth, own=True), HandPointer(card=card)
            window.bytes_of(seen(state, you, pointer))
            for key in TRIES:
                pointer = SCREEN.key(room, view, pointer, key, SMALL).pointer
                sent = window.bytes_of(seen(state, you, pointer))
                if sent:
                    yield sent


def broadcasts(depth: ThemeDepth, *, deals: bool) -> Iterator[int]:
    """The bytes of what others do in a game of four for one who watches.

    `deals`: when a deal is scored and a new one dealt, and when the points vanish with the first play; else all others.
    """
    states, window = game(4), Window(depth, own=True)
    window.bytes_of(seen(states[0], None))
    for before, state in itertools.pairwise(states):
        sent = window.bytes_of(seen(state, None))
        if deals == (is_fresh(before.table) or is_fresh(state.table)):
            yield sent


@EITHER
def test_the_first_table(depth: ThemeDepth) -> None:
    sizes = [Window(depth, own=True).bytes_of(seen(state, GAME.on_turn(state)[0])) for state in game(4)[::10]]
    assert max(sizes) <= FIRST_TABLE


@EITHER
def test_a_cursor_key(depth: ThemeDepth) -> None:
    found = list(cursor_keys(depth))
    assert len(found) > 100
    assert max(found) <= CURSOR_KEY


@EITHER
def test_a_broadcast(depth: ThemeDepth) -> None:
    found = list(broadcasts(depth, deals=False))
    assert len(found) > 100
    assert sum(size > BROADCAST[depth] for size in found) <= (depth == "true"), (
        "one takes a build of two others"
    )
    assert max(found) <= BROADCAST[depth] + 30


@EITHER
def test_a_new_deal(depth: ThemeDepth) -> None:
    found = list(broadcasts(depth, deals=True))
    assert len(found) > 4
    assert max(found) <= NEW_DEAL[depth]
