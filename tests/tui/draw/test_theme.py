"""Every look of the frame and of every installed game can be read, by computation: nobody has all these eyes."""

from collections.abc import Callable
from functools import partial
from itertools import combinations

import pytest
from rich.color import Color
from rich.style import Style

from cartino_tui.draw.theme import (
    DECORATION,
    FRAME,
    Deck,
    Ground,
    LookName,
    RoleSet,
    Scheme,
    Theme,
    block_style,
    text_style,
)
from cartino_tui.draw.theme import theme_of as any_theme_of
from cartino_tui.terminal.colour_depth import ColourDepth, convert_style
from tests.support.colours import KINDS, contrast, difference
from tests.support.games import DARK, ROLES
from tests.support.looks import (
    ALL,
    LOOKS,
    SHADES,
    SIXTEEN,
    TOLD_APART,
    colours,
    of_depth,
    shaded,
    theme_of,
    without_colour,
)

SHADING = frozenset[str]().union(*(each.shading for each in ROLES))
"""The roles of surfaces without text."""
GROUPS = [group for each in (FRAME, *ROLES) for group in each.apart]
"""The roles that everybody has to tell apart."""


def test_every_text_can_be_read_on_its_ground() -> None:
    weak = {
        (theme.name, depth, role): round(contrast(*of_depth(theme, role, depth)), 2)
        for theme, depth in LOOKS
        for role in theme.styles.keys() - SHADING
        if contrast(*of_depth(theme, role, depth)) < (3 if role in DECORATION else 4.5)
    }
    assert weak == {}


@pytest.mark.parametrize("deck", ["four", "two"])
def test_where_contrast_is_high_it_is_at_least_seven_to_one(deck: Deck) -> None:
    theme = theme_of("contrast", deck=deck)
    texts = theme.styles.keys() - SHADING
    assert min(contrast(*colours(theme.style(role))) for role in texts) >= 7


def test_every_text_can_be_read_in_a_terminals_sixteen_colours() -> None:
    weak = {
        (theme.name, role): round(contrast(*shaded(style, known)), 2)
        for theme, known in SIXTEEN
        for role, style in theme.styles.items()
        if role not in SHADING
        and contrast(*shaded(style, known))
        < (3 if role in DECORATION else 7 if theme.name == "contrast" else 4.5)
    }
    assert weak == {}


def alike(theme: Theme, kind: str, seen: Callable[[Style], tuple[Color, Color]]) -> list[tuple[str, str]]:
    """The roles that differ for some, but hardly for people of that kind."""

    def shown(role: str) -> tuple[Color, Color]:
        ink, ground = seen(theme.style(role))
        return (ground, ink) if theme.style(role).reverse else (ink, ground)

    found: list[tuple[str, str]] = []
    for group in GROUPS:
        for one, other in combinations(sorted(group), 2):
            first, second = shown(one), shown(other)
            apart = max(difference(*pair, kind) for pair in zip(first, second, strict=True))
            if first != second and apart < TOLD_APART:
                found.append((one, other))
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_what_belongs_together_in_many_colours_is_told_apart_by_everybody(kind: str) -> None:
    for theme, depth in LOOKS:
        assert alike(theme, kind, partial(of_style, depth=depth)) == [], (theme.name, depth)


def of_style(style: Style, depth: ColourDepth) -> tuple[Color, Color]:
    """The colours of a style in a terminal of that depth."""
    return colours(convert_style(style, depth))


@pytest.mark.parametrize("kind", KINDS)
def test_of_sixteen_colours_they_have_the_same_or_such_as_are_told_apart(kind: str) -> None:
    for theme, known in SIXTEEN:
        assert alike(theme, kind, partial(shaded, known=known)) == [], theme.name


@pytest.mark.parametrize("name", sorted({theme.name for theme in ALL} - {"own"}))
def test_with_many_colours_each_of_a_group_has_its_own(name: LookName) -> None:
    theme = theme_of(name)
    for group in GROUPS:
        assert len({theme.style(role) for role in group}) == len(group)


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
        "magenta",
        "bright_red",
        "bright_green",
        "bright_cyan",
    }
    assert {style.bgcolor for style in theme.styles.values()} == {Color.default()}, (
        "text on a ground of which nobody knows what can be read there"
    )


def test_a_role_looks_the_same_in_every_theme_without_any_colour() -> None:
    looks = [{role: without_colour(style) for role, style in theme.styles.items()} for theme in (DARK, *ALL)]
    assert [theme.name for theme, look in zip(ALL, looks[1:], strict=True) if look != looks[0]] == []


def test_a_role_that_is_unknown_looks_like_the_ground() -> None:
    assert DARK.style("no such role") == DARK.style("ground")


def test_there_is_one_theme_of_each_kind() -> None:
    assert theme_of("light", deck="two") is theme_of("light", deck="two")
    assert len({id(theme) for theme in ALL}) == len(ALL)


def _wooden(scheme: Scheme) -> dict[str, Style]:
    c = scheme.colours
    return {"plank": block_style(c.ground, c.accent), "nail": text_style(c.dim, c.ground)}


def test_a_game_adds_roles_made_of_the_frames_colours() -> None:
    wooden = RoleSet("woodwork", _wooden)
    assert any_theme_of("light", roles=(wooden,)).style("nail") == any_theme_of("light").style("dim")
    assert any_theme_of("dark", roles=(wooden,)).style("plank").reverse


def test_two_sets_with_one_name_are_refused_by_name() -> None:
    sets = RoleSet("woodwork", _wooden), RoleSet("cabinet", _wooden)
    with pytest.raises(ValueError, match="both woodwork and cabinet have a role 'plank'"):
        any_theme_of("dark", roles=sets)
    with pytest.raises(ValueError, match="both the frame and clash have a role 'title'"):
        any_theme_of("dark", roles=(RoleSet("clash", lambda _: {"title": text_style("white", "black")}),))
