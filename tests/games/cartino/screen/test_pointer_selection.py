"""The stone in hand survives the way there and back; what makes no sense is as if it had not come."""

import msgspec
import pytest

from cartino_games.cartino.screen.pointer import NOWHERE, encode_selection, moved, pick, restored_selection
from cartino_games.kit.grid import DIRECTIONS
from tests.support.cartino import position
from tests.support.cartino_table import CARTINO_SCREEN, table_of, view_of

STATE = position("AH 7S", "7D")
VIEW = view_of(table_of(STATE, 0))


def words(*what: object) -> msgspec.Raw:
    return msgspec.Raw(msgspec.msgpack.encode(what))


def test_nothing_in_hand_needs_no_words() -> None:
    assert encode_selection(NOWHERE) == b""


@pytest.mark.parametrize("place", range(len(VIEW.hand)))
def test_a_picked_stone_is_up_again(place: int) -> None:
    picked = pick(VIEW, place)
    said = encode_selection(picked)
    assert len(said) < 16
    assert restored_selection(VIEW, NOWHERE, msgspec.Raw(said)) == picked


def test_a_step_of_the_cursor_changes_no_word() -> None:
    picked = pick(VIEW, 0)
    stepped = {moved(VIEW, picked, direction) for direction in DIRECTIONS.values()}
    assert len(stepped) > 1
    assert {encode_selection(pointer) for pointer in stepped} == {encode_selection(picked)}


@pytest.mark.parametrize(
    "said",
    [
        msgspec.Raw(b""),
        msgspec.Raw(b"\xc0"),
        msgspec.Raw(b"\xc1"),
        words(0),
        words("0", VIEW.hand[0]),
        words(0, VIEW.hand[1]),
        words(-1, VIEW.hand[-1]),
        words(9, VIEW.hand[0]),
        words(0, "nothing"),
    ],
)
def test_what_cannot_be_read_or_is_not_there_changes_nothing(said: msgspec.Raw) -> None:
    assert restored_selection(VIEW, NOWHERE, said) == NOWHERE


def test_a_stone_that_is_up_already_stays_up() -> None:
    assert restored_selection(VIEW, pick(VIEW, 1), msgspec.Raw(encode_selection(pick(VIEW, 0)))) == pick(
        VIEW, 1
    )


def test_nobody_is_given_a_stone_off_turn() -> None:
    table = table_of(STATE, 1)
    said = words(0, view_of(table).hand[0])
    assert CARTINO_SCREEN.restore_selection(table, view_of(table), NOWHERE, said) == NOWHERE
