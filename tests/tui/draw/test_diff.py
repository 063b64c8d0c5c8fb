"""The few bytes between two frames, held to what a terminal makes of them."""

import re
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cartino_tui.draw.ansi import Ink, style_change
from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.draw.diff import UNKNOWN_PEN, Pen, difference
from cartino_tui.draw.text import FILL
from tests.support.emulated import Emulated, rows_of

INKS = {
    "plain": Ink(),
    "red": Ink("31"),
    "true": Ink("38;2;1;2;3", "48;2;4;5;6"),
    "bold": Ink("38;5;254", "48;5;233", frozenset("1")),
    "mark": Ink("38;5;254", "48;5;233", frozenset("147")),
    "calm": Ink("38;5;254", "48;5;233"),
    "back": Ink("", "48;5;233", frozenset("7")),
}
WIDTH, HEIGHT = 24, 4
WIDE = "王" + FILL


def ink_of(role: str) -> Ink:
    return INKS[role]


def frame(*puts: tuple[int, int, str, str]) -> Frame:
    canvas = Canvas(WIDTH, HEIGHT, "calm")
    for x, y, text, role in puts:
        canvas.put(x, y, text, role)
    return canvas.frame()


PUT = st.tuples(
    st.integers(0, WIDTH - 1),
    st.integers(0, HEIGHT - 1),
    st.lists(st.sampled_from(["a", "b", " ", "♠", "│", WIDE]), min_size=1, max_size=WIDTH).map("".join),
    st.sampled_from(sorted(INKS)),
)


def busy(seed: int) -> Frame:
    """More strokes than are ordered one by one, with gaps between those of one ink."""
    rng = Random(seed)
    roles = rng.sample(sorted(INKS), rng.randint(2, len(INKS)))
    cells = ((x, y) for y in range(HEIGHT) for x in range(WIDTH) if rng.random() < 0.9)
    return frame(*((x, y, rng.choice(["a", "b", " ", "▄", WIDE]), rng.choice(roles)) for x, y in cells))


FRAMES = st.one_of(st.lists(PUT, max_size=8).map(lambda puts: frame(*puts)), st.integers(0, 10_000).map(busy))


ROWS = [frame((0, 1, f"table {n}", "bold"), (12, 1, "x" * n, "red")).rows[1] for n in range(12)]


def listed(first: int, chosen: int, height: int = 10) -> Frame:
    """A list in rows 1 to 8 that is scrolled to `first`, between a bar and a hint."""
    rows = [ROWS[first + n] for n in range(height - 2)]
    rows[chosen - first] = frame((0, 1, f"> table {chosen}", "mark")).rows[1]
    return Frame(WIDTH, height, (ROWS[0], *rows, ROWS[1]))


@pytest.mark.parametrize(
    ("before", "after"),
    [((0, 7), (1, 8)), ((3, 3), (2, 2)), ((0, 0), (1, 5)), ((0, 2), (0, 3)), ((0, 0), (3, 9))],
)
def test_a_list_is_scrolled_by_the_terminal(before: tuple[int, int], after: tuple[int, int]) -> None:
    going = Emulated(WIDTH, 10)
    text, pen = difference(None, listed(*before), ink_of)
    going.send(text)
    step, _ = difference(listed(*before), listed(*after), ink_of, pen)
    going.send(step)
    assert going.rows() == rows_of(listed(*after), ink_of)
    if abs(before[0] - after[0]) == 1:
        assert len(step) < 200
        lines = re.search(r"\x1b\[(\d+);(\d+)r", step)
        assert lines is not None
        assert 2 <= int(lines[1]) < int(lines[2]) <= 9, "the bar and the hint stay"


@given(st.lists(FRAMES, min_size=2, max_size=5))
@settings(deadline=None)
def test_each_difference_leads_to_what_a_whole_painting_shows(frames: list[Frame]) -> None:
    going = Emulated(WIDTH, HEIGHT)
    before: Frame | None = None
    pen = UNKNOWN_PEN
    for each in frames:
        text, pen = difference(before, each, ink_of, pen)
        going.send(text)
        before = each
        anew = Emulated(WIDTH, HEIGHT)
        anew.send(difference(None, each, ink_of)[0])
        assert going.rows() == anew.rows() == rows_of(each, ink_of)
        shown = [line.ljust(WIDTH).replace(FILL, "") for line in each.text().split("\n")]
        assert going.display == shown


def test_nothing_new_is_nothing_to_send() -> None:
    one, same = frame((3, 1, "stone", "bold")), frame((3, 1, "stone", "bold"))
    pen = Pen((1, 1), Ink())
    assert difference(one, same, ink_of, pen) == ("", pen)


def test_only_what_changed_is_sent() -> None:
    old, new = frame((3, 1, "7D upper", "calm")), frame((3, 1, "7D lower", "calm"))
    assert difference(old, new, ink_of)[0] == "\x1b[2;7H\x1b[0;38;5;254;48;5;233mlow"
    assert difference(old, new, ink_of, Pen((3, 1), INKS["calm"]))[0] == "\x1b[3Clow"


def test_a_frame_of_another_size_is_painted_whole() -> None:
    small = Canvas(WIDTH, HEIGHT - 1, "calm").frame()
    assert difference(small, frame(), ink_of) == difference(None, frame(), ink_of)


@given(st.sampled_from(sorted(INKS)), st.sampled_from(sorted(INKS)))
def test_a_change_of_ink_is_never_longer_than_saying_it_anew(before: str, after: str) -> None:
    assert len(style_change(INKS[before], INKS[after])) <= len(
        "\x1b[0;" + style_change(Ink(), INKS[after])[2:] or "\x1b[0m"
    )


def test_a_change_of_ink_says_only_what_changes() -> None:
    assert style_change(INKS["calm"], Ink("38;5;1", "48;5;233")) == "\x1b[38;5;1m"
    assert style_change(INKS["calm"], INKS["bold"]) == "\x1b[1m"
    assert style_change(INKS["bold"], INKS["calm"]) == "\x1b[22m"
    assert style_change(INKS["mark"], Ink()) == "\x1b[0m"
