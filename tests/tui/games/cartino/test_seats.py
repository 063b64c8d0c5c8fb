import itertools

from cartino_tui.draw.canvas import Canvas
from cartino_tui.games.cartino.scene import Scene
from cartino_tui.games.cartino.seats import draw_players, tag
from tests.support.cartino import position, random_game
from tests.support.cartino_table import LARGE, NAMES, SMALL, scene_of

FOUR = ("AH 7S", "7D 8D 9D", "KS", "KC")


def rows(scene: Scene) -> list[str]:
    canvas = Canvas(scene.layout.width, scene.layout.height)
    draw_players(canvas, scene)
    box = scene.layout.players
    lines = canvas.frame().text().split("\n")[box.y : box.y + box.height]
    return [line[box.x :] for line in lines]


def test_a_player_has_name_total_track_chips_stones_and_tag() -> None:
    lines = rows(scene_of(position(*FOUR, totals=(137, 24, 0, 19)), 0))
    assert lines[0].split() == ["5", "10", "15", "20"]
    assert lines[1:4] == ["►Bartholomew XVI.  137", " ····:····:····:·█··:", " ●x6  2 stones  you"]
    assert lines[4:7] == [" Léa                24", " ···█:····:····:····:", " ●x1  3 stones  bot"]
    assert lines[9] == " ●x0  1 stone  away"


def test_a_marker_that_is_off_the_track_stands_before_it() -> None:
    lines = rows(scene_of(position(*FOUR, totals=(20, 0, 0, 0)), 0))
    assert lines[2] == "█····:····:····:····:"


def test_in_1969_a_marker_rests_on_field_20() -> None:
    lines = rows(scene_of(position(*FOUR, totals=(20, 0, 0, 0), edition="1969"), 0))
    assert "····:····:····:····█ ●x0" in lines[0]


def test_a_total_below_zero_keeps_its_sign() -> None:
    assert rows(scene_of(position(*FOUR, totals=(-13, 0, 0, 0)), 0))[1].endswith(" −13")


def test_stacked_every_player_has_a_line_with_everything() -> None:
    lines = rows(scene_of(position(*FOUR, edition="1969", totals=(137, 24, 0, 19)), 1))
    assert lines[0].split() == [
        "►Bartholomew",
        "XVI.",
        "····:····:····:·█··:",
        "●x6",
        "137",
        "2",
        "stones",
        "on",
        "turn",
    ]
    assert [line.split()[0] for line in lines] == ["►Bartholomew", "Léa", "Maximiliane", "Johann"]


def test_tags_say_who_one_is_and_who_is_a_bot_or_away() -> None:
    scene = scene_of(position(*FOUR), 0)
    assert [tag(scene, seat) for seat in range(4)] == ["you", "bot", "away", ""]
    assert tag(scene, 9) == ""


def test_at_the_end_the_winners_are_marked_and_stacked_lines_show_the_settlement() -> None:
    *_, (over, _) = random_game(3, "1969", 4)
    scene = scene_of(over, None)
    assert scene.room.result is not None
    winners = scene.room.result.winners
    lines = rows(scene)
    assert [seat for seat, line in enumerate(lines) if line.startswith("●")] == list(winners)
    assert any("went out" in line for line in lines)
    for seat, penalty in enumerate(scene.view.penalty):
        if penalty:
            assert f"−{penalty} " in lines[seat]


def test_the_panel_of_a_large_terminal_parts_the_players() -> None:
    lines = rows(scene_of(position(*FOUR), 0, LARGE))
    starts = [number for number, line in enumerate(lines) if any(name in line for name in NAMES)]
    assert [later - sooner for sooner, later in itertools.pairwise(starts)] == [6, 6, 6]
    assert SMALL.height < LARGE.height
