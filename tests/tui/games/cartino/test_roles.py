"""Cartino's cards and stones are told apart in every look, by computation: nobody has all these eyes."""

from itertools import combinations, product
from typing import get_args

import pytest
from rich.color import Color

from cartino_games.cartino.roles import CARD_STATES
from cartino_games.registry import installed
from cartino_tui.draw.theme import Ground, LookName, Theme, ThemeDepth
from cartino_tui.draw.theme import theme_of as full_theme_of
from cartino_tui.terminal.colour_depth import ColourDepth
from tests.support.colours import KINDS, difference
from tests.support.games import DARK
from tests.support.looks import (
    ALL,
    JOKER_APART,
    LOOKS,
    SIXTEEN,
    TOLD_APART,
    of_depth,
    shaded,
    theme_of,
    without_colour,
)

ON_GROUND = {"printed", "upper", "lower", "legal"}
"""The states whose styles aren't reversed."""


def suit_colours(theme: Theme, state: str, depth: ColourDepth) -> dict[str, Color]:
    """What tells the suits apart in a state: on wood that is the ground of the style, which is reversed."""
    on_ground = state in ON_GROUND
    return {suit: of_depth(theme, f"{state}-{suit}", depth)[0 if on_ground else 1] for suit in "SHDC*"}


@pytest.mark.parametrize("kind", KINDS)
def test_the_suits_are_told_apart_on_the_ground_and_on_wood(kind: str) -> None:
    for (theme, depth), state in product(LOOKS, CARD_STATES):
        inks = suit_colours(theme, state, depth)
        two = theme.style("printed-S") == theme.style("printed-C")
        for one, other in combinations("SHDC", 2):
            if two and {one, other} in ({"S", "C"}, {"H", "D"}):
                assert inks[one] == inks[other]
            else:
                assert difference(inks[one], inks[other], kind) >= TOLD_APART, (theme.name, state, one, other)
        for suit in "SHDC":
            assert difference(inks[suit], inks["*"], kind) >= JOKER_APART, (theme.name, state, suit)


@pytest.mark.parametrize("depth", ["true", "256"])
@pytest.mark.parametrize("name", sorted({theme.name for theme in ALL} - {"own"}))
def test_a_stone_is_seen_on_the_ground_and_one_that_is_up_among_others(
    name: LookName, depth: ColourDepth
) -> None:
    theme = theme_of(name)
    ground = of_depth(theme, "ground", depth)[1]
    wood, picked = (of_depth(theme, f"fill-{state}", depth)[0] for state in ("stone", "picked"))
    for kind in KINDS:
        assert difference(ground, wood, kind) >= TOLD_APART
        assert max(difference(wood, picked, kind), difference(ground, picked, kind)) >= TOLD_APART


@pytest.mark.parametrize("kind", KINDS)
def test_of_sixteen_colours_two_suits_have_the_same_or_such_as_are_told_apart(kind: str) -> None:
    for (theme, known), state in product(SIXTEEN, CARD_STATES):
        on_ground = state in ON_GROUND
        inks = [shaded(theme.style(f"{state}-{suit}"), known)[0 if on_ground else 1] for suit in "SHDC*"]
        for one, other in combinations(inks, 2):
            assert one == other or difference(one, other, kind) >= TOLD_APART, (theme.name, state)


@pytest.mark.parametrize("depth", ["16", "256", "true"])
@pytest.mark.parametrize("ground", ["dark", "light"])
@pytest.mark.parametrize("name", get_args(LookName))
def test_hearts_are_told_from_diamonds_on_every_terminal_with_colours(
    name: LookName, depth: ThemeDepth, ground: Ground
) -> None:
    theme = full_theme_of(name, depth=depth, ground=ground, roles=installed().roles)
    for hearts, diamonds in (("printed-H", "printed-D"), ("heart", "diamond"), ("bar-heart", "bar-diamond")):
        assert theme.style(hearts).color != theme.style(diamonds).color


def test_what_lies_looks_different_from_what_is_printed_without_any_colour() -> None:
    for theme, suit in product(ALL, "DHSC*"):
        looks = {state: without_colour(theme.style(f"{state}-{suit}")) for state in CARD_STATES}
        assert len({looks["printed"], looks["legal"], looks["stone"], looks["picked"]}) == 4, (
            theme.name,
            suit,
        )
        assert looks["cursor"] not in {looks["printed"], looks["legal"]}, (theme.name, suit)
        assert looks["swap"] != looks["stone"], (theme.name, suit)


def test_a_mark_on_a_stone_that_would_be_touched_is_cut_out_of_it_without_any_colour_too() -> None:
    assert without_colour(DARK.style("touched")) != without_colour(DARK.style("fill-stone"))
