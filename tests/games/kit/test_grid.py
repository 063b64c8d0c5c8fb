"""A grid of cells: its pattern, its clicks, and the cursor's next place."""

from cartino_games.kit.grid import DIRECTIONS, CellGrid, nearest

GRID = CellGrid(x=4, y=2, width=3, height=2, rows=4, columns=5, top=7, left=6)


def test_neighbours_differ_in_tone_and_a_scrolled_grid_keeps_its_pattern_on_the_screen() -> None:
    assert (GRID.tone(7, 6), GRID.tone(7, 7), GRID.tone(8, 7)) == (0, 1, 0)
    assert {CellGrid(0, 0, 3, 1, 4, 4, top, 6).tone(top, 6) for top in (0, 7, 8)} == {0}


def test_clicks_find_the_cells_in_sight_and_nothing_beside_them() -> None:
    found = set()
    for row in range(15):
        for column in range(15):
            cell = GRID.cell_box(row, column)
            if cell is not None:
                found.add((row, column))
                assert GRID.cell_at(cell.x, cell.y) == (row, column)
                assert GRID.cell_at(cell.x + cell.width - 1, cell.y + cell.height - 1) == (row, column)
    assert found == {(row, column) for row in range(7, 11) for column in range(6, 11)}
    assert GRID.cell_at(3, 2) is GRID.cell_at(4, 1) is GRID.cell_at(19, 2) is GRID.cell_at(4, 10) is None


def test_the_nearest_place_keeps_to_its_row_and_of_equals_the_first_is_taken() -> None:
    places = [(0, 5), (1, 2), (3, 2), (2, 4)]
    assert nearest((2, 0), DIRECTIONS["right"], places) == (2, 4)
    assert nearest((2, 0), DIRECTIONS["right"], places[:3]) == (1, 2)
    assert nearest((2, 0), DIRECTIONS["right"], places[2::-1]) == (3, 2)
    assert nearest((2, 0), DIRECTIONS["left"], places) is None
