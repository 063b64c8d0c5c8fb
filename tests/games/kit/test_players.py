"""Names, tags and clocks of players, at every table alike."""

import pytest

from cartino_games.kit.players import draw_name, full_tag, presence, seat_sign, tag
from cartino_protocol.views import ResultView
from cartino_tui.draw.theme import SEATS
from cartino_tui.game_port.screen import ClockReading, Look, TableChrome
from tests.support.kit_table import AWAY, LOOKS, canvas_of, kit_scene, kit_table, lines_of, plain_text


def test_tags_say_who_one_is_and_who_is_a_bot_or_away() -> None:
    scene = kit_scene(kit_table(substitutes=(0, AWAY, 3)))
    assert [tag(scene, seat) for seat in (0, 1, AWAY, 3, 9)] == ["you", "bot", "away", "", ""]
    assert [full_tag(scene, seat) for seat in (0, 1, AWAY, 3)] == [
        "you, substitute",
        "bot",
        "away, substitute",
        "substitute",
    ]


DAY = ClockReading("23 h 10 min", short="23 h")


@pytest.mark.parametrize(
    ("cells", "clock", "said"),
    [
        (20, DAY, "away 23 h 10 min"),
        (10, DAY, "away 23 h"),
        (6, DAY, "23 h"),
        (3, DAY, ""),
        (20, ClockReading("0:09", soon=True), "away !0:09"),
        (20, None, "away"),
    ],
)
def test_of_tag_and_clock_as_much_is_shown_as_fits_the_clock_first(
    cells: int, clock: ClockReading | None, said: str
) -> None:
    scene = kit_scene(kit_table(turn=(AWAY,)), around=TableChrome("t", clocks=(None, None, clock)))
    assert " ".join(text for text, _ in presence(scene, AWAY, cells)) == said


@pytest.mark.parametrize(("cells", "said"), [(16, "away, substitute"), (15, "substitute")])
def test_a_bot_that_plays_for_somebody_takes_no_time(cells: int, said: str) -> None:
    around = TableChrome("t", clocks=(None, None, DAY))
    scene = kit_scene(kit_table(turn=(AWAY,), substitutes=(AWAY,)), around=around)
    assert presence(scene, AWAY, cells) == [(said, "hint")]


@pytest.mark.parametrize("look", LOOKS)
def test_marks_stand_before_who_is_on_turn_and_who_has_won(look: Look) -> None:
    playing = kit_scene(kit_table(turn=(3, 1)), look)
    over = kit_scene(kit_table(result=ResultView((1, 2, 3, 4), (3,), "out")), look)
    for scene, marked, mark in ((playing, {1, 3}, playing.marks.turn), (over, {3}, over.marks.won)):
        canvas = canvas_of(scene)
        for seat in range(4):
            draw_name(canvas, scene, seat, 2, seat)
        rows = lines_of(canvas)[:4]
        assert {seat for seat, row in enumerate(rows) if row[2] == mark} == marked
        assert [row[3:] for row in rows] == list(scene.names)


@pytest.mark.parametrize("look", LOOKS)
def test_each_seat_has_a_sign_and_a_colour_of_its_own(look: Look) -> None:
    signs = [seat_sign(kit_scene(look=look), seat) for seat in range(4)]
    assert len({sign for sign, _ in signs}) == 4
    assert tuple(role for _, role in signs) == SEATS
    assert plain_text(tuple(signs)).isascii() == look.ascii
