"""What may be laid where and what it scores: the sheet's six figures, and each line of the rules on a lay."""

import pytest

from cartino_games.cartino.lines import LayLine
from cartino_games.cartino.moves import EndTurn, Lay
from cartino_games.cartino.rules.laying import can_lay
from tests.support.cartino import GAME, Table, position

FIGURES = {
    "1: nothing is touched": ("KSu", (), 0),
    "2: the cells touch, the stones are not level": ("KSu", ("QSl",), 0),
    "3: an eight is touched": ("KSu", ("8Sl",), 1),
    "4: a king is touched": ("8Sl", ("KSu",), 4),
    "5: four stones are touched": ("KSl", ("ASl", "QSl", "KSu", "KDu"), 16),
}


@pytest.mark.parametrize(("spot", "earlier", "points"), FIGURES.values(), ids=FIGURES)
def test_the_sheets_figures(spot: str, earlier: tuple[str, ...], points: int) -> None:
    table = Table(position(f"{spot[:-1]} 7S 7D", "7C", stones=earlier))
    assert table.lay(spot) == [points]


def test_the_sheets_sixth_figure_three_stones_in_one_turn() -> None:
    table = Table(position("AS KS QS 7D 8D", "7C"))
    assert table.lay("ASu", "KSu", "QSu") == [0, 5, 4]


def test_never_diagonally_and_never_off_the_board() -> None:
    table = Table(position("10S 7D", "7C", stones=("9Su", "JSu", "10Hu")))
    assert table.lay("10Sl") == [2], "10♠ lower touches only J♠ upper: 9♠ upper lies across the corner"


def test_stones_of_any_suit_are_touched() -> None:
    assert Table(position("AS 7D", "7C", stones=("AHu", "KSu"))).lay("ASu") == [9]


def test_a_stone_goes_on_its_own_card_alone() -> None:
    assert Table(position("KS 7D", "7C")).refusal(Lay("KS", "QSu")) == "own-cell"


def test_one_suit_a_turn() -> None:
    table = Table(position("KS QS 7D", "7C"))
    table.lay("KSu")
    assert table.refusal(Lay("7D", "7Du")) == "one-suit"


def test_a_stone_is_never_laid_on_a_stone() -> None:
    assert Table(position("KS 7D", "7C", stones=("KSu",))).refusal(Lay("KS", "KSu")) == "taken"


@pytest.mark.parametrize(
    ("move", "rule"),
    [
        (Lay("QH", "QHu"), "not-in-hand"),
        (Lay("XX", "KSu"), "no-such-stone"),
        (Lay("KS", "KSx"), "no-such-spot"),
        (Lay("2S", "2Su"), "no-such-stone"),
        (EndTurn(), "lay-first"),
    ],
)
def test_what_is_not_there_is_refused_by_name(move: Lay | EndTurn, rule: str) -> None:
    assert Table(position("KS 7D", "7C")).refusal(move) == rule


def test_out_of_turn() -> None:
    assert Table(position("KS 7D", "7C")).refusal(Lay("7C", "7Cu"), seat=1) == "not-your-turn"


def test_a_joker_stands_for_the_card_of_its_spot() -> None:
    table = Table(position("* KS 7D", "7C"))
    assert table.lay("*@ASu", "KSu") == [0, 5]


def test_a_joker_keeps_to_the_turns_suit() -> None:
    table = Table(position("* KS 7D", "7C"))
    table.lay("KSu")
    assert table.refusal(Lay("*", "AHu")) == "one-suit"


def test_a_joker_laid_first_gives_the_turn_its_suit() -> None:
    table = Table(position("* KS 7H", "7C"))
    table.lay("*@AHu")
    assert table.refusal(Lay("KS", "KSu")) == "one-suit"


def test_a_joker_is_never_laid_on_a_joker() -> None:
    assert Table(position("* 7D", "7C", jokers=("ASu",))).refusal(Lay("*", "ASu")) == "taken"


def test_a_joker_that_was_laid_in_this_turn_is_not_swapped_out_in_it() -> None:
    table = Table(position("* KS AS", "KS 7D", bag="7C 7C 7C 7C 7C"))
    table.lay("*@KSu")
    assert table.refusal(Lay("KS", "KSu")) == "joker-fresh"
    assert Lay("KS", "KSu") not in GAME.legal(table.state, 0)
    table.lay("KSl", "ASu")
    table.lay("KSu")
    last = table.of(LayLine)[-1]
    assert isinstance(last, LayLine)
    assert (last.seat, last.swapped) == (1, True), "the next player may"


def test_a_turn_closes_where_a_fresh_joker_keeps_the_last_stone_out() -> None:
    table = Table(position("* KS 7D", "7C", stones=("KSl",), bag="7C 7C"))
    table.lay("*@KSu")
    assert table.state.seat == 1
    assert table.hand(0) == "7D KS 7C 7C"


def test_with_any_a_joker_may_be_swapped_out_at_once() -> None:
    table = Table(position("* KS 7D", "7C", stones=("KSl",), bag="7C 7C", swap_later=False))
    assert table.lay("*@KSu", "KSu") == [4, 4]
    assert table.state.gone == 1


def test_1974_a_joker_that_is_swapped_out_leaves_the_game() -> None:
    table = Table(position("AS 7S 7D", "7C", jokers=("ASu",), stones=("KSu",)))
    assert table.lay("ASu") == [4], "the swap is a lay like any other and scores"
    assert table.lines == [LayLine(0, "AS", "ASu", 4, swapped=True)]
    assert (table.hand(0), table.state.gone, table.state.jokers) == ("7D 7S", 1, 0)


def test_1969_a_joker_that_is_swapped_out_comes_in_and_is_barred_for_the_turn() -> None:
    table = Table(position("AS 7S 7D", "7C 8D", edition="1969", jokers=("ASu",)))
    table.lay("ASu")
    assert table.hand(0) == "7D 7S *"
    assert table.refusal(Lay("*", "KSu")) == "joker-barred"
    table.end()
    table.lay("7Cl")
    assert table.state.seat == 0
    assert table.lay("*@KSu") == [5]


def test_1969_a_joker_held_before_the_swap_may_still_be_laid() -> None:
    table = Table(position("AS * 7D 7S", "7C", edition="1969", jokers=("ASu",)))
    table.lay("ASu", "*@KSu")
    assert table.refusal(Lay("*", "QSu")) == "joker-barred"


def test_a_touched_joker_counts_as_the_card_it_stands_for() -> None:
    assert Table(position("KS 7D", "7C", jokers=("ASu",))).lay("KSu") == [5]


def test_nobody_is_forced_to_touch() -> None:
    assert Table(position("KS QD", "7C", stones=("ASu",))).lay("KSl") == [0]


def test_legal_moves_are_those_that_are_taken() -> None:
    state = position("KS KS * 7D", "7C", stones=("KSu",), jokers=("7Du",))
    legal = set(GAME.legal(state, 0))
    names = {*state.tables.board.stone_names, "?"}
    every = {Lay(stone, spot) for stone in names for spot in state.tables.board.spots}
    taken = {move for move in every if not hasattr(GAME.apply(state, 0, move), "reason")}
    assert taken == legal


def test_can_lay_knows_the_free_spots_of_jokers() -> None:
    full = [spot for spot in position("*", "*").tables.board.spots if spot != "7Cl"]
    assert can_lay(position("*", "7C", stones=full))
    assert not can_lay(position("*", "7C", stones=[*full, "7Cl"]))
