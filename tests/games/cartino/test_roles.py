"""Cartino's cards and stones are told apart in every look, by computation: nobody has all these eyes."""

import colorsys
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
    colours,
    of_depth,
    shaded,
    theme_of,
    without_colour,
)

Pair = tuple[Color, Color]
"""The colour of a sign and of what is behind it, in any order."""


def suit_colours(theme: Theme, state: str, depth: ColourDepth) -> dict[str, Pair]:
    """What tells the suits apart in a state."""
    return {suit: of_depth(theme, f"{state}-{suit}", depth) for suit in "SHDC*"}


def apart(one: Pair, other: Pair, kind: str) -> float:
    """How different two signs look: by their ink or by what is behind them."""
    return max(difference(*pair, kind) for pair in zip(one, other, strict=True))


def hue(colour: Color) -> float | None:
    """Return the hue in degrees; None for white, black, and grey."""
    parts = colour.get_truecolor()
    if max(parts) - min(parts) < 35:
        return None
    return 360 * colorsys.rgb_to_hsv(*(part / 255 for part in parts))[0]


def keeps(printed: float | None, seen: float | None) -> bool:
    """Whether a colour has the hue that is printed on the board, or none as that."""
    if printed is None or seen is None:
        return printed is seen
    return abs((seen - printed + 180) % 360 - 180) <= 45


@pytest.mark.parametrize("suit", "SHDC")
def test_a_suit_keeps_its_hue_from_the_board_to_the_stone(suit: str) -> None:
    for theme, depth in LOOKS:
        printed = hue(of_depth(theme, f"lower-{suit}", depth)[0])
        for state in ("stone", "new", "cursor", "card", "held"):
            # A stone shows its suit by the ink, or is a block in its colour.
            seen = map(hue, of_depth(theme, f"{state}-{suit}", depth))
            assert any(keeps(printed, each) for each in seen), (theme.name, depth, state)


@pytest.mark.parametrize("kind", KINDS)
def test_the_suits_are_told_apart_on_the_ground_and_on_wood(kind: str) -> None:
    for (theme, depth), state in product(LOOKS, CARD_STATES):
        inks = suit_colours(theme, state, depth)
        two = theme.style("printed-S") == theme.style("printed-C")
        for one, other in combinations("SHDC", 2):
            if two and {one, other} in ({"S", "C"}, {"H", "D"}):
                assert inks[one] == inks[other]
            else:
                assert apart(inks[one], inks[other], kind) >= TOLD_APART, (theme.name, state, one, other)
        for suit in "SHDC":
            assert apart(inks[suit], inks["*"], kind) >= JOKER_APART, (theme.name, state, suit)


@pytest.mark.parametrize("depth", ["true", "256"])
@pytest.mark.parametrize("name", sorted({theme.name for theme in ALL} - {"own"}))
def test_stones_and_empty_places_are_seen_on_the_ground_and_one_that_is_up_among_others(
    name: LookName, depth: ThemeDepth
) -> None:
    theme = full_theme_of(name, depth=depth, roles=installed().roles)
    ground, board = (of_depth(theme, role, depth)[1] for role in ("ground", "board"))
    for half, suit in product(("upper", "lower"), "SHDC"):
        assert of_depth(theme, f"{half}-{suit}", depth)[1] not in (ground, board)
    wood, picked = (of_depth(theme_of(name), f"fill-{state}-S", depth)[0] for state in ("stone", "picked"))
    plain = of_depth(theme_of(name), "ground", depth)[1]
    for kind in KINDS:
        assert difference(plain, wood, kind) >= TOLD_APART
        assert max(difference(wood, picked, kind), difference(plain, picked, kind)) >= TOLD_APART


@pytest.mark.parametrize("kind", KINDS)
def test_of_sixteen_colours_two_suits_have_the_same_or_such_as_are_told_apart(kind: str) -> None:
    for (theme, known), state in product(SIXTEEN, CARD_STATES):
        inks = [shaded(theme.style(f"{state}-{suit}"), known) for suit in "SHDC*"]
        for one, other in combinations(inks, 2):
            assert one == other or apart(one, other, kind) >= TOLD_APART, (theme.name, state)


@pytest.mark.parametrize("depth", ["16", "256", "true"])
@pytest.mark.parametrize("ground", ["dark", "light"])
@pytest.mark.parametrize("name", get_args(LookName))
def test_hearts_are_told_from_diamonds_on_every_terminal_with_colours(
    name: LookName, depth: ThemeDepth, ground: Ground
) -> None:
    theme = full_theme_of(name, depth=depth, ground=ground, roles=installed().roles)
    for hearts, diamonds in (("printed-H", "printed-D"), ("heart", "diamond"), ("bar-heart", "bar-diamond")):
        assert colours(theme.style(hearts)) != colours(theme.style(diamonds))


def test_what_lies_looks_different_from_what_is_printed_without_any_colour() -> None:
    """A stone that would be touched as well, which stays wood."""
    for theme, suit in product(ALL, "DHSC*"):
        looks = {state: without_colour(theme.style(f"{state}-{suit}")) for state in CARD_STATES}
        where = (theme.name, suit)
        assert len({looks[state] for state in ("printed", "legal", "stone", "picked")}) == 4, where
        assert looks["cursor"] not in {looks["printed"], looks["legal"]}, where
        assert looks["swap"] != looks["stone"], where
    for state in ("stone", "new"):
        touched, laid = DARK.style(f"touched-{state}-S"), DARK.style(f"{state}-S")
        assert without_colour(touched) != without_colour(laid)
        assert colours(touched) == colours(laid)
