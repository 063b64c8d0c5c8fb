import re

import msgspec
import pytest

from cartino_games.cartino.board import Edition
from cartino_games.cartino.rules.state import CartinoState
from cartino_games.cartino.screen.scene import Scene
from cartino_games.cartino.screen.story import in_short, turns, turns_of
from cartino_games.cartino.turn_log import logged, opened
from cartino_games.cartino.views import CartinoEvent
from cartino_games.kit.arrangement import Box
from cartino_games.kit.log import draw_moves
from cartino_protocol.views import TableView
from cartino_tui.draw.canvas import Canvas
from cartino_tui.game_port.screen import Look
from tests.support.cartino import Table, position, random_game
from tests.support.cartino_table import LARGE, MIDDLE, NAMES, SMALL, drawn, scene_of
from tests.support.kit_table import plain_text
from tests.support.pseudo import PSEUDO, in_pseudo

FIVE = position("7H 8H 9H 10H JH", "7D 8D", bag="9C 9C 9D 9D 8S 8S")


def paragraphs(scene: Scene) -> list[str]:
    return [
        "".join(text for chunk in turn for text, _ in chunk).strip() for turn in reversed(list(turns(scene)))
    ]


def with_events(*events: CartinoEvent) -> Scene:
    scene, log, turn = scene_of(FIVE, 0), opened(0), list[CartinoEvent]()
    for event in events:
        turn.append(event)
        if event.kind in ("turn", "pass"):
            log, turn = log + logged("1974", turn), []
    view = msgspec.structs.replace(scene.view, recent=events, log=log)
    return msgspec.structs.replace(scene, view=view)


def lines(scene: Scene, box: Box) -> list[str]:
    canvas = Canvas(box.width, box.height)
    draw_moves(canvas, scene, turns(scene), box)
    return canvas.frame().text().split("\n")


def test_a_turn_is_a_paragraph_with_every_stone_its_half_and_its_points() -> None:
    table = Table(FIVE)
    table.lay("7Hu", "8Hu", "9Hl", "10Hl", "JHu")
    assert paragraphs(scene_of(table.state, 0)) == [
        "Bartholomew XVI. laid 7♥ upper +0, 8♥ upper +1, 9♥ lower +0, 10♥ lower +1, J♥ upper +1, five stones +10 = +13"
    ]


def test_a_turn_that_still_runs_has_no_sum() -> None:
    table = Table(FIVE)
    table.lay("7Hu", "8Hu")
    assert paragraphs(scene_of(table.state, 0)) == ["Bartholomew XVI. laid 7♥ upper +0, 8♥ upper +1"]


def test_swaps_jokers_passes_and_going_out_are_told() -> None:
    scene = with_events(
        CartinoEvent("swap", 0, "AH", "AHu", 5),
        CartinoEvent("turn", 0, points=5),
        CartinoEvent("pass", 1),
        CartinoEvent("lay", 0, "*", "KHl", 4),
        CartinoEvent("turn", 0, points=4),
        CartinoEvent("out", 0, points=10),
    )
    assert paragraphs(scene) == [
        "Bartholomew XVI. laid A♥ upper replacing a joker +5",
        "Léa can't lay anything and passes",
        "Bartholomew XVI. laid ★K♥ lower +4",
        "Bartholomew XVI. is out of stones: +10",
    ]


@pytest.mark.parametrize(("edition", "seats"), [("1974", 2), ("1969", 4)])
def test_every_turn_of_a_game_is_told_with_the_points_of_its_course(edition: Edition, seats: int) -> None:
    *_, last = [state for state, _ in random_game(3, edition, seats)]
    told = [turn for turn in reversed(turns_of(scene_of(last, None))) if turn[0].kind != "out"]
    assert len(told) == len(last.course) > 24
    assert [turn[-1].points for turn in told] == list(last.course)
    laid = [event.kind for turn in told for event in turn if event.kind in ("lay", "swap")]
    assert len(laid) - laid.count("swap") == last.taken.bit_count()


def test_only_turns_that_fit_whole_are_shown_the_newest_last() -> None:
    table = Table(FIVE)
    table.lay("7Hu")
    table.end()
    table.lay("7Du")
    table.end()
    assert lines(scene_of(table.state, 0), Box(0, 0, 40, 1)) == [" Léa laid 7♦ upper +0"]
    shown = lines(scene_of(table.state, 0), Box(0, 0, 40, 3))
    assert shown == [" Bartholomew XVI. laid 7♥ upper +0", " Léa laid 7♦ upper +0", ""]


def test_in_one_row_turns_stand_one_behind_the_other() -> None:
    table = Table(FIVE)
    table.lay("7Hu")
    table.end()
    table.lay("7Du")
    assert lines(scene_of(table.state, 0), Box(0, 0, 70, 1)) == [
        " Bartholomew XVI. laid 7♥ upper +0 · Léa laid 7♦ upper +0"
    ]


def test_a_turn_that_is_longer_than_its_room_shows_its_newest_lays_and_says_so() -> None:
    table = Table(FIVE)
    table.lay("7Hu", "8Hu", "9Hl", "10Hl")
    assert lines(scene_of(table.state, 0), Box(0, 0, 58, 1)) == [
        " Bartholomew XVI. laid … 9♥ lower +0, 10♥ lower +1"
    ]


def test_another_language_may_put_its_words_elsewhere() -> None:
    scene = scene_of(Table(FIVE).state, 0, in_pseudo(SMALL))
    view = msgspec.structs.replace(scene.view, log=opened(1) + logged("1974", ()))
    told_so = paragraphs(msgspec.structs.replace(scene, view=view))
    assert told_so == [PSEUDO.gettext("{name} can't lay anything and passes", name="Léa")]


def since(state: CartinoState, you: int | None) -> list[str]:
    return [plain_text(chunk).strip() for chunk in in_short(scene_of(state, you))]


def _end(table: Table) -> None:
    """End the turn, if it isn't over because nothing else can be laid."""
    if table.state.laid:
        table.end()


def after_a_round(hand: str = "KS QS 7C") -> Table:
    """Two have played, and it is the first one's turn again."""
    table = Table(position(hand, "7C 8C", stones=("ASu",), bag="7D 7D 7D 7D"))
    table.lay("KSu")
    _end(table)
    table.lay("7Cu")
    table.lay("8Cu")
    _end(table)
    return table


def replaced(table: TableView, seat: int) -> TableView:
    """A substitute made the last move of that seat."""
    seats = list(table.seats)
    seats[seat] = msgspec.structs.replace(seats[seat], substituted=True)
    return msgspec.structs.replace(table, seats=tuple(seats))


def test_what_happened_since_ones_turn_is_summed_up_without_that_turn() -> None:
    table = after_a_round("KS QS JS 7C")
    assert since(table.state, 0) == ["Since your turn:", f"{NAMES[1]} +1"]
    table.lay("QSu")
    assert since(table.state, 0) == ["Since your turn:", f"{NAMES[1]} +1"], "nor with the one that goes on"
    state = after_a_round().state
    assert since(state, None) == []
    assert since(state, 1) == [], "nobody has played since"


def test_ones_own_turn_is_told_if_a_substitute_played_it() -> None:
    scene = scene_of(after_a_round().state, 0)
    scene = msgspec.structs.replace(scene, table=replaced(scene.table, 0))
    assert plain_text(sum(in_short(scene), ())) == f"Since your turn: substitute +5, {NAMES[1]} +1"
    assert paragraphs(scene)[0].startswith(f"{NAMES[0]} (substitute) laid K♠")


def test_where_names_are_too_long_signs_stand_for_them_before_anybody_is_left_out() -> None:
    table = Table(position("KS QS", "7C 8C", "7D 8D", "7H 8H", stones=("ASu",), bag="7D " * 8))
    for stone in ("KSu", "7Cu", "7Du", "7Hu"):
        table.lay(stone)
        _end(table)
    assert all(f" {name} +" in drawn(table.state, 0, SMALL).text() for name in NAMES[1:])
    text = " ".join(drawn(table.state, 0, Look(60, 20)).text().split())
    assert re.search(r"Since your turn: ▼ \+\d, ■ \+\d, ◆ \+\d", text)


def test_below_120_columns_a_line_sums_it_up_until_a_stone_is_picked() -> None:
    state = after_a_round().state
    assert "Since your turn: " in drawn(state, 0, SMALL).text()
    assert "Since your turn" not in drawn(state, 0, SMALL, ("1",)).text()
    assert "Since your turn" not in drawn(state, None, SMALL).text()


@pytest.mark.parametrize("look", [MIDDLE, LARGE])
def test_in_a_frame_the_turns_since_ones_own_are_marked_and_the_heading_says_so(look: Look) -> None:
    table = after_a_round()
    table.lay("QSu")
    _end(table)
    text = drawn(table.state, 1, look).text()
    laid = [row for row in text.split("\n") if " upper +" in row and "│" in row]
    assert ["▌" in row for row in laid] == [False] * (len(laid) - 1) + [True]
    assert "Q♠ upper" in laid[-1]
    assert "─ ▌Since your turn ─" in text
    assert "─ Moves ─" in drawn(table.state, None, look).text()
