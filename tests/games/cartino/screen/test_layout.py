"""All parts of the table have room at every size, and give way one after the other."""

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cartino_games.cartino.board import BOARDS, Edition
from cartino_games.cartino.screen.layout import BoardGrid, Layout, layout
from cartino_games.kit.arrangement import Box
from cartino_tui.game_port.screen import Look
from tests.support.pseudo import in_pseudo

EDITIONS: tuple[Edition, ...] = ("1974", "1969")
sizes = st.builds(Look, st.integers(60, 200), st.integers(20, 60))


def boxes(plan: Layout) -> list[Box]:
    spots = [plan.spot_box(spot) for spot in range(len(BOARDS[plan.edition].spots))]
    rest = [plan.players, *plan.hand, plan.notes, plan.turn, plan.moves, plan.talk]
    return [*spots, *rest, Box(0, 0, plan.width, 1), Box(0, plan.status, plan.width, 2)]


def overlap(one: Box, other: Box) -> bool:
    across = one.x < other.x + other.width and other.x < one.x + one.width
    return across and one.y < other.y + other.height and other.y < one.y + one.height


@given(sizes, st.sampled_from(EDITIONS), st.integers(2, 4))
def test_everything_has_room_on_the_screen_and_nothing_lies_on_anything_else(
    look: Look, edition: Edition, seats: int
) -> None:
    parts = boxes(layout(look, edition, seats))
    for part in parts:
        assert part.width > 0 <= part.x <= look.width - part.width
        assert part.height > 0 <= part.y <= look.height - part.height
    assert [pair for pair in combinations(parts, 2) if overlap(*pair)] == []


@given(sizes, st.sampled_from(EDITIONS), st.data())
def test_a_click_finds_the_spot_and_the_stone_it_hits(
    look: Look, edition: Edition, data: st.DataObject
) -> None:
    plan = layout(look, edition, 2)
    spot = data.draw(st.integers(0, len(BOARDS[edition].spots) - 1))
    box = plan.spot_box(spot)
    assert plan.spot_at(box.x, box.y) == spot
    assert plan.spot_at(box.x + box.width - 1, box.y + box.height - 1) == spot
    place = data.draw(st.integers(0, 4))
    assert plan.stone_at(plan.hand[place].x, plan.hand[place].y) == place
    assert plan.spot_at(0, 0) is None
    assert plan.stone_at(0, 0) is None


@pytest.mark.parametrize("edition", EDITIONS)
def test_bigger_terminals_get_bigger_cells(edition: Edition) -> None:
    plans = [layout(Look(*size), edition, 4) for size in ((80, 24), (120, 40), (160, 50), (200, 60))]
    areas = [plan.cell * plan.half for plan in plans]
    assert areas == sorted(set(areas))


@pytest.mark.parametrize(
    ("size", "edition", "stacked", "fingers", "ruled", "lined"),
    [
        ((60, 20), "1974", False, "flat", True, True),
        ((78, 22), "1974", False, "boxed", True, True),
        ((78, 21), "1974", False, "flat", True, True),
        ((60, 20), "1969", True, "flat", False, False),
        ((70, 24), "1969", True, "flat", False, True),
        ((71, 24), "1969", True, "flat", True, True),
        ((71, 22), "1969", True, "flat", True, False),
        ((80, 22), "1969", True, "upright", True, True),
        ((80, 21), "1969", True, "upright", True, False),
        ((99, 20), "1969", False, "flat", True, True),
    ],
)
def test_things_give_way_one_after_the_other(
    size: tuple[int, int], edition: Edition, stacked: bool, fingers: str, ruled: bool, lined: bool
) -> None:
    plan = layout(Look(*size), edition, 4)
    found = (plan.stacked, plan.fingers, plan.grid.ruled, plan.grid.lined)
    assert found == (stacked, fingers, ruled, lined)


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_large_terminal_has_a_column_of_frames_beside_a_board_as_high_as_it(
    edition: Edition, seats: int
) -> None:
    plan = layout(Look(160, 50), edition, seats)
    column = [plan.players, plan.moves, plan.talk]
    assert plan.framed
    assert {box.x >= plan.grid.width + 2 for box in column} == {True}
    assert all(above.y + above.height + 2 <= below.y for above, below in pairwise(column))
    assert max(box.x + box.width for box in column) < plan.width - 1
    assert plan.hand[0].y + plan.hand[0].height >= plan.status - 3


def test_the_layout_is_one_for_all_languages() -> None:
    assert layout(in_pseudo(Look(80, 24)), "1974", 2) is layout(Look(80, 24, letters="fr"), "1974", 2)


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
