"""Caro's screen: the cases of screen.txt, and what is drawn at every size."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from cartino_games.caro.board import newest_lays
from cartino_games.caro.rules.table import CaroState
from cartino_games.caro.views import COLOURS, CaroLay
from cartino_tui.game_port.screen import Look
from cartino_tui.i18n import LANGUAGES, Language, translator_for
from tests.support.caro import (
    GAME,
    SCREEN,
    SETTING,
    SIZES,
    Sitting,
    drawn,
    position,
    press,
    random_game,
    table_of,
    view_of,
)
from tests.support.kit_table import AROUND, NAMES
from tests.support.rules_script import cases
from tests.support.sizes import with_seats
from tests.support.table_script import play
from tests.support.whole import drawn_whole

PIECES = frozenset(
    {
        *("place-even", "place-odd", "place-open", "place-cursor"),
        *(f"piece-{colour}{edge}" for colour in COLOURS for edge in ("", "-edge")),
    }
)
SIZED = pytest.mark.parametrize("look", SIZES.values(), ids=SIZES)


def game(referee: str, seats: int, rounds: str = "1") -> list[CaroState]:
    options = {"referee": referee, "rounds": rounds, "begins": "lot"}
    return [state for state, _ in random_game(7, options, seats)]


def closing() -> CaroState:
    """Seats 1 and 2 have to answer the round's last lay."""
    sitting = Sitting(position("R", "B", "", "", honour=True))
    sitting.play((0, "B1,0"))
    return sitting.state


@SIZED
def test_a_strict_game(look: Look, snapshot: SnapshotAssertion) -> None:
    """The board with the points of grey's legal places, the cursor on one, the last lay marked, all supplies."""
    state = game("strict", 2)[14]
    assert drawn(state, state.seat, look, ["3", "down"]).text() == snapshot


@SIZED
def test_a_game_on_honour(look: Look, snapshot: SnapshotAssertion) -> None:
    """Four players; the places that touch with their points, who may call, and the hint to do so."""
    state = next(state for state in game("honour", 4)[30:] if state.callers() and not state.closing)
    assert drawn(state, state.seat, look, ["4"]).text() == snapshot


@pytest.mark.parametrize("page", range(3))
def test_the_end(page: int, snapshot: SnapshotAssertion) -> None:
    """The result with a column a round, the course, and the last board."""
    assert drawn(game("strict", 3, "3")[-1], 0, SIZES["80x24"], ["tab"] * page).text() == snapshot


@SIZED
@with_seats
def test_a_game_is_drawn_whole_from_its_first_lay_to_its_end(look: Look, seats: int) -> None:
    states = game("honour", seats, "2")
    for state in (*states[:2], *states[3::24], states[-1]):
        for you in (None, state.seat):
            with drawn_whole(*NAMES, over=PIECES) as faults:
                drawn(state, you, look, ["1"])
            assert faults == []


def test_neighbours_of_one_colour_are_told_apart_by_the_board_between_them() -> None:
    """Two whites side by side, as they may lie on honour, each with an edge below and none beside it."""
    state = position("WW", honour=True)
    for name, foot in (("80x24", "▄"), ("120x40", "▄"), ("ascii", "_")):
        frame = drawn(state, None, SIZES[name])
        feet = [
            [(text, role) for text, role in row if role.startswith(("piece-W", "place-"))]
            for row in frame.rows
            if "piece-W-edge" in {role for _, role in row}
        ]
        (foot_row,) = feet
        at = next(at for at, (_, role) in enumerate(foot_row) if role == "piece-W-edge")
        first, between, second = foot_row[at : at + 3]
        assert set(first[0]) == set(second[0]) == {foot}
        assert between[1].startswith("place-")


@SIZED
def test_the_last_lay_of_each_player_has_their_sign_where_there_is_room(look: Look) -> None:
    state = game("strict", 2)[14]
    view = GAME.view(state, None)
    newest = newest_lays(view)
    assert view.laid in newest
    assert sorted(newest.values()) == [0, 1]
    scene = SCREEN.scene(table_of(state, None), view, SCREEN.fresh(), look, AROUND)
    rows = drawn(state, None, look).text().split("\n")
    for place, seat in newest.items():
        box = scene.plan.grid.cell_box(int(place[1:]), ord(place[0]) - ord("a"))
        assert box is not None
        shown = rows[box.y][box.x : box.x + box.width - 1].endswith(scene.marks.seats[seat])
        assert shown == (box.height > 2)


@SIZED
@with_seats
def test_every_place_and_every_supply_is_in_sight(look: Look, seats: int) -> None:
    for state in game("honour", seats)[:-1:5]:
        view = GAME.view(state, state.seat)
        plan = SCREEN.scene(table_of(state, state.seat), view, SCREEN.fresh(), look, AROUND).plan
        text = drawn(state, None, look).text()
        rows = text.split("\n")
        for at, letter in enumerate(view.board):
            place = view.place(at)
            box = plan.grid.cell_box(int(place[1:]), ord(place[0]) - ord("a"))
            assert box is not None
            assert box.x + box.width < plan.players.x
            assert box.y + box.height <= look.height - 2
            assert letter == "." or letter in rows[box.y + (box.height - 1) // 2][box.x : box.x + box.width]
        for supply in state.supplies:
            shown = " ".join(f"{colour}{supply.count(colour)}" for colour in COLOURS)
            assert shown in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_smallest_table_is_whole_in_every_language(language: Language) -> None:
    for state in (game("honour", 4)[20], closing()):
        for you in (None, 1):
            with drawn_whole(*NAMES, over=PIECES) as faults:
                drawn(state, you, replace(SIZES["60x20"], translator=translator_for(language)), ["1"])
            assert faults == []


@pytest.mark.parametrize("case", cases(Path(__file__).with_name("screen.txt")))
def test_table(case: list[str]) -> None:
    play(SETTING, case)


@pytest.mark.parametrize("honour", [False, True])
def test_a_click_on_a_place_lays_the_picked_caro_there(honour: bool) -> None:
    """A place next to black is offered for black only where nobody is told what is legal."""
    table, look = table_of(position("RB", honour=honour), 0), SIZES["80x24"]
    view, pointer = view_of(table), press(table, "1")[0]
    scene = SCREEN.scene(table, view, pointer, look, AROUND)
    box = scene.plan.grid.cell_box(6, 7)
    assert box is not None
    assert SCREEN.click(table, view, pointer, look, box.x, box.y).move == CaroLay("R", 2, 0)
    first = SCREEN.click(table, view, SCREEN.fresh(), look, box.x, box.y)
    assert first.status.startswith("Choose a piece first")
    assert SCREEN.click(table, view, pointer, look, 0, 3).taken is False
    black = SCREEN.scene(table, view, press(table, "2")[0], look, AROUND)
    assert ((6, 7) in black.offered()) == honour
    assert black.offered()[6, 4] == 10


def test_the_cursor_leads_to_every_place() -> None:
    for state in game("strict", 3)[5:30:8]:
        table = table_of(state, state.seat)
        view = view_of(table)
        for number, colour in enumerate(COLOURS, 1):
            wanted = {word[1:] for word in view.lays if word[0] == colour}
            seen, todo = set[str](), [press(table, str(number))[0]]
            while todo:
                pointer = todo.pop()
                if wanted and pointer.place not in seen:
                    seen.add(pointer.place)
                    keys = ("up", "down", "left", "right")
                    todo += [SCREEN.key(table, view, pointer, key).pointer for key in keys]
            assert seen == wanted
