"""Moves and talk as running text."""

from collections.abc import Iterator

import msgspec

from cartino_games.kit.arrangement import Box
from cartino_games.kit.log import draw_moves, draw_talk
from cartino_games.kit.scene import TableScene
from cartino_games.kit.text import Paragraph
from cartino_tui.draw.canvas import Canvas
from cartino_tui.draw.theme import SEATS
from tests.support.kit_table import AROUND, kit_scene

SCENE = kit_scene()


def turn(name: str, *moves: str) -> Paragraph:
    return [((f" {name}", "name"),), *(((f" {move}", "dim"),) for move in moves)]


def moves(width: int, height: int, *newest: Paragraph) -> list[str]:
    canvas = Canvas(width, height)
    draw_moves(canvas, SCENE, newest, Box(0, 0, width, height))
    return canvas.frame().text().split("\n")


def test_turns_stand_oldest_first_as_many_as_are_whole() -> None:
    turns = turn("Ann", "f6"), turn("Bob", "e6", "e7"), turn("Ann", "d4")
    assert moves(9, 3, *turns) == [" Bob e6", "   e7", " Ann f6"]
    assert moves(9, 2, *turns) == [" Ann f6", ""]


def test_in_one_row_they_stand_one_behind_the_other() -> None:
    assert moves(20, 1, turn("Ann", "f6"), turn("Bob", "e6")) == [" Bob e6 · Ann f6"]


def test_a_turn_that_is_too_long_keeps_its_player_and_its_end() -> None:
    assert moves(11, 1, turn("Ann", "f6", "f7", "f8")) == [" Ann … f8"]
    assert moves(5, 1, turn("Ann", "f6 f7 f8")) == [""]


def test_moves_are_read_no_further_than_there_is_room() -> None:
    asked: list[int] = []

    def newest() -> Iterator[Paragraph]:
        for number in range(9):
            asked.append(number)
            yield turn("Ann", str(number))

    canvas = Canvas(20, 2)
    draw_moves(canvas, SCENE, newest(), Box(0, 0, 20, 2))
    assert asked == [0, 1, 2]


def with_talk(*said: tuple[str, str]) -> TableScene:
    return kit_scene(around=msgspec.structs.replace(AROUND, said=said))


def talk(scene: TableScene, width: int, height: int) -> list[str]:
    canvas = Canvas(width, height)
    draw_talk(canvas, scene, Box(0, 0, width, height))
    return canvas.frame().text().split("\n")


def test_talk_shows_the_newest_and_breaks_long_lines_at_words() -> None:
    scene = with_talk(
        ("ann", "first"), ("bob", "a longer line that has to be broken"), ("", "eve is watching")
    )
    assert talk(scene, 24, 3) == [
        " bob: a longer line",
        "  that has to be broken",
        " eve is watching",
    ]


def test_a_line_that_is_longer_than_its_room_ends_in_an_ellipsis() -> None:
    shown = talk(with_talk(("ann", "word " * 60)), 30, 2)
    assert len(shown) == 2
    assert shown[-1].endswith("…")


def test_markup_in_talk_is_just_text() -> None:
    assert talk(with_talk(("ann", "[red]no[/red]")), 40, 1) == [" ann: [red]no[/red]"]


def test_notices_push_no_line_of_chat_away() -> None:
    """From three rows on the newest has one; the others stand where chat leaves rows, in their order."""
    passing = [("", f"guest {number} is watching") for number in range(5)]
    scene = with_talk(("ann", "first"), ("bob", "second"), *passing)
    assert talk(scene, 30, 1) == [" bob: second"]
    assert talk(scene, 30, 2) == [" ann: first", " bob: second"]
    assert talk(scene, 30, 3) == [" ann: first", " bob: second", " guest 4 is watching"]
    assert talk(scene, 30, 4)[2:] == [" guest 3 is watching", " guest 4 is watching"]
    assert talk(with_talk(*passing), 30, 1) == [" guest 4 is watching"]


def test_a_notice_between_two_lines_stays_between_them() -> None:
    scene = with_talk(("ann", "first"), ("", "eve is watching"), ("bob", "second"))
    assert talk(scene, 30, 4)[:3] == [" ann: first", " eve is watching", " bob: second"]


def test_players_speak_in_the_colour_of_their_seat() -> None:
    """Everybody else in one colour, also a spectator, whose name says so, and somebody called like a bot."""
    canvas = Canvas(40, 4)
    players = [line.name for line in SCENE.table.seats if line.kind == "human"]
    said = [*((name, "hello") for name in players), (f"{players[0]} (watching)", "hello")]
    draw_talk(canvas, with_talk(*said), Box(0, 0, 40, 4))
    roles = [row[0][1] for row in canvas.frame().rows[: len(said)]]
    seats = [SEATS[seat] for seat, line in enumerate(SCENE.table.seats) if line.kind == "human"]
    assert roles == [*seats, "chat-name"]
    assert len(set(seats)) == len(players) > 1
