"""A grid of cells at any size, with tones, headings, cursor and clicks."""

import pytest

from cartino_games.kit.arrangement import Box
from cartino_games.kit.grid import DIRECTIONS, CellGrid, GridCell, Place, draw_grid, grid_in, nearest, step
from cartino_tui.draw.canvas import Canvas
from cartino_tui.game_port.screen import Look
from tests.support.kit_table import kit_scene, lines_of
from tests.support.whole import drawn_whole

LETTERS = tuple("abcdefghijklmno")
NUMBERS = tuple(str(number) for number in range(1, 16))


def drawn(
    grid: CellGrid, cells: dict[Place, GridCell], cursor: Place | None = None, *, ascii: bool = False
) -> list[str]:
    canvas = Canvas(40, 20)
    with drawn_whole() as faults:
        draw_grid(
            canvas,
            kit_scene(look=Look(80, 24, ascii=ascii)),
            grid,
            cells,
            cursor=cursor,
            columns=LETTERS,
            rows=NUMBERS,
        )
    assert faults == []
    return [line for line in lines_of(canvas) if line]


def every(rows: int, columns: int, cell: GridCell) -> dict[Place, GridCell]:
    return {(row, column): cell for row in range(rows) for column in range(columns)}


def test_headings_and_the_cursor() -> None:
    cells = {**every(2, 3, GridCell()), (0, 1): GridCell("R"), (1, 1): GridCell("+14", short="○")}
    grid = grid_in(Box(0, 0, 11, 3), 2, 3, headed=True)
    assert drawn(grid, cells, (0, 1)) == ["   a  b  c", "1    ►R◄", "2     ○"]
    assert drawn(grid, cells, (0, 1), ascii=True)[1] == "1    >R<"


def test_a_wider_cell_has_the_longer_text_and_a_higher_one_its_mark() -> None:
    cells = {(0, 0): GridCell("+14", short="○", mark="*")}
    assert drawn(grid_in(Box(0, 0, 5, 1), 1, 1), cells) == [" +14"]
    assert drawn(grid_in(Box(0, 0, 5, 2), 1, 1), cells) == [" +14", "    *"]


def test_neighbours_differ_in_tone_and_the_ground_stays_free_where_there_is_no_cell() -> None:
    canvas = Canvas(9, 2)
    cells = {place: GridCell() for place in every(2, 3, GridCell()) if place != (0, 1)}
    draw_grid(canvas, kit_scene(), grid_in(Box(0, 0, 9, 2), 2, 3), cells)
    assert [[role for _, role in row] for row in canvas.frame().rows] == [
        ["slot", "ground", "slot"],
        ["mat", "slot", "mat"],
    ]


def test_a_grid_that_is_scrolled_keeps_its_pattern_on_the_screen() -> None:
    tones = set()
    for cursor in ((2, 2), (7, 7), (7, 8)):
        grid = grid_in(Box(0, 0, 20, 5), 15, 15, cursor=cursor)
        tones.add(grid.tone(grid.top, grid.left))
    assert tones == {0}


def test_a_tile_fills_its_cell() -> None:
    canvas = Canvas(5, 1)
    draw_grid(
        canvas, kit_scene(), grid_in(Box(0, 0, 5, 1), 1, 1), {(0, 0): GridCell("R", "stone-H", "fill-stone")}
    )
    assert canvas.frame().rows[0] == (("  ", "fill-stone"), ("R", "stone-H"), ("  ", "fill-stone"))


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (6, 6), (8, 11), (15, 15), (20, 40)])
@pytest.mark.parametrize("box", [Box(0, 1, 37, 10), Box(2, 3, 54, 14), Box(0, 1, 120, 44)])
@pytest.mark.parametrize("headed", [False, True])
def test_at_any_size_the_grid_stands_in_its_box_and_clicks_find_its_cells(
    rows: int, columns: int, box: Box, headed: bool
) -> None:
    cursor = (rows - 1, columns - 1)
    grid = grid_in(box, rows, columns, headed=headed, cursor=cursor)
    assert grid.cell_box(*cursor) is not None
    seen = 0
    for row in range(rows):
        for column in range(columns):
            cell = grid.cell_box(row, column)
            if cell is None:
                continue
            seen += 1
            assert box.x <= cell.x
            assert box.y <= cell.y - headed
            assert cell.x + cell.width <= box.x + box.width
            assert cell.y + cell.height <= box.y + box.height
            assert grid.cell_at(cell.x, cell.y) == (row, column)
            assert grid.cell_at(cell.x + cell.width - 1, cell.y + cell.height - 1) == (row, column)
    assert seen == grid.rows * grid.columns
    assert (seen == rows * columns) == (grid.rows == rows and grid.columns == columns)
    assert grid.cell_at(0, 0) is None or box.y == 0


def test_the_smallest_cells_are_as_wide_as_wanted() -> None:
    assert grid_in(Box(0, 0, 30, 10), 9, 9).width == 3
    assert grid_in(Box(0, 0, 30, 10), 9, 9, least=4).width == 5
    assert grid_in(Box(0, 0, 30, 10), 9, 9, least=20).width == 20


def test_where_more_is_out_of_sight_headings_say_so() -> None:
    grid = grid_in(Box(0, 0, 20, 5), 15, 15, headed=True, cursor=(7, 7))
    found = drawn(grid, every(15, 15, GridCell("x")), (7, 7))
    assert found == [
        "    …f  g  h  i  j…",
        "  6↑ x  x  x  x  x",
        "  7  x  x  x  x  x",
        "  8  x  x ►x◄ x  x",
        "  9↓ x  x  x  x  x",
    ]


def test_a_step_ends_at_the_edge() -> None:
    assert step((0, 0), DIRECTIONS["k"], 3, 3) == (0, 0)
    assert step((0, 0), DIRECTIONS["down"], 3, 3) == (1, 0)
    assert step((2, 2), DIRECTIONS["l"], 3, 3) == (2, 2)


def test_the_nearest_place_keeps_to_its_row_and_of_equals_the_first_is_taken() -> None:
    places = [(0, 5), (1, 2), (3, 2), (2, 4)]
    assert nearest((2, 0), DIRECTIONS["right"], places) == (2, 4)
    assert nearest((2, 0), DIRECTIONS["right"], places[:3]) == (1, 2)
    assert nearest((2, 0), DIRECTIONS["right"], places[2::-1]) == (3, 2)
    assert nearest((2, 0), DIRECTIONS["left"], places) is None
