import pytest

from cartino_games.cartino.screen.layout import BoardGrid


@pytest.mark.parametrize(
    ("grid", "size"),
    [
        (BoardGrid(8, 6), (57, 11)),
        (BoardGrid(14, 4), (71, 12)),
        (BoardGrid(14, 4, lined=False), (71, 9)),
        (BoardGrid(14, 4, ruled=False, lined=False), (58, 9)),
        (BoardGrid(8, 15, 3), (129, 28)),
    ],
)
def test_a_board_is_as_large_as_its_cells_and_the_gaps_that_it_has(
    grid: BoardGrid, size: tuple[int, int]
) -> None:
    assert (grid.width, grid.rows) == size
    last = grid.cell_box(3, grid.columns - 1)
    assert last.x + last.width == grid.width
    assert last.y + last.height == 1 + grid.rows


def test_the_quadrants_always_stand_apart() -> None:
    bare = BoardGrid(14, 4, ruled=False, lined=False)
    assert bare.column_x(7) - bare.column_x(6) == 5
    assert bare.column_x(6) - bare.column_x(5) == 4
    assert [bare.top(row) for row in range(4)] == [1, 3, 6, 8]
