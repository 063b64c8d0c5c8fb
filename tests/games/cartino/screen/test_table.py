"""The whole table in pictures, its hand, and what strangers write on it."""

import re

import msgspec
import pytest
from rich.cells import cell_len
from syrupy.assertion import SnapshotAssertion

from cartino_games.cartino.board import Edition
from cartino_games.cartino.rules.state import CartinoState
from cartino_games.cartino.screen.table import draw_hand
from cartino_protocol.views import TableView
from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.game_port.screen import ClockReading, Look, TableChrome
from tests.support.cartino import GAME, Table, position, random_game
from tests.support.cartino_table import (
    AROUND,
    CARTINO_SCREEN,
    LARGE,
    MIDDLE,
    SMALL,
    drawn,
    in_play,
    press,
    scene_of,
    table_of,
    view_of,
    with_clock,
)

EDITIONS: tuple[Edition, ...] = ("1974", "1969")
SIZES = {"60x20": Look(60, 20), "80x24": SMALL, "120x40": MIDDLE, "160x50": LARGE, "200x60": Look(200, 60)}
GAMES = {
    (edition, seats): [state for state, _ in random_game(3, edition, seats)]
    for edition in EDITIONS
    for seats in (2, 4)
}

sized = pytest.mark.parametrize("look", SIZES.values(), ids=SIZES.keys())
both = pytest.mark.parametrize("edition", EDITIONS)


def running(edition: Edition, seats: int) -> CartinoState:
    """A state in the middle of a turn, late enough that the board is half full."""
    states = GAMES[edition, seats][len(GAMES[edition, seats]) // 2 :]
    return next(state for state in states if state.laid and "1" in picks(state))


def picks(state: CartinoState) -> str:
    """The numbers of the stones that can be laid."""
    view = GAME.view(state, state.seat)
    stones = {lay.stone for lay in view.lays}
    return "".join(str(number) for number, stone in enumerate(view.hand, 1) if stone in stones)


def with_joker(edition: Edition) -> tuple[CartinoState, str]:
    """A state whose player can lay a joker, and the key that picks it."""
    for state in GAMES[edition, 4]:
        hand = GAME.view(state, state.seat).hand
        if "*" in hand and state.settlement is None and state.bag.count < 40 and not state.laid:
            return state, str(hand.index("*") + 1)
    raise AssertionError("no joker in this game")


def table_as(shown: str, edition: Edition) -> tuple[TableView, tuple[str, ...], TableChrome]:
    """The table of that name, the keys that are pressed at it, and what stands around it."""
    late = running(edition, 4)
    joker, key = with_joker(edition)
    over, opening = GAMES[edition, 4][-1], GAMES[edition, 2][0]
    substitutes = in_play(table_of(late, late.seat), {0, 1, 2, 3} - {late.seat})
    clock = with_clock(late.seat, ClockReading("0:09", soon=True))
    tables = {
        "opening": (table_of(opening, opening.seat), (), AROUND),
        "stone picked": (table_of(late, late.seat), ("1",), AROUND),
        "joker picked": (table_of(joker, joker.seat), (key,), AROUND),
        "spectator": (table_of(running(edition, 2), None), (), AROUND),
        "game over": (table_of(over, 0), ("tab", "tab"), AROUND),
        "clock and substitutes": (substitutes, (), clock),
    }
    return tables[shown]


@both
@sized
@pytest.mark.parametrize(
    "shown", ["opening", "stone picked", "joker picked", "spectator", "game over", "clock and substitutes"]
)
def test_pictures(shown: str, edition: Edition, look: Look, snapshot: SnapshotAssertion) -> None:
    """An empty board, open halves and sums, a joker's card, a table without a hand, the final board, a late clock."""
    table, keys, around = table_as(shown, edition)
    assert CARTINO_SCREEN.draw(table, view_of(table), press(table, *keys), look, around).text() == snapshot


@both
def test_ascii(edition: Edition, snapshot: SnapshotAssertion) -> None:
    """Proves that a terminal with nothing but ASCII sees the same table, every state with a mark."""
    state = running(edition, 4)
    text = drawn(state, state.seat, Look(80, 24, ascii=True), ("1",)).text()
    assert text.isascii()
    assert text == snapshot


def test_a_lead_stands_before_what_the_table_waits_for_or_not_at_all() -> None:
    state = GAMES["1974", 2][0]
    around = msgspec.structs.replace(AROUND, lead="Welcome back.")
    assert " Welcome back. Your turn: pick a stone (1-5).\n" in drawn(state, state.seat, around=around).text()
    long = msgspec.structs.replace(AROUND, lead="Words that are too long to stand there. " * 2)
    assert drawn(state, state.seat, around=long) == drawn(state, state.seat)
    said = msgspec.structs.replace(around, status="Nothing was changed.")
    assert "Welcome" not in drawn(state, state.seat, around=said).text()


def test_names_and_talk_of_strangers_stay_in_their_cells() -> None:
    state = running("1974", 2)
    hostile = "\x1b[2J\u202e[red]王王" * 9
    around = msgspec.structs.replace(
        AROUND, title=hostile, facts=hostile, status=hostile, said=((hostile, hostile), ("", hostile))
    )
    frame = drawn(state, 0, around=around)
    assert [cell_len("".join(text for text, _ in row)) for row in frame.rows] == [80] * 24
    assert not any(char in frame.text() for char in "\x1b\u202e")


@sized
@both
def test_a_cursor_move_repaints_few_cells(edition: Edition, look: Look) -> None:
    state, key = with_joker(edition)
    before, after = (
        [
            (char, role)
            for row in drawn(state, state.seat, look, keys).rows
            for text, role in row
            for char in text
        ]
        for keys in ((key,), (key, "down"))
    )
    cells = sum(old != new for old, new in zip(before, after, strict=True))
    assert 0 < cells < look.width * look.height // 8


def test_the_preview_stands_on_two_lines_where_there_are_two() -> None:
    state = running("1974", 2)
    where, points = drawn(state, state.seat, keys=("1",)).text().split("\n")[13:15]
    assert where.endswith("half:")
    assert re.search(r"\+\d+$", points)
    flat = drawn(running("1969", 2), running("1969", 2).seat, keys=("1",)).text()
    assert re.search(r"half: .*\+\d+\n", flat)


@pytest.mark.parametrize("look", [MIDDLE, LARGE], ids=["120x40", "160x50"])
def test_chat_has_a_frame_only_where_somebody_is_to_talk_to(look: Look) -> None:
    """Else the moves have its rows; a notice stands below them."""
    state = running("1974", 2)
    alone, told, talks = (
        drawn(state, state.seat, look, around=around).text()
        for around in (
            TableChrome("Cartino"),
            TableChrome("Cartino", said=(("", "Your resume code: amber"),)),
            TableChrome("Cartino", talks=True),
        )
    )
    assert ["Chat" in text for text in (alone, told, talks)] == [False, False, True]
    assert "Your resume code: amber" in told
    assert alone.count("laid") >= talks.count("laid")


def test_a_question_keeps_whose_turn_it_is_in_sight_but_apart() -> None:
    """Right behind the question it would read like a part of it."""
    state = running("1974", 2)
    asks = TableChrome("Cartino", status="Leave the table? (y/n)", asks=True)
    shown = drawn(state, state.seat, MIDDLE, around=asks).text().splitlines()[-2]
    turn = drawn(state, state.seat, MIDDLE, around=TableChrome("Cartino")).text().splitlines()[-2].strip()
    assert shown.startswith(" Leave the table? (y/n)   ")
    assert shown.endswith(f"   {turn}")
    assert len(shown) == MIDDLE.width - 1


HELD = position("AH KH 7S 10S *", "7D", bag="9C 9C")


def hand_drawn(look: Look = SMALL, keys: tuple[str, ...] = (), table: Table | None = None) -> Frame:
    canvas = Canvas(look.width, look.height)
    draw_hand(canvas, scene_of(table.state if table else HELD, 0, look, keys))
    return canvas.frame()


def roles(frame: Frame, text: str) -> set[str]:
    return {role for row in frame.rows for run, role in row if text in run}


@pytest.mark.parametrize("look", [SMALL, MIDDLE, LARGE])
def test_every_stone_shows_its_number_and_its_card(look: Look) -> None:
    text = hand_drawn(look).text()
    assert all(number in text for number in "12345")
    assert all(card in text for card in ("A♥", "K♥", "7♠", "10♠", "★"))


def test_the_picked_stone_stands_out_by_its_marks_too_and_closed_ones_are_not_filled() -> None:
    frame = hand_drawn(keys=("1",))
    assert "► K♥◄" in frame.text()
    assert frame.text().count("►") == 1
    assert roles(frame, "K♥") == {"picked-H"}
    table = Table(HELD)
    table.lay("AHu")
    frame = hand_drawn(table=table)
    assert (roles(frame, "K♥"), roles(frame, "7♠")) == ({"stone-H"}, {"closed-S"})


def test_where_the_hand_stands_upright_every_stone_has_a_row() -> None:
    canvas = Canvas(80, 24)
    draw_hand(canvas, scene_of(position("AH KH 7S 10S *", "7D", edition="1969"), 0))
    lines = [line.split() for line in canvas.frame().text().split("\n") if line.strip()]
    assert lines == [["hand"], ["1", "K♥"], ["2", "A♥"], ["3", "7♠"], ["4", "10♠"], ["5", "★"]]
