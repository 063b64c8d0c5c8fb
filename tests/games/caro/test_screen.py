"""Caro's screen: what is drawn at every size, and what keys and clicks mean."""

import re

import pytest
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from cartino_games.caro.board import newest_lays
from cartino_games.caro.rules.table import FULL, CaroState
from cartino_games.caro.views import COLOURS, Accept, Call, CaroLay
from cartino_tui.game_port.screen import ClockReading, Look
from cartino_tui.i18n import LANGUAGES, Language, translator_for
from tests.support.caro import GAME, Sitting, position, random_game
from tests.support.caro_table import SCREEN, SIZES, drawn, press, table_of, view_of
from tests.support.games import DARK
from tests.support.kit_table import AROUND, NAMES
from tests.support.sizes import with_seats
from tests.support.whole import drawn_whole
from tests.support.window import blank_share

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


def sinned() -> CaroState:
    """Seat 0 of three has laid black beside black."""
    sitting = Sitting(position("RB", FULL, FULL, FULL, honour=True))
    sitting.play((0, "B2,0"))
    return sitting.state


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
    for state in (*states[:3], *states[3::12], states[-1]):
        for you in (None, state.seat):
            with drawn_whole(*NAMES, over=PIECES) as faults:
                frame = drawn(state, you, look, ["1"])
            assert faults == []
            assert {role for row in frame.rows for _, role in row} <= set(DARK.styles)
            assert frame.text().isascii() or not look.ascii


@pytest.mark.parametrize("size", ["120x40", "160x50"])
@with_seats
def test_a_large_terminal_is_used_in_the_middle_of_a_game(size: str, seats: int) -> None:
    for state in game("honour", seats)[4:-4:6]:
        for you, keys in ((state.seat, ()), (state.seat, ("1",)), (None, ())):
            assert blank_share(drawn(state, you, SIZES[size], keys)) <= 0.4


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


def log_of(state: CaroState, you: int | None, look: Look, *substituted: int) -> str:
    """The column of the log, where a substitute made the last move of `substituted`."""
    table = table_of(state, you)
    seats = tuple(replace(line, substituted=seat in substituted) for seat, line in enumerate(table.seats))
    table, view = replace(table, seats=seats), view_of(table)
    box = SCREEN.scene(table, view, SCREEN.fresh(), look, AROUND).plan.moves
    rows = SCREEN.draw(table, view, SCREEN.fresh(), look, AROUND).text().split("\n")
    return "\n".join(row[box.x - 1 :] for row in rows[box.y - 1 : box.y + box.height])


@SIZED
def test_the_moves_since_ones_own_are_marked_a_lay_a_line(look: Look) -> None:
    states = game("strict", 3)
    state, you = states[13], states[13].seat
    text = log_of(state, you, look)
    assert re.search(r"[▌|]Since your turn", text)
    assert len(re.findall(r"[▌|]\S.*[RBGW] [a-m]\d+ ([×x]2 )?\+\d+", text)) == 2
    assert "Since your turn" not in log_of(state, None, look)


@pytest.mark.parametrize("size", ["120x40", "200x60"])
def test_a_substitutes_move_says_so_and_is_news_to_its_player(size: str) -> None:
    states = game("strict", 3)
    state, you = states[13], states[13].seat
    text = log_of(state, you, SIZES[size], you)
    assert len(re.findall(r"▌.*[RBGW] [a-m]\d+", text)) == 3
    assert len(re.findall(r"▌\S.*\(substitute\)", text)) == text.count("(substitute)") == 1


def test_where_there_is_room_the_whole_game_is_in_the_log() -> None:
    state = game("strict", 2)[-2]
    laid = sum(letter != "." for letter in GAME.view(state, None).board)
    assert len(re.findall(r"[RBGW] [a-m]\d+ ", log_of(state, None, SIZES["200x60"]))) == laid > 20


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


def test_a_colour_is_picked_moved_and_laid_by_keys() -> None:
    state = position("R.R .W.")
    table = table_of(state, 0)
    pointer, move, _ = press(table, "3")
    assert (pointer.colour, pointer.place, move) == ("G", "g6", None), (
        "the cursor begins where it scores most"
    )
    assert press(table, "3", "enter")[1] == CaroLay("G", 1, 0)
    assert press(table, "3", "up", "enter")[1] == CaroLay("G", 0, -1)
    assert press(table, "3", "escape")[0].colour == ""
    assert press(table, "enter")[1:] == (None, "Choose a piece first, with 1-4 or a click.")
    assert press(table, "5")[1] is None


def test_a_colour_that_is_gone_can_not_be_picked() -> None:
    table = table_of(position("R", "BB", FULL), 0)
    assert press(table)[0].colour == "B", "there is no other"
    assert press(table, "1") == (press(table)[0], None, "No red left.")


def test_hints_are_of_keys_that_do_something_now() -> None:
    for look in (*SIZES.values(), Look(60, 20)):
        shown = drawn(position("R", "BBG", FULL), 0, look).text().split("\n")[-1].split("  ")
        assert [hint.split()[0] for hint in shown[:2]] == ["2", "3"], "no red left, and nothing picked"
        assert not any("lay" in hint for hint in shown)
    hints = drawn(position("R", "BBG", FULL), 0, SIZES["80x24"], ["2"]).text().split("\n")[-1]
    assert "Enter lay" in hints


def test_only_legal_places_show_points_under_a_strict_referee() -> None:
    for honour in (False, True):
        state = position("RB", honour=honour)
        scene = SCREEN.scene(
            table_of(state, 0), GAME.view(state, 0), press(table_of(state, 0), "2")[0], SIZES["80x24"], AROUND
        )
        assert ((6, 7) in scene.offered()) == honour, "next to black"
        assert scene.offered()[6, 4] == 10


def test_a_click_on_a_place_lays_the_picked_caro_there_and_one_on_a_hint_presses_its_key() -> None:
    state, look = position("RB"), SIZES["80x24"]
    table = table_of(state, 0)
    view, pointer = view_of(table), press(table, "1")[0]
    plan = SCREEN.scene(table, view, pointer, look, AROUND).plan
    box = plan.grid.cell_box(6, 7)
    assert box is not None
    assert SCREEN.click(table, view, pointer, look, box.x, box.y).move == CaroLay("R", 2, 0)
    assert SCREEN.click(table, view, SCREEN.fresh(), look, box.x, box.y).status.startswith(
        "Choose a piece first"
    )
    assert SCREEN.click(table, view, pointer, look, 0, 3).taken is False
    hints = drawn(state, 0, look, ["1"]).text().split("\n")[-1]
    assert (
        SCREEN.click(table, view, pointer, look, hints.index("grey"), look.height - 1).pointer.colour == "G"
    )
    assert SCREEN.click(table, view, pointer, look, hints.index("Enter"), look.height - 1).move is not None


def test_calling_and_accepting_are_offered_where_they_can_be_done() -> None:
    state = sinned()
    for seat, may in ((0, False), (1, True), (2, True)):
        assert (" c call" in drawn(state, seat).text()) == may
        assert "a accept" not in drawn(state, seat).text()
        assert press(table_of(state, seat), "c")[1] == (Call() if may else None)
    assert press(table_of(state, 1), "a")[1:] == (None, "There's nothing to call or accept now.")
    assert "a accept" in drawn(closing(), 2).text()
    assert not any("Enter lay" in drawn(closing(), seat).text() for seat in (0, 1, 2)), "nobody can lay now"
    assert press(table_of(closing(), 2), "a")[1] == Accept()
    strict = table_of(position("RB"), 1)
    assert press(strict, "c")[1:] == (None, "There's nothing to call or accept now.")
    assert drawn(sinned(), None).text().count("call?") == 2, "who may still call is seen by all"


def test_the_status_names_the_broken_rule_after_a_call_or_says_there_was_none() -> None:
    sitting = Sitting(sinned())
    sitting.play((1, "call"))
    text = " ".join(drawn(sitting.state, 0, SIZES["200x60"]).text().split("\n")[-2:])
    assert (
        "calls Ann's move, and is right. Rule 1: no caro may lie next to one of its own colour. Lay black"
        in text
    )
    assert "Lay black again" in text
    sitting = Sitting(position("RB", FULL, FULL, FULL, honour=True))
    sitting.play((0, "G2,0"), (2, "call"))
    assert "and loses 10 points." in drawn(sitting.state, None, SIZES["200x60"]).text()
    sitting = Sitting(position("WRW", "WB", "W", "W", FULL, honour=True))
    sitting.play((0, "W1,1"), (3, "call"))
    text = drawn(sitting.state, None, SIZES["200x60"]).text()
    assert (
        "no place for white and loses the turn and 10 points. Rule 2: no caro may have more than two" in text
    )


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


@SIZED
def test_who_still_has_to_answer_the_last_lay_is_seen_with_the_seconds_that_are_left(look: Look) -> None:
    clocks = (None, ClockReading("0:12"), ClockReading("0:09", soon=True))
    frame = drawn(closing(), 0, look, around=replace(AROUND, clocks=clocks))
    assert "0:12" in frame.text()
    assert "!0:09" in frame.text()
