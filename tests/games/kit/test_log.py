"""Moves and talk as running text."""

from collections.abc import Iterator

import msgspec
import pytest

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


@pytest.mark.parametrize(
    ("width", "height", "turns", "shown"),
    [
        (9, 3, [("Ann", "f6"), ("Bob", "e6", "e7"), ("Ann", "d4")], [" Bob e6", "   e7", " Ann f6"]),
        (9, 2, [("Ann", "f6"), ("Bob", "e6", "e7")], [" Ann f6", ""]),
        (20, 1, [("Ann", "f6"), ("Bob", "e6")], [" Bob e6 · Ann f6"]),
        (11, 1, [("Ann", "f6", "f7", "f8")], [" Ann … f8"]),
        (5, 1, [("Ann", "f6 f7 f8")], [""]),
    ],
)
def test_turns_stand_oldest_first_as_many_as_are_whole(
    width: int, height: int, turns: list[tuple[str, ...]], shown: list[str]
) -> None:
    """In one row one behind the other; one that is too long keeps its player and its end."""
    assert moves(width, height, *(turn(name, *laid) for name, *laid in turns)) == shown


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
    """Markup in it is just text, and one that is longer than its room ends in an ellipsis."""
    said = (("ann", "first"), ("bob", "a longer line that has to be broken"), ("", "eve is watching"))
    broken = [" bob: a longer line", "  that has to be broken", " eve is watching"]
    assert talk(with_talk(*said), 24, 3) == broken
    assert talk(with_talk(("ann", "[red]no[/red]")), 40, 1) == [" ann: [red]no[/red]"]
    shown = talk(with_talk(("ann", "word " * 60)), 30, 2)
    assert len(shown) == 2
    assert shown[-1].endswith("…")


def test_notices_push_no_line_of_chat_away() -> None:
    """From three rows on the newest has one; the others stand where chat leaves rows, in their order."""
    passing = [("", f"guest {number} is watching") for number in range(5)]
    scene = with_talk(("ann", "first"), ("bob", "second"), *passing)
    assert talk(scene, 30, 1) == [" bob: second"]
    assert talk(scene, 30, 2) == [" ann: first", " bob: second"]
    assert talk(scene, 30, 3) == [" ann: first", " bob: second", " guest 4 is watching"]
    assert talk(scene, 30, 4)[2:] == [" guest 3 is watching", " guest 4 is watching"]
    assert talk(with_talk(*passing), 30, 1) == [" guest 4 is watching"]
    between = with_talk(("ann", "first"), ("", "eve is watching"), ("bob", "second"))
    assert talk(between, 30, 4)[:3] == [" ann: first", " eve is watching", " bob: second"]


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
