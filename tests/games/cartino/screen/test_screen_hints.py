from collections.abc import Sequence

import msgspec
import pytest

from cartino_games.cartino.screen.pointer import NOWHERE
from cartino_games.cartino.screen.screen import CartinoScreen
from cartino_games.kit.bars import Hint, hint_at
from cartino_protocol.views import TableView
from cartino_tui.game_port.screen import Look, TableChrome
from tests.support.cartino import position, random_game
from tests.support.cartino_table import CARTINO_SCREEN, HINTS, SMALL, drawn, press, table_of, view_of
from tests.support.pseudo import in_pseudo

SCREEN = CartinoScreen()
STATE = position("AH 7S", "7D", bag="9C")


def own_hints(table: TableView, look: Look) -> Sequence[Hint]:
    return SCREEN.own_hints(SCREEN.scene(table, view_of(table), NOWHERE, look, TableChrome("")))


def test_who_is_on_turn_sees_the_keys_and_others_none() -> None:
    assert [bool(own_hints(table_of(STATE, you), SMALL)) for you in (0, 1, None)] == [True, False, False]
    *_, (over, _) = random_game(1, "1974", 2)
    table = table_of(over, 0)
    assert [key for *_, key in own_hints(table, SMALL)] == ["tab"]


def test_the_cells_of_a_hint_are_those_of_its_words() -> None:
    table = table_of(STATE, 0)
    row = drawn(STATE, 0).text().split("\n")[23]
    found = [hint_at(own_hints(table, SMALL), x) for x in range(80)]
    for words, key in (("Enter lay", "enter"), ("e end turn", "e")):
        start = row.index(words)
        assert found[start : start + len(words)] == [key] * len(words)
    assert sum(map(bool, found)) == len("Enter lay") + len("e end turn")


def test_without_arrows_the_hint_says_them_in_words() -> None:
    table, look = table_of(STATE, 0), Look(100, 24, ascii=True)
    assert [what for what, *_ in own_hints(table, look)] == ["1-5", "up/dn", "Enter", "e"]


def test_while_a_question_is_asked_or_a_record_replayed_only_the_frames_keys_show() -> None:
    shown = drawn(STATE, 0, around=TableChrome("t", hints=(("y", "yes"),), alone=True))
    assert shown.text().splitlines()[-1] == " y yes"


PAUSE = ("p", "pause")


def row_of(look: Look, hints: tuple[tuple[str, str], ...]) -> str:
    return drawn(STATE, 0, look, around=TableChrome("t", hints=hints)).text().split("\n")[-1]


def test_where_there_is_no_room_the_frames_go_first_then_those_that_nobody_can_click() -> None:
    assert row_of(SMALL, (PAUSE, *HINTS)).startswith(" 1-5 stone  ↑↓ half  Enter lay  e end turn  p pause")
    all_of = (PAUSE, ("t", "talk"), (":", "more"), ("?", "help"), ("q", "leave"))
    assert row_of(Look(60, 20), all_of) == " 1-5 stone  Enter lay  e end turn  : more  ? help  q leave"
    assert row_of(Look(60, 20, ascii=True), (PAUSE, *HINTS)) == (
        " 1-5 stone  Enter lay  e end turn  t talk  ? help  q leave"
    )


@pytest.mark.parametrize(
    ("laid", "keys", "own"),
    [(0, (), "1-5 stone"), (0, ("1",), "↑↓ half  Enter lay"), (2, (), "1-5 stone  e end turn")],
)
def test_a_lesson_hints_at_the_next_step_and_keeps_the_way_on(
    laid: int, keys: tuple[str, ...], own: str
) -> None:
    look, on = Look(60, 20), (("Space", "the task"), ("?", "help"), ("q", "leave"))
    table = msgspec.structs.replace(table_of(STATE, 0), code="")
    view = msgspec.structs.replace(view_of(table), laid=laid, suit="S" if laid else "")
    frame = CARTINO_SCREEN.draw(table, view, press(table, *keys), look, TableChrome("t", hints=on))
    assert frame.text().split("\n")[-1] == f" {own}  Space the task  ? help  q leave"


def test_then_of_the_frames_all_but_the_help_and_the_way_out() -> None:
    others = (("p", "pause for a while"), ("t", "talk to the others"))
    many = (*others, (":", "more"), ("?", "help"), ("q", "leave"))
    own = " 1-5 stone  ↑↓ half  Enter lay  e end turn  "
    assert row_of(Look(70, 20), many) == f"{own}: more  ? help  q leave"
    assert row_of(Look(92, 24), many) == f"{own}t talk to the others  : more  ? help  q leave"


def test_a_longer_language_has_the_same_cells_to_click() -> None:
    look = in_pseudo(SMALL)
    table = table_of(STATE, 0)
    row = drawn(STATE, 0, look).text().split("\n")[-1]
    found = [hint_at(own_hints(table, look), x) for x in range(look.width)]
    assert row[found.index("enter") : found.index("e") - 2].startswith(f"{look.key_name('Enter')} ")
    assert row[found.index("e")] == "e"
