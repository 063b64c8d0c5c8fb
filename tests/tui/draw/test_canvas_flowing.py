"""Text that takes as many rows as it needs."""

from hypothesis import given
from hypothesis import strategies as st

from cartino_tui.draw.canvas import (
    Canvas,
    first_that_fits,
    flow_labels,
    put_row,
    put_rows,
    row_width,
    wrap_rows,
)

DOT = (" · ", "rule")


def shown(rows: list[tuple[tuple[str, str], ...]]) -> list[str]:
    return ["".join(text for text, _ in row) for row in rows]


def test_labels_stand_side_by_side_as_long_as_they_fit() -> None:
    labels = [[("one", "a")], [("two", "b")], [("three", "c")]]
    assert shown(flow_labels(labels, DOT, 99)) == ["one · two · three"]
    assert shown(flow_labels(labels, DOT, 9)) == ["one · two", "three"]
    assert shown(flow_labels(labels, DOT, 8)) == ["one", "two", "three"]
    assert shown(flow_labels([], DOT, 8)) == []


@given(st.lists(st.text("ab", min_size=1, max_size=12)), st.integers(1, 30))
def test_no_label_is_broken_and_none_is_lost(labels: list[str], cells: int) -> None:
    rows = flow_labels([[(label, "a")] for label in labels], DOT, cells)
    assert [label for row in shown(rows) for label in row.split(" · ")] == labels
    assert all(row_width(row) <= cells or len(row) == 1 for row in rows)


def test_a_sentence_takes_the_rows_that_it_needs_and_nothing_none() -> None:
    assert wrap_rows("The line is lost.", "status", 9) == [
        (("The line", "status"),),
        (("is lost.", "status"),),
    ]
    assert wrap_rows("", "status", 9) == []
    assert shown(wrap_rows("Léa…", "status", 9, ascii=True)) == ["Lea~"]


def test_rows_are_drawn_one_below_the_other() -> None:
    canvas = Canvas(8, 3)
    assert put_row(canvas, 1, 0, (("a", "text"), ("bc", "dim"))) == 4
    assert put_rows(canvas, 0, 1, [(("x", "text"),), ()]) == 3
    assert canvas.frame().text() == " abc\nx\n"


def test_the_first_text_that_fits_is_the_one_that_says_most() -> None:
    texts = ("lines 1 to 9 of 20", "1-9/20")
    assert [first_that_fits(texts, cells) for cells in (18, 17, 6, 5)] == [texts[0], texts[1], texts[1], ""]
