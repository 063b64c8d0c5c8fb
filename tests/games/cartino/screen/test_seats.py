"""The players at the end, a clock that is nearly out, and the panel of a large terminal; the rest is in screen.txt."""

import itertools

from cartino_games.cartino.screen.scene import Scene
from cartino_games.cartino.screen.seats import draw_players
from cartino_tui.draw.canvas import Canvas
from cartino_tui.game_port.screen import ClockReading
from tests.support.cartino import position, random_game
from tests.support.cartino_table import (
    LARGE,
    NAMES,
    SMALL,
    drawn,
    scene_of,
    with_clock,
)

FOUR = ("AH 7S", "7D 8D 9D", "KS", "KC")


def rows(scene: Scene) -> list[str]:
    canvas = Canvas(scene.layout.width, scene.layout.height)
    draw_players(canvas, scene)
    box = scene.layout.players
    lines = canvas.frame().text().split("\n")[box.y : box.y + box.height]
    return [line[box.x :].removesuffix(" │").rstrip() for line in lines]


def test_a_clock_that_is_nearly_out_has_a_role_of_its_own() -> None:
    state = position(*FOUR)
    frames = [
        drawn(state, 0, around=with_clock(0, ClockReading("0:09", soon=soon))).rows[3]
        for soon in (False, True)
    ]
    roles = [{text: role for text, role in row if "0:09" in text} for row in frames]
    assert roles == [{"0:09": "clock"}, {"!0:09": "late"}]


def test_at_the_end_the_winners_are_marked_and_stacked_lines_show_the_settlement() -> None:
    *_, (over, _) = random_game(3, "1969", 4)
    scene = scene_of(over, None)
    assert scene.table.result is not None
    winners = scene.table.result.winners
    lines = rows(scene)
    assert [seat for seat, line in enumerate(lines) if line.startswith("▲")] == list(winners)
    assert any("went out" in line for line in lines)
    for seat, penalty in enumerate(scene.view.penalty):
        if penalty:
            assert f"−{penalty} " in lines[seat]


def test_the_panel_of_a_large_terminal_parts_the_players() -> None:
    lines = rows(scene_of(position(*FOUR), 0, LARGE))
    starts = [number for number, line in enumerate(lines) if any(name in line for name in NAMES)]
    assert [later - sooner for sooner, later in itertools.pairwise(starts)] == [5, 5, 5]
    assert SMALL.height < LARGE.height
