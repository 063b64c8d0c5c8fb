import pytest

from cartino_engine.port import Step
from cartino_games.cartino.board import BOARDS, Edition
from cartino_games.cartino.moves import EndTurn, Lay
from cartino_games.cartino.rules.state import CartinoState
from cartino_games.cartino.screen.answers import (
    ENDED_BY_ITSELF,
    LAY_FIRST,
    PICK_FIRST,
    WATCHING,
    answer_click,
    answer_key,
)
from cartino_games.cartino.screen.layout import layout
from cartino_games.cartino.screen.pointer import LAID, NOWHERE, CartinoPointer
from cartino_tui.game_port.screen import Look, Reaction
from tests.support.cartino import GAME, Table, position, random_game
from tests.support.cartino_table import CARTINO_SCREEN, LARGE, MIDDLE, SMALL, drawn, press, table_of, view_of

EDITIONS: tuple[Edition, ...] = ("1974", "1969")
LOOKS = (Look(60, 20), Look(72, 22), SMALL, MIDDLE, LARGE, Look(80, 24, ascii=True))
STATE = position("AH KH 7S *", "7D 8D", stones=["ASu"], bag="9C")
TABLE = table_of(STATE, 0)
VIEW = view_of(TABLE)


def test_a_number_picks_however_often_it_is_typed() -> None:
    picked = answer_key(TABLE, VIEW, NOWHERE, "1", SMALL)
    assert (picked.pointer.stone, picked.move, picked.taken) == (VIEW.hand[0], None, True)
    assert answer_key(TABLE, VIEW, picked.pointer, "1", SMALL).pointer == picked.pointer
    assert answer_key(TABLE, VIEW, picked.pointer, "2", SMALL).pointer.stone == VIEW.hand[1]


@pytest.mark.parametrize("key", ["escape", "backspace"])
def test_back_puts_the_stone_down_and_else_is_the_frames(key: str) -> None:
    assert answer_key(TABLE, VIEW, press(TABLE, "1"), key, SMALL).pointer == NOWHERE
    assert not answer_key(TABLE, VIEW, NOWHERE, key, SMALL).taken


def test_enter_lays_the_picked_stone_where_the_cursor_stands() -> None:
    pointer = press(TABLE, str(VIEW.hand.index("AH") + 1))
    answer = answer_key(TABLE, VIEW, pointer, "enter", SMALL)
    assert (answer.move, answer.pointer) == (Lay("AH", "AHu"), LAID)


@pytest.mark.parametrize("keys", [("down", "up"), ("j", "k")])
def test_arrows_and_letters_choose_the_half(keys: tuple[str, str]) -> None:
    number = str(VIEW.hand.index("AH") + 1)
    assert press(TABLE, number, keys[0]).spot == "AHl"
    assert press(TABLE, number, *keys).spot == "AHu"


def test_an_arrow_that_leads_nowhere_is_silent() -> None:
    pointer = press(TABLE, str(VIEW.hand.index("AH") + 1))
    assert answer_key(TABLE, VIEW, pointer, "l", SMALL) == Reaction(pointer)


@pytest.mark.parametrize("key", ["enter", "up", "l", "slash"])
def test_keys_for_a_picked_stone_say_so_when_there_is_none(key: str) -> None:
    answer = answer_key(TABLE, VIEW, NOWHERE, key, SMALL)
    assert (answer.status, answer.move, answer.taken) == (PICK_FIRST, None, True)


def test_e_ends_the_turn_once_a_stone_is_laid_and_before_says_what_is_missing() -> None:
    assert answer_key(TABLE, VIEW, NOWHERE, "e", SMALL).status == LAY_FIRST
    game_table = Table(STATE)
    game_table.lay("AHu")
    table = table_of(game_table.state, 0)
    assert answer_key(table, view_of(table), press(table, "1"), "e", SMALL).move == EndTurn()


FULL = [spot for spot in BOARDS["1974"].spots if spot not in ("7Su", "AHu")]


@pytest.mark.parametrize(
    ("state", "others"),
    [
        (position("AH 7S", "7D 8S"), ("7Du",)),
        (position("AH 7S", "*", stones=FULL, jokers=["AHu"]), ()),
    ],
    ids=["the other has played meanwhile", "the other passes"],
)
def test_e_behind_a_lay_that_closed_the_turn_says_so_in_the_next_one(
    state: CartinoState, others: tuple[str, ...]
) -> None:
    """Only the newest view need come: `e`, typed behind the lay, may meet another turn of one's own, just begun."""
    table = table_of(state, 0)
    lay = answer_key(
        table, view_of(table), press(table, str(view_of(table).hand.index("7S") + 1)), "enter", SMALL
    )
    game_table = Table(state)
    game_table.lay("7Su", *others)
    table = table_of(game_table.state, 0)
    pointer = CARTINO_SCREEN.update_pointer(table, view_of(table), lay.pointer)
    assert isinstance(pointer, CartinoPointer)
    assert (lay.move, game_table.state.seat, view_of(table).can_end) == (Lay("7S", "7Su"), 0, False)
    answer = answer_key(table, view_of(table), pointer, "e", SMALL)
    assert (answer.status, answer.move, answer.taken) == (ENDED_BY_ITSELF, None, True)
    assert answer_key(table, view_of(table), press(table, "1"), "e", SMALL).status == LAY_FIRST


def test_e_behind_a_lay_that_closed_the_turn_leaves_the_sentence_about_it() -> None:
    game_table = Table(position("AH 7S", "7D 8S"))
    game_table.lay("7Su")
    table = table_of(game_table.state, 0)
    answer = answer_key(table, view_of(table), LAID, "e", SMALL)
    assert (answer.pointer, answer.move, answer.status) == (LAID, None, "")
    assert "Léa" in answer_key(table, view_of(table), answer.pointer, "1", SMALL).status


def test_back_is_the_frames_key_though_a_stone_was_laid_before() -> None:
    assert not answer_key(TABLE, VIEW, LAID, "escape", SMALL).taken


def test_who_is_not_on_turn_hears_whose_turn_it_is() -> None:
    table = table_of(STATE, 1)
    answer = answer_key(table, view_of(table), NOWHERE, "1", SMALL)
    assert (answer.move, answer.pointer) == (None, NOWHERE)
    assert "Bartholomew XVI." in answer.status


def test_a_spectator_moves_nothing() -> None:
    table = table_of(STATE, None)
    for key in ("1", "e", "enter", "up"):
        assert answer_key(table, view_of(table), NOWHERE, key, SMALL).status == WATCHING


@pytest.mark.parametrize("key", ["q", "t", "question_mark", "x", "6x"])
def test_other_keys_are_the_frames(key: str) -> None:
    assert not answer_key(TABLE, VIEW, NOWHERE, key, SMALL).taken


def test_after_the_end_every_key_is_the_frames() -> None:
    *_, (over, _) = random_game(1, "1974", 2)
    table = table_of(over, 0)
    assert not any(
        answer_key(table, view_of(table), NOWHERE, key, SMALL).taken for key in ("1", "enter", "e", "up")
    )


def test_a_stone_that_cannot_be_laid_stays_in_hand_and_the_reason_is_said() -> None:
    game_table = Table(position("AH KH 7S", "7D", bag="9C"))
    game_table.lay("AHu")
    table = table_of(game_table.state, 0)
    number = str(view_of(table).hand.index("7S") + 1)
    answer = answer_key(table, view_of(table), NOWHERE, number, SMALL)
    assert answer.pointer == NOWHERE
    assert "hearts" in answer.status
    assert "7♠" in answer.status


def press_and_play(state: CartinoState, seat: int, keys: tuple[str, ...]) -> CartinoState:
    """The state after `seat` has pressed `keys`; those that come after its turn has closed by itself are lost."""
    pointer = NOWHERE
    for key in keys:
        if GAME.on_turn(state) == (seat,):
            table = table_of(state, seat)
            answer = answer_key(table, view_of(table), pointer, key, SMALL)
            assert answer.status == "", f"{key}: {answer.status}"
            pointer = answer.pointer
            if isinstance(answer.move, Lay | EndTurn):
                step = GAME.apply(state, seat, answer.move)
                assert isinstance(step, Step)
                state = step.state
    return state


@pytest.mark.parametrize("edition", EDITIONS)
def test_1_enter_e_is_a_turn_all_through_a_game(edition: Edition) -> None:
    state, _ = next(random_game(11, edition, 3))
    turns = 0
    while on_turn := GAME.on_turn(state):
        state = press_and_play(state, on_turn[0], ("1", "enter", "e"))
        turns += 1
        assert turns <= len(state.tables.board.spots) + 2
    assert GAME.result(state) is not None


@pytest.mark.parametrize("look", LOOKS)
def test_clicks_on_stone_and_spot_lay_it(look: Look) -> None:
    plan = layout(look, "1974", 2)
    stone = plan.hand[VIEW.hand.index("AH")]
    picked = answer_click(TABLE, VIEW, NOWHERE, look, stone.x + 3, stone.y)
    assert picked.pointer.stone == "AH"
    box = plan.spot_box(_spot("AHl"))
    laid = answer_click(TABLE, VIEW, picked.pointer, look, box.x + box.width - 1, box.y + box.height - 1)
    assert laid.move == Lay("AH", "AHl")


def test_a_click_on_a_spot_that_is_not_open_keeps_the_stone_and_says_so() -> None:
    pointer = press(TABLE, str(VIEW.hand.index("AH") + 1))
    box = layout(SMALL, "1974", 2).spot_box(_spot("KHu"))
    answer = answer_click(TABLE, VIEW, pointer, SMALL, box.x, box.y)
    assert (answer.pointer, answer.move) == (pointer, None)
    assert "A♥" in answer.status


def test_a_click_on_the_board_with_nothing_picked_says_what_to_do() -> None:
    box = layout(SMALL, "1974", 2).spot_box(_spot("KHu"))
    assert answer_click(TABLE, VIEW, NOWHERE, SMALL, box.x, box.y).status == PICK_FIRST


@pytest.mark.parametrize("look", LOOKS)
def test_a_click_on_the_words_end_turn_ends_the_turn(look: Look) -> None:
    game_table = Table(STATE)
    game_table.lay("AHu")
    table = table_of(game_table.state, 0)
    row = drawn(game_table.state, 0, look).text().split("\n")[look.height - 1]
    x = row.index("end turn")
    assert CARTINO_SCREEN.click(table, view_of(table), NOWHERE, look, x, look.height - 1).move == EndTurn()


def test_a_click_beside_everything_is_the_frames() -> None:
    assert not answer_click(TABLE, VIEW, NOWHERE, SMALL, 79, 12).taken


def test_a_click_lays_nothing_for_a_pointer_that_is_out_of_date() -> None:
    box = layout(SMALL, "1974", 2).spot_box(_spot("AHu"))
    answer = answer_click(TABLE, VIEW, CartinoPointer(4, "9C", "9Cu"), SMALL, box.x, box.y)
    assert answer.move is None


def _spot(name: str) -> int:
    return STATE.tables.board.spot_number[name]
