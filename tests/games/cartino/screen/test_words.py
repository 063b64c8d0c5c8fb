"""Sentences of a table that screen.txt has no position for."""

from typing import get_args

import msgspec
import pytest

from cartino_games.cartino.marks import UNICODE
from cartino_games.cartino.moves import Rule
from cartino_games.cartino.rulebook import REFUSED
from cartino_games.cartino.screen.pointer import LAID, touching
from cartino_games.cartino.screen.words import state_line, why_not
from cartino_tui.i18n import ENGLISH
from tests.support.cartino import GAME, Table, position, random_game
from tests.support.cartino_table import scene_of


def test_the_previews_sum_is_the_views_in_random_games() -> None:
    for state, _ in random_game(4, "1974", 2):
        for key in "12345"[: len(state.hands[state.seat])] if GAME.on_turn(state) else "":
            scene = scene_of(state, state.seat, keys=(key,))
            if scene.lay is not None:
                terms = [scene.board.values[spot // 2] for spot in touching(scene.view, scene.lay.spot)]
                assert sum(terms) == scene.lay.points


def test_what_stands_behind_a_turn_that_ended_by_itself_gives_way_where_there_is_no_room() -> None:
    table = Table(position("AH KH 7S", "KD 7D", bag="9C 9C 9D"))
    table.lay("AHu")
    table.end()
    laid = msgspec.structs.replace(scene_of(table.state, 0), pointer=LAID)
    assert state_line(laid) == "You can't lay anything more: your turn is over. Waiting for Léa."
    assert state_line(laid, 58) == "You can't lay anything more: your turn is over."


@pytest.mark.parametrize(
    ("stones", "jokers", "why"),
    [
        (["KHu", "KHl"], [], "Both halves of K♥ are taken."),
        (["KHu"], ["KHl"], "K♥ can't be laid now."),
        (["QHl", "KHu", "AHu"], [], "K♥ can't be laid now."),
    ],
)
def test_a_stone_with_both_halves_taken_says_so(stones: list[str], jokers: list[str], why: str) -> None:
    view = GAME.view(position("KH", "7D", stones=stones, jokers=jokers), 0)
    assert why_not(view, 0, UNICODE, ENGLISH) == why


def test_every_rule_that_refuses_has_its_sentence() -> None:
    assert set(REFUSED) == set(get_args(Rule))
    assert all(sentence.endswith(".") for sentence in REFUSED.values())
