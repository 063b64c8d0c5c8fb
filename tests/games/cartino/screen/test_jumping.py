"""Typing the name of a spot: in every keymap, in one's own letters, for every spot that a joker may go to."""

import pytest

from cartino_games.cartino.board import JOKER, Edition
from cartino_games.cartino.marks import marks_for
from cartino_games.cartino.screen.answers import PICK_FIRST
from cartino_games.cartino.screen.jumping import is_typing
from cartino_games.cartino.screen.pointer import LAID, NOWHERE, CartinoPointer, lays_of, pick
from cartino_games.cartino.views import CartinoView
from cartino_protocol.views import TableView
from cartino_tui.game_port.screen import Look
from cartino_tui.preferences import CardLetters
from tests.support.cartino import random_game
from tests.support.cartino_table import CARTINO_SCREEN, table_of, view_of

EDITIONS: tuple[Edition, ...] = ("1974", "1969")
LETTERS: tuple[CardLetters, ...] = ("en", "fr", "de")


def with_joker(edition: Edition) -> tuple[TableView, CartinoView, CartinoPointer]:
    """A table at which a joker is up that may go to many spots."""
    for seed in range(40):
        for state, _ in random_game(seed, edition, 2):
            if state.settlement is not None:
                continue
            table = table_of(state, state.seat)
            view = view_of(table)
            for place, stone in enumerate(view.hand):
                if stone == JOKER and len(lays_of(view, place)) > 20:
                    return table, view, pick(view, place)
    raise AssertionError("no joker in forty games")


TABLES = {edition: with_joker(edition) for edition in EDITIONS}


def typed(
    game_table: tuple[TableView, CartinoView, CartinoPointer], keys: str, look: Look
) -> tuple[CartinoPointer, str]:
    table, view, pointer = game_table
    status = ""
    for key in keys:
        reaction = CARTINO_SCREEN.key(table, view, pointer, "slash" if key == "/" else key, look)
        assert reaction.taken
        assert reaction.move is None
        pointer, status = reaction.pointer, reaction.status
    return pointer, status


@pytest.mark.parametrize("letters", LETTERS)
@pytest.mark.parametrize("edition", EDITIONS)
def test_every_open_spot_can_be_typed(edition: Edition, letters: CardLetters) -> None:
    look = Look(80, 24, letters=letters)
    _, view, up = TABLES[edition]
    assert up.picked is not None
    for lay in lays_of(view, up.picked):
        name = f"{marks_for(look).rank(lay.spot[:-1])}{lay.spot[-2:]}"
        # Where one half alone is open the card is enough, and its half would be typed on.
        halves = [other for other in lays_of(view, up.picked) if other.spot[:-1] == lay.spot[:-1]]
        pointer, _ = typed(TABLES[edition], "/" + (name if len(halves) == 2 else name[:-1]), look)
        assert pointer.spot == lay.spot
        assert pointer.stone == JOKER
        assert not is_typing(pointer)


@pytest.mark.parametrize("edition", EDITIONS)
def test_small_letters_do_and_english_ones_where_ones_own_say_nothing_else(edition: Edition) -> None:
    look = Look(80, 24, letters="fr")
    _, view, up = TABLES[edition]
    assert up.picked is not None
    spots = {lay.spot for lay in lays_of(view, up.picked)}
    spot = next(
        spot for spot in sorted(spots) if spot[:-2] == "K" and spot[:-1] + "lu"[spot[-1] == "l"] in spots
    )
    assert typed(TABLES[edition], "/" + spot.lower(), look)[0].spot == spot
    assert typed(TABLES[edition], "/r" + spot[1:].lower(), look)[0].spot == spot


def test_with_a_joker_up_a_capital_or_a_high_number_begins_a_name() -> None:
    pointer, status = typed(TABLES["1974"], "K", Look(80, 24))
    assert is_typing(pointer)
    assert status == "Which spot? Type its name, for example KSu: K_"
    assert is_typing(typed(TABLES["1974"], "8", Look(80, 24))[0])
    assert not is_typing(typed(TABLES["1974"], "1", Look(80, 24))[0])


def test_what_is_typed_can_be_taken_back_and_given_up() -> None:
    table, view, up = TABLES["1974"]
    for keys in (("slash", "escape"), ("slash", "backspace"), ("K", "backspace", "backspace")):
        pointer = up
        for key in keys:
            pointer = CARTINO_SCREEN.key(table, view, pointer, key).pointer
        assert pointer == up


def test_what_is_nowhere_is_said_and_left_out() -> None:
    pointer, status = typed(TABLES["1974"], "/X", Look(80, 24))
    assert status == "There's no open spot called X."
    assert typed((*TABLES["1974"][:2], pointer), "K", Look(80, 24))[1].endswith(": K_")


def test_a_key_that_is_no_character_ends_it_and_does_what_it_does() -> None:
    table, view, up = TABLES["1974"]
    pointer = CARTINO_SCREEN.key(table, view, up, "K").pointer
    lay = CARTINO_SCREEN.key(table, view, pointer, "enter")
    assert lay.move is not None
    assert lay.pointer == LAID
    moved = CARTINO_SCREEN.key(table, view, pointer, "down").pointer
    assert not is_typing(moved)


def test_without_a_stone_up_nothing_is_typed() -> None:
    table, view, _ = TABLES["1974"]
    asked = CARTINO_SCREEN.key(table, view, NOWHERE, "slash")
    assert (asked.pointer, asked.status) == (NOWHERE, PICK_FIRST)
    assert not CARTINO_SCREEN.key(table, view, NOWHERE, "K").taken


def test_two_open_halves_wait_for_u_or_l_with_the_cursor_on_the_upper_one() -> None:
    _, view, up = TABLES["1974"]
    assert up.picked is not None
    spots = {lay.spot for lay in lays_of(view, up.picked)}
    card = next(spot[:-1] for spot in sorted(spots) if {spot[:-1] + "u", spot[:-1] + "l"} <= spots)
    pointer, status = typed(TABLES["1974"], "/" + card, Look(80, 24))
    assert pointer.spot == card + "u"
    assert "u is the upper half" in status
