"""The parts of a table have room at every size and never lie on one another."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cartino_games.kit.arrangement import Arrangement, Box, arrange
from cartino_games.kit.players import PlayerLine, draw_players
from cartino_tui.game_port.screen import ClockReading, Look, TableChrome
from tests.support.kit_table import LOOKS, canvas_of, kit_scene, kit_table, lines_of
from tests.support.whole import drawn_whole

SIZES = st.builds(Look, st.integers(60, 200), st.integers(20, 60))


def parts(plan: Arrangement) -> list[Box]:
    boxes = [plan.main, plan.players, plan.hand, plan.moves, plan.talk]
    return [box for box in boxes if box.height]


def overlap(one: Box, other: Box) -> bool:
    across = one.x < other.x + other.width and other.x < one.x + one.width
    return across and one.y < other.y + other.height and other.y < one.y + one.height


@given(SIZES, st.integers(2, 4), st.sampled_from([0, 1, 3, 7]))
def test_all_parts_have_room_and_none_lies_on_another(look: Look, seats: int, hand: int) -> None:
    plan = arrange(look, seats, hand=hand)
    found = parts(plan)
    bars = [Box(0, 0, look.width, 1), Box(0, look.height - 2, look.width, 2)]
    assert all(box.x >= 0 and box.x + box.width <= look.width for box in found)
    assert [pair for pair in combinations([*found, *bars], 2) if overlap(*pair)] == []
    assert (plan.hand.height > 0) == (hand > 0)
    assert plan.players.height >= 2 * seats
    assert plan.main.width >= 37
    assert plan.main.height >= 11
    assert plan.moves.height >= 1
    assert plan.talk.height >= 1


def test_the_hand_gets_the_largest_cards_that_its_rows_hold() -> None:
    heights = [arrange(Look(*size), 2, hand=7).hand.height for size in ((60, 20), (80, 30), (120, 40))]
    assert heights == [3, 5, 7]
    assert arrange(Look(120, 40), 2, hand=1).hand.height == 1


def test_wide_terminals_have_moves_and_talk_side_by_side_below_headings() -> None:
    narrow, wide = arrange(Look(80, 24), 2), arrange(Look(120, 40), 2)
    assert narrow.talk.y == narrow.moves.y + narrow.moves.height
    assert wide.headed
    assert wide.talk.y == wide.moves.y


@pytest.mark.parametrize("look", LOOKS)
def test_the_players_fit_their_box_with_facts_tags_and_clocks(look: Look) -> None:
    clock = ClockReading("23 h 10 min", short="23 h")
    around = TableChrome("t", clocks=(None, None, clock))
    scene = kit_scene(kit_table(turn=(2,), substitutes=(3,)), look, around)
    box = arrange(look, 4).players
    canvas = canvas_of(scene)
    lines = [PlayerLine(str(total), (("3333", "text"),)) for total in (7, 12, -3, 123)]
    with drawn_whole() as faults:
        draw_players(canvas, scene, box, lines)
    assert faults == []
    rows = [row[box.x :] for row in lines_of(canvas) if row[box.x :].strip()]
    assert len(rows) == 8
    assert all(len(row) < box.width for row in rows)
    assert rows[0][1:].split() == ["Ann", "7"]
    assert len({row[0] for row in rows[::2]}) == 4
    assert rows[1].split() == ["3333", "you"]
    assert "23 h" in rows[5]
    assert rows[7].split()[-1] == "substitute"
