"""Lines of characters that meet: each can be followed to its end, and where they cross the cell shows it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cartino_tui.draw.chart import DOWN, LEFT, RIGHT, UP, arms_of, draw_crossings

ROWS = st.lists(st.integers(0, 6), min_size=12, max_size=12)


def shown(*lines: list[int], ascii: bool = False) -> list[str]:
    cells = draw_crossings([arms_of(rows) for rows in lines], ascii=ascii)
    width, height = len(lines[0]), 1 + max(max(rows) for rows in lines)
    return [
        "".join(cells[x, y].char if (x, y) in cells else " " for x in range(width)) for y in range(height)
    ]


def test_two_lines_cross_and_each_has_its_stroke() -> None:
    assert shown([2, 2, 2, 0, 0], [1, 1, 1, 1, 1]) == ["   ╭╌", "───┼─", "╌╌╌╯ "]
    assert shown([2, 2, 2, 0, 0], [1, 1, 1, 1, 1], ascii=True) == ["   .=", "---+-", "===' "]


@pytest.mark.parametrize(
    ("below", "above", "expected"),
    [
        ([1, 1, 0, 0], [1, 1, 1, 1], ["  ╭╌", "──┴─"]),
        ([0, 0, 1, 1], [0, 0, 0, 0], ["──┬─", "  ╰╌"]),
        ([2, 2, 0, 0], [2, 1, 1, 1], ["  ╭╌", " ╭┼─", "─┴╯ "]),
    ],
)
def test_where_one_leaves_the_other_the_cell_has_the_arms_of_both(
    below: list[int], above: list[int], expected: list[str]
) -> None:
    assert shown(below, above) == expected


@given(st.lists(ROWS, min_size=1, max_size=4), st.booleans())
def test_no_piece_hangs_in_the_air(lines: list[list[int]], ascii: bool) -> None:
    arms = [arms_of(rows) for rows in lines]
    cells = draw_crossings(arms, ascii=ascii)
    assert set(cells) == {cell for line in arms for cell in line}
    assert all(cell.char != " " for cell in cells.values())
    for line in arms:
        for (x, y), each in line.items():
            for arm, to, back in ((UP, (x, y - 1), DOWN), (DOWN, (x, y + 1), UP), (LEFT, (x - 1, y), RIGHT)):
                if each & arm and to[0] >= 0:
                    assert line[to] & back
