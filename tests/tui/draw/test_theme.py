import pytest
from rich.color import Color
from rich.style import Style

from cartino_tui.draw.theme import CARD_STATES, DARK, DECORATION


def luminance(color: Color | None) -> float:
    """WCAG relative luminance."""
    assert color is not None
    red, green, blue = (
        part / 255 / 12.92 if part / 255 <= 0.04045 else ((part / 255 + 0.055) / 1.055) ** 2.4
        for part in color.get_truecolor()
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(style: Style) -> float:
    low, high = sorted((luminance(style.color), luminance(style.bgcolor)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("role", sorted(DARK.styles))
def test_every_text_can_be_read_on_its_ground(role: str) -> None:
    assert contrast(DARK.styles[role]) >= (3 if role in DECORATION else 4.5)


def without_colour(style: Style) -> tuple[bool, bool, bool]:
    return bool(style.bold), bool(style.underline), bool(style.reverse)


@pytest.mark.parametrize("suit", "DHSC*")
def test_what_lies_looks_different_from_what_is_printed_without_any_colour(suit: str) -> None:
    looks = {state: without_colour(DARK.style(f"{state}-{suit}")) for state in CARD_STATES}
    assert len({looks["printed"], looks["legal"], looks["stone"], looks["picked"]}) == 4
    assert looks["cursor"] not in {looks["printed"], looks["legal"]}
    assert looks["swap"] != looks["stone"]


def test_a_mark_on_a_stone_that_would_be_touched_is_cut_out_of_it_without_any_colour_too() -> None:
    assert without_colour(DARK.style("touched")) != without_colour(DARK.style("fill-stone"))


def test_a_role_that_is_unknown_looks_like_the_ground() -> None:
    assert DARK.style("no such role") == DARK.style("ground")
