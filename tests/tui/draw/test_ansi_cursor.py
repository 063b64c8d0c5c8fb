"""Every way of the cursor, held to where an emulator's cursor comes out."""

import pyte
from hypothesis import example, given
from hypothesis import strategies as st

from cartino_tui.draw.ansi import UNKNOWN_POSITION, CellPosition, move_cursor

WIDTH, HEIGHT = 80, 24
PLACES = st.tuples(st.integers(0, WIDTH - 1), st.integers(0, HEIGHT - 1))


@given(PLACES, PLACES)
@example((0, 0), (79, 23))
@example((79, 23), (0, 0))
@example((4, 1), (4, 0))
def test_every_move_comes_out_where_it_should_and_writes_nothing(at: CellPosition, to: CellPosition) -> None:
    screen = pyte.Screen(WIDTH, HEIGHT)
    stream = pyte.Stream(screen)
    stream.feed("x" * WIDTH * (HEIGHT - 1) + move_cursor(UNKNOWN_POSITION, at))
    before = screen.display
    stream.feed(move_cursor(at, to))
    assert (screen.cursor.x, screen.cursor.y) == to
    assert screen.display == before


@given(PLACES, PLACES)
def test_no_move_is_longer_than_naming_the_cell(at: CellPosition, to: CellPosition) -> None:
    assert len(move_cursor(at, to)) <= len(move_cursor(UNKNOWN_POSITION, to))


def test_a_step_to_a_neighbour_takes_three_bytes_at_most() -> None:
    assert [move_cursor((9, 9), to) for to in ((9, 9), (8, 9), (10, 9), (9, 8), (9, 10), (0, 9))] == [
        "",
        "\b",
        "\x1b[C",
        "\x1bM",
        "\n",
        "\r",
    ]
