"""What stands with a player where a clock runs or a substitute plays; the rest is in screen.txt."""

import itertools
import re

import msgspec
import pytest

from cartino_games.cartino.rules.state import CartinoState
from cartino_games.cartino.screen.pointer import NOWHERE
from cartino_games.cartino.screen.scene import Scene
from cartino_games.cartino.screen.scene import scene as make_scene
from cartino_games.cartino.screen.seats import draw_players
from cartino_tui.draw.canvas import Canvas
from cartino_tui.game_port.screen import ClockReading, Look
from tests.support.cartino import position, random_game
from tests.support.cartino_table import (
    AROUND,
    AWAY,
    LARGE,
    MIDDLE,
    NAMES,
    SMALL,
    drawn,
    in_play,
    scene_of,
    table_of,
    view_of,
    with_clock,
)

FOUR = ("AH 7S", "7D 8D 9D", "KS", "KC")


def rows(scene: Scene) -> list[str]:
    canvas = Canvas(scene.layout.width, scene.layout.height)
    draw_players(canvas, scene)
    box = scene.layout.players
    lines = canvas.frame().text().split("\n")[box.y : box.y + box.height]
    return [line[box.x :].removesuffix(" │").rstrip() for line in lines]


def test_stacked_in_60_columns_a_player_is_a_line_of_numbers() -> None:
    state = on_turn(AWAY, position(*CROWDED, edition="1969", totals=(241,) * 4))
    table = in_play(table_of(state, 0), (3,))
    lines = rows(make_scene(table, view_of(table), NOWHERE, Look(60, 20), with_clock(AWAY, DAY)))
    assert lines[AWAY] == "►Maximiliane Roß.  241 ●12  1/20 ■5 away 23 h 10 min"
    assert lines[3].endswith("■5 substitute")


def on_turn(seat: int, state: CartinoState) -> CartinoState:
    return msgspec.structs.replace(state, seat=seat)


def shown(
    seat: int,
    clock: ClockReading | None = None,
    substitutes: tuple[int, ...] = (),
    chips: int = 0,
    look: Look = SMALL,
    hands: tuple[str, ...] = FOUR,
) -> list[str]:
    """The third row of each player's block, where `clock` runs for `seat`."""
    state = on_turn(seat, position(*hands, totals=(20 * chips,) * 4))
    table = in_play(table_of(state, 0), substitutes)
    around = with_clock(seat, clock) if clock else AROUND
    scene = make_scene(table, view_of(table), NOWHERE, look, around)
    lines = rows(scene)
    box = scene.layout.players
    assert max(map(len, lines)) <= box.width, "it is drawn within its panel"
    return [line.strip() for line in lines if re.search(r"■\d|stone", line)]


def test_a_clock_stands_with_who_is_on_turn_and_a_mark_with_one_that_is_nearly_out() -> None:
    assert shown(0, ClockReading("0:42"))[0] == "●0  ■2  you  0:42"
    assert shown(0, ClockReading("0:09", soon=True))[0] == "●0  ■2  you  !0:09"
    assert shown(0, ClockReading("0:42"), look=MIDDLE)[0] == "●0  2 stones  you  0:42"
    assert shown(0, ClockReading("0:09", soon=True), look=MIDDLE)[0] == "●0  2 stones  you  !0:09"
    assert shown(3, ClockReading("0:42"))[:3] == shown(3)[:3], "nobody else has one"


def test_a_substitute_is_named_whoever_it_plays_for() -> None:
    assert shown(0, substitutes=(0, 2, 3)) == [
        "●0 ■2 you, substitute",
        "●0  ■3  bot",
        "●0  ■1  substitute",
        "●0  ■1  substitute",
    ]
    assert shown(3, ClockReading("0:42"), substitutes=(3,))[3] == "●0  ■1  substitute", "it takes no time"


DAY, LATE = ClockReading("23 h 10 min", short="23 h"), ClockReading("0:09", soon=True)
CROWDED = ("AH 7S 9S 7H AS", "7D 8D 9D 7C AC", "KS KD KH QS QD", "KC 9C 9H 8C 8H")


@pytest.mark.parametrize(
    ("look", "clock", "substitutes", "facts"),
    [
        (SMALL, DAY, (), "●12  ■5  away  23 h"),
        (SMALL, ClockReading("0:09", soon=True), (), "●12  ■5  away  !0:09"),
        (SMALL, None, (AWAY,), "●12  ■5  substitute"),
        (MIDDLE, DAY, (), "●12 5 stones away 23 h 10 min"),
        (MIDDLE, None, (AWAY,), "●12 5 stones away, substitute"),
    ],
)
def test_the_most_that_can_be_said_of_a_player_fits_with_a_blank_between_all_of_it(
    look: Look, clock: ClockReading | None, substitutes: tuple[int, ...], facts: str
) -> None:
    assert shown(AWAY, clock, substitutes, 12, look, CROWDED)[AWAY] == facts


@pytest.mark.parametrize(
    ("seat", "hands", "clock", "substitutes", "end"),
    [
        (AWAY, CROWDED, DAY, (), "away  ■□□□▣□□□□▣□□□□▣□□□□▣ ●12   241  5 stones  to play 23 h"),
        (AWAY, CROWDED, LATE, (), "away  ■□□□▣□□□□▣□□□□▣□□□□▣ ●12   241  5 stones  to play !0:09"),
        (AWAY, CROWDED, DAY, (AWAY,), "away  ■□□□▣□□□□▣□□□□▣□□□□▣ ●12   241  5 stones  substitute"),
        (3, FOUR, ClockReading("0:42"), (), "1 stone   to play 0:42"),
        (3, FOUR, ClockReading("0:42"), (3,), "1 stone   substitute"),
        (3, FOUR, None, (), "1 stone   to play"),
    ],
)
def test_stacked_the_clock_and_the_substitute_stand_at_the_end_of_the_line(
    seat: int, hands: tuple[str, ...], clock: ClockReading | None, substitutes: tuple[int, ...], end: str
) -> None:
    totals = (241 if hands is CROWDED else 0,) * 4
    state = on_turn(seat, position(*hands, edition="1969", totals=totals))
    table = in_play(table_of(state, 0), substitutes)
    around = with_clock(seat, clock) if clock else AROUND
    line = rows(make_scene(table, view_of(table), NOWHERE, SMALL, around))[seat]
    assert line.endswith(end)
    assert len(line) < SMALL.width


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
