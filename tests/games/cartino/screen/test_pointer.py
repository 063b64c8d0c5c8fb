"""Which stone is picked, where the cursor goes, and that both survive a new view and a reconnection."""

import msgspec
import pytest

from cartino_games.cartino.board import BOARDS, Edition
from cartino_games.cartino.screen.pointer import (
    NOWHERE,
    CartinoPointer,
    best,
    chosen,
    encode_selection,
    is_barred,
    lays_of,
    moved,
    pick,
    restored_selection,
    touching,
    update_pointer,
)
from cartino_games.kit.grid import DIRECTIONS
from tests.support.cartino import GAME, Table, position, random_game
from tests.support.cartino_table import CARTINO_SCREEN, table_of, view_of


def test_no_open_spot_brings_more_than_the_best_one() -> None:
    for state, _ in random_game(0, "1969", 2):
        view = GAME.view(state, state.seat)
        for lays in (lays_of(view, place) for place in range(len(view.hand)) if GAME.on_turn(state)):
            assert not lays or best(BOARDS["1969"], lays).points == max(lay.points for lay in lays)


def test_a_stone_without_a_spot_cannot_be_picked() -> None:
    table = Table(position("7H 8H AS", "7D", bag="9C"))
    table.lay("8Hu")
    view = GAME.view(table.state, 0)
    with pytest.raises(ValueError, match="no spot"):
        pick(view, view.hand.index("AS"))
    assert lays_of(view, 7) == ()


def test_a_joker_that_came_in_by_a_swap_is_barred_and_the_other_is_not() -> None:
    table = Table(position("AH KH *", "7D", edition="1969", jokers=["AHu"], bag="9C"))
    table.lay("AHu")
    view = GAME.view(table.state, 0)
    assert view.hand == ("KH", "*", "*")
    assert [is_barred(view, place) for place in range(3)] == [False, False, True]
    assert lays_of(view, 1) != ()
    assert lays_of(view, 2) == ()


@pytest.mark.parametrize("edition", ["1974", "1969"])
def test_a_joker_reaches_every_open_spot_by_the_four_directions(edition: Edition) -> None:
    views = [GAME.view(state, state.seat) for state, _ in random_game(5, edition, 2) if GAME.on_turn(state)]
    last = next(view for view in reversed(views) if "*" in view.hand and lays_of(view, view.hand.index("*")))
    place = last.hand.index("*")
    seen, todo = set(), [pick(last, place)]
    while todo:
        pointer = todo.pop()
        if pointer.spot not in seen:
            seen.add(pointer.spot)
            todo += [moved(last, pointer, way) for way in DIRECTIONS.values()]
    assert seen == {lay.spot for lay in lays_of(last, place)}
    assert moved(last, NOWHERE, DIRECTIONS["up"]) == NOWHERE


def test_a_pointer_is_put_down_when_its_stone_or_the_turn_is_gone() -> None:
    state = position("AH 7S", "AH 7D")
    assert update_pointer(GAME.view(position("AH", "7D"), 0), CartinoPointer(1, "7S", "7Su")) == NOWHERE
    assert update_pointer(GAME.view(state, 1), CartinoPointer(0, "AH", "AHu")) == NOWHERE
    assert chosen(GAME.view(state, 0), NOWHERE) is None
    kept = CartinoPointer(0, "AH", "AHl")
    assert update_pointer(GAME.view(state, 0), kept) == kept
    assert chosen(GAME.view(state, 0), kept) is not None


def test_a_pointer_moves_where_only_its_spot_was_taken() -> None:
    view = GAME.view(position("AH 7S", "7D", stones=["AHu"]), 0)
    assert update_pointer(view, CartinoPointer(0, "AH", "AHu")).spot == "AHl"


def test_what_a_lay_touches_are_the_taken_spots_beside_it() -> None:
    view = GAME.view(position("AH", "7D", stones=["ASu", "KHu", "KHl", "AHl"]), 0)
    board = BOARDS["1974"]
    assert {board.spots[near] for near in touching(view, "AHu")} == {"ASu", "KHu", "AHl"}


STATE = position("AH 7S", "7D")
VIEW = view_of(table_of(STATE, 0))


def words(*what: object) -> msgspec.Raw:
    return msgspec.Raw(msgspec.msgpack.encode(what))


@pytest.mark.parametrize("place", range(len(VIEW.hand)))
def test_a_picked_stone_is_up_again(place: int) -> None:
    """Nothing in hand needs no words, nor does a step of the cursor."""
    picked = pick(VIEW, place)
    said = encode_selection(picked)
    assert len(said) < 16
    assert restored_selection(VIEW, NOWHERE, msgspec.Raw(said)) == picked
    stepped = {moved(VIEW, picked, direction) for direction in DIRECTIONS.values()}
    assert len(stepped) > 1
    assert {encode_selection(pointer) for pointer in stepped} == {said}
    assert encode_selection(NOWHERE) == b""


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
