"""What is said to a terminal so that it writes as it should, by one that knows all of SGR and by an old one."""

import re
from collections.abc import Mapping
from itertools import product

import pyte
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.style import Style

from cartino_tui.draw.ansi import UNKNOWN_POSITION, CellPosition, Ink, ink_of, move_cursor, style_change
from cartino_tui.terminal.colour_depth import ColourDepth
from cartino_tui.terminal.painter import inks
from tests.support.games import DARK

ONLY_ALL: Mapping[str, tuple[str, ...]] = {"0": ("1", "2", "3", "4", "7", "9")}
"""What ends what on a VT100, which knows some of these marks: one code, all of them."""
SINGLY: Mapping[str, tuple[str, ...]] = {
    "0": ("1", "2", "3", "4", "7", "9"),
    "22": ("1", "2"),
    "23": ("3",),
    "24": ("4",),
    "27": ("7",),
    "29": ("9",),
}


class Writing:
    """A terminal that knows SGR as far as `ends` goes; colours are told by what comes after 38, 48 or alone."""

    def __init__(self, ends: Mapping[str, tuple[str, ...]]) -> None:
        self._ends = ends
        self.marks: set[str] = set()
        self.text = self.ground = ""

    def take(self, sequence: str) -> None:
        found = re.fullmatch(r"\x1b\[([\d;]+)m", sequence)
        assert found is not None
        codes = re.findall(r"[34]8;5;\d+|[34]8;2;\d+;\d+;\d+|\d+", found[1])
        for code in codes:
            self.marks -= set(self._ends.get(code, ()))
            if code == "0":
                self.text = self.ground = ""
            elif code in SINGLY["0"]:
                self.marks.add(code)
            elif code in {"39", "49"} and self._ends is ONLY_ALL:
                continue
            elif code[0] in "39" and code not in SINGLY:
                self.text = "" if code == "39" else code
            elif code[0] in "41" and code not in SINGLY:
                self.ground = "" if code == "49" else code


def after(before: Ink, ink: Ink, ends: Mapping[str, tuple[str, ...]]) -> tuple[set[str], str, str]:
    """How a terminal writes that wrote in `before` and was told to write in `ink`."""
    terminal = Writing(ends)
    terminal.take(style_change(None, before))
    if (told := style_change(before, ink)) != "":
        terminal.take(told)
    return terminal.marks, terminal.text, terminal.ground


@pytest.mark.parametrize(
    ("depth", "ends"),
    [
        *((depth, ONLY_ALL) for depth in ("mono", "16")),
        *((depth, SINGLY) for depth in ("mono", "16", "256", "true")),
    ],
)
def test_from_every_role_to_every_other(depth: ColourDepth, ends: Mapping[str, tuple[str, ...]]) -> None:
    """On a terminal that ends only all marks, and on one that ends each alone."""
    ink = inks(DARK, depth)
    for one, wanted in product({ink(role): None for role in sorted(DARK.styles)}, repeat=2):
        assert after(one, wanted, ends) == (set(wanted.marks), wanted.text, wanted.ground)


def anything(singly: bool) -> st.SearchStrategy[Ink]:
    flag = st.sampled_from([None, True])
    colour = st.sampled_from([None, "red", "color(120)", "#102030"])
    return st.builds(
        lambda text, ground, bold, dim, underline, reverse: ink_of(
            Style(color=text, bgcolor=ground, bold=bold, dim=dim, underline=underline, reverse=reverse),
            singly=singly,
        ),
        colour,
        colour,
        flag,
        flag,
        flag,
        flag,
    )


@given(anything(True), anything(True))
def test_any_ink_after_any_other(one: Ink, other: Ink) -> None:
    assert after(one, other, SINGLY) == (set(other.marks), other.text, other.ground)
    assert len(style_change(one, other)) <= len(style_change(None, other))


@given(anything(False), anything(False))
def test_any_ink_after_any_other_where_no_mark_ends_alone(one: Ink, other: Ink) -> None:
    assert after(one, other, ONLY_ALL) == (set(other.marks), other.text, other.ground)


def test_what_stays_is_not_said_again() -> None:
    bold = ink_of(Style(color="red", bold=True))
    assert style_change(bold, bold) == ""
    assert style_change(bold, ink_of(Style(color="red", bold=True))) == "", "an equal ink"
    assert style_change(bold, ink_of(Style(color="red", bold=True, reverse=True))) == "\x1b[7m"
    assert style_change(ink_of(Style(color="red", bold=True, reverse=True)), bold) == "\x1b[27m"
    assert style_change(bold, ink_of(Style(color="red", dim=True))) == "\x1b[22;2m"


def test_equal_styles_are_one_ink() -> None:
    assert ink_of(Style(bold=True)) is ink_of(Style(bold=True, italic=False))
    assert ink_of(Style()) is not Ink()
    assert style_change(None, Ink()) == "\x1b[0m"


WIDTH, HEIGHT = 80, 24
PLACES = st.tuples(st.integers(0, WIDTH - 1), st.integers(0, HEIGHT - 1))


@given(PLACES, PLACES)
@example((0, 0), (79, 23))
@example((79, 23), (0, 0))
@example((4, 1), (4, 0))
def test_every_move_comes_out_where_it_should_and_writes_nothing(at: CellPosition, to: CellPosition) -> None:
    screen = pyte.Screen(WIDTH, HEIGHT)
    stream = pyte.Stream(screen)
    stream.feed("x" * WIDTH * (HEIGHT - 1) + move_cursor(UNKNOWN_POSITION, at))
    before = screen.display
    stream.feed(move_cursor(at, to))
    assert (screen.cursor.x, screen.cursor.y) == to
    assert screen.display == before


@given(PLACES, PLACES)
def test_no_move_is_longer_than_naming_the_cell(at: CellPosition, to: CellPosition) -> None:
    assert len(move_cursor(at, to)) <= len(move_cursor(UNKNOWN_POSITION, to))


def test_a_step_to_a_neighbour_takes_three_bytes_at_most() -> None:
    assert [move_cursor((9, 9), to) for to in ((9, 9), (8, 9), (10, 9), (9, 8), (9, 10), (0, 9))] == [
        "",
        "\b",
        "\x1b[C",
        "\x1bM",
        "\n",
        "\r",
    ]
