"""Every look can be read, and its suits told apart, by computation: nobody has all these eyes."""

from itertools import combinations
from typing import get_args

import pytest
from rich.color import Color
from rich.style import Style

from cartino_tui.draw.theme import CARD_STATES, DARK, DECORATION, Ground, LookName, Theme, theme_of
from cartino_tui.driver.depth import Depth, converted
from tests.support.colours import KINDS, contrast, difference

LOOKS = [
    pytest.param(theme_of(name, four=four), depth, id=f"{name}-{'four' if four else 'two'}-{depth}")
    for name in get_args(LookName)
    if name != "own"
    for four in (True, False)
    for depth in ("true", "256")
]
ALL = [
    theme_of(name, four=four, sixteen=sixteen, ground=ground)
    for name in get_args(LookName)
    for four in (True, False)
    for sixteen in (True, False)
    for ground in ("dark", "light")
]

TOLD_APART = 15.0
"""The least difference (CIEDE2000) between two suits. Two is what is just seen in large fields side by side; letters
are small and stand apart, which takes a multiple, and fifteen is about that between two neighbouring colours of a
rainbow of twelve."""

JOKER_APART = 10.0
"""The least between a joker and a suit: a joker has a sign of its own, which is no suit's, and two letters."""


def colours(style: Style) -> tuple[Color, Color]:
    assert style.color is not None
    assert style.bgcolor is not None
    return style.color, style.bgcolor


def of_depth(theme: Theme, role: str, depth: Depth) -> tuple[Color, Color]:
    return colours(converted(theme.style(role), depth))


@pytest.mark.parametrize(("theme", "depth"), LOOKS)
def test_every_text_can_be_read_on_its_ground(theme: Theme, depth: Depth) -> None:
    weak = {
        role: round(contrast(*of_depth(theme, role, depth)), 2)
        for role in theme.styles
        if contrast(*of_depth(theme, role, depth)) < (3 if role in DECORATION else 4.5)
    }
    assert weak == {}


@pytest.mark.parametrize("four", [True, False])
def test_where_contrast_is_high_it_is_at_least_seven_to_one(four: bool) -> None:
    theme = theme_of("contrast", four=four)
    assert min(contrast(*colours(style)) for style in theme.styles.values()) >= 7


def suit_colours(theme: Theme, state: str, depth: Depth) -> dict[str, Color]:
    """What tells the suits apart in a state: on wood that is the ground of the style, which is reversed."""
    on_ground = state in {"printed", "legal", "cursor"}
    return {suit: of_depth(theme, f"{state}-{suit}", depth)[0 if on_ground else 1] for suit in "SHDC*"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("theme", "depth"), LOOKS)
def test_the_suits_are_told_apart_on_the_ground_and_on_wood(theme: Theme, depth: Depth, kind: str) -> None:
    for state in CARD_STATES:
        inks = suit_colours(theme, state, depth)
        two = theme.style("printed-S") == theme.style("printed-C")
        for one, other in combinations("SHDC", 2):
            if two and {one, other} in ({"S", "C"}, {"H", "D"}):
                assert inks[one] == inks[other]
            else:
                assert difference(inks[one], inks[other], kind) >= TOLD_APART, (state, one, other)
        for suit in "SHDC":
            assert difference(inks[suit], inks["*"], kind) >= JOKER_APART, (state, suit)


@pytest.mark.parametrize("depth", ["true", "256"])
@pytest.mark.parametrize("name", ["dark", "light", "contrast"])
def test_a_stone_is_seen_on_the_ground_and_one_that_is_up_among_others(name: LookName, depth: Depth) -> None:
    theme = theme_of(name)
    ground = of_depth(theme, "ground", depth)[1]
    wood, picked = (of_depth(theme, f"fill-{state}", depth)[0] for state in ("stone", "picked"))
    for kind in KINDS:
        assert difference(ground, wood, kind) >= TOLD_APART
        assert max(difference(wood, picked, kind), difference(ground, picked, kind)) >= TOLD_APART


def shades(*values: str) -> tuple[Color, ...]:
    return tuple(Color.parse(f"#{value}") for line in values for value in line.split())


SHADES = {
    "xterm": shades(
        "000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5",
        "7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff",
    ),
    "VGA": shades(
        "000000 aa0000 00aa00 aa5500 0000aa aa00aa 00aaaa aaaaaa",
        "555555 ff5555 55ff55 ffff55 5555ff ff55ff 55ffff ffffff",
    ),
    "PuTTY": shades(
        "000000 bb0000 00bb00 bbbb00 0000bb bb00bb 00bbbb bbbbbb",
        "555555 ff5555 55ff55 ffff55 5555ff ff55ff 55ffff ffffff",
    ),
}
"""What the sixteen colours are at xterm, at the console of a PC, and at PuTTY."""

SIXTEEN = [
    pytest.param(theme_of(name, four=four, sixteen=True), known, id=f"{name}-{four}-{terminal}")
    for name in get_args(LookName)
    if name != "own"
    for four in (True, False)
    for terminal, known in SHADES.items()
]


def shaded(style: Style, known: tuple[Color, ...]) -> tuple[Color, Color]:
    ink, ground = colours(style)
    assert ink.number is not None
    assert ground.number is not None
    return known[ink.number], known[ground.number]


@pytest.mark.parametrize(("theme", "known"), SIXTEEN)
def test_every_text_can_be_read_in_a_terminals_sixteen_colours(
    theme: Theme, known: tuple[Color, ...]
) -> None:
    least = 7 if theme.name == "contrast" else 4.5
    weak = {
        role: round(contrast(*shaded(style, known)), 2)
        for role, style in theme.styles.items()
        if contrast(*shaded(style, known)) < (3 if role in DECORATION else least)
    }
    assert weak == {}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("theme", "known"), SIXTEEN)
def test_of_sixteen_colours_two_suits_have_the_same_or_such_as_are_told_apart(
    theme: Theme, known: tuple[Color, ...], kind: str
) -> None:
    for state in CARD_STATES:
        on_ground = state in {"printed", "legal", "cursor"}
        inks = [shaded(theme.style(f"{state}-{suit}"), known)[0 if on_ground else 1] for suit in "SHDC*"]
        for one, other in combinations(inks, 2):
            assert one == other or difference(one, other, kind) >= TOLD_APART, state


@pytest.mark.parametrize("known", SHADES.values(), ids=SHADES)
@pytest.mark.parametrize("ground", ["dark", "light"])
def test_a_terminals_own_colours_are_such_as_can_be_read_on_its_ground(
    ground: Ground, known: tuple[Color, ...]
) -> None:
    behind = known[15 if ground == "light" else 0]
    named = {colours(style)[0] for style in theme_of("own", ground=ground).styles.values()} - {
        Color.default()
    }
    assert named
    assert min(contrast(known[colour.number or 0], behind) for colour in named) >= 4.5


@pytest.mark.parametrize("theme", [theme for theme in ALL if theme.name == "own"])
def test_the_terminals_own_colours_are_never_mixed_with_others(theme: Theme) -> None:
    assert {colour.name for style in theme.styles.values() for colour in colours(style)} <= {
        "default",
        "red",
        "blue",
        "bright_red",
        "bright_green",
    }
    assert {style.bgcolor for role, style in theme.styles.items() if not role.startswith("cursor-")} == {
        Color.default()
    }, "text on a ground of which nobody knows what can be read there"


def without_colour(style: Style) -> tuple[bool, bool, bool]:
    return bool(style.bold), bool(style.underline), bool(style.reverse)


@pytest.mark.parametrize("suit", "DHSC*")
@pytest.mark.parametrize("theme", ALL)
def test_what_lies_looks_different_from_what_is_printed_without_any_colour(theme: Theme, suit: str) -> None:
    looks = {state: without_colour(theme.style(f"{state}-{suit}")) for state in CARD_STATES}
    assert len({looks["printed"], looks["legal"], looks["stone"], looks["picked"]}) == 4
    assert looks["cursor"] not in {looks["printed"], looks["legal"]}
    assert looks["swap"] != looks["stone"]


@pytest.mark.parametrize("theme", ALL)
def test_a_role_looks_the_same_in_every_theme_without_any_colour(theme: Theme) -> None:
    assert {role: without_colour(style) for role, style in theme.styles.items()} == {
        role: without_colour(style) for role, style in DARK.styles.items()
    }


def test_a_mark_on_a_stone_that_would_be_touched_is_cut_out_of_it_without_any_colour_too() -> None:
    assert without_colour(DARK.style("touched")) != without_colour(DARK.style("fill-stone"))


def test_a_role_that_is_unknown_looks_like_the_ground() -> None:
    assert DARK.style("no such role") == DARK.style("ground")


def test_there_is_one_theme_of_each_kind() -> None:
    assert theme_of("light", four=False) is theme_of("light", four=False)
    assert len({id(theme) for theme in ALL}) == len(ALL)
