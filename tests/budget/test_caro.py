"""What Caro's pictures cost on the wire, at 80 by 24 cells, in 256 colours and in true colour."""

from collections.abc import Iterator
from statistics import mean

import pytest

from cartino_games.caro.rules.table import CaroState
from cartino_tui.draw.canvas import Frame
from cartino_tui.draw.theme import ThemeDepth
from tests.support.caro import random_game
from tests.support.caro_table import SCREEN, SIZES, drawn, press, room_of, view_of
from tests.support.kit_table import AROUND
from tests.support.window import DEPTHS, Window

TRIES = ("up", "down", "left", "right", "up", "down")
SMALL = SIZES["80x24"]


def game(seats: int, referee: str = "strict") -> list[CaroState]:
    options = {"referee": referee, "rounds": "1", "begins": "lot"}
    return [state for state, _ in random_game(7, options, seats)][:-1]


def seen(state: CaroState, you: int | None) -> Frame:
    return drawn(state, you, SMALL)


def first_tables(depth: ThemeDepth) -> Iterator[int]:
    for seats in (2, 4):
        for state in game(seats)[::5]:
            yield Window(depth, own=True).bytes_of(drawn(state, state.seat, SMALL, ["1"]))


def cursor_keys(depth: ThemeDepth) -> Iterator[int]:
    for state in game(2)[::2]:
        room = room_of(state, state.seat)
        view = view_of(room)
        for piece in "1234":
            pointer, window = press(room, piece)[0], Window(depth, own=True)
            window.bytes_of(SCREEN.draw(room, view, pointer, SMALL, AROUND))
            for key in TRIES:
                pointer = SCREEN.key(room, view, pointer, key).pointer
                sent = window.bytes_of(SCREEN.draw(room, view, pointer, SMALL, AROUND))
                if sent:
                    yield sent


def broadcasts(depth: ThemeDepth, seats: int, referee: str) -> Iterator[int]:
    """The bytes of every move for one who watches."""
    window, states = Window(depth), game(seats, referee)
    window.bytes_of(seen(states[0], None))
    for state in states[1:]:
        yield window.bytes_of(seen(state, None))


@pytest.mark.parametrize(("depth", "most"), [("256", 9_500), ("true", 10_000)])
def test_the_first_table(depth: ThemeDepth, most: int) -> None:
    assert max(first_tables(depth)) <= most


@pytest.mark.parametrize(("depth", "mean_most", "most"), [("256", 72, 95), ("true", 87, 122)])
def test_a_cursor_key(depth: ThemeDepth, mean_most: int, most: int) -> None:
    found = list(cursor_keys(depth))
    assert len(found) > 100
    assert mean(found) <= mean_most
    assert max(found) <= most


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize(
    ("seats", "referee", "mean_most", "most"),
    [(2, "strict", 640, 850), (4, "honour", 620, 1_000), (3, "strict", 660, 1_600)],
)
def test_a_broadcast(depth: ThemeDepth, seats: int, referee: str, mean_most: int, most: int) -> None:
    """Where the board grows out of sight it is moved, twice in this game of three: that costs two moves each."""
    found = sorted(broadcasts(depth, seats, referee))
    more = 1.05 if depth == "true" else 1
    assert mean(found) <= mean_most * more
    assert sum(size > 1_024 for size in found) <= 2 * (most > 1_024)
    assert found[-1] <= most * more
