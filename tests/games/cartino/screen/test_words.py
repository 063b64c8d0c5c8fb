from typing import get_args

import msgspec
import pytest

from cartino_games.cartino.marks import UNICODE
from cartino_games.cartino.moves import Rule
from cartino_games.cartino.rulebook import REFUSED
from cartino_games.cartino.screen.pointer import LAID, touching
from cartino_games.cartino.screen.words import gained, preview, state_line, turn_so_far, why_not
from cartino_tui.i18n import ENGLISH
from tests.support.cartino import GAME, Table, position, random_game
from tests.support.cartino_table import scene_of

PLAIN = position("AH 7S *", "7D 8D", stones=["ASu", "KHu"], bag="9C")


def said(*keys: str) -> str:
    """The preview after these keys."""
    scene = scene_of(PLAIN, 0, keys=keys)
    assert scene.lay is not None
    return preview(scene, scene.lay)


def number(stone: str) -> str:
    return str(GAME.view(PLAIN, 0).hand.index(stone) + 1)


def test_the_preview_names_what_is_touched_and_adds_it_up() -> None:
    assert said(number("AH")) == "A♥ on the upper half: A♠ 5 + K♥ 4 = +9"


def test_the_preview_of_a_lay_beside_nothing_says_so() -> None:
    assert said(number("7S"), "up") == "7♠ on the upper half: touches nothing"


def test_the_preview_of_a_joker_says_what_it_stands_for() -> None:
    assert said(number("*")).startswith("★ as ")


def test_the_preview_of_a_swap_says_that_the_joker_comes_out() -> None:
    scene = scene_of(position("AH 7S", "7D", stones=["KHl"], jokers=["AHl"]), 0, keys=("1",))
    assert scene.lay is not None
    assert preview(scene, scene.lay) == "A♥ on the upper half: 5 = +5"
    scene = scene_of(position("AH 7S", "7D", stones=["KHl"], jokers=["AHl"]), 0, keys=("1", "down"))
    assert scene.lay is not None
    assert preview(scene, scene.lay) == "A♥ on the lower half: replaces ★, +4"


def test_the_previews_sum_is_the_views_in_random_games() -> None:
    for state, _ in random_game(4, "1974", 2):
        if state.settlement is None:
            for key in "12345"[: len(state.hands[state.seat])]:
                if list(GAME.legal(state, state.seat)):
                    scene = scene_of(state, state.seat, keys=(key,))
                    if scene.lay is not None:
                        terms = [
                            scene.board.values[spot // 2] for spot in touching(scene.view, scene.lay.spot)
                        ]
                        assert sum(terms) == scene.lay.points


def test_the_turn_so_far_is_told_to_everybody_and_ends_with_the_turn() -> None:
    table = Table(position("AH KH QH", "7D 8D", stones=["ASu"], bag="9C 9C 9D"))
    assert turn_so_far(scene_of(table.state, 0)) == ""
    table.lay("AHu")
    assert turn_so_far(scene_of(table.state, 0)) == "This turn: hearts, 1 stone, +5"
    table.lay("KHu")
    assert turn_so_far(scene_of(table.state, 1)) == "Bartholomew XVI.'s turn: hearts, 2 stones, +10"


def test_what_a_turn_gained_counts_from_its_own_first_lay() -> None:
    table = Table(position("AH QH 7S", "AS KS", stones=["KHu"], bag="9C 9C 9D"))
    table.lay("AHu")
    table.end()
    table.lay("ASu")
    assert (
        gained(GAME.view(table.state, 0)) == 5
    )  # the ace of hearts, not the king that the first turn touched


@pytest.mark.parametrize(
    ("you", "keys", "begins"),
    [
        (0, (), "Your turn"),
        (0, ("1",), "Enter to lay"),
        (1, (), "Waiting for"),
        (None, (), "You're watching"),
    ],
)
def test_the_table_says_what_it_waits_for(you: int | None, keys: tuple[str, ...], begins: str) -> None:
    assert state_line(scene_of(PLAIN, you, keys=keys)).startswith(begins)


def test_whose_turn_ends_by_itself_is_told_so_and_who_ends_it_is_not() -> None:
    table = Table(position("AH KH 7S", "KD 7D", bag="9C 9C 9D"))
    table.lay("AHu")
    table.end()
    waits = scene_of(table.state, 0)
    assert state_line(waits) == "Waiting for Léa."
    laid = msgspec.structs.replace(waits, pointer=LAID)
    assert state_line(laid) == "You can't lay anything more: your turn is over. Waiting for Léa."
    assert state_line(laid, 58) == "You can't lay anything more: your turn is over."


def test_who_waits_for_somebody_who_is_away_is_told() -> None:
    table = Table(position("AH 7H", "KD 7D", "KS 7S", bag="9C 9C 9D"))
    for spot in ("AHu", "KDu"):
        table.lay(spot)
        table.end()
    assert state_line(scene_of(table.state, 0)) == "Waiting for Maximiliane Roß., who is away."


def test_why_a_stone_has_to_wait() -> None:
    table = Table(position("AH KH 7S *", "7D", edition="1969", jokers=["AHu"], bag="9C"))
    table.lay("AHu")
    view = GAME.view(table.state, 0)
    reasons = {stone: why_not(view, place, UNICODE, ENGLISH) for place, stone in enumerate(view.hand)}
    assert "Only hearts this turn" in reasons["7S"]
    assert why_not(view, len(view.hand) - 1, UNICODE, ENGLISH) == REFUSED["joker-barred"]
    assert "number 5" in why_not(view, 4, UNICODE, ENGLISH)


def test_a_stone_whose_place_a_joker_has_just_taken_says_so() -> None:
    table = Table(position("* AH KH 7S", "7D", stones=["KHl"], bag="9C 9C"))
    table.lay("*@KHu")
    view = GAME.view(table.state, 0)
    assert why_not(view, view.hand.index("KH"), UNICODE, ENGLISH) == REFUSED["joker-fresh"]


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
