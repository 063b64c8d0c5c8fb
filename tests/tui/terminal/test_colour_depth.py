import pytest
from rich.style import Style

from cartino_tui.terminal.colour_depth import ColourDepth, colour_depth_of, convert_style


@pytest.mark.parametrize(
    ("term", "env", "depth"),
    [
        ("xterm-256color", {}, "256"),
        ("xterm-256color", {"COLORTERM": "truecolor"}, "true"),
        ("tmux-256color", {"COLORTERM": "24bit"}, "true"),
        ("screen", {}, "16"),
        ("linux", {}, "16"),
        ("xterm-direct", {}, "true"),
        ("xterm-kitty", {}, "true"),
        ("xterm-ghostty", {}, "true"),
        ("alacritty", {}, "true"),
        ("foot-extra", {}, "true"),
        ("wezterm", {}, "true"),
        ("dumb", {}, "mono"),
        ("vt100", {}, "mono"),
        ("", {}, "mono"),
        ("xterm-kitty", {"NO_COLOR": "1", "COLORTERM": "truecolor"}, "mono"),
        ("xterm-kitty", {"NO_COLOR": ""}, "true"),
    ],
)
def test_the_depth_of_a_terminal(term: str, env: dict[str, str], depth: ColourDepth) -> None:
    assert colour_depth_of(term, env) == depth


def one(depth: ColourDepth, style: str) -> Style:
    return convert_style(Style.parse(style), depth)


def test_256_colours_come_from_the_table_and_keep_the_attributes() -> None:
    style = one("256", "bold underline #d75f5f on #121212")
    assert style.color is not None
    assert style.bgcolor is not None
    assert (style.color.number, style.bgcolor.number) == (167, 233)
    assert style.bold
    assert style.underline


def test_16_colours_are_the_standard_ones() -> None:
    style = one("16", "#ff0000 on #000000")
    assert style.color is not None
    assert style.color.number is not None
    assert style.color.number < 16


def test_without_colour_a_light_ground_becomes_reverse() -> None:
    assert one("mono", "bold #000000 on #ffffff") == Style(bold=True, reverse=True)
    assert one("mono", "underline #ffffff on #000000") == Style(underline=True)
