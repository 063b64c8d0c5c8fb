"""What each play asks for and does: the rules line by line."""

import pytest

from cartino_games.casino.arithmetic import readings
from cartino_games.casino.views import Play, PlayLine, Rule
from tests.support.casino import GAME, Table, build, position


def table(*args: str, **more: object) -> Table:
    return Table(position(*args, **more))  # type: ignore[arg-type]


# -- values


@pytest.mark.parametrize(
    ("card", "loose", "typed"),
    [
        ("JH", "JD", "JHxJD"),
        ("JH", "5D 6D", "JHx6D+5D"),
        ("QH", "10S 2D", "QHx10S+2D"),
        ("KH", "9D 4S", "KHx9D+4S"),
        ("AH", "AD", "AHxAD"),
        ("AH", "KC AD", "AH=14xKC+AD"),
        ("10D", "6H 4S", "10Dx6H+4S"),
        ("10D", "9H 7S", "10D=16x9H+7S"),
        ("2C", "2H", "2Cx2H"),
        ("2C", "8H 7S", "2C=15x8H+7S"),
    ],
)
def test_each_card_takes_what_it_is_worth(card: str, loose: str, typed: str) -> None:
    assert table(card, "4H", loose=loose).lists(typed)


def test_either_value_of_a_card_may_be_named_but_one_at_a_time() -> None:
    at = table("AH 3H", "4H", loose="AD KC AS")
    assert at.lists("AHxAD", "AHxAS", "AHxAD,AS", "AH=14xKC+AD", "AH=14xKC+AS")
    assert at.refused("AH", "capture", 14, "AD KC AS") == "does-not-add-up"
    assert at.refused("AH", "capture", 13, "KC") == "not-a-value"


def test_on_the_table_the_low_value_counts() -> None:
    assert table("AH", "4H", loose="AD").refused("AH", "capture", 14, "AD") == "does-not-add-up"
    assert table("10D", "4H", loose="10H 6S").refused("10D", "capture", 16, "10H") == "does-not-add-up"
    # An ace is laid as 1, whatever it may take.
    assert "AH+9D=10" in table("AH 10S", "4H", loose="9D").typed("AH")
    assert table("AH KS", "4H", loose="2D").refused("AH", "build", 16, "2D") == "does-not-add-up"


def test_with_high_hand_values_only_the_high_one_counts_in_the_hand() -> None:
    at = table("AH 10D 2C", "4H", loose="AD 10S 2D KS", hand_values="high")
    assert at.typed("AH") == {"AH", "AH=14xKS+AD"}
    assert at.refused("10D", "capture", 10, "10S") == "not-a-value"
    assert at.refused("2C", "capture", 2, "2D") == "not-a-value"
    # Held for a build, too: nobody can wait for 10 with the 10 of diamonds.
    held = table("4H 10D", "4S", loose="6D QH", hand_values="high")
    assert held.refused("4H", "build", 10, "6D") == "no-card-for-build"
    assert "4H+QH=16" in held.typed("4H")
    assert "4H+6D=10" in table("4H 10D", "4S", loose="6D").typed("4H")


def test_the_special_suit_moves_little_casino_and_the_taking_five() -> None:
    at = table("2S 2C 5S 5C", "4H", loose="8H 7S", special_suit="spades")
    assert at.typed("2S") == {"2S", "2S=15x8H+7S"}
    assert at.typed("2C") == {"2C"}
    assert at.typed("5S") == {"5S", "5Sx*"}
    assert at.typed("5C") == {"5C"}


# -- the five that takes everything


def test_the_taking_five_takes_everything_builds_too() -> None:
    at = table("5C 9S", "4H", loose="KD 3H", builds=[build("9:2H+7C", 1)])
    assert at.refused("5C", "capture", 5, "KD 3H") == "five-takes-all"
    assert at.refused("5C", "capture", 9, "KD 3H 2H 7C") == "not-a-value"
    at.play("5Cx*")
    assert at.state.piles[0] == ("5C", "KD", "3H", "2H", "7C")
    line = at.lines[0]
    assert isinstance(line, PlayLine)
    assert (line.value, line.sweep) == (5, True)


def test_on_an_empty_table_the_taking_five_can_only_be_trailed() -> None:
    at = table("5C", "4H")
    assert at.typed() == {"5C"}
    assert at.refused("5C", "capture", 5) == "nothing-taken"


def test_the_taking_five_may_be_trailed_or_built_with_as_a_5() -> None:
    at = table("5C 9S", "4H", loose="4D 5H")
    assert {"5C", "5C+4D=9"} < at.typed("5C")
    assert "5C>4" in table("5C 9S", "4H", builds=[build("4:AH+3C", 1)]).typed("5C")


def test_the_taking_five_is_a_card_of_value_5_for_a_build() -> None:
    at = table("2H 5C KD", "4H KS", loose="3D")
    at.play("2H+3D=5", "4H", "5Cx*")
    assert at.state.piles[0] == ("5C", "4H", "3D", "2H")


# -- trail and capture


def test_a_trail_lies_face_up_and_nobody_has_to_capture() -> None:
    at = table("9H 3D", "4H", loose="9D")
    at.play("9H")
    assert at.state.table.loose == ("9D", "9H")
    assert at.refused("4H", "trail", 4, seat=1) == "not-a-value"
    assert at.refused("4H", "trail", 0, "9D", seat=1) == "wrong-cards"


def test_a_capture_takes_any_number_of_disjoint_sets_and_need_not_take_all() -> None:
    at = table("9H 2D", "4H", loose="3C 6D 9C 4S 5H KD")
    assert at.lists("9H", "9Hx9C", "9Hx6D+3C", "9Hx5H+4S,9C", "9Hx3C+6D,9C", "9Hx3C+6D,9C,4S+5H")
    assert at.refused("9H", "capture", 9, "3C 6D 4S") == "does-not-add-up"
    assert at.refused("9H", "capture", 9, "9C KD") == "does-not-add-up"
    assert at.refused("9H", "capture", 9) == "nothing-taken"
    at.play("9Hx3C+6D,9C,4S+5H")
    assert at.state.table.loose == ("KD",)
    assert set(at.state.piles[0]) == {"9H", "3C", "6D", "9C", "4S", "5H"}


def test_cards_that_can_be_parted_in_several_ways_are_taken_in_any_of_them() -> None:
    at = table("10H", "4H", loose="6D 4S 4D 3C 3S")
    assert at.lists("10Hx6D+4S,4D+3C+3S", "10Hx6D+4D,4S+3C+3S", "10Hx4S+3C+3S")


def test_a_build_is_never_part_of_a_sum_and_never_taken_apart() -> None:
    at = table("QH 9D 2D", "4H", loose="3C", builds=[build("9:2H+7C", 1)])
    assert at.refused("QH", "capture", 12, "3C 2H 7C") == "other-build"
    assert at.refused("9D", "capture", 9, "2H") == "whole-build"
    assert at.refused("2D", "capture", 2, "2H") == "whole-build"
    at.play("9Dx>9")
    assert at.state.table.builds == ()
    assert set(at.state.piles[0]) == {"9D", "2H", "7C"}


def test_anyone_with_the_value_takes_a_build_with_other_sets() -> None:
    at = table("9D 2D", "9S", loose="4C 5H 9H", builds=[build("9:2H+7C", 1)])
    at.play("9Dx>9,4C+5H,9H")
    assert at.state.table.sweeps == (1, 0)


@pytest.mark.parametrize(
    ("card", "takes", "rule"),
    [
        ("9S", "9D", "not-in-hand"),
        ("9H", "9C", "not-on-table"),
        ("9H", "9D 9D", "card-twice"),
        ("ZZ", "9D", "not-in-hand"),
    ],
)
def test_only_cards_that_are_there_are_played_and_taken(card: str, takes: str, rule: str) -> None:
    assert table("9H", "4H", loose="9D").refused(card, "capture", 9, takes) == rule


# -- build


def test_a_build_is_laid_on_one_loose_card_by_who_holds_its_value() -> None:
    at = table("2H 9D KS", "4H", loose="7C 3D")
    assert at.refused("2H", "build", 5, "3D") == "no-card-for-build"
    assert at.refused("2H", "build", 12, "7C 3D") == "wrong-cards"
    assert at.refused("2H", "build", 8, "7C") == "does-not-add-up"
    assert at.refused("9D", "build", 16, "7C") == "no-card-for-build"
    at.play("2H+7C=9")
    assert at.state.table.builds == (build("9:7C+2H", 0),)


def test_the_card_laid_does_not_count_as_the_one_held() -> None:
    assert table("7H 2D", "4H", loose="7C").refused("7H", "build", 7, "7C") == "no-card-for-build"


def test_more_of_sevens_is_multiple_from_the_start() -> None:
    at = table("7H 7D", "AH 8S", loose="7C")
    at.play("7H&7C")
    assert at.state.table.builds == (build("7:7C+7H", 0, multiple=True),)
    assert at.refused("AH", "raise", 8, "7C 7H", seat=1) == "multiple-never-raised"


def test_equal_cards_may_also_be_added_up() -> None:
    assert {"7H&7C", "7H+7C=14"} < table("7H 7D AD", "4H", loose="7C").typed("7H")


def test_no_build_goes_above_16() -> None:
    assert table("8H 9S", "4H", loose="9D").refused("8H", "build", 17, "9D") == "above-16"
    at = table("8H 10D", "4H", builds=[build("9:2H+7C", 1)])
    assert at.refused("8H", "raise", 17, "2H 7C") == "above-16"
    assert "6H+10S=16" in table("6H 10D", "4H", loose="10S").typed("6H")
    assert "6H+9S=15" in table("6H 2C", "4H", loose="9S").typed("6H")


def test_builds_of_one_value_are_one_stack() -> None:
    at = table("5H 9D", "4H", loose="4C", builds=[build("9:2H+7C", 1)])
    assert at.refused("5H", "build", 9, "4C") == "use-add"
    at.play("5H+4C>>9")
    assert at.state.table.builds == (build("9:4C+2H+7C+5H", 0, multiple=True),)


# -- raise


def test_anybodys_simple_build_is_raised_and_changes_its_owner() -> None:
    at = table("AH 10S", "9D 4H", builds=[build("9:2H+7C", 1)])
    at.play("AH>9")
    assert at.state.table.builds == (build("10:2H+7C+AH", 0),)
    # A former owner owes nothing any more.
    at.play("4H")
    assert at.state.table.loose == ("4H",)


def test_an_owner_raises_the_own_build_while_holding_the_new_value() -> None:
    assert table("AH 10S", "9D", builds=[build("9:2H+7C", 0)]).lists("AH>9")
    assert not table("AH 9S", "9D", builds=[build("9:2H+7C", 0)]).lists("AH>9")


def test_a_raise_needs_a_card_of_the_new_value_and_nothing_else_from_the_table() -> None:
    at = table("AH 9S JD", "9D", loose="AD", builds=[build("9:2H+7C", 1)])
    assert at.refused("AH", "raise", 10, "2H 7C") == "no-card-for-build"
    assert at.refused("AH", "raise", 11, "2H 7C AD") == "wrong-cards"
    assert at.refused("AH", "raise", 11, "2H 7C") == "does-not-add-up"
    assert at.refused("AH", "raise", 2, "AD") == "wrong-cards"


def test_a_raise_to_the_value_of_another_build_joins_it() -> None:
    at = table("AH 10S", "10C 4H", builds=[build("9:2H+7C", 1), build("10:6D+4S", 1)])
    at.play("AH>9")
    (joined,) = at.state.table.builds
    assert (joined.value, joined.owner, joined.multiple) == (10, 0, True)
    assert set(joined.cards) == {"2H", "7C", "AH", "6D", "4S"}
    line = at.lines[0]
    assert isinstance(line, PlayLine)
    assert set(line.takes) == {"2H", "7C"}


# -- add


def test_a_set_is_added_by_the_card_alone_or_with_one_loose_card() -> None:
    alone = table("9S 9D", "4H", builds=[build("9:2H+7C", 1)])
    alone.play("9S>>9")
    assert alone.state.table.builds == (build("9:2H+7C+9S", 0, multiple=True),)
    at = table("4H 9D", "4S", loose="5C 3D 2S", builds=[build("9:2H+7C", 1)])
    assert at.refused("4H", "add", 9, "2H 7C 3D 2S") == "wrong-cards"
    assert at.refused("4H", "add", 9, "2H 7C 3D") == "does-not-add-up"
    assert at.refused("4H", "add", 9, "2H 7C") == "does-not-add-up"
    assert at.refused("4H", "add", 9, "5C") == "wrong-cards"
    at.play("4H+5C>>9")
    assert set(at.state.table.builds[0].cards) == {"4H", "5C", "2H", "7C"}


def test_an_add_needs_another_card_of_the_value() -> None:
    assert (
        table("9S 3D", "4H", builds=[build("9:2H+7C", 1)]).refused("9S", "add", 9, "2H 7C")
        == "no-card-for-build"
    )


def test_high_values_are_never_laid() -> None:
    at = table("AH AD", "4H", builds=[build("14:10H+4S", 1)])
    assert at.refused("AH", "add", 14, "10H 4S") == "does-not-add-up"
    assert at.lists("AH=14x>14")


# -- what a build obliges to


def test_an_owner_neither_trails_nor_builds_elsewhere() -> None:
    at = table("9D AH 10S 10C", "4H", loose="3C 10H 7D", builds=[build("9:2H+7C", 0), build("8:5D+3S", 1)])
    assert at.refused("9D", "trail") == "own-a-build"
    assert at.refused("AH", "trail") == "own-a-build"
    assert at.refused("10S", "build", 10, "10H") == "own-a-build"
    assert at.refused("AH", "raise", 9, "5D 3S") == "not-your-build"
    assert at.refused("AH", "add", 8, "5D 3S 7D") == "not-your-build"
    assert at.lists("10Sx10H", "AH>9", "9Dx>9")


def test_no_play_leaves_an_owner_without_a_card_for_the_build() -> None:
    at = table("9D 5D", "4H", loose="9H 5S", builds=[build("9:2H+7C", 0)])
    assert at.refused("9D", "capture", 9, "9H") == "keep-for-build"
    assert at.lists("9Dx>9", "9Dx>9,9H")
    assert "5Dx5S" in at.typed("5D")


def test_a_second_card_of_the_value_may_go() -> None:
    at = table("9D 9S", "4H", loose="9H", builds=[build("9:2H+7C", 0)])
    assert "9Dx9H" in at.typed("9D")


def test_an_ace_is_kept_for_either_of_its_values() -> None:
    at = table("AD KS", "4H", loose="KC AC", builds=[build("14:10H+4S", 0)])
    assert at.refused("AD", "capture", 1, "AC") == "keep-for-build"
    assert at.refused("AD", "capture", 14, "KC AC") == "keep-for-build"
    assert "KSxKC" in at.typed("KS")


def test_with_the_last_card_the_owner_takes_the_build() -> None:
    at = table("9D", "4H", loose="9H", builds=[build("9:2H+7C", 0)])
    assert at.lists("9Dx9H,>9", "9Dx>9")
    assert len(at.typed()) == 2
    at.play("9Dx>9")
    assert at.state.piles[0] == ("9D", "2H", "7C")


def test_who_owned_a_build_that_was_taken_is_free_again() -> None:
    at = table("2H 9D 3S", "9S KD", loose="7C")
    at.play("2H+7C=9", "9Sx>9", "3S")
    assert at.state.table.loose == ("3S",)


# -- whose turn


def test_only_the_seat_on_turn_plays() -> None:
    at = table("9D", "4H")
    assert at.refused("4H", "trail", seat=1) == "not-your-turn"
    assert list(GAME.legal(at.state, 1)) == []


# -- every meaning of a choice has its answer


@pytest.mark.parametrize(
    ("card", "chosen", "expected"),
    [
        ("7H", "7C", {("capture", 7): None, ("build", 7): "own-a-build", ("build", 14): "own-a-build"}),
        ("2H", "7C", {("capture", 2): "does-not-add-up", ("build", 9): "own-a-build"}),
        ("2H", "", {("trail", 0): "own-a-build"}),
        ("2H", "6D", {("capture", 2): "other-build", ("raise", 12): None, ("add", 10): "does-not-add-up"}),
        ("2H", "KS", {("capture", 2): "not-on-table"}),
        ("KD", "7C", {("capture", 13): "not-in-hand", ("build", 20): "not-in-hand"}),
    ],
)
def test_every_way_to_mean_a_choice_is_told_with_the_rule_against_it(
    card: str, chosen: str, expected: dict[tuple[str, int], Rule | None]
) -> None:
    state = position("7H 2H QH 10S", "4H", loose="7C", builds=[build("10:6D+4S", 0)])
    ways = readings(state.seen_by(0), card, chosen.split())
    assert {(play.act, play.value): rule for play, rule in ways} == expected
    assert all(isinstance(play, Play) for play, _ in ways)
    rules = [rule for _, rule in ways]
    assert rules == sorted(rules, key=lambda rule: rule is not None)
